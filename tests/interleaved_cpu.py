"""The generated text of the CPU backend on two threads that interrupt each other, as plain Python.

What `interpreted_cpu` runs, with the parallel regions of the text run by greenlets: a seeded draw
says before which touch of memory the turn goes to another thread, so what one thread may do between
a read and a write of another is tried, and any run can be repeated. Small graphs are shared out,
and what threads add up of short lists stands where it otherwise would of long ones.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator
from typing import Any

import greenlet
import pytest
from interpreted_cpu import TURNS, InterpretedKernels, interpreted
from shared_out import shared_out

from emv.backends import cpu
from emv.codegen.cpu import tallies
from emv.config import config

KINDS = {"FEW_KINDS": 1, "NEAR_KINDS": 2}
"""Messages of lists whose kinds are searched, and of those with room of the thread's own."""


class Turns:
    """Threads that take turns; a turn lasts so many touches of memory at most."""

    def __init__(self, seed: int, longest: int) -> None:
        self.draw, self.longest = random.Random(seed), longest
        self.left = self.regions = self.shared = 0
        self.running = False

    def together(self, count: Any, function: Callable[..., Any], told: Any, *first: Any) -> None:
        """Run a function once for each thread, in place of `emv_kernels.cpu.threads`."""
        self.regions += 1

        def body(number: int) -> None:
            function(number, *first, *told)

        waiting = {number: greenlet.greenlet(body) for number in range(int(count))}
        turns, begun = 0, set()
        self.running = True
        try:
            while waiting:
                number = self.draw.choice(list(waiting))
                self.left = self.draw.randint(1, self.longest)
                waiting[number].switch(*(() if number in begun else (number,)))
                begun.add(number)
                turns += 1
                if waiting[number].dead:
                    del waiting[number]
        finally:
            self.running = False
        self.shared += turns > len(begun)

    def step(self) -> None:
        """Give the turn away, if this one has lasted long enough."""
        if self.running:
            self.left -= 1
            if self.left < 0:
                greenlet.getcurrent().parent.switch()


class InterleavedKernels(InterpretedKernels):
    """Loads texts whose threads take turns."""

    def __init__(self, turns: Turns) -> None:
        super().__init__()
        self.turns = turns
        vars(self.modules["emv_kernels.cpu.threads"])["by_threads"] = turns.together
        vars(self.modules["emv_kernels.cpu.tallies"]).update(KINDS)


@contextlib.contextmanager
def interleaved(seed: int = 0, num_threads: int = 2, longest: int = 2) -> Iterator[Turns]:
    """Interpret what the CPU backend would compile, on threads that take turns.

    Examples
    --------
    >>> with interleaved() as turns:
    ...     turns.regions
    0
    """
    turns, patch = Turns(seed, longest), pytest.MonkeyPatch()
    patch.setattr(cpu, "set_threads", lambda count: count)
    patch.setattr(cpu, "caller_works", lambda: True)  # numba's threads, of which none begin
    patch.setattr(tallies, "FEW_KINDS", KINDS["FEW_KINDS"])
    TURNS.append(turns)
    try:
        using = config.using(num_threads=num_threads)
        with using, shared_out(), interpreted(InterleavedKernels(turns)):
            yield turns
    finally:
        TURNS.remove(turns)
        patch.undo()
