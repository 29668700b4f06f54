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
    if clocks.count(clocks[0]) == len(clocks):  # one and the same, as a rule
        return list(clocks[0])
    found = list({id(each): each for each in clocks}.values())
    if len(found) == 2:  # a quarter of what `map` takes
        return [one if one > other else other for one, other in zip(*found, strict=True)]
    return list(map(max, *found))


def join(lanes: list[Any], loads_alone: bool = False) -> None:
    """Let threads know what all of them have done, or have loaded: they meet."""
    every_load = [lane.loads for lane in lanes]
    if loads_alone:
        loads = largest(every_load)
        for lane in lanes:
            loads[lane.number] = lane.epoch
            lane.loads = loads
            lane.epoch += STEP
        return
    every_seen = [lane.seen for lane in lanes]
    seen = largest(every_seen)
    loads = seen if every_load == every_seen else largest(every_load)
    for lane in lanes:
        seen[lane.number] = loads[lane.number] = lane.epoch
    if loads == seen:
        loads = seen
    for lane in lanes:
        lane.seen, lane.loads = seen, loads
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
