"""A launch on a GPU with all its strategies, and loops around one that a shortcut runs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import AbstractContextManager

from emv.codegen.cuda import share_scans, sorts
from emv.codegen.cuda.calls import CudaLaunch
from emv.codegen.cuda.claiming import CudaClaim
from emv.codegen.cuda.next_messages import OwnMessages
from emv.codegen.cuda.open_pulls import OpenPull
from emv.codegen.cuda.program import ProgramText, Waiting
from emv.codegen.cuda.pull_lanes import LaneSenders, fold_and_make, fold_groups
from emv.codegen.cuda.pull_rounds import fold_in_rounds
from emv.codegen.cuda.threads import CudaWorker
from emv.codegen.pull import pull_phases
from emv.codegen.state import Own, own_text
from emv.codegen.unit import Unit
from emv.codegen.writer import Writer
from emv.ir import schedule as s

ENDED, ROUND, USED_UP = 0, 1, 2  # what a loop does next


class Applied(CudaLaunch):
    """A launch with the strategies that a GPU has."""

    made: OwnMessages | None = None  # what receivers make for the next superstep, on one GPU
    fold_shares = share_scans.fold_phases
    sort = sorts.sort_queue
    sort_messages = sorts.sort_messages
    sort_heard = sorts.sort_keys

    def worker(self, phase: str) -> CudaWorker:
        worker = super().worker(phase)
        if self.made is not None and phase.startswith("pull"):
            self.made.turn(worker)
        return worker

    def open_pull(self, claim: CudaClaim) -> OpenPull:
        """Return what writes a claim's pull that looks at whom the one before has left open."""
        return OpenPull(claim)

    def claim(self) -> None:
        CudaClaim(self).write()

    def pull_phases(self) -> None:
        if self.made is not None:
            fold_and_make(self, self.made)
            return
        fold = fold_in_rounds if self.launch.again == "receivers" else fold_groups
        pull_phases(self, LaneSenders(self), fold)


class OneLaunch(Applied):
    """Writes the loop around one launch, in which a control function says what comes next.

    Attributes
    ----------
    stem : str
        What its functions are called after, with the launch's number.
    running : str
        The text of the place that says what the loop does next.
    """

    stem = ""

    def __init__(
        self, unit: Unit, loop: s.LoopStep, launch: s.Launch, program: ProgramText
    ) -> None:
        super().__init__(unit, launch, program)
        self.loop, self.name = loop, f"{self.stem or launch.name}_{launch.number}"
        self.running = own_text(loop.number, Own.RUNNING)

    @property
    def control(self) -> str:
        """Return the name of the function in which one thread decides what comes next."""
        return f"{self.name}_control"

    def entered(self, waiting: Waiting) -> AbstractContextManager[None]:
        """Write how the loop is entered; what is written inside comes before its beginning."""
        call = self.unit.call(self.control)
        return self.program.entered(self.running, call, self.loop.shrinks, waiting)

    def decide(self) -> None:
        """Write the barrier in which one thread decides what comes next."""
        self.program.control(self.unit.call(self.control), self.loop.shrinks)
        self.program.enter(self.loop.shrinks)

    @contextlib.contextmanager
    def begin_round(self, writer: Writer, word: str) -> Iterator[None]:
        """Write the test of the budget, ``if`` or ``elif``, and what a round begins with."""
        with writer.block(f"{word} state[BUDGET] <= 0:"):
            writer.add(f"{self.running} = {USED_UP}\nstate[RESUMING] = 1")
        with writer.block("else:"):
            self.count_superstep(writer, self.loop)
            writer.add(f"{self.running} = {ROUND}")
            yield

    def end(self, writer: Writer) -> None:
        """Write that the loop has converged."""
        self.converge(writer)
        writer.add(f"{self.running} = {ENDED}")
