"""Follow what a caller asks of the schedule, and say why where that cannot be done.

That a loop is run as it is written changes what is written, so launches are marked before all
decisions. `near_far` changes nothing that is decided: whether it has its way is seen at the end.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from emv.errors import ArgumentError, did_you_mean
from emv.ir import schedule as s
from emv.lang.buffers import Buffer
from emv.lang.frontiers import AllActive, Queued
from emv.lang.hops import Hops
from emv.lang.schedules import Asked, BySuperstep, Layout, NearFar
from emv.passes.around import Around, Setting, by_launch
from emv.passes.choose_buffer import why_not
from emv.passes.choose_walk import walks_own_arcs, walks_rows
from emv.passes.find_shortcuts import why_not_relax


@by_launch
def follow_schedule(launch: s.Launch, around: Around) -> s.Launch:
    """Return the launch, marked if the caller wants it by superstep."""
    words = around.setting.asked.words(names_of(launch))
    plain = any(isinstance(word, BySuperstep | AllActive) for word in words)
    frontier = "queue" if any(isinstance(word, Queued) for word in words) else ""
    frontier = "flags" if any(isinstance(word, AllActive) for word in words) else frontier
    layout = next((word.tag for word in words if isinstance(word, Layout)), launch.layout)
    buffer = next((word.tag for word in words if isinstance(word, Buffer)), launch.buffer)
    launch = dataclasses.replace(launch, layout=layout, buffer=buffer)
    return dataclasses.replace(launch, by_superstep=plain, frontier=frontier)


def names_of(launch: s.Launch) -> list[str]:
    """Return the names of the user functions of a launch."""
    return [each.name for each in s.functions_of(launch)]


def check_asked(schedule: s.Schedule, asked: Asked) -> None:
    """Refuse words for functions that there are not, or that cannot be run so.

    Raises
    ------
    ArgumentError
        If a name is unknown, two words are at odds, or nothing relaxes; the message says why not.
    """
    launches = s.launches_in(schedule.body)
    known = dict.fromkeys(name for each in launches for name in names_of(each))
    for name, _ in asked.by_name:
        if name not in known:
            raise ArgumentError(
                f"schedule= names {name!r}, which is no function of {schedule.program.name}()",
                schedule.program.loc,
                f"There are: {', '.join(known)}.{did_you_mean(name, known)}",
            )
    for launch in launches:
        if len(set(asked.words(names_of(launch)))) > 1:
            raise ArgumentError(
                f"schedule= asks for {' and '.join(map(str, asked.words(names_of(launch))))} of "
                f"{' and '.join(names_of(launch))}, which run together",
                launch.loc,
                "Give the word for one of them.",
            )
    for names, word in [(known, asked.whole), *(([name], word) for name, word in asked.by_name)]:
        for kind, check in CHECKS.items():
            if isinstance(word, kind):
                check(_Asked(schedule, word, set(names)))


@dataclass(frozen=True)
class _Asked:
    """A word that a caller gives for some functions of a program."""

    schedule: s.Schedule
    word: Any
    names: set[str]

    @property
    def launches(self) -> list[s.Launch]:
        """Return the launches of these functions."""
        found = s.launches_in(self.schedule.body)
        return [each for each in found if self.names & set(names_of(each))]

    def none(self, does: str, remedy: str) -> ArgumentError:
        """Return the error of functions none of which does what the word is for."""
        program, names = self.schedule.program, ", ".join(sorted(self.names))
        loc = self.launches[0].loc if self.launches else program.loc
        what = f"{self.word} does not fit {program.name}(): none of {names} {does}"
        return ArgumentError(what, loc, remedy)

    def unfit(self, launch: s.Launch, why: str, remedy: str) -> ArgumentError:
        """Return the error of a function that the word does not fit."""
        return ArgumentError(
            f"{self.word} does not fit {launch.send.name}(){why}", launch.loc, remedy
        )


def check_relaxes(asked: _Asked) -> None:
    """Refuse a priority if no launch of these functions is a relaxation."""
    schedule, word = asked.schedule, asked.word
    loops: list[s.LoopStep | None] = [*s.loops_in(schedule.body)]
    found = [
        (each, next((loop for loop in loops if loop and each in loop.body), None))
        for each in asked.launches
    ]
    if any(isinstance(launch.shortcut, s.Relax) for launch, _ in found):
        return
    if not found:
        raise ArgumentError(f"{word} does not fit {schedule.program.name}(): it applies nothing")
    # Of several launches, the one that is most like a relaxation.
    launch, loop = max(found, key=lambda each: (each[1] is not None, each[0].receive is not None))
    setting = Setting(asked=Asked(word), divided=bool(launch.share))
    around = Around(schedule, setting, () if loop is None else (loop,))
    raise asked.unfit(
        launch,
        f": {why_not_relax(launch, around)}",
        "It is for loops in which the active send v.f, or v.f + e.weight, and whoever is offered "
        "less than its own f by emv.min(...) takes it and activates itself.",
    )


def check_walks(asked: _Asked) -> None:
    """Refuse a storage if none of these functions walks arcs, or one cannot walk them so."""
    if asked.word.name == "csr":
        return
    for launch in asked.launches:
        if asked.word.name == "coo" and walks_own_arcs(launch):
            remedy = "Only functions of one edge can take arcs one by one."
            raise asked.unfit(launch, ", which walks the arcs of its vertex", remedy)
    if not any(map(walks_rows, asked.launches)):
        raise asked.none(
            "walks the arcs of vertices",
            "Only what is sent along edges, or goes over the edges of a vertex, has a layout.",
        )


def check_frontier(asked: _Asked) -> None:
    """Refuse to say how an active set is kept if none of these functions is applied to one."""
    if not any(each.domain.kind in ("active", "active_edges") for each in asked.launches):
        raise asked.none(
            "is applied to active elements",
            "It says how the sets behind g.active and g.active_edges are kept.",
        )


def check_waits(asked: _Asked) -> None:
    """Refuse a buffer if none of these functions sends, or one sends what it cannot hold."""
    senders = [e for e in asked.launches if e.direction != "none" and e.send.kind != "message"]
    for launch in senders:
        reason = why_not(launch, asked.word.name)
        if reason:
            raise asked.unfit(
                launch,
                f": {reason}",
                "emv.buffer('grouped') and emv.buffer('lists') hold whatever is sent; without a "
                "word emv chooses.",
            )
    if not senders:
        raise asked.none(
            "sends messages that are folded, received or listed",
            "Give the word for a function that sends, or leave it out.",
        )


def check_hops(asked: _Asked) -> None:
    """Refuse hops where there are no parts, or edge columns change, which replicas do not have."""
    schedule, word = asked.schedule, asked.word
    if not any(each.share for each in s.launches_in(schedule.body)):
        raise ArgumentError(
            f"{word} does not fit {schedule.program.name}(): the graph is not in parts",
            schedule.program.loc,
            "Give g.on('cpu', parts=2), or g.on('cuda', gpus=2, exchange='host').",
        )
    changed = sorted(name for kind, name in schedule.written if kind == "edge")
    if changed and word.number not in (1, "auto"):
        raise ArgumentError(
            f"{word} does not fit {schedule.program.name}(): it changes the edge column "
            f"{changed[0]}, of which parts have no replicas",
            schedule.program.loc,
            "Give emv.hops(1), or leave it out.",
        )


CHECKS: dict[type, Callable[[_Asked], None]] = {
    NearFar: check_relaxes,
    Layout: check_walks,
    AllActive: check_frontier,
    Queued: check_frontier,
    Buffer: check_waits,
    Hops: check_hops,
}
