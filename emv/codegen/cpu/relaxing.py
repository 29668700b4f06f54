"""The text of a `Relax`: relaxations in place, nearest first.

The near-far form of delta-stepping (Meyer and Sanders, 2003; Davidson, Baxter, Garland and Owens,
IPDPS 2014): queued vertices nearer than a threshold are relaxed until none are left, then the
threshold moves on and the far pile is split. A round over the near queue counts as a superstep.

The near queue is the active set, so a run can be left and entered again between rounds.
"""

from __future__ import annotations

from typing import Any

from emv.codegen.cpu.regions import CpuLaunch
from emv.codegen.cpu.visits import measure_text
from emv.codegen.place import Place
from emv.codegen.queues import Queue
from emv.codegen.quote import quote
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
from emv.codegen.worker import Worker
from emv.codegen.writer import Writer
from emv.ir import body as b
from emv.ir import schedule as s


class RelaxText(CpuLaunch):
    """Writes the loop around one relaxing launch."""

    def __init__(self, unit: Any, loop: s.LoopStep, launch: s.Launch) -> None:
        super().__init__(unit, launch)
        self.loop = loop
        self.name = f"relax_{launch.number}"
        self.allowed = self.length + MAY_RELAX  # place that says whether nothing added is negative
        self.far_length = self.length + FAR  # place of the far pile's length
        self.kept_length = self.length + FAR_KEPT

    def write(self) -> str:
        """Write the loop function; it returns 1 at the end and 0 when its budget is used up."""
        writer = self.writer
        writer.scratch("ints", "int64", "")
        near_far = writer.scratch("near_far", "float64", "4")
        far, kept = self.far(writer)
        start = writer.mark()
        with writer.block("while True:"):
            with writer.block("if state[NUM_ACTIVE] == 0:"):
                with writer.block(f"if state[{self.far_length}] == 0:"):
                    writer.add(f"state[STOPPED] = {REASONS.index('converged')}  # converged")
                    self.turn_edges(writer)
                    writer.add("return 1")
                self.next_threshold(near_far, far, kept)
                writer.add("continue")
            with writer.block("if state[BUDGET] <= 0:"):
                writer.add("return 0")
            writer.add("state[BUDGET] -= 1")
            writer.add("state[SUPERSTEPS] += 1")
            writer.add(f"{self.loop.step} += 1")
            self.relax()
            writer.add(f"{near_far}[{NEAREST}] = -math.inf  # vertices joined the far pile")
            self.turn(writer)
        swap = f"if state[{self.length + FAR_FLIPPED}] != 0:\n    {far}, {kept} = {kept}, {far}"
        writer.insert(start, quote(swap, writer.known))
        if self.phases:
            self.together()
        self.unit.finish(self.name, "@work", (), writer)
        return self.name

    def far(self, writer: Writer) -> tuple[str, str]:
        """Name the far pile and the pile that is kept when it is split."""
        ids = self.unit.ids
        return writer.scratch("far", ids, "V"), writer.scratch("far_kept", ids, "V")

    def turn(self, writer: Writer) -> None:
        """Write the exchange of the near queues after a round."""
        active = writer.scratch("active", self.unit.ids, "V")
        pending = writer.scratch("pending", self.unit.ids, "V")
        writer.add(f"{active}, {pending} = {pending}, {active}")
        writer.add("state[FLIPPED] = 1 - state[FLIPPED]")
        writer.add("state[NUM_ACTIVE] = state[NUM_PENDING]")
        writer.add("state[NUM_PENDING] = 0")

    def column(self, writer: Writer) -> str:
        """Name the relaxed column."""
        field = self.launch.receive.function.record.fields[self.launch.shortcut.field]  # type: ignore[union-attr]
        place = Place({}, {}, "", self.unit.written)
        return place.column(writer, "vertex", field.name, field.dtype.name)

    def relax(self) -> None:
        """Write one round: relax the arcs of the near queue."""
        launch, worker = self.launch, self.worker("round")
        writer = worker.writer
        worker.scalar_arguments(launch.send, launch.args, SEND)
        worker.vote_words(launch.receive.function)  # type: ignore[union-attr]
        queue = Queue(writer.scratch("active", self.unit.ids, "V"), "state[NUM_ACTIVE]")
        array = self.column(writer)
        near_far = writer.scratch("near_far", "float64", "4")
        writer.add(f"threshold = {near_far}[{THRESHOLD}]")

        def on_send(w: Worker, stmt: b.Send, values: list[str], receiver: str, how: str) -> None:
            lower = f"if {values[0]} < {array}[dst]:"
            lowered = f"if min_if(shared, {array}, dst, {values[0]}) > {values[0]}:"
            with writer.block(lower), writer.block(lowered):
                self.enqueue(worker, values[0])

        ends = {"src": "src", "dst": "dst"}
        place = place_of(worker, ends, {"own": ("arc", "arc")}, "np.int64(arc)", on_send)

        def per_row() -> None:
            hoist(worker, place, launch.body, "src")

        with worker.arcs(queue, per_row):
            StatementText(writer, place, launch.send.name, launch.body).paste()
        flags = self.writer.scratch("queued", "uint8", "V", 0)
        self.writer.scratch("active", self.unit.ids, "V")
        self.writer.add(f"clear_flags({flags}, active, state[NUM_ACTIVE])")
        self.writer.add(measure_text(self.writer, queue))
        self.phase(worker)

    def enqueue(self, worker: Worker, value: str) -> None:
        """Write the entry of a lowered vertex into the near queue or the far pile."""
        writer = worker.writer
        near = writer.scratch("queued", "uint8", "V", 0)
        piled = writer.scratch("piled", "uint8", "V", 0)
        pending = writer.scratch("pending", self.unit.ids, "V")
        is_near = f"if np.float64({value}) < threshold:"
        with writer.block(is_near), writer.block(f"if take_flag(shared, {near}, dst):"):
            worker.append(pending, "NUM_PENDING", "dst")
        with writer.block(f"elif take_flag(shared, {piled}, dst):"):
            worker.append(writer.scratch("far", self.unit.ids, "V"), str(self.far_length), "dst")

    def next_threshold(self, near_far: str, far: str, kept: str) -> None:
        """Write the move of the threshold: split the far pile, skip over empty stretches."""
        writer = self.writer
        worker = self.worker("split")
        inner = worker.writer
        array = self.column(inner)
        flags = inner.scratch("piled", "uint8", "V", 0)
        queued = inner.scratch("queued", "uint8", "V", 0)
        inner.scratch("near_far", "float64", "4")
        queue = Queue(inner.scratch("far", self.unit.ids, "V"), f"state[{self.far_length}]")
        inner.add(f"old = near_far[{BEFORE}]")
        inner.add(f"threshold = near_far[{THRESHOLD}]")
        inner.add("nearest = math.inf")
        with worker.ids(queue, "v", ""):
            inner.add(f"distance = np.float64({array}[v])")
            with inner.block("if distance >= threshold:"):
                inner.add("nearest = min(nearest, distance)")
                worker.append(
                    inner.scratch("far_kept", self.unit.ids, "V"), str(self.kept_length), "v"
                )
            with inner.block("else:"):
                inner.add(f"{flags}[v] = 0")
                with inner.block(f"if distance >= old and take_flag(shared, {queued}, v):"):
                    active = inner.scratch("active", self.unit.ids, "V")
                    worker.append(active, "NUM_ACTIVE", "v")
        inner.add(f"min_if(shared, near_far, {NEAREST}, nearest)")
        writer.add(f"{near_far}[{BEFORE}] = {near_far}[{THRESHOLD}]")
        writer.add(f"nearest = max({near_far}[{THRESHOLD}], {near_far}[{NEAREST}])")
        writer.add(f"further = nearest + {near_far}[{DELTA}]")
        with writer.block("if not further > nearest:  # infinities, or a step too small to count"):
            writer.add("further = np.nextafter(nearest, math.inf)")
        writer.add(f"{near_far}[{THRESHOLD}] = further")
        writer.add(f"{near_far}[{NEAREST}] = math.inf")
        writer.add(f"state[{self.kept_length}] = 0")
        self.phase(worker)
        writer.add(f"{far}, {kept} = {kept}, {far}")
        writer.add(f"state[{self.length + FAR_FLIPPED}] = 1 - state[{self.length + FAR_FLIPPED}]")
        writer.add(f"state[{self.far_length}] = state[{self.kept_length}]")
