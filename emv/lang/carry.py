"""Numbers that a loop of a program hands on from superstep to superstep.

A trace runs the body of a loop before any value exists, so a Python variable that a superstep
leaves for the next one (``change = emv.total(...)``) shows only in that the body, run once more,
names another number at the same place. Two rounds that say the same hand nothing on. Else a third
tells how a number becomes the next: what the second held and the third is made of, is the number
itself; where numbers change places, it takes a round more until all are of the run. The search for
what stays the same is that for a loop invariant (Cousot and Cousot, POPL 1977).
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, NoReturn

from emv.errors import Loc, TraceError
from emv.ir import program as ir

Names = list[tuple[ir.Scalar, ir.Scalar]]

UNKNOWN = object()  # what a number was in the first round, where Python has worked it out


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


class Carrying:
    """What a loop hands on, found from three rounds of its body.

    Parameters
    ----------
    loop : int
        The number of the loop.
    rounds : list
        What the first and the last two rounds were: the numbers in the program's variables as they
        began, by name, then the body and the condition ``until``.
    made : list of list of Scalar
        The aggregates of each of them.

    Attributes
    ----------
    body, until
        The body and the condition, in which `ir.Carried` names what is handed on.
    """

    def __init__(self, loop: int, rounds: list[Any], made: list[Any], loc: Loc) -> None:
        self.loop = loop
        self.made = made
        self.loc = loc
        self.first: list[ir.Scalar] = []
        self.old: list[ir.Scalar] = []
        self.new: list[ir.Scalar] = []
        self.held = scalars_in(rounds[1])
        self.is_last = False
        begun, done = zip(*((each[0], each[1:]) for each in rounds), strict=True)
        for name in sorted(set.intersection(*map(set, begun))):
            self.variable(*(each[name] for each in begun))
        self.num_variables = len(self.new)
        self.join(*done)  # finds the numbers that the places before their own are made of
        self.is_last = True
        self.body, self.until = self.join(*done)

    def leaf(self, k: int) -> ir.Carried:
        """Return what stands for a number."""
        types = {each[k].type for each in (self.first, self.old, self.new)}
        kind = next((each for each in ("f64", "i64") if each in types), "bool")
        return ir.Carried(kind, self.loop, k)

    def carried(self) -> tuple[tuple[ir.Carried, ir.Scalar, ir.Scalar], ...]:
        """Return each number, what it is at first, and what it becomes."""
        found = []
        for k, (first, new) in enumerate(zip(self.first, self.new, strict=True)):
            try:
                found.append((self.leaf(k), first, self.becomes(new)))
            except TraceError:
                if k >= self.num_variables or self.leaf(k) in leaves_in((self.body, self.until)):
                    raise
        return tuple(found)

    def after(self) -> Names:
        """Return what the program's variables hold after the loop, and what names it."""
        found: Names = []
        for leaf, _, then in self.carried():
            held = self.once_more(then)
            if held.type == leaf.type:
                found.append((held, leaf))
        return found

    def becomes(self, new: ir.Scalar) -> ir.Scalar:
        """Return a number of the third round, said by those of the second."""
        return self.checked(self.said(new, self.old))

    def checked(self, new: ir.Scalar) -> ir.Scalar:
        """Refuse what is neither of the superstep nor handed on from the last."""
        if isinstance(new, ir.Operation):
            return dataclasses.replace(new, args=tuple(map(self.checked, new.args)))
        if isinstance(new, ir.Aggregated) and not any(new is each for each in self.made[1]):
            self.refuse("it hands on what is older than the last superstep")
        return new

    def once_more(self, then: ir.Scalar) -> ir.Scalar:
        """Return what a number becomes, said by those of the third round."""
        if isinstance(then, ir.Carried) and then.loop == self.loop:
            return self.new[then.number]
        if isinstance(then, ir.Operation):
            return dataclasses.replace(then, args=tuple(map(self.once_more, then.args)))
        return then

    def join(self, first: Any, old: Any, new: Any) -> Any:
        """Return the third round, with what is handed on named."""
        if isinstance(new, ir.Scalar):
            return self.number(first, old, new)
        if same(old, new) and same(first, new):
            return new
        if not type(first) is type(old) is type(new):
            self.refuse("one superstep does something else than another")
        if isinstance(new, tuple):
            if not len(first) == len(old) == len(new):
                self.refuse("one superstep does more than another")
            return tuple(map(self.join, first, old, new))
        if isinstance(new, ir.Node | ir.Domain):
            parts = {
                name: self.join(vars(first)[name], vars(old)[name], value)
                for name, value in vars(new).items()
            }
            return dataclasses.replace(new, **parts)
        return self.refuse("one superstep does something else than another")

    def number(self, first: Any, old: Any, new: ir.Scalar) -> ir.Scalar:
        """Return a number of the body: always the same, handed on, or made of such."""
        said = self.said(new, self.new)
        if isinstance(old, ir.Scalar) and said != new and same(said, self.said(old, self.old)):
            return said
        is_steady = same(old, new)
        if is_steady and (self.is_fresh(new) if first is UNKNOWN else same(first, new)):
            return new
        # What the last round held, or what is made of it, is handed on whole.
        is_made_of_old = any(holds(new, each) for each in self.held)
        is_whole = is_made_of_old or (is_steady and not alike(first, new))
        if isinstance(new, ir.Operation) and alike(old, new) and not is_whole:
            firsts = first.args if alike(first, new) else (UNKNOWN,) * len(new.args)
            parts = map(self.number, firsts, old.args, new.args)
            return dataclasses.replace(new, args=tuple(parts))
        if isinstance(new, ir.Number) and not is_steady:
            self.refuse(f"plain Python counts {first}, {old}, {new}")
        if holds_step(new, self.loop):
            self.refuse(f"{new} is handed on, but the superstep number is another then")
        if not self.is_before(first):
            if self.is_last:
                self.refuse(f"{new} begins with what plain Python has worked out")
            return new
        self.first.append(first)
        self.old.append(old)
        self.new.append(new)
        return self.leaf(len(self.new) - 1)

    def variable(self, first: ir.Scalar, old: ir.Scalar, new: ir.Scalar) -> None:
        """Note a variable of the program that changes, if a trace can follow it.

        One that it cannot follow is refused where it is used, but for what plain Python counts:
        that would be any number after the loop.
        """
        if any(old is was and new is now for was, now in zip(self.old, self.new, strict=True)):
            return
        if same(old, new) and same(first, new):
            return
        if ir.Number in (type(old), type(new)) and not same(old, new):  # a round more may help
            self.refuse(f"plain Python counts {first}, {old}, {new}")
        if self.is_before(first) and not holds_step(new, self.loop):
            self.first.append(first)
            self.old.append(old)
            self.new.append(new)

    def said(self, value: ir.Scalar, held: list[ir.Scalar]) -> ir.Scalar:
        """Return a scalar of a round with the names of what was held in it."""
        for k, each in enumerate(held):
            if value is each:
                return self.leaf(k)
        if isinstance(value, ir.Operation):
            args = tuple(self.said(each, held) for each in value.args)
            return dataclasses.replace(value, args=args)
        return value

    def is_fresh(self, new: ir.Scalar) -> bool:
        """Return whether a number of the third round is of that round alone."""
        if isinstance(new, ir.Operation):
            return all(map(self.is_fresh, new.args))
        return not any(new is each for made in self.made[:2] for each in made)

    def is_before(self, first: Any) -> bool:
        """Return whether a number of the first round was there before the loop."""
        return isinstance(first, ir.Scalar) and not any(holds(first, each) for each in self.made[0])

    def refuse(self, why: str) -> NoReturn:
        """Refuse a body that a trace cannot follow."""
        raise TraceError(
            f"the supersteps of this loop differ: {why}",
            self.loc,
            "A trace runs the body before there are values. A superstep may leave an aggregate for "
            "the next, or what is computed of one, handed to a function as it is; to count, use "
            "the superstep number. Or run with backend='python', or @program(host_loop=True).",
        )


def scalars_in(part: Any) -> list[ir.Scalar]:
    """Return the scalars that stand in a part of a trace, as the very objects."""
    if isinstance(part, ir.Scalar):
        return [part]
    if isinstance(part, ir.Node | ir.Domain):
        part = tuple(vars(part).values())
    if isinstance(part, dict):
        part = tuple(part.values())
    if isinstance(part, tuple):
        return [each for inner in part for each in scalars_in(inner)]
    return []


def leaves_in(part: Any) -> set[ir.Carried]:
    """Return what of the numbers that loops hand on a part of a trace names."""
    found = set[ir.Carried]()
    waiting = [part]
    while waiting:
        each = waiting.pop()
        if isinstance(each, ir.Carried):
            found.add(each)
        elif isinstance(each, ir.Operation | ir.Node | ir.Domain):
            waiting += vars(each).values()
        elif isinstance(each, tuple | list):
            waiting += each
        elif isinstance(each, dict):
            waiting += each.values()
    return found


def pruned(nodes: tuple[ir.Node, ...], results: Any) -> tuple[ir.Node, ...]:
    """Return a block whose loops hand on what is used, and nothing else."""
    while True:
        used, is_done = leaves_in((uses_of(nodes), results)), True
        made = []
        for node in nodes:
            made.append(_with_used(node, used))
            is_done = is_done and made[-1] is node
        nodes = tuple(made)
        if is_done:
            return nodes


def uses_of(nodes: tuple[ir.Node, ...]) -> list[Any]:
    """Return all that nodes name, but what loops hand on without its being named elsewhere."""
    found: list[Any] = []
    for node in nodes:
        if isinstance(node, ir.Loop):
            found += [node.limit, node.until, *uses_of(node.body)]
            for leaf, first, then in node.carried:
                found += [first, *(leaves_in(then) - {leaf})]
        else:
            found.append(node)
    return found


def _with_used(node: ir.Node, used: set[ir.Carried]) -> ir.Node:
    if not isinstance(node, ir.Loop):
        return node
    body = tuple(_with_used(each, used) for each in node.body)
    carried = tuple(each for each in node.carried if each[0] in used)
    if carried == node.carried and all(a is b for a, b in zip(body, node.body, strict=True)):
        return node
    return dataclasses.replace(node, body=body, carried=carried)


def alike(one: Any, other: Any) -> bool:
    """Return whether two scalars are the same operation, of whatever."""
    if not (isinstance(one, ir.Operation) and isinstance(other, ir.Operation)):
        return False
    return one.op == other.op and len(one.args) == len(other.args)


def holds_step(whole: ir.Scalar, loop: int) -> bool:
    """Return whether an expression names the superstep number of a loop."""
    if isinstance(whole, ir.Operation):
        return any(holds_step(each, loop) for each in whole.args)
    return isinstance(whole, ir.Step) and whole.loop == loop


def holds(whole: ir.Scalar, part: ir.Scalar) -> bool:
    """Return whether an expression is made of a very object."""
    if whole is part:
        return True
    return isinstance(whole, ir.Operation) and any(holds(each, part) for each in whole.args)


def renamed(value: Any, names: Names) -> Any:
    """Return a part of a trace with what variables hold after loops named by what is handed on.

    What holds no such number stays the very object that it is.
    """
    for held, leaf in names:
        if isinstance(value, ir.Scalar) and same(held, value):
            return leaf
    if isinstance(value, tuple):
        made = tuple(renamed(each, names) for each in value)
        return made if any(a is not b for a, b in zip(made, value, strict=True)) else value
    if isinstance(value, dict):
        return {name: renamed(each, names) for name, each in value.items()}
    if isinstance(value, ir.Operation | ir.Node | ir.Domain):
        parts = {name: renamed(each, names) for name, each in vars(value).items()}
        changed = any(each is not vars(value)[name] for name, each in parts.items())
        return dataclasses.replace(value, **parts) if changed else value
    return value
