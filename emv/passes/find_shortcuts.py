"""Recognise what the shape of a receiver allows: a guard, a claim, a relaxation or a drain.

Nothing here knows an algorithm; each pattern is a property of the user's text that is proven from
its canonical form, and each is tested against the eager backend. Where a proof fails, the launch
says why, and what to write instead.

*Guard*: the receiver does nothing unless a condition on its own fields holds, so messages to the
others need not be folded, and a pulling receiver can skip its in-arcs. *Claim*, *relax* and *drain*
are in `find_claim`, `find_relax` and `find_drain`. *Join*: all that is done along an edge is to
join its ends.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from emv.ir import body as b
from emv.ir import schedule as s
from emv.ir.shortcuts import JoinAll
from emv.passes.around import Around, DeclinedError, Setting, by_launch
from emv.passes.choose_direction import has_atomic
from emv.passes.exchange import asks_plainly, names_in, reaction_of
from emv.passes.find_claim import find_claim, why
from emv.passes.find_drain import WHY as WHY_DRAINED
from emv.passes.find_drain import find_drain
from emv.passes.find_relax import WHY, check_alone, find_relax
from emv.passes.find_rising import adds, find_rising, may_rise
from emv.passes.simplify import joined

BY_LAUNCH = "by superstep, as parts of a graph exchange between launches"
JOINED = "every edge only joins its ends: in any order, and not where they are joined already"
CLAIMED, RELAXED = "claimed by the first message", "relaxed in place"


@by_launch
def find_shortcuts(launch: s.Launch, around: Around) -> s.Launch:
    """Return the launch with its guard and its shortcut, or why it has none."""
    receive, loop = launch.receive, around.loop
    if (field := joined_field(launch, around.setting)) is not None:
        return launch.because(JOINED, shortcut=JoinAll(field))
    may_spread = loop is not None and not loop.in_place
    if receive is None or launch.receivers:  # others go over who received, whatever came of it
        is_close = may_spread and launch.domain.kind == "active" and launch.folds
        return _missed(launch, CLAIMED, _apart(launch)) if is_close else launch
    launch = dataclasses.replace(launch, guard=guard_of(receive, launch.send))
    if not may_spread or not _spreads(launch):
        return launch
    if _is_driven(around.setting):  # a shortcut is a loop of its own
        return launch.because(BY_LAUNCH)
    return _spreading(launch, around)


def _spreading(launch: s.Launch, around: Around) -> s.Launch:
    """Return a launch that spreads with the shortcut that its loop may take, or why none."""
    try:
        claim = find_claim(_fitting(launch), around)
    except DeclinedError as declined:
        no_claim = declined
    else:
        return launch.because(why(claim), shortcut=claim)
    try:
        drain = find_drain(_fitting(launch), around)
    except DeclinedError:  # what else it may be is said below
        pass
    else:
        return launch.because(WHY_DRAINED.format(drain.field), shortcut=drain)
    try:
        relax = find_relax(_fitting(launch), around)
        if may_rise(launch, relax, around.setting):
            try:
                claim = find_rising(launch, relax, around)
            except DeclinedError as declined:
                launch = _missed(launch, CLAIMED, declined) if adds(launch) else launch
            else:
                return launch.because(why(claim), shortcut=claim)
        check_alone(around)
    except DeclinedError as declined:
        if _compares(launch):
            return _missed(launch, RELAXED, declined)
        return _missed(launch, CLAIMED, no_claim)
    return _relaxed(launch, relax)


def joined_field(launch: s.Launch, setting: Setting) -> str | None:
    """Return the field in which a launch joins the ends of all edges, if that is all it does.

    Parts that are driven by the host hold edges by who owns their ends, and not both their arcs.
    """
    is_whole = launch.domain.kind == "edges" and launch.by_arcs and launch.layout == "csr"
    if _is_driven(setting) or setting.copies or not is_whole:
        return None
    statements = launch.body.statements
    if len(statements) != 1 or not isinstance(statements[0], b.Union):
        return None
    union = statements[0]
    roles = {union.first.role, union.second.role}
    return union.field if roles == {"src", "dst"} and not launch.aggregates else None


def _is_driven(setting: Setting) -> bool:
    """Return whether the host drives loops, as it exchanges what parts of a graph need."""
    return setting.divided and not setting.meets


def _missed(launch: s.Launch, what: str, declined: DeclinedError) -> s.Launch:
    """Return a launch that says which shorter way it cannot take."""
    missed = s.Missed(what, declined.why, declined.instead, declined.loc)
    return dataclasses.replace(launch, missed=(*launch.missed, missed))


def _apart(launch: s.Launch) -> DeclinedError:
    """Return why a launch has no receiver of its own."""
    return DeclinedError(
        f"what {launch.send.name}() sends is not for one function over its receivers alone",
        "give the one fold to one @vertex function, over messages.receivers, in the next line",
        launch.loc,
    )


def why_not_relax(launch: s.Launch, around: Around) -> str:
    """Return what keeps a launch from being a relaxation."""
    if _is_driven(around.setting):
        return BY_LAUNCH
    if around.loop is None:
        return "it is in no loop over supersteps"
    if launch.receive is None:
        return "no function receives what is folded of its messages"
    try:
        find_relax(_fitting(launch), around)
        check_alone(around)
    except DeclinedError as declined:
        return declined.why
    if isinstance(launch.shortcut, s.Claim):
        return "all messages of a superstep are equal, so that none is nearer"
    return "the caller asks for supersteps"


def _relaxed(launch: s.Launch, relax: s.Relax) -> s.Launch:
    """Return a launch that relaxes in place, unless the caller wants supersteps."""
    if launch.by_superstep:
        reason = "by superstep, as the caller asks, though it could be relaxed in place"
        return launch.because(reason)
    reasons = launch.reasons
    if launch.direction == "either":
        # Values that rule the shortcut out are rare: one way to do without it is enough.
        reasons = tuple(each for each in reasons if not each.startswith("either"))
        reasons += ("push: relaxed in place, or folded where something added is negative",)
    reasons = (*reasons, WHY.format(relax.field))
    return dataclasses.replace(launch, shortcut=relax, reasons=reasons, direction="push")


def _spreads(launch: s.Launch) -> bool:
    """Return whether a receiver hands on what it is sent: only then is there a shorter way."""
    acts = launch.receiver.function.effects.acts
    is_test = bool(reaction_of(launch.receiver).tests)
    return launch.direction != "none" and ("activate" in acts or ("keep_going" in acts and is_test))


def _compares(launch: s.Launch) -> bool:
    """Return whether a receiver tests what it is sent, as those do that could relax."""
    values = {each.name for each in launch.receiver.args if isinstance(each.source, s.Values)}
    reaction = reaction_of(launch.receiver)
    asked = [each for conditions, _ in reaction.ends for each in conditions]
    return bool(values & names_in([*reaction.tests, *asked]))


def _fitting(launch: s.Launch) -> s.Launch:
    """Return a launch that sends from the active along rows, to who receives.

    Raises
    ------
    DeclinedError
        If it does otherwise.
    """
    sender, receiver = launch.send.name, launch.receiver.function.name
    if launch.receiver.everyone:
        raise DeclinedError(
            f"{receiver}() also runs where no message came",
            f"apply it to those who received: {receiver}(messages.receivers, ...)",
            launch.loc,
        )
    if launch.domain.kind != "active":
        raise DeclinedError(
            f"{sender}() is applied to {launch.domain}, not to g.active",
            "apply it to g.active, and let whoever is reached say v.activate()",
            launch.loc,
        )
    has_form = all(map(has_atomic, launch.folds))
    if not has_form and launch.direction in ("pull", "store", "either"):
        raise DeclinedError(
            "its messages are folded by no known operator, or as tuples that are too wide",
            "where one number decides, send that alone and fold it by emv.min(...)",
            launch.loc,
        )
    asked = launch.layout != "csr" or launch.frontier == "flags" or bool(launch.buffer)
    if asked or launch.direction not in ("either", "push"):
        raise DeclinedError(
            "schedule= asks for another way to walk or to keep messages",
            "leave it out",
            launch.loc,
        )
    return launch


def guard_of(receive: s.Receive, send: Any) -> b.Expr | None:
    """Return the condition on own fields without which the receiver does nothing.

    Of ``a and b and ...`` it is those parts that speak of no messages. Receivers hear what all have
    sent, so it is none if sending changes it.
    """
    if receive.function.body.result is not None:
        return None
    changing = {each.name for each in receive.args if isinstance(each.source, s.Values)}
    sent = send.effects.written
    tests = reaction_of(receive).tests
    known = [each for each in tests if _is_known(each, changing, sent)]
    return joined(known) if known else None


def _is_known(part: b.Expr, changing: set[str], sent: set[tuple[str, str]]) -> bool:
    """Return whether a condition speaks of no messages and of nothing that sending changes.

    It is asked before those that it stands behind.
    """
    if not asks_plainly(part):
        return False
    for expr in b.inside(part):
        if isinstance(expr, b.Load) and (expr.element.kind, expr.field) in sent:
            return False
        if isinstance(expr, b.Local) and expr.name in changing:
            return False
    return True
