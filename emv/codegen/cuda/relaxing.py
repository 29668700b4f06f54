"""The loop of a `Relax` on a GPU: its rounds and splits, as a control function says."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from emv.codegen.cuda.applied import ENDED, ROUND, OneLaunch
from emv.codegen.cuda.control import ALONE_ARCS, alone_line, say_alone, write_sharing
from emv.codegen.cuda.held import held
from emv.codegen.cuda.program import ProgramText, Waiting
from emv.codegen.cuda.threads import CudaWorker
from emv.codegen.relaxing import Relaxation
from emv.codegen.state import NEAREST, Own
from emv.codegen.unit import Unit
from emv.codegen.worker import Partial, Worker
from emv.codegen.writer import Writer
from emv.ir import schedule as s

SPLIT = 3  # what the loop does next, besides what every `OneLaunch` may


class RelaxText(Relaxation, OneLaunch):
    """Writes the loop around one relaxing launch."""

    stem = "relax"
    lowers = "fetch_min({array}, dst, {value})"
    step_up = """
        if nearest == -math.inf:  # nothing is known of the far pile yet
            further = -1.7976931348623157e308
        elif not further > nearest:  # a step too small to count
            further = nearest + max(abs(nearest) * 2.0 ** -52, 5e-324)
    """

    def __init__(
        self, unit: Unit, loop: s.LoopStep, launch: s.Launch, program: ProgramText
    ) -> None:
        super().__init__(unit, loop, launch, program)
        self.far_of_all = self.own(Own.FAR)  # the place of the length of all far piles

    def worker(self, phase: str) -> CudaWorker:
        """Return a work function; in a round warps go on, and read what was lowered meanwhile."""
        worker = super().worker(phase)
        if phase == "round" and not self.launch.share:
            worker.onward = "again"
            worker.fresh = {("vertex", self.launch.shortcut.field): True}
            worker.first_look = "not kept_rows"
        return worker

    def enqueue(self, worker: Worker, value: str) -> None:
        assert isinstance(worker, CudaWorker)
        if not worker.onward:
            super().enqueue(worker, value)
            return
        writer, far = worker.writer, self.pile(worker.writer, "far")
        with writer.block(f"if np.float64({value}) < threshold:"):
            writer.add("is_down = True\ndown = dst")
        with writer.block(f"elif take_flag(shared, {worker.flags('piled')}, dst):"):
            worker.append(far, self.own_place(Own.FAR), "dst")

    def share(self, word: str) -> None:
        """Write how others learn whom this GPU has queued; there are none.

        Parameters
        ----------
        word : {"pending", "active"}
            The queue, behind a round or a split.
        """

    def turn(self, word: str) -> None:
        """Write what one thread does behind a round, or a split, as `share` is told which."""
        if word == "active":
            self.serial(self.flipped())
            return
        self.serial(f"""
            state[FLIPPED] = 1 - state[FLIPPED]
            state[NUM_ACTIVE] = state[NUM_PENDING]
            state[NUM_PENDING] = 0
            state[ACTIVE_ARCS] = state[PENDING_ARCS]
            state[PENDING_ARCS] = 0
            state[TURNS] += 1
            near_far[{NEAREST}] = -math.inf  # vertices joined the far pile
        """)

    def write_loop(self, waiting: Waiting) -> None:
        """Write the loop."""
        writer, running = self.writer, self.running
        self.write_control()
        with self.entered(waiting):
            pass
        with writer.block("while True:"):
            if self.loop.shrinks:
                names = ["alone", "alone_at", *self.program.asked]
                values = ["state[ALONE]", "state[ALONE_AT]", *self.program.asked.values()]
                writer.add(f"{', '.join(names)} = {', '.join(values)}")
                write_sharing(writer)
                self.program.begin_superstep(writer)
            writer.add(f"if {running} != {ROUND} and {running} != {SPLIT}: break")
            with writer.block(f"if {running} == {ROUND}:"):
                self.relax()
                self.share("pending")
                self.turn("pending")
                self.decide()
            with writer.block("else:"):
                self.split()
                self.share("active")
                self.turn("active")
                self.decide()

    def write_control(self) -> None:
        """Write the function in which one thread decides what comes next."""
        writer, running = Writer(self.unit.buffers), self.running
        writer.state()
        with writer.block("if state[CALLED_OFF] != 0:"):
            writer.add(f"{running} = {ENDED}")
        with writer.block("elif state[NUM_ACTIVE] > 0:"), self.begin_round(writer, "if"):
            pass
        with writer.block(f"elif {self.far_of_all} == 0:"):
            self.end(writer)
        with writer.block("else:"):
            writer.add(f"{running} = {SPLIT}")
            self.move_threshold(writer)
            writer.add("state[ACTIVE_ARCS] = 0")
        if self.loop.shrinks:
            self.decide_alone(writer)
        writer.blocks = [list(held(writer.body))]
        if self.loop.shrinks:
            say_alone(writer)
        self.unit.finish(self.control, "@control", (), writer)

    def decide_alone(self, writer: Writer) -> None:
        """Write the choice whether one block works alone: on few arcs, or on a small far pile."""
        with writer.block(f"if {self.running} == {ROUND}:"):
            writer.add(alone_line())
        with writer.block("else:"):
            few = f"{self.far_of_all} <= {ALONE_ARCS} and cuda.gridDim.x > 1"
            writer.add(f"alone = 1 if {self.running} == {SPLIT} and {few} else 0")

    def begin_phase(self, worker: Worker) -> None:
        """Write which of the two far piles is which; what is kept goes to the other."""
        far, kept = self.piles(worker.writer)
        swap = f"{far}, {kept} = {kept}, {far}"
        worker.writer.add(f"if {self.own(Own.FAR_FLIPPED)} != 0: {swap}")

    @contextlib.contextmanager
    def nearest(self, worker: Worker) -> Iterator[None]:
        """Write that blocks fold what threads found."""
        partials = worker.writer.scratch("partial_nearest", "float64", "B")
        slot = s.Slot("near_far", NEAREST)
        worker.partials.append(Partial("smallest", slot, "nearest", partials, "math.inf"))
        yield
