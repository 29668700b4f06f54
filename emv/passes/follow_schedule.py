"""Follow what a caller asks of the schedule, and say why where that cannot be done.

That a loop is run as it is written changes what is written, so launches are marked before all
decisions. `near_far` changes nothing that is decided: whether it has its way is seen at the end.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from emv.errors import ArgumentError, did_you_mean
from emv.ir import schedule as s
from emv.lang.buffers import Buffer
from emv.lang.frontiers import AllActive, Queued
from emv.lang.schedules import Asked, BySuperstep, Layout, NearFar
from emv.passes.around import Around, Setting, by_launch
from emv.passes.choose_buffer import why_not
from emv.passes.choose_layout import walks_own_arcs, walks_rows
from emv.passes.find_shortcuts import why_not_relax


@by_launch
def follow_schedule(launch: s.Launch, around: Around) -> s.Launch:
    """Return the launch, marked if the caller wants it by superstep."""
    words = around.setting.asked.words(names_of(launch))
    plain = any(isinstance(word, BySuperstep | AllActive) for word in words)
    frontier = "queue" if any(isinstance(word, Queued) for word in words) else ""
    frontier = "flags" if any(isinstance(word, AllActive) for word in words) else frontier
    layout = next((word.tag for word in words if isinstance(word, Layout)), launch.layout)
    buffer = next((word.name for word in words if isinstance(word, Buffer)), launch.buffer)
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
        if isinstance(word, NearFar):
            check_relaxes(schedule, word, set(names))
        elif isinstance(word, Layout) and word.name != "csr":
            check_walks(schedule, word, set(names))
        elif isinstance(word, AllActive | Queued):
            check_frontier(schedule, word, set(names))
        elif isinstance(word, Buffer):
            check_waits(schedule, word, set(names))


def check_relaxes(schedule: s.Schedule, word: NearFar, names: set[str]) -> None:
    """Refuse a priority if no launch of these functions is a relaxation."""
    found = [each for each in _in_loops(schedule.body) if names & set(names_of(each[0]))]
    if any(isinstance(launch.shortcut, s.Relax) for launch, _ in found):
        return
    if not found:
        raise ArgumentError(f"{word} does not fit {schedule.program.name}(): it applies nothing")
    # Of several launches, the one that is most like a relaxation.
    launch, loop = max(found, key=lambda each: (each[1] is not None, each[0].receive is not None))
    around = Around(schedule, Setting(asked=Asked(word)), () if loop is None else (loop,))
    raise ArgumentError(
        f"{word} does not fit {launch.send.name}(): {why_not_relax(launch, around)}",
        launch.loc,
        "It is for loops in which the active send v.f, or v.f + e.weight, and whoever is offered "
        "less than its own f by emv.min(...) takes it and activates itself.",
    )


def check_walks(schedule: s.Schedule, word: Layout, names: set[str]) -> None:
    """Refuse a storage if none of these functions walks arcs, or one cannot walk them so."""
    launches = [each for each in s.launches_in(schedule.body) if names & set(names_of(each))]
    for launch in launches:
        if word.name == "coo" and walks_own_arcs(launch):
            raise ArgumentError(
                f"{word} does not fit {launch.send.name}(), which walks the arcs of its vertex",
                launch.loc,
                "Only functions of one edge can take arcs one by one.",
            )
    if not any(walks_rows(launch) for launch in launches):
        raise ArgumentError(
            f"{word} does not fit {schedule.program.name}(): none of {', '.join(sorted(names))} "
            "walks the arcs of vertices",
            launches[0].loc if launches else schedule.program.loc,
            "Only what is sent along edges, or goes over the edges of a vertex, has a layout.",
        )


def check_frontier(schedule: s.Schedule, word: AllActive | Queued, names: set[str]) -> None:
    """Refuse to say how an active set is kept if none of these functions is applied to one."""
    launches = [each for each in s.launches_in(schedule.body) if names & set(names_of(each))]
    if not any(each.domain.kind in ("active", "active_edges") for each in launches):
        raise ArgumentError(
            f"{word} does not fit {schedule.program.name}(): none of {', '.join(sorted(names))} "
            "is applied to active elements",
            launches[0].loc if launches else schedule.program.loc,
            "It says how the sets behind g.active and g.active_edges are kept.",
        )


def check_waits(schedule: s.Schedule, word: Buffer, names: set[str]) -> None:
    """Refuse a buffer if none of these functions sends, or one sends what it cannot hold."""
    launches = [each for each in s.launches_in(schedule.body) if names & set(names_of(each))]
    senders = [e for e in launches if e.direction != "none" and e.send.kind != "message"]
    for launch in senders:
        reason = why_not(launch, word.name)
        if reason:
            raise ArgumentError(
                f"{word} does not fit {launch.send.name}(): {reason}",
                launch.loc,
                "emv.buffer('grouped') and emv.buffer('lists') hold whatever is sent; without a "
                "word emv chooses.",
            )
    if not senders:
        raise ArgumentError(
            f"{word} does not fit {schedule.program.name}(): none of {', '.join(sorted(names))} "
            "sends messages that are folded, received or listed",
            launches[0].loc if launches else schedule.program.loc,
            "Give the word for a function that sends, or leave it out.",
        )


def _in_loops(
    steps: tuple[Any, ...], loop: s.LoopStep | None = None
) -> list[tuple[s.Launch, s.LoopStep | None]]:
    """Return every launch with the innermost loop around it."""
    found: list[tuple[s.Launch, s.LoopStep | None]] = []
    for step in steps:
        if isinstance(step, s.Launch):
            found.append((step, loop))
        elif isinstance(step, s.LoopStep):
            found += _in_loops(step.body, step)
    return found
