"""What a superstep does to a column, abstractly: whether it sums it up, and how much it adds.

Every number of the superstep is one of three things (abstract interpretation; Cousot and Cousot,
POPL 1977): *known*, which does not depend on the column, with the interval that it is in; *rising*,
a sum of entries of the column times numbers not below 0, and of a known number that is not below
``low``; or neither, which is None.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from emv.ir import body as b
from emv.ir import program as p


@dataclass(frozen=True)
class Bounds:
    """A number that is known to be in an interval; one that rises has no end."""

    low: float
    high: float
    rises: bool = False


ANY = Bounds(-math.inf, math.inf)
COUNT = Bounds(0.0, math.inf)
TRUTH = Bounds(0.0, 1.0)

_CASTS = ("f32", "f64", "float")


def rising(low: float) -> Bounds:
    """Return what rises, with what is added to it at least."""
    return Bounds(low, math.inf, rises=True)


def joined(one: Bounds | None, other: Bounds | None) -> Bounds | None:
    """Return what is one or the other."""
    if one is None or other is None:
        return None
    rises = one.rises or other.rises
    return Bounds(min(one.low, other.low), max(one.high, other.high), rises)


def summed(each: Bounds | None) -> Bounds | None:
    """Return the sum of any number of such numbers."""
    if each is None:
        return None
    return Bounds(0.0 if each.low >= 0 else -math.inf, math.inf, each.rises)


def _times(one: float, other: float) -> float:
    return 0.0 if 0 in (one, other) else one * other


def computed(op: str, left: Bounds | None, right: Bounds | None) -> Bounds | None:
    """Return what an arithmetic operation gives."""
    if left is None or right is None:
        return None
    if op == "+":
        return Bounds(left.low + right.low, left.high + right.high, left.rises or right.rises)
    if op == "-" and not right.rises:
        return Bounds(left.low - right.high, left.high - right.low, left.rises)
    if op == "*" and right.rises and not left.rises:
        left, right = right, left
    if op == "*" and not right.rises:
        corners = [_times(x, y) for x in (left.low, left.high) for y in (right.low, right.high)]
        if not left.rises:
            return Bounds(min(corners), max(corners))
        return rising(min(corners)) if right.low >= 0 else None
    if op == "/" and not right.rises and right.low >= 0:
        shares = [_share(x, y) for x in (left.low, left.high) for y in (right.low, right.high)]
        return Bounds(min(shares), max(shares), left.rises)
    return None if left.rises or right.rises else ANY


def _share(one: float, other: float) -> float:
    if other == 0:
        return math.copysign(math.inf, one) if one else 0.0
    return 0.0 if math.isinf(other) else one / other


@dataclass
class Superstep:
    """What the columns and values of a superstep are, followed call by call.

    Attributes
    ----------
    vertices, edges : dict of str to Bounds or None
        The columns, by name.
    scalar : callable
        Returns the number that a scalar of the program is, None where it is not known.
    """

    vertices: dict[str, Bounds | None]
    edges: dict[str, Bounds | None]
    scalar: Callable[[p.Scalar], float | None]
    messages: dict[int, Bounds | None] = field(default_factory=dict)
    values: dict[int, Bounds | None] = field(default_factory=dict)

    def follow(self, nodes: tuple[p.Node, ...]) -> bool:
        """Follow the nodes of a loop; False where something is done that is not understood."""
        return all(map(self._node, nodes))

    def _node(self, node: p.Node) -> bool:
        if isinstance(node, p.Apply):
            if node.domain.kind not in ("all", "edges"):
                return False
            given = {name: self.given(value) for name, value in node.args}
            call = _Call(self, given)
            if not call.run(node.function.analysis.body.statements):
                return False
            self.messages[node.id] = call.message
            self.values[node.id] = call.locals.get(b.RESULT, ANY)
            self.vertices |= call.written
            return True
        if isinstance(node, p.Combine):
            sent = self.messages.get(node.source.id) if isinstance(node.source, p.Ref) else None
            is_sum = len(node.ops) == 1 and node.ops[0].name == "sum" and node.initial is None
            self.values[node.id] = summed(sent) if is_sum else _folded(sent)
            return True
        if isinstance(node, p.Aggregate):
            value = self.given(node.source)
            self.values[node.id] = summed(value) if node.op == "total" else _folded(value)
            return True
        if isinstance(node, p.Fill) and node.column.kind == "vertex":
            self.vertices[node.column.name] = self.given(node.value)
            return True
        return False

    def given(self, value: Any) -> Bounds | None:
        """Return what a value of the program is."""
        if isinstance(value, p.Ref | p.Aggregated):
            return self.values.get(value.id)
        if isinstance(value, p.Column):
            return self.vertices.get(value.name) if value.kind == "vertex" else None
        if isinstance(value, p.Operation) and len(value.args) == 2:
            one, other = map(self.given, value.args)
            return computed(value.op, one, other)
        number = self.scalar(value) if isinstance(value, p.Scalar) else None
        return None if number is None else Bounds(number, number)


def _folded(value: Bounds | None) -> Bounds | None:
    """Return what some other fold than a sum gives."""
    return None if value is None or value.rises else ANY


class _Call:
    """One call of a user's function on all elements."""

    def __init__(self, step: Superstep, given: dict[str, Bounds | None]) -> None:
        self.step, self.locals = step, given
        self.message: Bounds | None = Bounds(math.inf, -math.inf)  # of nothing sent
        self.written: dict[str, Bounds | None] = {}

    def run(self, statements: Any, is_sure: bool = True) -> bool:
        """Follow statements; `is_sure` where every element comes to them."""
        return all(self._statement(each, is_sure) for each in statements)

    def _statement(self, stmt: b.Stmt, is_sure: bool) -> bool:
        if isinstance(stmt, b.Assign):
            value = self._value(stmt.value)
            if not is_sure and stmt.name in self.locals:
                value = joined(self.locals[stmt.name], value)
            self.locals[stmt.name] = value
            return True
        if isinstance(stmt, b.Store):
            return self._store(stmt, is_sure)
        if isinstance(stmt, b.Send):
            self.message = joined(self.message, self._value(stmt.value))
            return stmt.along in ("arc", "all")
        if isinstance(stmt, b.If):
            if self._value(stmt.condition) is None:
                return False
            return self.run(stmt.then, False) and self.run(stmt.otherwise, False)
        if isinstance(stmt, b.ForLinks):  # a local that grows from link to link is not followed
            grows = any(isinstance(each, b.Assign | b.Store) for each in b.statements_in(stmt.body))
            return not grows and self.run(stmt.body, False)
        return False

    def _store(self, stmt: b.Store, is_sure: bool) -> bool:
        if stmt.element.kind != "vertex" or stmt.element.role != "own":
            return False
        value, was = self._value(stmt.value), self._column(stmt.field)
        if stmt.op is not None:
            signs = {"add": "+", "mul": "*"}
            value = computed(signs[stmt.op], was, value) if stmt.op in signs else None
        self.written[stmt.field] = value if is_sure else joined(was, value)
        return True

    def _column(self, name: str) -> Bounds | None:
        return self.written[name] if name in self.written else self.step.vertices.get(name)

    def _value(self, expr: b.Expr) -> Bounds | None:
        if isinstance(expr, b.Const):
            return Bounds(float(expr.value), float(expr.value))
        if isinstance(expr, b.Local):
            return self.locals.get(expr.name)
        if isinstance(expr, b.Attribute):
            return COUNT
        if isinstance(expr, b.Load):
            return self._loaded(expr)
        parts = [self._value(each) for each in b.parts_of(expr)]
        if isinstance(expr, b.Binary):
            return computed(expr.op, parts[0], parts[1])
        if isinstance(expr, b.Choose):
            return None if parts[0] is None or parts[0].rises else joined(parts[1], parts[2])
        return _called(expr, parts)

    def _loaded(self, expr: b.Load) -> Bounds | None:
        if expr.element.kind == "edge":
            return self.step.edges.get(expr.field)
        if expr.element.role == "own":
            return self._column(expr.field)
        is_end = expr.element.role in ("src", "dst", "link_dst")
        return self.step.vertices.get(expr.field) if is_end else None


def _called(expr: b.Expr, parts: list[Bounds | None]) -> Bounds | None:
    """Return what a function or a test gives; of what rises, only what a cast makes of it rises."""
    if isinstance(expr, b.Call) and expr.name in _CASTS and len(parts) == 1:
        return parts[0]
    is_plain = isinstance(expr, b.Compare | b.Logic | b.Unary | b.Call)
    if not is_plain or any(each is None or each.rises for each in parts):
        return None
    return TRUTH if isinstance(expr, b.Compare | b.Logic) else ANY
