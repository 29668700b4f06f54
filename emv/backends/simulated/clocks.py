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
    found = {id(each): each for each in clocks}.values()
    return list(map(max, *found)) if len(found) > 1 else list(clocks[0])


def join(lanes: list[Any], loads_alone: bool = False) -> None:
    """Let threads know what all of them have done, or have loaded: they meet."""
    if loads_alone or any(lane.loads is not lane.seen for lane in lanes):
        loads = largest([lane.loads for lane in lanes])
        for lane in lanes:
            loads[lane.number] = lane.epoch
    else:
        loads = []
    if not loads_alone:
        seen = largest([lane.seen for lane in lanes])
        for lane in lanes:
            lane.seen = seen
            seen[lane.number] = lane.epoch
        if not loads or all(map(int.__le__, loads, seen)):
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
    lane.loads = largest([lane.loads, known])
    lane.seen = largest([lane.seen, known])
