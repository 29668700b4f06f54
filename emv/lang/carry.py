"""Numbers that a loop of a program hands on from superstep to superstep.

A trace runs the body of a loop before any value exists. What a Python variable holds when a
superstep begins is what it held before the loop or what the last superstep left in it: the phi of
a loop's head in static single assignment (Cytron et al., TOPLAS 13, 1991). So the body is run
again with a number of the loop's own, `ir.Carried`, in every variable that it was seen to change,
until it changes no others. What it leaves in them is what they become, and behind the loop they
hold that number too, whose last value it is. Bodies of loops within a loop see the numbers of all
loops around them, so that nothing depends on how often a body was run.
"""

from __future__ import annotations

import copy
import math
import types
from typing import Any, NoReturn

import numpy as np

from emv.errors import Loc, TraceError
from emv.ir import program as ir
from emv.lang.frames import assign, variables_of
from emv.lang.traced import (
    TracedDomain,
    TracedResult,
    TracedScalar,
    TracedValues,
    Unfollowed,
    scalar,
)
from emv.lang.traced_columns import TracedColumn

PLAIN = bool | int | float | np.number | np.bool_
CONSTANT = (str, bytes, type(None))
CONTAINERS = (list, dict, set, bytearray)

REMEDY = (
    "A trace runs the body before there are values, with what a superstep leaves in the program's "
    "variables: numbers, and tuples of them. Keep what the next superstep needs in one, or in a "
    "column; or write @program(host_loop=True)."
)


def same(one: Any, other: Any) -> bool:
    """Return whether two parts of traces say the same; NaN is the same as NaN."""
    if is_nan(one) and is_nan(other):
        return True
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, ir.Node | ir.Scalar | ir.Domain) and type(one) is type(other):
        return all(same(value, vars(other)[name]) for name, value in vars(one).items())
    return type(one) is type(other) and bool(one == other)


def is_nan(value: Any) -> bool:
    """Return whether a scalar is the number NaN."""
    number = value.value if isinstance(value, ir.Number) else None
    return isinstance(number, float) and math.isnan(number)


def unchanged(before: Any, now: Any) -> bool:
    """Return whether a variable holds what it held, as far as a program can see."""
    if before is now:
        return True
    if isinstance(before, PLAIN | TracedScalar) and isinstance(now, PLAIN | TracedScalar):
        return same(scalar(before), scalar(now))
    if isinstance(before, tuple) and isinstance(now, tuple):
        return len(before) == len(now) and all(map(unchanged, before, now))
    if type(before) is not type(now):
        return False
    if isinstance(before, CONSTANT):
        return bool(before == now)
    if isinstance(before, TracedColumn):
        return bool(before.column == now.column)
    if isinstance(before, TracedDomain):
        return bool(before.same_as(now))
    return isinstance(before, TracedResult | TracedValues) and before.number == now.number


def numbers_in(name: str, value: Any) -> dict[str, ir.Scalar] | None:
    """Return the numbers in a variable, a number or a tuple of such; None if it holds others."""
    if isinstance(value, PLAIN | TracedScalar):
        return {name: scalar(value)}
    if not isinstance(value, tuple):
        return None
    found: dict[str, ir.Scalar] = {}
    for k, each in enumerate(value):
        inside = numbers_in(f"{name}[{k}]", each)
        if inside is None:
            return None
        found |= inside
    return found


def put_together(name: str, like: Any, leaves: dict[str, ir.Carried]) -> Any:
    """Return what a variable holds that has the shape of another value, made of leaves."""
    if isinstance(like, tuple):
        return tuple(put_together(f"{name}[{k}]", each, leaves) for k, each in enumerate(like))
    return TracedScalar(leaves[name])


def joined(types_of: set[str], is_natural: bool) -> str | None:
    """Return the type that holds numbers of several types; None where there is none."""
    if "f64" in types_of:
        return "f64"
    whole = types_of - {"bool"}
    if whole == {"i64", "u64"}:  # a literal from 0 on takes the type of what it meets
        return "u64" if is_natural else None
    return next(iter(whole), "bool")


class Carrying:
    """What a loop hands on, found while its body is run again and again.

    Parameters
    ----------
    loop : int
        The number of the loop.
    is_sure : bool
        Whether it runs a superstep at least.

    Attributes
    ----------
    is_done : bool
        Whether the last round of the body is the one to keep.
    body, until
        The body and the condition of the last round.
    """

    def __init__(self, loop: int, is_sure: bool, loc: Loc) -> None:
        self.loop, self.is_sure, self.loc = loop, is_sure, loc
        self.before: dict[str, Any] = {}
        self.contents: dict[str, Any] = {}
        self.changing: dict[str, dict[str, ir.Carried] | None] = {}  # None: no numbers
        self.now: dict[str, Any] = {}
        self.rounds: list[Any] = []
        self.is_done = False
        self.body: tuple[ir.Node, ...] = ()
        self.until: ir.Scalar | None = None

    # ---- rounds ----

    def begin(self, frame: types.FrameType) -> None:
        """Begin a round of the body: what changes is a number of the loop's own from now on."""
        variables = variables_of(frame)
        if not self.rounds:
            bound = {k: v for k, v in variables.items() if not isinstance(v, Unfollowed)}
            self.before = bound
            self.contents = {
                name: copy.copy(value)
                for name, value in bound.items()
                if isinstance(value, CONTAINERS)
            }
            return
        given = {name: Unfollowed(name, "has no value yet") for name in variables}
        for name in self.before:
            given.pop(name, None)
        for name, leaves in self.changing.items():
            given[name] = (
                Unfollowed(name, "was made by another superstep than the first, or before it")
                if leaves is None
                else put_together(name, self.before[name], leaves)
            )
        assign(frame, given)

    def end(self, frame: types.FrameType, body: tuple[ir.Node, ...], until: Any) -> None:
        """End a round; it is the last if nothing new has changed."""
        self.now = {k: v for k, v in variables_of(frame).items() if not isinstance(v, Unfollowed)}
        self.rounds = [*self.rounds[:1], (body, until)]
        known, self.changing = self.changing, {}
        for name, before in self.before.items():
            if name in known or not unchanged(before, self.now.get(name, before)):
                is_lost = known.get(name, {}) is None
                self.changing[name] = None if is_lost else self.leaves_of(name)
        self.check_contents()
        self.is_done = len(self.rounds) == 2 and known == self.changing
        if self.is_done:
            self.compare(self.rounds[0], self.rounds[1])
            self.body, self.until = body, until

    def leaves_of(self, name: str) -> dict[str, ir.Carried] | None:
        """Return the numbers that stand for what is in a variable; None if it holds others."""
        before, now = self.before[name], self.now.get(name, self.before[name])
        if name != "_" and (isinstance(before, CONSTANT) or isinstance(now, CONSTANT)):
            self.refuse(f"{name} is {described(before)} at first and {described(now)} then")
        first, then = numbers_in(name, before), numbers_in(name, now)
        if first is None or then is None or first.keys() != then.keys():
            return None
        return {each: self.leaf(each, first[each], then[each]) for each in first}

    def leaf(self, name: str, first: ir.Scalar, then: ir.Scalar) -> ir.Carried:
        """Return the number of the loop's own that is one at first and becomes another."""
        is_natural = isinstance(first, ir.Number) and first.value >= 0
        kind = joined({first.type, then.type}, is_natural)
        if kind is None:
            self.refuse(f"{name} is {first.type} at first and {then.type} then")
        return ir.Carried(kind, self.loop, name)

    def check_contents(self) -> None:
        """Refuse lists and the like that a superstep changes."""
        for name, before in self.contents.items():
            now = self.before[name]
            is_same = len(before) == len(now) and (
                all(k in now and unchanged(v, now[k]) for k, v in before.items())
                if isinstance(before, dict)
                else all(map(unchanged, before, now)) or before == now
            )
            if not is_same:
                self.refuse(f"a superstep changes what is in the {type(now).__name__} {name}")

    # ---- the loop, and what follows it ----

    def carried(self) -> tuple[tuple[ir.Carried, ir.Scalar | None, ir.Scalar], ...]:
        """Return each number, what it is at first if anything, and what it becomes."""
        found: list[tuple[ir.Carried, ir.Scalar | None, ir.Scalar]] = []
        for name, leaves in self.left().items():
            first = numbers_in(name, self.before.get(name)) or {}
            then = numbers_in(name, self.now.get(name, self.before.get(name))) or {}
            found += [(leaf, first.get(each), then[each]) for each, leaf in leaves.items()]
        return tuple(found)

    def left(self) -> dict[str, dict[str, ir.Carried]]:
        """Return the numbers in each variable that a superstep leaves behind."""
        found = {name: leaves for name, leaves in self.changing.items() if leaves is not None}
        for name, value in self.now.items():
            then = numbers_in(name, value) if name not in self.before else None
            if then and not all(isinstance(each, ir.Number) for each in then.values()):
                found[name] = {
                    each: ir.Carried(one.type, self.loop, each) for each, one in then.items()
                }
        return found

    def leave(self, frame: types.FrameType) -> None:
        """Give the program's variables what they hold after the loop."""
        left = self.left()
        given = {
            name: put_together(name, self.now.get(name, self.before.get(name)), leaves)
            for name, leaves in left.items()
        }
        for name, leaves in self.changing.items():
            if leaves is None and not self.is_sure:
                given[name] = Unfollowed(name, "is another thing if the loop runs no superstep")
        assign(frame, given)

    # ---- what differs in another way ----

    def compare(self, first: Any, last: Any) -> None:
        """Refuse a body whose first round did something else than its last, but for numbers."""
        if isinstance(first, ir.Scalar) and isinstance(last, ir.Scalar):
            if not agree(first, last):
                self.refuse(f"{first} in one superstep is {last} in another")
        elif type(first) is not type(last):
            self.refuse("one superstep does something else than another")
        elif isinstance(last, tuple):
            if len(first) != len(last):
                self.refuse("one superstep does more than another")
            for one, other in zip(first, last, strict=True):
                self.compare(one, other)
        elif isinstance(last, ir.Node | ir.Domain):
            for name in [each for each in vars(last) if each != "carried"]:
                self.compare(vars(first)[name], vars(last)[name])
        elif not same(first, last):
            self.refuse("one superstep does something else than another")

    def refuse(self, why: str) -> NoReturn:
        """Refuse a body that a trace cannot follow."""
        raise TraceError(f"the supersteps of this loop differ: {why}", self.loc, REMEDY)


def described(value: Any) -> str:
    """Return what a variable holds, for errors."""
    if isinstance(value, TracedScalar):
        return "a number"
    return repr(value) if isinstance(value, (CONSTANT, PLAIN)) else "something else"


def agree(first: ir.Scalar, last: ir.Scalar) -> bool:
    """Return whether a number of the first round may be one of the last, with what is handed on."""
    if isinstance(last, ir.Carried):
        return True
    if isinstance(last, ir.Operation):
        if isinstance(first, ir.Number):  # which Python has worked out
            return any(isinstance(each, ir.Carried) for each in leaves_in(last))
        return (
            isinstance(first, ir.Operation)
            and (first.op, len(first.args)) == (last.op, len(last.args))
            and all(map(agree, first.args, last.args))
        )
    return same(first, last)


def leaves_in(part: Any) -> list[ir.Scalar]:
    """Return the scalars that parts of a trace name, but for those made of others."""
    found, waiting = list[ir.Scalar](), [part]
    while waiting:
        each = waiting.pop()
        if isinstance(each, ir.Operation | ir.Node | ir.Domain):
            waiting += vars(each).values()
        elif isinstance(each, ir.Scalar):
            found.append(each)
        elif isinstance(each, tuple | list):
            waiting += each
        elif isinstance(each, dict):
            waiting += each.values()
    return found


def holds_step(whole: ir.Scalar, loop: int) -> bool:
    """Return whether an expression names the superstep number of a loop."""
    return any(isinstance(each, ir.Step) and each.loop == loop for each in leaves_in(whole))
