"""Vector clocks of simulated threads: what each knows to have happened; see `races`.

Threads that leave a barrier together share one clock, a list that is never changed afterwards. An
epoch is one number: how often others could learn of a thread so far, and which thread it is.
"""

from __future__ import annotations

from typing import Any

BITS = 12  # of an epoch that are the number of its thread
STEP = 1 << BITS
LOW = STEP - 1


def begin(lanes: list[Any]) -> None:
    """Give threads their first clocks: what they know of all, and of loads alone."""
    assert len(lanes) <= STEP
    seen = [0] * len(lanes)
    for lane in lanes:
        lane.seen = lane.loads = seen
        lane.epoch = STEP | lane.number


def largest(clocks: list[list[int]]) -> list[int]:
    """Return a clock that knows what any of some clocks knows."""
    found = list({id(each): each for each in clocks}.values())
    if len(found) == 2:  # a quarter of what `map` takes
        return [one if one > other else other for one, other in zip(*found, strict=True)]
    return list(map(max, *found)) if len(found) > 1 else list(found[0])


def join(lanes: list[Any], loads_alone: bool = False) -> None:
    """Let threads know what all of them have done, or have loaded: they meet."""
    every_seen = [] if loads_alone else [lane.seen for lane in lanes]
    every_load = [lane.loads for lane in lanes]
    if loads_alone or every_load != every_seen:  # lists of the same clocks, as a rule
        loads = largest(every_load)
        for lane in lanes:
            loads[lane.number] = lane.epoch
    else:
        loads = []
    if not loads_alone:
        seen = largest(every_seen)
        for lane in lanes:
            lane.seen = seen
            seen[lane.number] = lane.epoch
        if not loads or loads == seen:  # who knows of something knows of its loads, too
            loads = seen
    for lane in lanes:
        lane.loads = loads
        lane.epoch += STEP


def release(lane: Any) -> list[int]:
    """Return what a thread knows and has done: what those learn who acquire it."""
    known = list(lane.seen)
    known[lane.number] = lane.epoch
    lane.epoch += STEP
    return known


def acquire(lane: Any, known: list[int]) -> None:
    """Let a thread know what was released."""
    is_one = lane.loads is lane.seen
    lane.loads = largest([lane.loads, known])
    lane.seen = lane.loads if is_one else largest([lane.seen, known])
