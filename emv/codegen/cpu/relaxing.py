"""The loop of a `Relax` on cores: a function that goes from round to round.

Where no row is long, a thread that has no blocks left goes on with what it has found itself, as if
the next round had begun: bucket fusion (Zhang, Brahmakshatriya, Chen, Dhulipala, Kamil, Amarasinghe
and Shun, CGO 2020). It hands over what is worth to be shared, once another thread waits. So a
threshold takes a round or two, where it took as many as its longest path has arcs.

There no flags keep a vertex from being found twice, as one costs two locked instructions and few
are: as in GAP's delta-stepping it is relaxed again. So a queue may be too short for what is found.
Then all vertices below the threshold are near once more, which is right at any time.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from emv.codegen.cpu.applied import Applied
from emv.codegen.cpu.blocks import CpuWorker, measure_text
from emv.codegen.cpu.regions import SMALL, SMALL_CLAIM
from emv.codegen.queues import VERTICES, Queue
from emv.codegen.quote import quote
from emv.codegen.relaxing import Relaxation
from emv.codegen.state import NEAREST, THRESHOLD, Own
from emv.codegen.unit import Unit
from emv.codegen.worker import Worker
from emv.ir import schedule as s
from emv_kernels.sizes import LONG_ROW, ROW


class LongRound(CpuWorker):
    """Writes the work function of a round where rows are long."""

    is_steady = False
    by_arcs = "True"


class ShortRound(CpuWorker):
    """Writes that where rows are short: a thread goes on with what it has found."""

    is_steady = False
    by_arcs = "False"
    takes_flag = ""
    at_end = """
        if block == NO_BLOCK or num_pending == 0:
            break
        if num_pending > most and (shared == 0 or read_now(state, IDLE) != 0):
            break
        for k in range(np.uint64(num_pending)):
            again_row[k] = pending_row[k]
        again = num_pending
        num_pending = 0
    """
    other_rows = "if again > 0: row = np.uint64(0); last = np.uint64(again)"
    source = "again_row[row] if again > 0 else {queue}[row]"

    def begin(self) -> None:
        """Write what a thread begins with: it has found nothing, and this is worth to be shared."""
        writer, ids = self.writer, self.unit.ids
        writer.scratch("again_rows", ids, "T*ROW")
        writer.add(f"""
            again = 0
            again_row = again_rows[thread]
            most = {SMALL_CLAIM} * state[NUM_VERTICES] // max(state[NUM_ARCS], 1)
            if state[NUM_THREADS] == 1: most = {ROW}
        """)

    @contextlib.contextmanager
    def blocks(self) -> Iterator[None]:
        with super().blocks():
            yield
        self.writer.add("idle = 1\nadd_if(shared, state, IDLE, idle)")


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

    def worker(self, phase: str) -> CpuWorker:
        kind = {"long_round": LongRound, "short_round": ShortRound}.get(phase, CpuWorker)
        return kind(self.unit, f"{self.name}_{phase}", self.launch)

    def begin_phase(self, worker: Worker) -> None:
        if isinstance(worker, ShortRound):
            worker.begin()

    def smallest(self, worker: CpuWorker) -> str:
        """Return the size from which a phase is shared out.

        Where no row is long, regions follow each other as those of a claim do.
        """
        if worker.by_arcs:
            return str(SMALL if worker.by_arcs == "True" else SMALL_CLAIM)
        longest = self.writer.graph("longest_row")
        return f"({SMALL} if {longest}[0] > {LONG_ROW} else {SMALL_CLAIM})"

    def write(self) -> str:
        """Write the loop function; it returns 1 at the end and 0 when its budget is used up."""
        writer, near_far = self.writer, self.near_far(self.writer)
        writer.slot(self.loop.step)
        far, kept = self.piles(writer)
        start = writer.mark()
        with writer.block("while True:"):
            writer.add(self.tell())  # the piles and the queues change places
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
        """Write a round, and the exchange of the near queues behind it.

        The flags of those who were found are lowered there; a split raises none.
        """
        writer, (active, pending) = self.writer, VERTICES.queues(self)
        longest, near_far = writer.graph("longest_row"), self.near_far(writer)
        flags = writer.scratch("queued", "uint8", "V", 0)
        writer.add(measure_text(writer, Queue(active, "state[NUM_ACTIVE]")))
        with writer.block(f"if {longest}[0] > {LONG_ROW}:"):
            self.relax("long_round")
        with writer.block("else:"):
            writer.add("state[IDLE] = 0")
            self.relax("short_round")
        writer.add(f"""
            {active}, {pending} = {pending}, {active}
            state[FLIPPED] = 1 - state[FLIPPED]
            state[NUM_ACTIVE] = state[NUM_PENDING]
            state[NUM_PENDING] = 0
            if {longest}[0] > {LONG_ROW}:
                clear_flags({flags}, {active}, state[NUM_ACTIVE])
            elif state[NUM_ACTIVE] > len({active}):
                threshold = {near_far}[{THRESHOLD}]
                state[NUM_ACTIVE] = take_below({active}, {self.column(writer)}, threshold)
        """)

    @contextlib.contextmanager
    def nearest(self, worker: Worker) -> Iterator[None]:
        """Write how a thread hands over what it found."""
        worker.writer.add("nearest = math.inf")
        yield
        near_far = self.near_far(worker.writer)
        worker.writer.add(f"min_if(shared, {near_far}, {NEAREST}, nearest)")
