"""The threads of one simulated block, of which one runs at a time.

A thread runs until it has to wait for others; a seeded draw says who goes on then. So a run can be
repeated, another seed tries another order, and threads that wait in vain are an error that says
where each of them stands.
"""

from __future__ import annotations

import contextlib
import os
import random
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numba.cuda.simulator import kernel, kernelapi
from numba.cuda.simulator.kernelapi import Dim3

HERE = Path(__file__)
FILES = [str(HERE.with_name(name)) for name in ("simulator.py", "simulated_warp.py")]
MACHINERY = {__file__, *FILES, kernel.__file__, kernelapi.__file__}


class DeadlockError(RuntimeError):
    """Every thread that is left waits for others that will not come."""


class _Stopped(BaseException):
    """Ends a thread whose block has failed."""


def closed_door() -> threading.Lock:
    """Return a lock that a thread waits at until another opens it."""
    door = threading.Lock()
    door.acquire()
    return door


@contextlib.contextmanager
def on_one_core() -> Iterator[None]:
    """Start threads that stay on one core: they take turns, and another core wakes slowly."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {random.choice(list(cores))})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


class Lane(threading.Thread):
    """One simulated thread."""

    def __init__(self, block: Block, number: int, body: Callable[[], None]) -> None:
        super().__init__(daemon=True)
        self.block, self.body, self.thread_id = block, body, number
        self.threadIdx, self.blockIdx = Dim3(number, 0, 0), Dim3(block.number, 0, 0)
        self.turn = closed_door()
        self.group: dict[int, Any] = {}  # what the threads of the last meeting brought
        self.waits_for = ""

    def run(self) -> None:
        self.turn.acquire()
        try:
            if not self.block.failed:
                with np.errstate(all="ignore"):
                    self.body()
        except _Stopped:
            pass
        except BaseException as error:
            self.block.fail(error)
        self.block.leave(self)

    def meet(self, name: str, members: list[int], value: Any = None) -> dict[int, Any]:
        """Wait until all members have come; return what each of them brought."""
        return self.block.meet(self, name, tuple(members), value)

    def syncthreads(self) -> None:
        self.meet("syncthreads", self.block.all)

    def syncthreads_count(self, value: Any) -> int:
        return sum(map(bool, self.meet("syncthreads_count", self.block.all, value).values()))

    def syncthreads_and(self, value: Any) -> int:
        return int(self.syncthreads_count(value) == len(self.block.all))

    def syncthreads_or(self, value: Any) -> int:
        return int(self.syncthreads_count(value) > 0)


class Block:
    """The threads of a block, of which one runs."""

    def __init__(self, size: int, seed: int, stops: float, number: int = 0) -> None:
        self.number = number  # of the block in its grid
        self.all = list(range(size))
        self.draw = random.Random(seed)
        self.stops = stops
        self.lanes: list[Lane] = []
        self.ready: list[Lane] = []
        self.meetings: dict[Any, dict[int, Any]] = {}
        self.failed: BaseException | None = None
        self.done = closed_door()

    def run(self, body: Callable[[], None]) -> None:
        self.lanes = [Lane(self, number, body) for number in self.all]
        self.ready = list(self.lanes)
        with on_one_core():
            for lane in self.lanes:
                lane.start()
        self.next()
        self.done.acquire()
        if self.failed is not None:
            raise self.failed

    def next(self) -> None:
        """Let some thread that can go on do so."""
        if self.ready:
            place = self.draw.randrange(len(self.ready))
            self.ready[place], self.ready[-1] = self.ready[-1], self.ready[place]
            self.ready.pop().turn.release()
        elif any(lane.waits_for for lane in self.lanes):
            self.fail(DeadlockError(self.where()))
            self.next()
        else:
            self.done.release()

    def pause(self, lane: Lane) -> None:
        """Let others run; go on when it is this thread's turn again."""
        self.next()
        lane.turn.acquire()
        if self.failed is not None:
            raise _Stopped

    def touch(self, lane: Lane) -> None:
        """Perhaps let others run, before memory is touched."""
        if self.stops and self.draw.random() < self.stops:
            self.ready.append(lane)
            self.pause(lane)

    def meet(self, lane: Lane, name: str, members: tuple[int, ...], value: Any) -> dict[int, Any]:
        if lane.thread_id not in members:
            raise RuntimeError(f"thread {lane.thread_id} calls {name} without being in its mask")
        group = self.meetings.setdefault((name, members), {})
        group[lane.thread_id] = value
        if len(group) < len(members):
            lane.waits_for = f"{name} at {place_of_caller()}"
            self.pause(lane)
            return lane.group
        del self.meetings[name, members]
        for number in members:
            self.lanes[number].group = group
            self.lanes[number].waits_for = ""
            if number != lane.thread_id:
                self.ready.append(self.lanes[number])
        return group

    def leave(self, lane: Lane) -> None:
        lane.waits_for = ""
        self.next()

    def fail(self, error: BaseException) -> None:
        """Wake everybody, to end."""
        self.failed = self.failed or error
        self.ready += [lane for lane in self.lanes if lane.waits_for]
        for lane in self.lanes:
            lane.waits_for = ""

    def where(self) -> str:
        found: dict[str, list[int]] = {}
        for lane in self.lanes:
            found.setdefault(lane.waits_for or "has returned", []).append(lane.thread_id)
        return "; ".join(f"threads {who}: {what}" for what, who in found.items())


def place_of_caller() -> str:
    """Return the line of the simulated program that is being run."""
    frame = sys._getframe()
    while frame.f_code.co_filename in MACHINERY:
        frame = frame.f_back
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
