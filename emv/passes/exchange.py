"""What a launch sends along its arcs and what its receiver does, read off canonical bodies.

A canonical body (`emv.passes.canonical`) is a tree of tests with updates at its leaves. So a sender
is a message behind tests, a receiver is tests and what it does where all hold, and the passes that
find shorter ways compare these and need not know how a user has written them.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from emv.ir import body as b
from emv.ir import schedule as s
from emv.passes.around import DeclinedError
from emv.passes.canonical import Block, canonical, leaves, parts
from emv.passes.simplify import bare, joined


@dataclass(frozen=True)
class Sent:
    """A message along an arc, and the tests that it is sent behind."""

    value: b.Expr
    tests: list[b.Expr]


@dataclass(frozen=True)
class Reaction:
    """What a receiver does: nothing unless all tests hold, and then one of the ends."""

    tests: list[b.Expr]
    ends: list[tuple[list[b.Expr], Block]]
    then: Block
    loc: Any


def sent_by(launch: s.Launch) -> list[Sent]:
    """Return the messages that one instance may send along its arc, of which it sends one.

    Raises
    ------
    DeclinedError
        If it does more than that.
    """
    ends = [each for each in leaves(canonical(launch.body).statements) if each[1]]
    name = launch.send.name
    for _, block in ends:
        other = next((e for e in block if not (isinstance(e, b.Send) and e.along == "arc")), None)
        if other is not None or len(block) > 1:
            loc = block[-1].loc if other is None else other.loc
            what = "sends twice along an arc" if other is None else "does more than to send"
            raise DeclinedError(
                f"{name}() {what}",
                "let it send one message along its arc, and do the rest in another call",
                loc,
            )
    if not ends:
        raise DeclinedError(f"{name}() never sends", "leave the call out", launch.loc)
    return [Sent(block[0].value, tests) for tests, block in ends]  # type: ignore[attr-defined]


def told(launch: s.Launch) -> str | None:
    """Return the parameter of the receiver that is the fold of the messages; None without one.

    Raises
    ------
    DeclinedError
        If it takes more than one value of its own.
    """
    values = [each.name for each in launch.receiver.args if isinstance(each.source, s.Values)]
    if len(values) > 1 or len(launch.folds) > 1:
        raise DeclinedError(
            f"{launch.receiver.function.name}() takes more than one fold of the messages",
            "give it one, and let another call do the rest",
            launch.loc,
        )
    return values[0] if values else None


def reaction_of(receive: s.Receive) -> Reaction:
    """Return what a receiver does, behind the tests without which it does nothing."""
    statements = canonical(receive.function.body).statements
    test = b.only_test(statements)
    if test is None:
        return Reaction([], list(leaves(statements)), statements, receive.function.loc)
    tests, ends = list(parts(test.condition)), list(leaves(test.then))
    return Reaction(tests, ends, test.then, test.condition.loc)


def of_receiver(test: b.Expr) -> b.Expr | None:
    """Return a test that a sender makes of the other end alone as that end would make it.

    Whether anything is sent there then depends on nobody but the receiver.
    """
    for each in b.inside(test):
        element = b.element_of(each)
        if isinstance(each, b.Local | b.Random | b.Find | b.HelperCall | b.OutArc):
            return None
        if element is not None and element.role != "dst":
            return None
    return b.with_elements(test, lambda each: dataclasses.replace(each, role="own"))


def hears(launch: s.Launch) -> b.Expr | None:
    """Return the condition on a receiver's own fields without which nothing is sent to it.

    None where there is none, or the function may send more than one message along its arc.
    """
    try:
        sent = sent_by(launch)
    except DeclinedError:
        return None
    tests = sent[0].tests if len(sent) == 1 else []
    own = [found for each in tests if asks_plainly(each) and (found := of_receiver(each))]
    return joined(own) if own else None


def asks_plainly(test: b.Expr) -> bool:
    """Return whether a condition may be asked before those that it stands behind.

    It must not divide, say, by what they test, and not draw what they let be drawn.
    """
    for each in b.inside(test):
        if isinstance(each, b.Binary) and each.op not in ("+", "-", "*", "&", "|", "^"):
            return False
        if isinstance(each, b.Random | b.Find | b.HelperCall):
            return False
    return True


def names_in(exprs: list[b.Expr]) -> set[str]:
    """Return the parameters that expressions name."""
    return {each.name for expr in exprs for each in b.inside(expr) if isinstance(each, b.Local)}


def fields_in(exprs: list[b.Expr], role: str) -> set[str]:
    """Return the fields that expressions read of the vertices in a role."""
    return {
        each.field
        for expr in exprs
        for each in b.inside(expr)
        if b.reads(each, role) and each.element.kind == "vertex"
    }


def spelled(expr: b.Expr, function: Any) -> str:
    """Return an expression of a function as its author would write it."""
    named = b.with_elements(
        expr, lambda each: dataclasses.replace(each, role=_name(each, function))
    )
    text = str(named)
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text


def _name(element: b.Element, function: Any) -> str:
    own: str = function.element_names[0]
    if function.kind == "edge":
        names = {"own": own, "src": f"{own}.src", "dst": f"{own}.dst"}
    else:  # in the form for arcs the vertex is their source
        names = {"own": own if element.kind == "vertex" else "link", "src": own, "dst": "link.dst"}
    return names.get(element.role, element.role)


def once(exprs: list[b.Expr]) -> list[b.Expr]:
    """Return expressions without those that stand in the list before."""
    found: list[b.Expr] = []
    for each in exprs:
        if bare(each) not in [bare(other) for other in found]:
            found.append(each)
    return found
