"""Of a graph in parts: which part does what of a launch, so that all that it changes is its own.

Every vertex is owned by one part, and an edge by the part that owns where it leads. A part has all
columns, but only its own rows of them are right at all times; the others are *replicas*, which the
host brings up to date before a launch that reads them (`emv.runtime.targets.parts`). No message is
ever handed from part to part: whoever owns a receiver computes what it is sent, from replicas of
the sources, as in Medusa (J. Zhong, B. He, IEEE TPDS 2014, section 4.3).

``owned``
    A part runs the instances of its own elements: of a vertex function its vertices, of a function
    over edges its edges, over arcs those that lead to its vertices. That needs that an instance
    changes nothing but that element, and sends to it alone.
``even``
    Where nothing is left of an edge but what is added up, and what it looks at is of all arcs, it
    does not matter who runs it: parts that meet in their kernels take edges in turn, in the order
    in which one GPU goes over them.
``dealt``
    Sets may be joined along any division of the edges. So where nothing of a program asks for arcs
    but functions that join along edges, a part holds as many edges as every other, each once.
``received``
    Every part runs all senders, on replicas, and keeps of their messages those to its own
    receivers; what senders change they change everywhere alike. So it is where a vertex sends along
    its out-arcs in one piece, to any vertex, or writes to others.
``all``
    Every part does all of it: where receivers change others, or where somebody goes over messages
    that only the owner of a receiver has, and changes what is not the receiver's.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from emv.ir import body as b
from emv.ir import schedule as s
from emv.ir.shortcuts import JoinAll
from emv.lang.effects import find_effects
from emv.passes.around import Setting

HOME = {"vertices": ("own", "vertex"), "edges": ("own", "edge"), "arcs": ("dst", "vertex")}
"""The element that is an instance's own, by what a launch walks."""

REASONS = {
    "owned": "each part does what concerns its own {}",
    "even": "each part takes as many {} as every other, of which only sums are left",
    "dealt": "each part joins along as many {} as every other, and then what the others joined",
    "received": "each part runs all senders, and keeps what its own receivers are sent",
    "all": "each part does all of it, as {}",
}


def divide(schedule: s.Schedule, setting: Setting) -> s.Schedule:
    """Return the schedule, whose launches say what a part does, where there are parts."""
    if not setting.divided:
        return schedule
    launches = s.launches_in(schedule.body)
    shares = {each.number: share_of(each, setting.meets) for each in launches}
    shares |= dict.fromkeys(dealt_ones(launches) if setting.meets else (), "dealt")
    whole = whole_ones(launches, shares)
    written = s.written_columns(schedule.body)
    heard = "others go over its messages and change what is not the receiver's"

    def decided(step: Any) -> list[Any]:
        if not isinstance(step, s.Launch):
            return [step]
        share, why = shares[step.number], WHYS[walk_of(step)]
        if step.number in whole:
            share, why = "all", heard
        elif share == "all":
            why = "receivers change what is not their own"
        reason = REASONS[share].format(why) + handed_on(step, share, written)
        made = step.because(reason, share=share, gathered=frozenset())
        if isinstance(made.shortcut, JoinAll) and share != "dealt":
            made = dataclasses.replace(made, shortcut=None)  # an edge is not in both its ends' rows
        return [made]

    body = s.changed_steps(schedule.body, decided)
    return dataclasses.replace(schedule, body=body)


WHYS = {"vertices": "vertices", "edges": "edges", "arcs": "vertices, along the arcs to them"}


def handed_on(launch: s.Launch, share: s.Share, written: frozenset[tuple[str, str]]) -> str:
    """Return what explanations say of columns that a part reads of others, if any change."""
    home = {HOME[walk_of(launch)]} if share == "owned" else set()
    reads = find_effects(launch.body).reads
    names = {
        e.field for e in reads if (e.where, e.kind) not in home and (e.kind, e.field) in written
    }
    return f"; before it, {', '.join(sorted(names))} from their owners" if names else ""


def whole_ones(launches: list[s.Launch], shares: dict[int, s.Share]) -> set[int]:
    """Return the launches that every part must do whole, for those who go over their messages."""
    found: set[int] = set()
    before = -1
    while len(found) > before:
        before = len(found)
        for launch in launches:
            heard = launch.domain.source if launch.domain.kind == "receivers" else launch.heard
            is_of_one = launch.send.kind == "message" or walk_of(launch) == "vertices"
            is_own = is_of_one and shares[launch.number] == "owned"
            if heard is not None and (launch.number in found or not is_own):
                found |= {launch.number, heard}
    return found


def walk_of(launch: s.Launch) -> str:
    """Return what instances of a launch are of: ``vertices``, ``edges`` or ``arcs``."""
    if launch.domain.kind in ("edges", "active_edges"):
        return "edges"
    return "arcs" if launch.arc_form else "vertices"


def dealt_ones(launches: list[s.Launch]) -> set[int]:
    """Return the launches that only join along edges, if no other launch asks for arcs."""
    found = {each.number for each in launches if only_joins(each)}
    others = [each for each in launches if each.number not in found]
    return set() if any(map(asks_for_arcs, others)) else found


def is_dealt(schedule: s.Schedule) -> bool:
    """Return whether each of several GPUs holds as many edges as every other, each once."""
    return any(each.share == "dealt" for each in s.launches_in(schedule.body))


def only_joins(launch: s.Launch) -> bool:
    """Return whether a launch over all edges joins sets, and reads and leaves nothing else."""
    effects = launch.send.effects
    joins = {each.op for each in effects.writes} == {"union"} and effects.acts == {"union"}
    reads = any(each.where != "own" or each.kind != "edge" for each in effects.reads)
    is_whole = launch.domain.kind == "edges" and launch.domain.mask is None
    is_left = launch.returned is not None or launch.receive is not None or launch.keeps
    return is_whole and joins and not (reads or is_left or launch.aggregates)


def asks_for_arcs(launch: s.Launch) -> bool:
    """Return whether a launch goes over arcs or edges, or its function asks where they lead."""
    if walk_of(launch) != "vertices" or launch.receive is not None:
        return True
    statements = launch.body.statements
    walks = (isinstance(each, b.ForLinks | b.ForCommon) for each in b.statements_in(statements))
    return any(walks) or any(isinstance(each, b.OutArc) for each in b.expressions_in(statements))


def share_of(launch: s.Launch, meets: bool = False) -> s.Share:
    """Return what a part does of a launch by itself.

    Sets that parts join for their own elements are joined over all where they meet behind it.
    """
    receive = launch.receive
    if receive is not None and changes_others(receive.function.body, HOME["vertices"]):
        return "all"
    if meets and only_adds_up(launch):
        return "even"
    return "received" if reaches_out(launch, meets) else "owned"


def only_adds_up(launch: s.Launch) -> bool:
    """Return whether nothing but aggregates is left of a launch over all edges, along their rows.

    What it reads must then be right everywhere, and all arcs be there.
    """
    looks = (isinstance(each, b.ForCommon) for each in b.statements_in(launch.body.statements))
    is_whole = launch.domain.kind == "edges" and launch.domain.mask is None
    is_left = launch.returned is not None or launch.receive is not None or launch.keeps
    effects = launch.send.effects
    only_returns = not effects.writes and effects.acts <= {"return"}
    return is_whole and not is_left and only_returns and any(looks)


def reaches_out(launch: s.Launch, meets: bool = False) -> bool:
    """Return whether the senders of a launch change, or send to, what is not their own."""
    walk = walk_of(launch)
    joins = meets and "find" not in launch.send.effects.acts
    if launch.send.kind == "message":  # which is nobody's, and changes itself
        return changes_others(launch.body, HOME[walk])
    sends = [each for each in b.statements_in(launch.body.statements) if isinstance(each, b.Send)]
    if (walk != "arcs" and sends) or any(each.along == "to" for each in sends):
        return True
    if walk == "arcs" and launch.returned is not None:
        return True
    home = HOME[walk]
    return (launch.by_arcs and not joins) or changes_others(launch.body, home, joins)


def changes_others(body: b.Body, home: tuple[str, str], joins: bool = False) -> bool:
    """Return whether a function writes, joins or activates what is not its own.

    With ``joins`` it may join sets.
    """
    writes = [each for each in find_effects(body).writes if not (joins and each.op == "union")]
    acts = [each for each in b.statements_in(body.statements) if isinstance(each, b.Activate)]
    activated = {(each.element.role, each.element.kind) for each in acts}
    return any((each.where, each.kind) != home for each in writes) or bool(activated - {home})
