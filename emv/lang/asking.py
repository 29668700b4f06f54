"""The bodies that a function which changes the graph is taken apart into (`emv.lang.apart`).

Each is the user's with some statements replaced. Bodies that only ask keep in locals what the
instance writes, as it sees what it has itself written and nobody else may.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from emv.dtypes import short_name
from emv.ir import body as ir
from emv.lang.changing import Fields, changes_in
from emv.lang.effects import MASK_WORDS
from emv.lang.functions import Function
from emv.lang.records import Edge, Field, Vertex

DELETED, CLEARED, NEW, FIRST, LIVING = "_deleted", "_cleared", "_new", "_first_new", "_living"
"""Columns of the run's own: fields of records have no such names."""


class OwnVertex(Vertex):
    """The columns of vertices that are the run's own."""


class OwnEdge(Edge):
    """The columns of edges that are the run's own."""


_TYPES = {DELETED: np.bool_, CLEARED: np.bool_, LIVING: np.bool_, NEW: np.int64, FIRST: np.int64}
for _record in (OwnVertex, OwnEdge):
    _record.take(
        {
            name: Field(_record, name, np.dtype(dtype), dtype(0), mask=name == LIVING)
            for name, dtype in _TYPES.items()
        }
    )
_OWN = {"vertex": OwnVertex, "edge": OwnEdge}
OWN_FIELDS = {(kind, name): _OWN[kind].fields[name] for kind in _OWN for name in _TYPES}

_ADDED = "_added"  # the local that counts the vertices that an instance has added


def of_run(element: ir.Element) -> ir.Element:
    """Return an element as one that has the columns of the run's own."""
    return dataclasses.replace(element, record=_OWN[element.kind])


class Rewritten(ABC):
    """A body of which statements are replaced, block by block."""

    def __init__(self, function: Function) -> None:
        self.function, self.whole = function, function.body
        self.locals = dict(self.whole.locals)
        self.loc = function.loc
        kind = "edge" if function.kind == "edge" else "vertex"
        self.own = ir.Element(kind, "own", function.record)
        self.adds_vertices = any(isinstance(each, ir.AddVertex) for each in changes_in(function))

    def body(self) -> ir.Body:
        """Return the body, with what it begins and ends with."""
        statements = self.block(self.whole.statements)
        statements = (*self.before(), *statements, *self.after())
        result, message = self.result_and_message()
        return ir.Body(statements, self.locals, result, message, self.whole.helpers)

    def result_and_message(self) -> tuple[Any, Any]:
        """Return the types of what the function returns and sends."""
        return self.whole.result, self.whole.message

    def before(self) -> list[ir.Stmt]:
        """Return what the body begins with."""
        if not self.adds_vertices:
            return []
        self.locals[_ADDED] = "i64"
        return [ir.Assign(self.loc, _ADDED, self.number(0))]

    def after(self) -> list[ir.Stmt]:
        """Return what the body ends with."""
        return []

    def number(self, value: int) -> ir.Expr:
        """Return a number."""
        return ir.Const("i64", self.loc, value)

    def added(self) -> ir.Expr:
        """Return how many vertices the instance has added so far."""
        return ir.Local("i64", self.loc, _ADDED)

    def one_more(self) -> ir.Stmt:
        """Return the statement that counts a new vertex."""
        more = ir.Binary("i64", self.loc, "+", self.added(), self.number(1))
        return ir.Assign(self.loc, _ADDED, more)

    def named(self, stmt: ir.AddVertex) -> list[ir.Stmt]:
        """Return the statements that give a new vertex its id."""
        first = ir.Load("i64", stmt.loc, of_run(self.own), FIRST)
        new = ir.Binary("i64", stmt.loc, "+", first, self.added())
        return [ir.Assign(stmt.loc, stmt.name, new), self.one_more()]

    def block(self, block: tuple[ir.Stmt, ...]) -> tuple[ir.Stmt, ...]:
        """Return a block with its statements replaced."""
        made: list[ir.Stmt] = []
        for stmt in block:
            found = self.statement(ir.with_blocks(stmt, self.block))
            made += found
        return tuple(made)

    @abstractmethod
    def statement(self, stmt: ir.Stmt) -> list[ir.Stmt]:
        """Return what takes the place of a statement."""


class Telling(Rewritten):
    """A body that sends messages of what is added.

    Attributes
    ----------
    columns : tuple of str
        Of what is added, in the order in which messages hold them.
    fields : dict
        The columns of the program.
    """

    columns: tuple[str, ...] = ()
    fields: Fields

    def sent(self, stmt: Any, first: list[ir.Expr], kinds: tuple[str, ...]) -> ir.Stmt:
        """Return the message that tells of an addition, to the instance's own vertex."""
        values = dict(zip(stmt.names, stmt.values, strict=True))
        given = [values.get(name) for name in self.columns]
        of = "edge" if isinstance(stmt, ir.AddEdge) else "vertex"
        for name, value in zip(self.columns, given, strict=True):
            kind = kinds[len(first)]
            if value is None:
                default = self.fields[of, name].default
                is_truth = kind == "bool"
                value = ir.Const(kind, stmt.loc, bool(default) if is_truth else default)
            first = [*first, ir.Call(kind, stmt.loc, f"cast:{kind}", (value,))]
        vertex = self.own
        if vertex.kind == "edge":
            vertex = ir.Element("vertex", "src", self.function.record.vertex)
        target = ir.Attribute("id", stmt.loc, vertex, "id")
        return ir.Send(stmt.loc, "to", ir.Tuple(kinds, stmt.loc, tuple(first)), stmt.site, target)

    def sent_edge(self, stmt: ir.AddEdge, kinds: tuple[str, ...]) -> ir.Stmt:
        """Return the message that tells of a new edge: its ends and columns."""
        element = stmt.element
        row = element.index
        if element.role != "far" or row is None:
            row = ir.Attribute("id", stmt.loc, element, "id")
        ends = [ir.Call("i64", stmt.loc, "cast:i64", (each,)) for each in (row, stmt.target)]
        return self.sent(stmt, list(ends), kinds)

    def kinds_of(self, kind: str) -> tuple[str, ...]:
        """Return the types of the columns."""
        return tuple(short_name(self.fields[kind, name].dtype) for name in self.columns)


class Rest(Rewritten):
    """What a function does besides adding, and what it deletes as columns that it sets."""

    def statement(self, stmt: ir.Stmt) -> list[ir.Stmt]:
        """Return what takes the place of a statement."""
        if isinstance(stmt, ir.AddEdge):
            return []
        if isinstance(stmt, ir.AddVertex):
            return self.named(stmt)
        if isinstance(stmt, ir.Delete):
            return [self.marked(stmt, stmt.element, DELETED)]
        if isinstance(stmt, ir.ClearEdges):
            return [self.marked(stmt, stmt.element, CLEARED)]
        return [stmt]

    def marked(self, stmt: ir.Stmt, element: ir.Element, field: str) -> ir.Stmt:
        """Return the statement that marks an element; an edge by its id, as both its arcs may."""
        if element.kind == "edge" and element.role != "far":
            index = ir.Attribute("id", stmt.loc, element, "id")
            element = ir.Element("edge", "far", element.record, index)
        return ir.Store(stmt.loc, of_run(element), field, ir.Const("bool", stmt.loc, True))


class RestAndEdges(Rest, Telling):
    """All that a function does that sends and returns nothing of its own, and adds no vertices."""

    def __init__(self, function: Function, fields: Fields, columns: tuple[str, ...]) -> None:
        super().__init__(function)
        self.fields, self.columns = fields, columns
        self.kinds = ("i64", "i64", *self.kinds_of("edge"))

    def result_and_message(self) -> tuple[Any, Any]:
        """Return the types of what the function returns and sends."""
        return None, self.kinds

    def statement(self, stmt: ir.Stmt) -> list[ir.Stmt]:
        """Return what takes the place of a statement."""
        if isinstance(stmt, ir.AddEdge):
            return [self.sent_edge(stmt, self.kinds)]
        return super().statement(stmt)


class Asking(Telling):
    """What a function asks for: it changes nothing, and keeps what it writes itself in locals."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.kept: dict[str, str] = {}
        for stmt in ir.statements_in(self.whole.statements):
            if isinstance(stmt, ir.Store) and self.is_own(stmt):
                kind = short_name(function.record.fields[stmt.field].dtype)
                self.kept[stmt.field] = f"_{stmt.field}"
                self.locals[f"_{stmt.field}"] = kind

    def is_own(self, stmt: ir.Store) -> bool:
        """Return whether a statement sets the instance's own field."""
        return stmt.element.role == "own" and stmt.op not in MASK_WORDS

    def before(self) -> list[ir.Stmt]:
        """Return what the body begins with: the own fields as they are."""
        first = [
            ir.Assign(self.loc, local, ir.Load(self.locals[local], self.loc, self.own, field))
            for field, local in self.kept.items()
        ]
        return [*super().before(), *first]

    def result_and_message(self) -> tuple[Any, Any]:
        """Return the types of what the function returns and sends."""
        return None, None

    def statement(self, stmt: ir.Stmt) -> list[ir.Stmt]:
        """Return what takes the place of a statement: nothing of what others would see."""
        stmt = ir.with_parts(stmt, self.read)
        if isinstance(stmt, ir.Store) and self.is_own(stmt):
            local = self.kept[stmt.field]
            kind = self.locals[local]
            value = ir.Call(kind, stmt.loc, f"cast:{kind}", (stmt.value,))
            return [ir.Assign(stmt.loc, local, value)]
        if isinstance(stmt, ir.AddEdge | ir.AddVertex):
            return self.asked(stmt)
        if isinstance(stmt, ir.Assign) and stmt.name == ir.RESULT:
            self.locals.pop(ir.RESULT, None)
            return []
        inside = (ir.Assign, ir.If, ir.ForRange, ir.ForLinks, ir.ForMessages, ir.ForCommon)
        return [stmt] if isinstance(stmt, (*inside, ir.While, ir.Break, ir.Continue)) else []

    def read(self, expr: ir.Expr) -> ir.Expr:
        """Return an expression whose own fields are read where they are kept."""
        expr = ir.with_parts(expr, self.read)
        if isinstance(expr, ir.Load) and expr.element.role == "own" and expr.field in self.kept:
            return ir.Local(expr.type, expr.loc, self.kept[expr.field])
        return expr

    @abstractmethod
    def asked(self, stmt: ir.AddEdge | ir.AddVertex) -> list[ir.Stmt]:
        """Return what takes the place of an addition."""


class Edges(Asking):
    """Sends what edges are added."""

    def __init__(self, function: Function, fields: Fields, columns: tuple[str, ...]) -> None:
        super().__init__(function)
        self.fields, self.columns = fields, columns
        self.kinds = ("i64", "i64", *self.kinds_of("edge"))

    def result_and_message(self) -> tuple[Any, Any]:
        """Return the types of what the function returns and sends."""
        return None, self.kinds

    def asked(self, stmt: ir.AddEdge | ir.AddVertex) -> list[ir.Stmt]:
        """Return what takes the place of an addition."""
        if isinstance(stmt, ir.AddVertex):
            return self.named(stmt)
        return [self.sent_edge(stmt, self.kinds)]


class Vertices(Asking):
    """Sends what vertices are added."""

    def __init__(self, function: Function, fields: Fields, columns: tuple[str, ...]) -> None:
        super().__init__(function)
        self.fields, self.columns = fields, columns
        self.kinds = ("i64", *self.kinds_of("vertex"))

    def result_and_message(self) -> tuple[Any, Any]:
        """Return the types of what the function returns and sends."""
        return None, self.kinds

    def asked(self, stmt: ir.AddEdge | ir.AddVertex) -> list[ir.Stmt]:
        """Return what takes the place of an addition."""
        if isinstance(stmt, ir.AddEdge):
            return []
        new = ir.Local("i64", stmt.loc, stmt.name)
        return [*self.named(stmt), self.sent(stmt, [new], self.kinds)]


class Counts(Asking):
    """Counts the vertices that an instance adds."""

    def after(self) -> list[ir.Stmt]:
        """Return what the body ends with."""
        return [ir.Store(self.loc, of_run(self.own), NEW, self.added())]

    def asked(self, stmt: ir.AddEdge | ir.AddVertex) -> list[ir.Stmt]:
        """Return what takes the place of an addition."""
        if isinstance(stmt, ir.AddEdge):
            return []
        return [ir.Assign(stmt.loc, stmt.name, self.number(0)), self.one_more()]
