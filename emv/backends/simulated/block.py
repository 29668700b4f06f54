"""The threads of a simulated launch, of which one runs at a time: greenlets of one Python thread.

A thread runs until it has to wait for others; a seeded draw says who goes on then. So a run can be
repeated, another seed tries another order, and threads that wait in vain are an error that says
where each of them stands. Blocks run side by side, as those of a cooperative launch do.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import math
import random
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import greenlet
import numpy as np
from numba.cuda.simulator import kernel, kernelapi
from numba.cuda.simulator.kernelapi import Dim3

from emv.backends.simulated import clocks
from emv.backends.simulated.warp import LANES, Group

FILES = map(str, Path(__file__).parent.glob("*.py"))
MACHINERY = {*FILES, kernel.__file__, kernelapi.__file__}


HOURS_NS = 10**13


class DeadlockError(RuntimeError):
    """Every thread that is left waits for others that will not come."""


class _Stopped(BaseException):
    """Ends a thread whose launch has failed."""


current_lane: Callable[[], Lane] = greenlet.getcurrent
"""Returns the simulated thread that runs."""


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
    """One simulated thread: it runs until it gives the turn back to its grid."""

    __slots__ = (  # which Python finds faster than what lies in the dictionary of a greenlet
        *("asked", "block", "blockIdx", "body", "crowd", "epoch", "grid", "laneid"),
        *("loads", "number", "seen", "threadIdx", "thread_id", "waits_for", "warp"),
    )

    def __init__(self, block: Block, thread: int, body: Callable[[], None]) -> None:
        super().__init__()
        self.gr_context = contextvars.copy_context()  # numpy keeps there what is not to be heard
        self.block, self.grid, self.body = block, block.grid, body
        self.thread_id, self.number = thread, block.number * block.size + thread
        self.warp, self.laneid = divmod(thread, LANES)  # of its block
        self.threadIdx, self.blockIdx = Dim3(thread, 0, 0), Dim3(block.number_in_part, 0, 0)
        self.asked: Any = None  # what it has acquired last, and found there
        self.crowd = 0  # who ran side by side when this lane last asked
        self.waits_for: str | None = None  # while it waits for others: what
        self.seen: list[int] = []  # what it knows of others, see `clocks`
        self.loads: list[int] = []  # and of their loads
        self.epoch = 0

    def run(self) -> None:
        try:
            if not self.grid.failed:
                self.body()
        except _Stopped:
            pass
        except BaseException as error:
            self.grid.fail(error)
        self.waits_for = None

    def syncthreads(self) -> None:
        self.block.meet(self, meeting_of_block("syncthreads", self.block.size))

    def syncthreads_count(self, value: Any) -> int:
        meeting = meeting_of_block("syncthreads_count", self.block.size)
        found: int = self.block.meet(self, meeting, value).once(count)
        return found

    def syncthreads_and(self, value: Any) -> int:
        return int(self.syncthreads_count(value) == self.block.size)

    def syncthreads_or(self, value: Any) -> int:
        return int(self.syncthreads_count(value) > 0)


def count(votes: Group) -> int:
    """Return how many threads vote for something."""
    return sum(map(bool, votes.values()))


class Meeting:
    """A call at which threads of a block wait for each other.

    There is one for each call and group of threads, so it is found by what it is, not by its parts.

    Parameters
    ----------
    name : str
        What an error calls it.
    members : sequence of int
        The threads of the block that meet.
    first : int
        The thread from which on what they bring is numbered.
    orders : bool
        Whether they then know what all of them did before.
    """

    def __init__(self, name: str, members: Sequence[int], first: int, orders: bool) -> None:
        self.name, self.first, self.orders = name, first, orders
        self.members, self.size = frozenset(members), len(members)


@functools.cache
def meeting_of(name: str, mask: int, warp: int) -> Meeting:
    """Return the meeting of the lanes of a mask."""
    members = [warp * LANES + each for each in range(LANES) if mask >> each & 1]
    return Meeting(f"{name} of {mask:#x}", members, warp * LANES, name == "syncwarp")


@functools.cache
def meeting_of_block(name: str, size: int) -> Meeting:
    """Return the meeting of all threads of a block."""
    return Meeting(name, range(size), 0, orders=True)


class Block:
    """The threads that share a part of the memory and meet at barriers.

    Of several grids, which are parts of one run, all blocks are numbered through.
    """

    def __init__(self, grid: Grid, number: int, size: int, body: Callable[[], None]) -> None:
        self.grid, self.number = grid, number
        self.part, self.number_in_part = divmod(number, grid.blocks)
        self.size = size
        self.meetings: dict[Meeting, Group] = {}
        self.shared: dict[Any, Any] = {}  # its arrays
        self.lanes = [Lane(self, thread, body) for thread in range(size)]

    def meet(self, lane: Lane, meeting: Meeting, value: Any = None) -> Group:
        """Let a thread wait until all members have come; return what each of them brought."""
        thread = lane.thread_id
        if thread not in meeting.members:
            raise RuntimeError(f"thread {thread} calls {meeting.name} without being in its mask")
        group = self.meetings.get(meeting)
        if group is None:
            group = self.meetings[meeting] = Group()
        group[thread - meeting.first] = value
        if len(group) < meeting.size:
            lane.waits_for = meeting.name
            self.grid.pause(lane)
            return group
        del self.meetings[meeting]
        met = [self.lanes[meeting.first + number] for number in group]
        clocks.join(met, loads_alone=not meeting.orders)
        for each in met:
            each.waits_for = None
        met.pop()  # who came last goes on
        self.grid.ready += met
        return group


class Crowd(list[Lane]):
    """Lanes of a warp that have come to one place, and run side by side from there."""

    def __init__(self, place: Any) -> None:
        super().__init__()
        self.place = place


class Grid:
    """The threads of a launch, of which one runs.

    Parameters
    ----------
    seed : int
        Of the order in which threads run.
    stops : float
        How likely a thread stops before it touches memory.
    splits : float
        How likely lanes that run side by side go on without those that could still join them.
    turns : int
        How often a thread may get the turn, at most.
    """

    def __init__(
        self, seed: int = 0, stops: float = 0.02, splits: float = 0.1, turns: int = 10**8
    ) -> None:
        self.draw = random.Random(seed).random
        self.stops, self.splits, self.turns = stops, splits, turns
        self.left = self.gap()  # accesses before a thread stops
        self.lanes: list[Lane] = []
        self.ready: list[Any] = []
        self.crowds: dict[Any, Crowd] = {}
        self.watched: dict[Any, list[Lane]] = {}
        self.released: dict[Any, list[int]] = {}  # what those know who acquire an element
        self.failed: BaseException | None = None
        self.blocks = self.parts = 1  # of each part, and how many there are
        self.dozing: list[tuple[Any, Lane]] = []  # who waits for an element, but not for ever
        self.skipped_ns = 0  # the time in which nobody could have done anything

    def run(self, blocks: int, size: int, body: Callable[[], None], parts: int = 1) -> None:
        """Run so many blocks of so many threads, of each of some parts."""
        self.blocks, self.parts, every = blocks, parts, range(parts * blocks)
        with as_threads(), np.errstate(all="ignore"):
            self.lanes = [lane for k in every for lane in Block(self, k, size, body).lanes]
            clocks.begin(self.lanes)
            self.ready = list(self.lanes)
            chosen: Any = None  # by a thread that has paused
            while chosen is not None or self.ready or self.some_doze() or self.some_wait():
                brought = (self.next() if chosen is None else chosen).switch()
                chosen = brought if isinstance(brought, Lane) else None
                self.turns -= 1
                if self.turns == 0:
                    self.fail(DeadlockError(f"the kernel does not end: {self.where()}"))
        if self.failed is not None:
            raise self.failed

    def some_doze(self) -> bool:
        """Let time pass until those who do not wait for ever look again, if there are any."""
        dozing, self.dozing = self.dozing, []
        self.skipped_ns += HOURS_NS * bool(dozing)
        for what, lane in dozing:
            if lane in self.watched.get(what, ()):
                self.watched[what].remove(lane)
                lane.waits_for = None
                self.ready.append(lane)
        return bool(self.ready)

    def some_wait(self) -> bool:
        """Return whether threads are left that wait for others; then none of them will come."""
        found = any(lane.waits_for for lane in self.lanes)
        if found:
            self.fail(DeadlockError(self.where()))
        return found

    def next(self) -> Lane:
        """Take some thread that can go on."""
        while True:
            ready = self.ready  # which `fail` makes anew
            place = int(self.draw() * len(ready))
            taken = ready[place]
            last = ready.pop()
            if taken is not last:
                ready[place] = last
            if isinstance(taken, Lane):
                return taken
            self.part(taken)

    def part(self, crowd: Crowd) -> None:
        """Let a crowd go on, unless it waits for those of its warp that can still come."""
        warp = warp_of(crowd[0])
        others = (each for each in self.ready if isinstance(each, Lane))
        if any(warp_of(each) == warp for each in others) and self.draw() >= self.splits:
            self.ready.append(crowd)
            return
        del self.crowds[crowd.place]
        mask = sum(1 << lane.thread_id % LANES for lane in crowd)
        for lane in crowd:
            lane.crowd = mask
        self.ready += crowd

    def gather(self, lane: Lane) -> int:
        """Return the mask of the lanes of a warp that come to this place together."""
        key = warp_of(lane), way_to(sys._getframe(1))
        if key not in self.crowds:
            self.crowds[key] = Crowd(key)
            self.ready.append(self.crowds[key])
        self.crowds[key].append(lane)
        self.pause(lane)
        return lane.crowd

    def watch(self, lane: Lane, what: Any, name: str) -> None:
        """Wait until somebody changes an element."""
        self.watched.setdefault(what, []).append(lane)
        lane.waits_for = name
        self.pause(lane)

    def changed(self, what: Any) -> None:
        """Wake those that watch an element."""
        for lane in self.watched.pop(what, ()):
            lane.waits_for = None
            self.ready.append(lane)

    def pause(self, lane: Lane) -> None:
        """Let others run; go on when it is this thread's turn again."""
        ready, chosen = self.ready, None
        if ready and self.turns > 1:  # as `next` does, without its call
            place = int(self.draw() * len(ready))
            chosen, last = ready[place], ready.pop()
            if chosen is not last:
                ready[place] = last
            if type(chosen) is Crowd:
                self.part(chosen)
                chosen = self.next()
        if not chosen:  # nobody, or one to begin: at the depth of calls from which all begin
            lane.parent.switch(chosen)
        elif chosen is not lane:
            self.turns -= 1
            chosen.switch()
        if self.failed is not None:
            raise _Stopped

    def stop(self, lane: Lane) -> None:
        """Let others run before memory is touched, and draw when that is done again."""
        self.left = self.gap()
        self.ready.append(lane)
        self.pause(lane)

    def gap(self) -> int:
        """Return how many accesses come before a thread stops, each as likely as any to be it."""
        if not self.stops:
            return sys.maxsize
        return int(math.log(1 - self.draw()) / math.log(1 - self.stops))

    def fail(self, error: BaseException) -> None:
        """Wake everybody, to end."""
        self.failed = self.failed or error
        crowds = [each for each in self.ready if isinstance(each, Crowd)]
        self.ready = [each for each in self.ready if isinstance(each, Lane)]
        self.ready += [lane for crowd in crowds for lane in crowd]
        self.ready += [lane for lane in self.lanes if lane.waits_for]
        for lane in self.lanes:
            lane.waits_for = None

    def where(self) -> str:
        found: dict[tuple[int, str], list[int]] = {}
        for lane in self.lanes:
            what = "has returned"
            if lane.waits_for:
                what = f"{lane.waits_for} at {place_of(*step_of(lane.gr_frame))}"
            key = lane.block.number, what
            found.setdefault(key, []).append(lane.thread_id)
        return "; ".join(
            f"threads {who} of block {block}: {what}" for (block, what), who in found.items()
        )


def warp_of(lane: Lane) -> int:
    """Return the number of a lane's warp in the grid; blocks are whole warps."""
    return lane.number // LANES


def way_to(frame: Any) -> tuple[int, ...]:
    """Return where a thread stands, in all functions that called each other to get there."""
    found = []
    while frame is not None:
        found += [id(frame.f_code), frame.f_lasti]
        frame = frame.f_back
    return tuple(found)


def step_of(frame: Any) -> tuple[Any, int]:
    """Return the code of the simulated program that is being run, and the step in it."""
    while frame.f_code.co_filename in MACHINERY:
        frame = frame.f_back
    return frame.f_code, frame.f_lasti


def place_of(code: Any, step: int) -> str:
    """Return the file and the line of a step."""
    return f"{Path(code.co_filename).name}:{line_at(code, step)}"


def line_at(code: Any, step: int) -> int:
    """Return the line of a step, which is `f_lasti` of a frame."""
    lines = (line for begin, end, line in code.co_lines() if begin <= step < end)
    return next(line for line in lines if line is not None)
