"""Rounds near what changed, with which a loop goes on towards its fixed point.

Old values are wrong where edges came or went, and right but for little elsewhere. What is wrong
there lasts: two vertices that had no edges and are joined now hand all that they have to each
other, so that a superstep takes off no more than its factor leaves, 15 % for PageRank. So a few
supersteps set the ends of such edges alone; no other row is walked, as their receiver asks who it
is before it looks (`emv.passes.find_shortcuts` calls that a guard). What is left shrinks by one
share a round then, vertex by vertex, and is added up as a geometric series (Aitken; Kamvar,
Haveliwala, Manning and Golub, WWW 2003). Where supersteps keep the sum, all is scaled to it.

That makes a start, nothing more: the program's own loop goes on from it, and says when it ends.
"""

from __future__ import annotations

import copy
import dataclasses
import types
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from emv.dtypes import short_name
from emv.errors import Loc
from emv.ir import body as b
from emv.ir import program as p
from emv.lang.analysis import Analysis
from emv.lang.effects import find_effects
from emv.lang.functions import Function
from emv.lang.records import Field, RecordType, Vertex

ROUNDS = 8
MOST_LEFT = 0.9  # of what a round moves a vertex by, in the next one, that is summed up
IS_NEAR, MOVED, MOVED_BEFORE = "is_near_change", "moved_near", "moved_near_before"
NAMES = (IS_NEAR, MOVED, MOVED_BEFORE)


def can_begin_near(loop: p.Loop, fields: dict[tuple[str, str], Any]) -> bool:
    """Return whether the rounds can stand before a loop: its calls need no more than each other."""
    known = {each.id for each in loop.body if isinstance(each, p.Apply | p.Combine | p.Aggregate)}
    is_plain = all(isinstance(each, p.Apply | p.Combine | p.Aggregate) for each in loop.body)
    values = [part for each in loop.body for part in _values_in(each)]
    return (
        is_plain
        and not any(("vertex", name) in fields for name in NAMES)
        and all(isinstance(each, _GIVEN) or getattr(each, "id", None) in known for each in values)
    )


_GIVEN = p.Number | p.ScalarParameter | p.GraphNumber


def _values_in(part: Any) -> list[Any]:
    """Return the values that a node or an argument is made of."""
    if isinstance(part, p.Apply):
        return [found for _, value in part.args for found in _values_in(value)]
    if isinstance(part, p.Combine):
        return [*_values_in(part.source), *_values_in(part.initial)]
    if isinstance(part, p.Aggregate):
        return _values_in(part.source)
    if isinstance(part, p.Operation | tuple):
        parts = part if isinstance(part, tuple) else part.args
        return [found for each in parts for found in _values_in(each)]
    return [] if part is None or isinstance(part, p.Column) else [part]


class Derived(Function):
    """A function of which the body is made of that of another one, and not of a text.

    Attributes
    ----------
    given : Analysis
        Its body and what is known of it.
    """

    given: Analysis

    @property
    def analysis(self) -> Analysis:
        """Return body and effects."""
        return self.given


def derived(function: Function, statements: Sequence[b.Stmt], variables: dict[str, Any]) -> Derived:
    """Return a function of other statements, which returns nothing."""
    made: Derived = copy.copy(function)  # type: ignore[assignment]
    made.__class__ = Derived
    found = function.analysis
    body = dataclasses.replace(
        found.body, statements=tuple(statements), locals=variables, result=None
    )
    made.given = dataclasses.replace(found, body=body, effects=find_effects(body))
    return made


class NearText:
    """Writes the functions of the rounds, for one field of floats.

    Parameters
    ----------
    field : Field
        What settles.
    loc : Loc
        Of the user's function that sets it.
    """

    def __init__(self, field: Field, loc: Loc) -> None:
        self.field, self.loc, self.kind = field, loc, short_name(field.dtype)
        self.record = near_record(field.dtype)

    def own(self, name: str) -> b.Element:
        """Return the own vertex, as the record that has a field."""
        record = self.field.record if name == self.field.name else self.record
        return b.Element("vertex", "own", record)

    def load(self, name: str) -> b.Load:
        """Return the own field of a name."""
        return b.Load("bool" if name == IS_NEAR else self.kind, self.loc, self.own(name), name)

    def store(self, name: str, value: b.Expr) -> b.Store:
        """Return what sets it."""
        return b.Store(self.loc, self.own(name), name, value)

    def two(self, op: str, left: b.Expr, right: b.Expr) -> b.Binary:
        """Return what is computed of two numbers."""
        return b.Binary(self.kind, self.loc, op, left, right)

    def where_near(self, *then: b.Stmt) -> b.If:
        """Return what is done near the change only."""
        return b.If(self.loc, self.load(IS_NEAR), then, ())

    def setting(self, function: Function) -> Derived:
        """Return the user's function that sets the field, near the change, noting by how much."""
        *before, last = function.analysis.body.statements
        assert isinstance(last, b.Assign)
        assert isinstance(last.value, b.Call)
        (moved,) = last.value.args
        assert isinstance(moved, b.Binary)
        if not b.reads(moved.left, "own", self.field.name):
            moved = dataclasses.replace(moved, left=moved.right, right=moved.left)
        notes = self.store(MOVED_BEFORE, self.load(MOVED)), self.store(MOVED, moved)
        variables = {k: v for k, v in function.analysis.body.locals.items() if k != b.RESULT}
        return derived(function, [self.where_near(*before, *notes)], variables)

    def summing_up(self) -> Derived:
        """Return the function that adds what further rounds would move a vertex by."""
        share = b.Local(self.kind, self.loc, "share")
        one, none = b.Const("int", self.loc, 1), b.Const("int", self.loc, 0)
        most = b.Const("float", self.loc, MOST_LEFT)
        shrinks = b.Logic("bool", self.loc, "and", (
            b.Compare("bool", self.loc, ">", share, none),
            b.Compare("bool", self.loc, "<", share, most),
        ))  # fmt: skip
        further = self.two("/", self.two("*", self.load(MOVED), share), self.two("-", one, share))
        settled = self.two("+", self.load(self.field.name), further)
        found = self.two("/", self.load(MOVED), self.load(MOVED_BEFORE))
        then = b.If(self.loc, shrinks, (self.store(self.field.name, settled),), ())
        stub = Function("vertex", cast(types.FunctionType, _sum_up), {"Any": self.record})
        assigned = b.Assign(self.loc, "share", found)
        return derived(stub, [self.where_near(assigned, then)], {"share": self.kind})

    def scaling(self) -> Derived:
        """Return the function that multiplies the field by a number."""
        by = b.Local("f64", self.loc, "by")
        product = b.Binary("f64", self.loc, "*", self.load(self.field.name), by)
        stub = Function("vertex", cast(types.FunctionType, _scale), {"Any": self.record})
        return derived(stub, [self.store(self.field.name, product)], {})


def _sum_up(v: Any):  # type: ignore[no-untyped-def] # `NearText` has the statements
    pass


def _scale(v: Any, by: float):  # type: ignore[no-untyped-def]
    pass


_RECORDS: dict[Any, Any] = {}


def near_record(dtype: np.dtype[Any]) -> Any:
    """Return the record of vertices that know whether they are near a change."""
    if dtype not in _RECORDS:
        kinds = {IS_NEAR: np.bool_, MOVED: dtype.type, MOVED_BEFORE: dtype.type}
        body = {"__annotations__": kinds, "__module__": __name__, MOVED: 0.0, MOVED_BEFORE: 0.0}
        _RECORDS[dtype] = RecordType("Near", (Vertex,), body)
    return _RECORDS[dtype]


def begin_near(graph: Any, field: Field, name: str, whole: Any) -> None:
    """Record the rounds before the loop that a traced program has just recorded.

    Parameters
    ----------
    graph : TracedGraph
        With what the program was traced.
    name : str
        Of the function in the loop that sets the field.
    whole : number or None
        What the field sums to, where supersteps keep that.
    """
    tracer = vars(graph)["_tracer"]
    nodes = tracer.blocks[-1]
    place = next(k for k, each in enumerate(nodes) if isinstance(each, p.Loop))
    rest = nodes[place:]
    del nodes[place:]
    calls = [each for each in rest[0].body if isinstance(each, p.Apply)]
    function = next(each.function for each in calls if each.function.name == name)
    text = NearText(field, function.loc)
    tracer.add(_rounds(tracer, rest[0], function, text))
    text.summing_up()(graph)
    if whole is not None:
        total = tracer.aggregate_column("total", p.Column("vertex", field.name))
        text.scaling()(graph, whole / total)
    nodes.extend(rest)


def _rounds(tracer: Any, loop: p.Loop, function: Any, text: NearText) -> p.Loop:
    """Return the loop whose rounds set the field near the change only."""
    table = {each.id: tracer.new_id() for each in loop.body if hasattr(each, "id")}
    for old, new in table.items():
        if old in tracer.types:
            tracer.types[new] = tracer.types[old]
    setting, body = text.setting(function), list[p.Node]()
    sets = next(e.id for e in loop.body if isinstance(e, p.Apply) and e.function is function)
    tracer.types[table[sets]] = None
    for node in loop.body:
        if isinstance(node, p.Aggregate) and node.source == p.Ref(sets):
            continue  # by how much all changes, which nobody asks here
        made = _renumbered(node, table)
        is_it = isinstance(node, p.Apply) and node.id == sets
        body.append(dataclasses.replace(made, function=setting) if is_it else made)
    bound = p.Number("i64", ROUNDS)
    return p.Loop(loop.loc, tracer.new_id(), bound, None, tuple(body), by_votes=False)


def _renumbered(part: Any, table: dict[int, int]) -> Any:
    """Return a node or a value with other numbers for what it names."""
    if isinstance(part, tuple):
        return tuple(_renumbered(each, table) for each in part)
    if isinstance(part, p.Ref | p.Aggregated):
        return dataclasses.replace(part, id=table[part.id])
    if isinstance(part, p.Operation):
        return dataclasses.replace(part, args=_renumbered(part.args, table))
    if isinstance(part, p.Domain):
        return part if part.source is None else dataclasses.replace(part, source=table[part.source])
    if not isinstance(part, p.Apply | p.Combine | p.Aggregate):
        return part
    named: dict[str, Any] = {"id": table[part.id]}
    for each in ("domain", "args", "source", "initial"):
        if hasattr(part, each):
            named[each] = _renumbered(getattr(part, each), table)
    return dataclasses.replace(part, **named)
