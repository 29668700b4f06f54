"""A launch on cores with all its strategies, and the loop of a `Relax`.

That loop is a function that goes from round to round.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from emv.codegen.cpu import shares
from emv.codegen.cpu.blocks import measure_text
from emv.codegen.cpu.claiming import CpuClaim
from emv.codegen.cpu.pull_blocks import fold_blocks
from emv.codegen.cpu.regions import CpuLaunch
from emv.codegen.pull import fold_rows, pull_phases
from emv.codegen.queues import VERTICES, Queue
from emv.codegen.quote import quote
from emv.codegen.relaxing import Relaxation
from emv.codegen.rows import Senders
from emv.codegen.state import NEAREST, Own
from emv.codegen.unit import Unit
from emv.codegen.worker import Worker
from emv.ir import schedule as s


class Applied(CpuLaunch):
    """A launch with the strategies that cores have."""

    fold_shares = shares.fold_phases
    sort_messages = shares.sort_phase

    def claim(self) -> None:
        CpuClaim(self).write()

    def pull_phases(self) -> None:
        fold = fold_rows if self.writer.copies.shift else fold_blocks
        pull_phases(self, Senders(self), fold)


class RelaxText(Relaxation, Applied):
    """Writes the loop around one relaxing launch."""

    lowers = "min_if(shared, {array}, dst, {value})"
    step_up = """
        if not further > nearest:  # infinities, or a step too small to count
            further = np.nextafter(nearest, math.inf)
    """

    def __init__(self, unit: Unit, loop: s.LoopStep, launch: s.Launch) -> None:
        super().__init__(unit, launch)
        self.loop = loop
        self.name = f"relax_{launch.number}"

    def write(self) -> str:
        """Write the loop function; it returns 1 at the end and 0 when its budget is used up."""
        writer, near_far = self.writer, self.near_far(self.writer)
        writer.slot(self.loop.step)
        far, kept = self.piles(writer)
        start = writer.mark()
        with writer.block("while True:"):
            with writer.block("if state[NUM_ACTIVE] == 0:"):
                with writer.block(f"if {self.own(Own.FAR)} == 0:"):
                    self.converge(writer)
                    writer.add("return 1")
                self.move_threshold(writer)
                writer.add(f"{near_far}[{NEAREST}] = math.inf")
                self.split()
                writer.add(f"{far}, {kept} = {kept}, {far}\n{self.flipped()}\ncontinue")
            writer.add("if state[BUDGET] <= 0: return 0")
            self.count_superstep(writer, self.loop)
            self.round()
            writer.add(f"{near_far}[{NEAREST}] = -math.inf  # vertices joined the far pile")
        swap = f"if {self.own(Own.FAR_FLIPPED)} != 0: {far}, {kept} = {kept}, {far}"
        writer.insert(start, quote(swap, writer.known))
        return self.finish()

    def round(self) -> None:
        """Write a round, and the exchange of the near queues behind it."""
        writer, (active, pending) = self.writer, VERTICES.queues(self)
        flags = writer.scratch("queued", "uint8", "V", 0)
        writer.add(f"clear_flags({flags}, {active}, state[NUM_ACTIVE])")
        writer.add(measure_text(writer, Queue(active, "state[NUM_ACTIVE]")))
        self.relax()
        writer.add(f"""
            {active}, {pending} = {pending}, {active}
            state[FLIPPED] = 1 - state[FLIPPED]
            state[NUM_ACTIVE] = state[NUM_PENDING]
            state[NUM_PENDING] = 0
        """)

    @contextlib.contextmanager
    def nearest(self, worker: Worker) -> Iterator[None]:
        """Write how a thread hands over what it found."""
        worker.writer.add("nearest = math.inf")
        yield
        near_far = self.near_far(worker.writer)
        worker.writer.add(f"min_if(shared, {near_far}, {NEAREST}, nearest)")
