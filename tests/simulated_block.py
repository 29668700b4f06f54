"""The threads of one simulated block, of which one runs at a time: greenlets of one Python thread.

A thread runs until it has to wait for others; a seeded draw says who goes on then. So a run can be
repeated, another seed tries another order, and threads that wait in vain are an error that says
where each of them stands.
"""

from __future__ import annotations

import contextlib
import functools
import random
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import greenlet
import numpy as np
from numba.cuda.simulator import kernel, kernelapi
from numba.cuda.simulator.kernelapi import Dim3
from simulated_warp import LANES

HERE = Path(__file__)
FILES = [str(HERE.with_name(name)) for name in ("simulator.py", "simulated_warp.py")]
MACHINERY = {__file__, *FILES, kernel.__file__, kernelapi.__file__}


class DeadlockError(RuntimeError):
    """Every thread that is left waits for others that will not come."""


class _Stopped(BaseException):
    """Ends a thread whose block has failed."""


def current_lane() -> Lane:
    """Return the simulated thread that runs."""
    return greenlet.getcurrent()


@contextlib.contextmanager
def as_threads() -> Iterator[None]:
    """Let numba's simulator find simulated threads where it asks for Python's."""
    before = kernelapi.threading
    kernelapi.threading = types.SimpleNamespace(current_thread=current_lane)
    try:
        yield
    finally:
        kernelapi.threading = before


class Lane(greenlet.greenlet):
    """One simulated thread: it runs until it gives the turn back to its block."""

    def __init__(self, block: Block, number: int, body: Callable[[], None]) -> None:
        super().__init__()
        self.block, self.body, self.thread_id = block, body, number
        self.threadIdx, self.blockIdx = Dim3(number, 0, 0), Dim3(block.number, 0, 0)
        self.group = Group()  # what the threads of the last meeting brought
        self.waits_for = ""

    def run(self) -> None:
        try:
            if not self.block.failed:
                with np.errstate(all="ignore"):
                    self.body()
        except _Stopped:
            pass
        except BaseException as error:
            self.block.fail(error)
        self.waits_for = ""

    def meet(self, name: str, members: tuple[int, ...], value: Any = None) -> Group:
        """Wait until all members have come; return what each of them brought."""
        return self.block.meet(self, name, members, value)

    def syncthreads(self) -> None:
        self.meet("syncthreads", self.block.all)

    def syncthreads_count(self, value: Any) -> int:
        return sum(map(bool, self.meet("syncthreads_count", self.block.all, value).values()))

    def syncthreads_and(self, value: Any) -> int:
        return int(self.syncthreads_count(value) == len(self.block.all))

    def syncthreads_or(self, value: Any) -> int:
        return int(self.syncthreads_count(value) > 0)


class Group(dict[int, Any]):
    """What the threads of a meeting bring, by the number of the thread."""

    @functools.cached_property
    def by_lane(self) -> dict[int, Any]:
        """Return it by the thread's lane in its warp."""
        return {number % LANES: value for number, value in self.items()}


class Block:
    """The threads of a block, of which one runs."""

    def __init__(self, size: int, seed: int, stops: float, number: int = 0) -> None:
        self.number = number  # of the block in its grid
        self.all = tuple(range(size))
        self.draw = random.Random(seed)
        self.stops = stops
        self.lanes: list[Lane] = []
        self.ready: list[Lane] = []
        self.meetings: dict[Any, Group] = {}
        self.failed: BaseException | None = None

    def run(self, body: Callable[[], None]) -> None:
        self.lanes = [Lane(self, number, body) for number in self.all]
        self.ready = list(self.lanes)
        with as_threads():
            while self.ready or self.some_wait():
                self.next().switch()
        if self.failed is not None:
            raise self.failed

    def some_wait(self) -> bool:
        """Return whether threads are left that wait for others; then none of them will come."""
        found = any(lane.waits_for for lane in self.lanes)
        if found:
            self.fail(DeadlockError(self.where()))
        return found

    def next(self) -> Lane:
        """Take some thread that can go on."""
        place = self.draw.randrange(len(self.ready))
        self.ready[place], self.ready[-1] = self.ready[-1], self.ready[place]
        return self.ready.pop()

    def pause(self, lane: Lane) -> None:
        """Let others run; go on when it is this thread's turn again."""
        lane.parent.switch()
        if self.failed is not None:
            raise _Stopped

    def touch(self, lane: Lane) -> None:
        """Perhaps let others run, before memory is touched."""
        if self.stops and self.draw.random() < self.stops:
            self.ready.append(lane)
            self.pause(lane)

    def meet(self, lane: Lane, name: str, members: tuple[int, ...], value: Any) -> Group:
        if lane.thread_id not in members:
            raise RuntimeError(f"thread {lane.thread_id} calls {name} without being in its mask")
        key = name, members
        if key not in self.meetings:
            self.meetings[key] = Group()
        group = self.meetings[key]
        group[lane.thread_id] = value
        if len(group) < len(members):
            lane.waits_for = f"{name} at {place_of_caller()}"
            self.pause(lane)
            return lane.group
        del self.meetings[key]
        for number in members:
            self.lanes[number].group = group
            self.lanes[number].waits_for = ""
            if number != lane.thread_id:
                self.ready.append(self.lanes[number])
        return group

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
    return f"{file_name(frame.f_code.co_filename)}:{frame.f_lineno}"


@functools.cache
def file_name(path: str) -> str:
    return Path(path).name
