"""The text of a `Relax`: relaxations in place, nearest first.

The near-far form of delta-stepping (Meyer and Sanders, 2003; Davidson, Baxter, Garland and Owens,
IPDPS 2014): queued vertices nearer than a threshold are relaxed until none are left, then the
threshold moves on and the far pile is split. A round over the near queue counts as a superstep.
"""

from __future__ import annotations

from typing import Any

from emv.codegen.cuda.calls import CudaLaunch
from emv.codegen.cuda.control import ALONE_ARCS, alone_line, say_alone, write_sharing
from emv.codegen.cuda.held import held
from emv.codegen.cuda.program import ProgramText
from emv.codegen.place import Place
from emv.codegen.queues import Queue
from emv.codegen.sending import SEND, hoist, place_of
from emv.codegen.state import (
    BEFORE,
    DELTA,
    FAR,
    FAR_FLIPPED,
    FAR_KEPT,
    MAY_RELAX,
    NEAREST,
    REASONS,
    THRESHOLD,
)
from emv.codegen.statements import StatementText
from emv.codegen.unit import Unit
from emv.codegen.worker import Partial
from emv.codegen.writer import Writer
from emv.ir import body as b
from emv.ir import schedule as s

ENDED, ROUND, SPLIT = 0, 1, 3  # what the loop does next; 2 is a used up budget


class RelaxText(CudaLaunch):
    """Writes the loop around one relaxing launch."""

    def __init__(
        self, unit: Unit, loop: s.LoopStep, launch: s.Launch, program: ProgramText
    ) -> None:
        super().__init__(unit, launch, program)
        self.loop = loop
        self.name = f"relax_{launch.number}"
        self.allowed = self.length + MAY_RELAX  # place that says whether nothing added is negative
        self.far_length = self.length + FAR
        self.kept_length = self.length + FAR_KEPT
        self.far_flipped = self.length + FAR_FLIPPED

    def write_loop(self, running: int) -> None:
        """Write the loop; ``state[running]`` says what it does next."""
        writer = self.writer
        control = self.control(running)
        call = self.unit.call(control)
        with writer.block("if resuming == 0:"):
            self.program.control(call, self.loop.shrinks)
            self.program.flush()
        with writer.block(f"elif state[{running}] == 2:"):
            writer.add("resuming = 0")
            self.serial("state[RESUMING] = 0")
            self.program.control(call, self.loop.shrinks)
            self.program.flush()
        with writer.block("while True:"):
            if self.loop.shrinks:
                writer.add("alone, alone_at = state[ALONE], state[ALONE_AT]")
                write_sharing(writer)
            with writer.block(f"if state[{running}] != {ROUND} and state[{running}] != {SPLIT}:"):
                writer.add("break")
            with writer.block(f"if state[{running}] == {ROUND}:"):
                self.relax()
                self.serial("state[FLIPPED] = 1 - state[FLIPPED]")
                self.serial("state[NUM_ACTIVE] = state[NUM_PENDING]")
                self.serial("state[NUM_PENDING] = 0")
                self.serial("state[ACTIVE_ARCS] = state[PENDING_ARCS]")
                self.serial("state[PENDING_ARCS] = 0")
                self.serial("state[TURNS] += 1")
                self.serial(f"near_far[{NEAREST}] = -math.inf  # vertices joined the far pile")
                self.program.control(call, self.loop.shrinks)
                self.program.flush()
            with writer.block("else:"):
                self.split()
                self.serial(f"state[{self.far_flipped}] = 1 - state[{self.far_flipped}]")
                self.serial(f"state[{self.far_length}] = state[{self.kept_length}]")
                self.program.control(call, self.loop.shrinks)
                self.program.flush()

    def control(self, running: int) -> str:
        """Write the function in which one thread decides what comes next."""
        writer = Writer(self.unit.buffers)
        writer.state()
        near_far = self.near_far(writer)
        step = writer.slot(self.loop.step)
        with writer.block("if state[CALLED_OFF] != 0:"):
            writer.add(f"state[{running}] = {ENDED}")
        with writer.block("elif state[NUM_ACTIVE] > 0:"):
            with writer.block("if state[BUDGET] <= 0:"):
                writer.add(f"state[{running}] = 2")
                writer.add("state[RESUMING] = 1")
            with writer.block("else:"):
                writer.add("state[BUDGET] -= 1")
                writer.add("state[SUPERSTEPS] += 1")
                writer.add(f"{step} += 1")
                writer.add(f"state[{running}] = {ROUND}")
        with writer.block(f"elif state[{self.far_length}] == 0:"):
            writer.add(f"state[STOPPED] = {REASONS.index('converged')}  # converged")
            self.turn_edges(writer)
            writer.add(f"state[{running}] = {ENDED}")
        with writer.block("else:"):
            writer.add(f"state[{running}] = {SPLIT}")
            writer.add(f"before = {near_far}[{THRESHOLD}]")
            writer.add(f"nearest = max(before, {near_far}[{NEAREST}])")
            writer.add(f"further = nearest + {near_far}[{DELTA}]")
            with writer.block("if nearest == -math.inf:  # nothing is known of the far pile yet"):
                writer.add("further = -1.7976931348623157e308")
            with writer.block("elif not further > nearest:  # a step too small to count"):
                writer.add("further = nearest + max(abs(nearest) * 2.0**-52, 5e-324)")
            writer.add(f"{near_far}[{BEFORE}] = before")
            writer.add(f"{near_far}[{THRESHOLD}] = further")
            writer.add(f"state[{self.kept_length}] = 0")
            writer.add("state[ACTIVE_ARCS] = 0")
        if self.loop.shrinks:
            self.decide_alone(writer, running)
        writer.blocks = [list(held(writer.body))]
        if self.loop.shrinks:
            say_alone(writer)
        name = f"{self.name}_control"
        self.unit.finish(name, "@control", (), writer)
        return name

    def decide_alone(self, writer: Writer, running: int) -> None:
        """Write the choice whether one block works alone: on few arcs, or on a small far pile."""
        with writer.block(f"if state[{running}] == {ROUND}:"):
            writer.add(alone_line())
        with writer.block("else:"):
            few = f"state[{self.far_length}] <= {ALONE_ARCS} and cuda.gridDim.x > 1"
            writer.add(f"alone = 1 if state[{running}] == {SPLIT} and {few} else 0")

    def near_far(self, writer: Writer) -> str:
        """Name the array of thresholds."""
        return writer.scratch("near_far", "float64", "4")

    def column(self, writer: Writer) -> str:
        """Name the relaxed column."""
        field = self.launch.receive.function.record.fields[self.launch.shortcut.field]  # type: ignore[union-attr]
        place = Place({}, {}, "", self.unit.written)
        return place.column(writer, "vertex", field.name, field.dtype.name)

    def piles(self, writer: Writer) -> None:
        """Write which of the two far piles is which; what is kept goes to the other."""
        ids = self.unit.ids
        far, kept = writer.scratch("far", ids, "V"), writer.scratch("far_kept", ids, "V")
        with writer.block(f"if state[{self.far_flipped}] != 0:"):
            writer.add(f"{far}, {kept} = {kept}, {far}")

    def relax(self) -> None:
        """Write one round: relax the arcs of the near queue."""
        launch, worker = self.launch, self.worker("round")
        writer = worker.writer
        worker.scalar_arguments(launch.send, launch.args, SEND)
        self.piles(writer)
        queue = Queue(writer.scratch("active", self.unit.ids, "V"), "state[NUM_ACTIVE]")
        array = self.column(writer)
        writer.add(f"threshold = {self.near_far(writer)}[{THRESHOLD}]")
        writer.add("stamp = np.uint32(state[TURNS] + 1)")

        def on_send(w: Any, stmt: b.Send, values: list[str], receiver: str, how: str) -> None:
            lower = f"if {values[0]} < {array}[dst]:"
            lowered = f"if fetch_min({array}, dst, {values[0]}) > {values[0]}:"
            with writer.block(lower), writer.block(lowered):
                self.enqueue(worker, values[0])

        ends = {"src": "src", "dst": "dst"}
        place = place_of(worker, ends, {"own": ("arc", "arc")}, "np.int64(arc)", on_send)

        def per_row() -> None:
            hoist(worker, place, launch.body, "src")

        with worker.arcs(queue, per_row):
            StatementText(writer, place, launch.send.name, launch.body).paste()
        self.phase(worker)

    def enqueue(self, worker: Any, value: str) -> None:
        """Write the entry of a lowered vertex into the near queue or the far pile."""
        writer = worker.writer
        near, piled = worker.flags("queued"), worker.flags("piled")
        pending = writer.scratch("pending", self.unit.ids, "V")
        is_near = f"if np.float64({value}) < threshold:"
        with writer.block(is_near), writer.block(f"if take_stamp({near}, dst, stamp):"):
            worker.append_counted(pending, "NUM_PENDING", "PENDING_ARCS", "dst")
        with writer.block(f"elif take_flag(True, {piled}, dst):"):
            worker.append("far", str(self.far_length), "dst")

    def split(self) -> None:
        """Write the split of the far pile: what is near now is queued, the rest is kept."""
        worker: Any = self.worker("split")
        writer = worker.writer
        array, piled = self.column(writer), worker.flags("piled")
        near_far = self.near_far(writer)
        self.piles(writer)
        active = writer.scratch("active", self.unit.ids, "V")
        writer.scratch("pending", self.unit.ids, "V")
        writer.add(f"old = {near_far}[{BEFORE}]")
        writer.add(f"threshold = {near_far}[{THRESHOLD}]")
        partials = writer.scratch("partial_nearest", "float64", "B")
        slot = s.Slot("near_far", NEAREST)
        worker.partials.append(Partial("smallest", slot, "nearest", partials, "math.inf"))
        with worker.ids(Queue("far", f"state[{self.far_length}]"), "v", ""):
            writer.add(f"distance = np.float64({array}[v])")
            with writer.block("if distance >= threshold:"):
                writer.add("nearest = min(nearest, distance)")
                worker.append("far_kept", str(self.kept_length), "v")
            with writer.block("else:"):
                writer.add(f"{piled}[v] = 0")
                with writer.block("if distance >= old:"):
                    worker.append_counted(active, "NUM_ACTIVE", "ACTIVE_ARCS", "v")
        self.phase(worker)
