"""A function that changes the graph, taken apart into functions that do not.

Compiled kernels know nothing of a graph that changes. What a call asks for reaches the host in
columns of the run's own and in messages, and functions made of the user's put it there:

``rest``
    What the function does besides. To delete is to set a column of truth values, of edges, of
    vertices, or of vertices whose edges are cleared; a new vertex's id is counted on from a column.
``edges``
    Sends, for every edge that is added, its ends and columns. Messages come in the order of
    instances and of what one sends, whoever ran first; the host puts them in order by the row.
``vertices``
    Sends, for every new vertex, its id and columns.
``counts``
    Counts how many vertices every instance adds, so that their ids can be told before they are
    added, and do not depend on threads: Mars's two passes (He et al., PACT 2008).

A function that adds edges, and otherwise sends and returns nothing, needs no such parts: it is one
that sends what it adds (``edges`` alone).

A call reads everything as it was before (rule 1), so it may be run several times as long as only
the last changes anything; what an instance reads of its own writes, the others keep in locals.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from emv.errors import LanguageError, Loc
from emv.ir import body as ir
from emv.lang.asking import LIVING, Counts, Edges, OwnVertex, Rest, RestAndEdges, Vertices
from emv.lang.changing import Fields, changes_in
from emv.lang.effects import find_effects
from emv.lang.functions import Function
from emv.lang.records import ListOf, Vertex


class Made(Function):
    """A function made of a user's, with a body of its own."""

    def __init__(self, whole: Function, body: ir.Body, what: str = "") -> None:
        self.__dict__.update(vars(whole), made={})
        if what and "random" not in whole.effects.acts:  # draws go by the function's name
            self.name = f"{whole.name}_{what}"
        self._made = dataclasses.replace(
            whole.analysis, body=body, effects=find_effects(body), sent_record=None
        )

    @property
    def analysis(self) -> Any:
        """Return the body it was made with, and its effects."""
        return self._made


class Listener(Made):
    """A function that hears messages and does nothing, so that they are kept."""

    def __init__(self, whole: Function) -> None:
        super().__init__(whole, ir.Body((), {}, None, None, ()), "asked")
        self.kind, self.record = "mlist", Vertex
        self.list = ListOf("messages", whole)
        self.element_names, self.parameters = ["v", "heard"], ()


@dataclass(frozen=True)
class Apart:
    """What a function is taken apart into; None of what it does not do.

    Attributes
    ----------
    columns : dict
        What the messages hold besides the ends or the id, by ``edge`` and ``vertex``: names.
    sites : tuple of AddEdge
        The additions of edges in the order of the text.
    """

    rest: Function | None
    edges: Function | None
    vertices: Function | None
    counts: Function | None
    listener: Function
    columns: dict[str, tuple[str, ...]]
    sites: tuple[ir.AddEdge, ...]


def apart(function: Function, fields: Fields) -> Apart:
    """Return what a function that changes the graph is taken apart into.

    Parameters
    ----------
    fields : dict
        The columns of the program, which what is added has values in.

    Raises
    ------
    LanguageError
        If how many vertices an instance adds depends on their ids, or if it reads fields of listed
        edges that it has set.
    """
    changes = list(changes_in(function))
    adds_edges = any(isinstance(each, ir.AddEdge) for each in changes)
    adds_vertices = any(isinstance(each, ir.AddVertex) for each in changes)
    columns = {
        kind: tuple(name for (of, name), each in fields.items() if of == kind and not each.disjoint)
        for kind in ("edge", "vertex")
    }
    if adds_vertices:
        _check_counts(function)
    if adds_edges or adds_vertices:
        _check_links(function)
    is_one = adds_edges and not adds_vertices and tells_nothing(function)
    whole = RestAndEdges(function, fields, columns["edge"]) if is_one else None
    bodies = {
        "edges": whole or (Edges(function, fields, columns["edge"]) if adds_edges else None),
        "vertices": Vertices(function, fields, columns["vertex"]) if adds_vertices else None,
        "counts": Counts(function) if adds_vertices else None,
    }
    pieces = {
        what: None if each is None else Made(function, each.body(), what)
        for what, each in bodies.items()
    }
    rest = None if is_one else Made(function, Rest(function).body())
    sites = {each.site: each for each in changes if isinstance(each, ir.AddEdge)}
    in_order = tuple(sites[site] for site in sorted(sites))
    return Apart(rest, **pieces, listener=Listener(function), columns=columns, sites=in_order)


def tells_nothing(function: Function) -> bool:
    """Return whether a function neither returns a value nor sends messages."""
    body = function.body
    return body.result is None and body.message is None


def guarded(function: Function, loc: Loc) -> Function:
    """Return a function that does nothing for vertices that were deleted.

    Raises
    ------
    LanguageError
        If it returns a value.
    """
    body = function.body
    if body.result is not None:
        raise LanguageError(
            f"{function.name}() returns a value, and this program has deleted vertices, which may "
            "be in this set",
            loc,
            f"Apply it to all: {function.name}(g).",
        )
    found = function.made.get("guarded")
    if found is None or found[0] is not body:
        test = ir.Load("bool", function.loc, ir.Element("vertex", "own", OwnVertex), LIVING)
        inside = ir.If(function.loc, test, body.statements, ())
        made = Made(function, dataclasses.replace(body, statements=(inside,)))
        found = function.made["guarded"] = (body, made)
    return found[1]


def _check_counts(function: Function) -> None:
    """Refuse that the ids of new vertices decide how many there are."""
    block = function.body.statements
    known = {each.name for each in changes_in(function) if isinstance(each, ir.AddVertex)}

    def names_one(expr: ir.Expr) -> bool:
        return any(isinstance(each, ir.Local) and each.name in known for each in ir.inside(expr))

    before = -1
    while before < len(known):
        before = len(known)
        for stmt in ir.statements_in(block):
            if isinstance(stmt, ir.Assign) and names_one(stmt.value):
                known.add(stmt.name)
    for stmt in ir.statements_in(block):
        decides = ir.parts_of(stmt) if ir.blocks_of(stmt) else []
        if any(map(names_one, decides)):
            raise LanguageError(
                f"{function.name}() decides by the id of a new vertex",
                stmt.loc,
                "Ids are told once it is known how many vertices each instance adds: decide by "
                "something else, or let another function do it in the next superstep.",
            )


def _check_links(function: Function) -> None:
    """Refuse to read fields of listed edges that the function sets, where it adds something."""
    statements = ir.statements_in(function.body.statements)
    written = {
        each.field
        for each in statements
        if isinstance(each, ir.Store) and each.element.role == "link"
    }
    for expr in ir.expressions_in(function.body.statements):
        if ir.reads(expr, "link") and expr.field in written:
            raise LanguageError(
                f"{function.name}() adds to the graph, and reads {expr.field!r} of listed edges, "
                "which it sets",
                expr.loc,
                "Split the function in two.",
            )
