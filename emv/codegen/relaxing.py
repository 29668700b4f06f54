"""What every target writes of a `Relax`: relaxations in place, nearest first.

The near-far form of delta-stepping (Meyer and Sanders, 2003; Davidson, Baxter, Garland and Owens,
IPDPS 2014): queued vertices nearer than a threshold are relaxed until none are left, then the
threshold moves on and the far pile is split. A round over the near queue counts as a superstep. The
near queue is the active set, so a run can be left and entered again between rounds.
"""

from __future__ import annotations

import abc
from contextlib import AbstractContextManager

from emv.codegen.launch import LaunchText
from emv.codegen.queues import VERTICES, Queue, active_queue
from emv.codegen.sending import SEND, hoist, place_of
from emv.codegen.state import BEFORE, DELTA, NEAREST, THRESHOLD, Own
from emv.codegen.statements import StatementText
from emv.codegen.worker import Worker
from emv.codegen.writer import Writer
from emv.ir import body as b


class Relaxation(LaunchText):
    """Writes the rounds of a loop around one relaxing launch, and what comes between them.

    Attributes
    ----------
    lowers : str
        The call that lowers what ``dst`` has, and returns what it was.
    step_up : str
        What makes ``further`` the next number behind ``nearest`` where the step is too small.
    """

    lowers = step_up = ""

    # What a target says.

    def begin_phase(self, worker: Worker) -> None:
        """Write which of the two far piles is which, where a phase must ask."""

    @abc.abstractmethod
    def nearest(self, worker: Worker) -> AbstractContextManager[None]:
        """Write what becomes of ``nearest``, which threads find while they split."""

    # The same everywhere.

    def near_far(self, writer: Writer) -> str:
        """Name the array of thresholds."""
        return writer.scratch("near_far", "float64", "4")

    def piles(self, writer: Writer) -> tuple[str, str]:
        """Name the far pile and the pile that is kept when it is split."""
        return self.pile(writer, "far"), self.pile(writer, "far_kept")

    def pile(self, writer: Writer, name: str) -> str:
        """Name one of them."""
        return writer.scratch(name, self.unit.ids, "V")

    def column(self, writer: Writer) -> str:
        """Name the relaxed column."""
        field = self.launch.receiver.function.record.fields[self.launch.shortcut.field]
        return writer.column("vertex", field.name, field.dtype.name)

    def relax(self, phase: str = "round") -> None:
        """Write one round: relax the arcs of the near queue."""
        launch, worker = self.launch, self.worker(phase)
        writer, array = worker.writer, self.column(worker.writer)
        worker.scalar_arguments(launch.send, launch.args, SEND)
        self.begin_phase(worker)
        writer.add(f"threshold = {self.near_far(writer)}[{THRESHOLD}]")

        def on_send(w: Worker, stmt: b.Send, values: list[str], receiver: str, how: str) -> None:
            value = values[0]
            lowered = f"if {self.lowers.format(array=array, value=value)} > {value}:"
            with writer.block(f"if {value} < {array}[dst]:"), writer.block(lowered):
                self.enqueue(worker, value)

        ends = {"src": "src", "dst": "dst"}
        place = place_of(worker, ends, {"own": ("arc", "arc")}, "np.int64(arc)", on_send)

        def per_row() -> None:
            hoist(worker, place, launch.body, "src")

        near = active_queue(worker)
        arcs = worker.arcs(near, per_row)
        with arcs, writer.block(worker.if_reaches("dst")):
            StatementText(writer, place, launch.send.name, launch.body).paste()
        self.phase(worker)

    def enqueue(self, worker: Worker, value: str) -> None:
        """Write the entry of a lowered vertex into the near queue or the far pile."""
        writer, far = worker.writer, self.pile(worker.writer, "far")
        pending, is_first = VERTICES.queue(worker, "pending"), worker.is_first(VERTICES, "dst")
        once = is_first and f"if {is_first}:"
        with writer.block(f"if np.float64({value}) < threshold:"), writer.block(once):
            worker.append_counted(pending, "NUM_PENDING", "PENDING_ARCS", "dst")
        with writer.block(f"elif take_flag(shared, {worker.flags('piled')}, dst):"):
            worker.append(far, self.own_place(Own.FAR), "dst")

    def move_threshold(self, writer: Writer) -> None:
        """Write the move of the threshold: on by a step, behind empty stretches."""
        near_far = self.near_far(writer)
        writer.add(f"""
            before = {near_far}[{THRESHOLD}]
            nearest = max(before, {near_far}[{NEAREST}])
            further = nearest + {near_far}[{DELTA}]
        """)
        writer.add(self.step_up)
        writer.add(f"""
            {near_far}[{BEFORE}] = before
            {near_far}[{THRESHOLD}] = further
            {self.own(Own.FAR_KEPT)} = 0
        """)

    def split(self) -> None:
        """Write the split of the far pile: what is near now is queued, the rest is kept."""
        worker = self.worker("split")
        writer, array = worker.writer, self.column(worker.writer)
        near_far, (far, kept) = self.near_far(writer), self.piles(writer)
        self.begin_phase(worker)
        writer.add(f"old = {near_far}[{BEFORE}]\nthreshold = {near_far}[{THRESHOLD}]")
        with self.nearest(worker), worker.ids(Queue(far, self.own(Own.FAR)), "v", ""):
            writer.add(f"distance = np.float64({array}[v])")
            with writer.block("if distance >= threshold:"):
                writer.add("nearest = min(nearest, distance)")
                worker.append(kept, self.own_place(Own.FAR_KEPT), "v")
            with writer.block("else:"):
                writer.add(f"{worker.flags('piled')}[v] = 0")
                with writer.block("if distance >= old:"):
                    active = VERTICES.queue(worker, "active")
                    worker.append_counted(active, "NUM_ACTIVE", "ACTIVE_ARCS", "v")
        self.phase(worker)

    def flipped(self) -> str:
        """Return the statements behind a split: what was kept is the far pile now."""
        is_flipped = self.own(Own.FAR_FLIPPED)
        kept = f"{self.own(Own.FAR)} = {self.own(Own.FAR_KEPT)}"
        return f"{is_flipped} = 1 - {is_flipped}\n{kept}"
