"""What a function says of the graph itself: vertices and edges to add, and to remove.

All of it is seen from the next superstep on, so nothing here gives a value but the id of a new
vertex. What is added needs a value in every column of the program; which columns there are is known
when the function is applied, and asked then (`check_changes`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from emv.dtypes import short_name
from emv.errors import FieldError, LanguageError, Loc, TypeMismatchError, did_you_mean
from emv.ir import body as ir
from emv.lang import words
from emv.lang.loops import Loops
from emv.lang.promote import is_float, spelled
from emv.lang.records import REQUIRED
from emv.lang.stores import check_fits, check_stored

Fields = Mapping[tuple[str, str], Any]


class Changing(Loops):
    """Builds what one function changes of the graph."""

    def is_new_vertex(self, node: ast.expr) -> bool:
        """Return whether an expression is ``emv.add_vertex(...)``."""
        return isinstance(node, ast.Call) and self.visit(node.func) is words.add_vertex

    def add_vertex(self, call: ast.Call, name: str = "") -> ir.Stmt:
        """Build ``name = emv.add_vertex(...)``; unnamed it goes to a local of the compiler's."""
        if call.args:
            raise self.refuse(
                "add_vertex() takes the columns of the new vertex by name",
                call,
                "Write emv.add_vertex(rank=1.0); its id is what comes back.",
            )
        self.refuse_common(call)
        loc, name = self.loc(call), name or self.scope.hidden("new_vertex")
        if not isinstance(self.scope.names.get(name, ""), str):
            raise self.refuse(f"{name!r} already names something else", call, "Use another name.")
        self.scope.assign(name, "i64", loc)
        names, values = self.columns_of(call)
        return ir.AddVertex(loc, name, names, values, self.scope.number_of("vertex", call))

    def change(self, owner: ir.Element, word: str, call: ast.Call) -> ir.Stmt:
        """Build ``v.add_edge(...)``, ``v.clear_edges()``, ``v.delete()`` or ``e.delete()``."""
        loc = self.loc(call)
        if word == "add_edge":
            return self.add_edge(owner, call)
        if call.args or call.keywords:
            raise self.refuse(f"{word}() takes nothing", call, f"Write {word}().")
        return ir.Delete(loc, owner) if word == "delete" else ir.ClearEdges(loc, owner)

    def add_edge(self, owner: ir.Element, call: ast.Call) -> ir.Stmt:
        """Build ``v.add_edge(dst, weight=...)``."""
        if len(call.args) != 1:
            raise self.refuse(
                "add_edge() takes the id of the vertex that the edge leads to, and its columns "
                "by name",
                call,
                "Write v.add_edge(w.id, weight=1.0).",
            )
        self.refuse_common(call)
        target = self.number(call.args[0])
        if is_float(target.type):
            raise TypeMismatchError(
                f"add_edge() takes the integer id of a vertex first, not {spelled(target.type)}",
                target.loc,
                "Write v.add_edge(int(x)), or keep ids in an i32 or i64 field.",
            )
        names, values = self.columns_of(call)
        site = self.scope.number_of("edge", call)
        return ir.AddEdge(self.loc(call), owner, target, names, values, site)

    def columns_of(self, call: ast.Call) -> tuple[tuple[str, ...], tuple[ir.Expr, ...]]:
        """Return the columns that a call names and what it gives them."""
        given = {each.arg: each.value for each in call.keywords}
        if None in given:
            raise self.refuse("**fields is not supported", call, "Name each column: rank=1.0.")
        values = tuple(self.number(each) for each in given.values())
        return tuple(map(str, given)), values

    def refuse_common(self, call: ast.Call) -> None:
        """Refuse to add in a loop over common neighbours."""
        if "common" in self.scope.loops:
            raise self.refuse(
                "nothing can be added in a loop over common neighbours",
                call,
                "Collect what the loop finds in a variable and add it after the loop.",
            )


def changes_in(function: Any) -> Iterator[Any]:
    """Yield the statements by which a function changes the graph."""
    kinds = (ir.AddEdge, ir.AddVertex, ir.Delete, ir.ClearEdges)
    for stmt in ir.statements_in(function.body.statements):
        if isinstance(stmt, kinds):
            yield stmt


def check_applied(function: Any, fields: Fields, domain: str, loc: Loc) -> None:
    """Refuse a call whose additions make no sense: see `check_changes`.

    Raises
    ------
    LanguageError
        If vertices are added along arcs, of which an undirected edge has two.
    """
    check_changes(function, fields)
    along_arcs = function.kind == "edge" and domain not in ("edges", "active_edges")
    if along_arcs and "add_vertex" in function.effects.acts:
        raise LanguageError(
            f"{function.name}() adds vertices, but over {domain} an undirected edge is visited "
            "once in each direction",
            loc,
            f"Apply it to each edge once: {function.name}(g.edges).",
        )


def check_changes(function: Any, fields: Fields) -> None:
    """Refuse additions that do not fit the columns of a program.

    Parameters
    ----------
    fields : dict
        The columns of the program, by ``vertex`` or ``edge`` and name.

    Raises
    ------
    FieldError
        If a column is named that no record declares, or one that has no default is not named.
    TypeMismatchError
        If a column does not take what it is given.
    """
    for stmt in changes_in(function):
        if isinstance(stmt, ir.AddEdge | ir.AddVertex):
            kind = "edge" if isinstance(stmt, ir.AddEdge) else "vertex"
            _check_columns(stmt, kind, fields)


def _check_columns(stmt: Any, kind: str, fields: Fields) -> None:
    """Refuse an addition that does not fit the columns of its kind."""
    word, known = f"add_{kind}", [name for each, name in fields if each == kind]
    for name, value in zip(stmt.names, stmt.values, strict=True):
        field = fields.get((kind, name))
        if field is None or field.disjoint:
            raise FieldError(
                f"{word}() gives {name!r}, "
                + (
                    "a DisjointSet, in which a new vertex is alone"
                    if field is not None
                    else f"which no {kind} record of this program declares"
                ),
                stmt.loc,
                f"They declare: {', '.join(known) or 'nothing'}.{did_you_mean(name, known)}",
            )
        kind_of_field, where = short_name(field.dtype), f"{field.record.__name__}.{field.name}"
        check_stored(value, kind_of_field, where, stmt.loc)
        check_fits(value, kind_of_field, where)
    for name in known:
        field = fields[kind, name]
        if name not in stmt.names and field.default is REQUIRED and not field.disjoint:
            raise FieldError(
                f"{word}() gives no {name!r}, which every {kind} has",
                stmt.loc,
                f"Write {word}(..., {name}=...), or give {field.record.__name__}.{name} a default.",
            )


class Kept:
    """Refuses programs that hold on to what they remove: ids of edges, or vertices to be woken.

    An edge's id is its place, which is another's once edges before it are gone; and a vertex that
    was deleted cannot be active.
    """

    def __init__(self) -> None:
        self.removes: dict[str, str] = {}  # what is removed, and by which function

    def note(self, function: Any) -> None:
        """Take note of a function that is applied.

        Raises
        ------
        LanguageError
            If the program removes edges and reaches some by their ids, or deletes vertices and
            activates some by their ids.
        """
        acts = function.effects.acts
        if acts & {"delete_edge", "clear_edges", "delete_vertex"}:
            self.removes.setdefault("edge", function.name)
        if "delete_vertex" in acts:
            self.removes.setdefault("vertex", function.name)
        if self.removes:
            self._check(function)

    def _check(self, function: Any) -> None:
        for node in function.body.nodes:
            element = ir.element_of(node)
            if element is None or element.role != "far":
                continue
            if element.kind == "edge" and "edge" in self.removes:
                raise LanguageError(
                    f"{function.name}() reaches an edge by its id, and {self.removes['edge']}() "
                    "removes edges, which gives others that id",
                    node.loc,
                    "Keep what you need of an edge in a column of a vertex, or send it.",
                )
            if isinstance(node, ir.Activate) and "vertex" in self.removes:
                raise LanguageError(
                    f"{function.name}() activates a vertex by its id, and "
                    f"{self.removes['vertex']}() deletes vertices",
                    node.loc,
                    "Send it a message: those who are there hear it, and activate themselves.",
                )


def refuse_unnamed(function: Any) -> None:
    """Refuse a function that changes the graph in a program that the host does not drive."""
    refuse_changes(
        function,
        "between supersteps, which the host does, and the program does not name the function",
        "Write @program(host_loop=True).",
    )


def refuse_changes(function: Any, where: str, remedy: str, loc: Loc | None = None) -> None:
    """Refuse a function that changes the graph where that cannot be, at the first such line."""
    for stmt in changes_in(function):
        raise LanguageError(f"{function.name}() changes the graph {where}", loc or stmt.loc, remedy)
