"""One launch as text: its phases (prepare, send or pull, receive, commit), run in order.

A phase is a work function over blocks. Small phases run on the calling thread alone, because waking
the others costs more than some thousand arcs.
"""

from __future__ import annotations

from emv.codegen import receiving, sending, storing
from emv.codegen.cpu import claiming, pulling
from emv.codegen.folding import FoldText
from emv.codegen.state import place_of_launch
from emv.codegen.cpu.visits import Extent, measure_text, queue_of
from emv.codegen.cpu.worker import Partial, Unit, Worker
from emv.codegen.writer import Writer
from emv.ir import schedule as s
from emv.passes.choose_direction import conflicts
from emv.passes.flag_activations import activations

SMALL = 1600  # instances or arcs below which a phase runs on one thread
PULL_SHARE = 4  # pull when the active vertices hold more than a fourth of the arcs


class LaunchText:
    """Writes one launch."""

    def __init__(self, unit: Unit, launch: s.Launch) -> None:
        self.unit = unit
        self.launch = launch
        self.name = f"{launch.name}_{launch.number}"
        self.folds = [FoldText(fold) for fold in launch.folds]
        self.writer = Writer(unit.buffers)
        self.writer.scratch("state", "int64", "")
        self.length = place_of_launch(launch.number)
        receive = launch.receive
        self.everyone = receive is not None and receive.everyone
        self.listed = launch.direction in ("push", "either", "pull") and not self.everyone
        self.inline = receive is not None and launch.direction in ("pull", "either")
        self.inline = self.inline and not conflicts(launch)
        self.parallel = launch.domain.kind != "only" and not unit.schedule.alone
        self.measured = False
        self.phases: list[str] = []  # work functions that threads share

    def worker(self, phase: str) -> Worker:
        """Return a new work function."""
        return Worker(self.unit, f"{self.name}_{phase}", self.launch)

    def phase(self, worker: Worker, extent: Extent) -> None:
        """Finish a work function and write the region that runs it."""
        worker.finish()
        writer = self.writer
        arrays = self.unit.parameters[worker.name]
        writer.arrays.update(arrays)
        writer.arrays.update(extent.arrays)
        inside = ", ".join(["num_blocks", *arrays])
        writer.add(f"num_blocks = {extent.num_blocks}")
        writer.add("state[CURSOR] = 0")
        alone = f"{worker.name}(np.int64(0), np.int64(0), {inside})"
        if not self.parallel:
            writer.add(alone)
        else:
            with writer.block(f"if {extent.size} < {SMALL} or state[NUM_THREADS] == 1:"):
                writer.add(alone)
            with writer.block("else:"):
                writer.add(f"{self.name}_together(np.int64({len(self.phases)}), num_blocks, ...)")
            self.phases.append(worker.name)
        for partial in worker.partials:
            self.fold_partials(partial)

    def fold_partials(self, partial: Partial) -> None:
        """Write the fold of the blocks' partial results, in the order of the blocks."""
        writer, name, value = self.writer, partial.name, f"{partial.array}[block]"
        writer.add(f"{name} = {partial.start}")
        with writer.block("for block in range(num_blocks):"):
            if partial.op in ("total", "count"):
                writer.add(f"{name} += {value}")
            else:
                word = "max" if partial.op == "largest" else "min"
                writer.add(f"{name} = {word}({name}, {value})")
        writer.add(f"{writer.slot(partial.slot)} = {name}")

    def write(self) -> str:
        """Write the launch and return the name of its function."""
        launch = self.launch
        for values, stored in ((f.fold.values, f.stored) for f in self.folds):
            self.unit.stored_kinds[values.id] = stored
        if launch.late_id is not None:
            self.take_id(launch.late_id)
        if launch.direction == "none":
            sending.map_phase(self, heard=storing.heard_of(launch))
        elif launch.direction == "store" or launch.send.kind == "message":
            storing.store_phases(self)
        else:
            self.exchange()
        self.flatten()
        for kind, suffix in (("vertex", ""), ("edge", "_EDGES")):
            if self.activates(kind):
                self.writer.add(f"state[STALE{suffix}] = 1")
        if self.phases:
            self.together()
        self.unit.finish(self.name, "@work", (), self.writer)
        return self.name

    def take_id(self, slot: s.Slot) -> None:
        """Write the entry of an id that is known only now into the list of ids."""
        writer = self.writer
        ids = writer.scratch(str(self.launch.ids), self.unit.ids, "ids")
        checked = f"checked({writer.slot(slot)}, state[NUM_VERTICES], state, BAD_INDEX)"
        writer.add(f"{ids}[0] = {checked}", self.launch.loc)
        with writer.block("if state[BAD_INDEX] != 0:"):
            writer.add("return")

    def together(self) -> None:
        """Write the function in which all threads work on one phase of the launch.

        One parallel region with a branch inside, because numba takes most of its time to compile
        over parallel regions.
        """
        region = Writer(self.unit.buffers)
        region.scratch("state", "int64", "")
        with region.block("for thread in prange(state[NUM_THREADS]):"):
            for number, name in enumerate(self.phases):
                arrays = self.unit.parameters[name]
                region.arrays.update(arrays)
                with region.block(f"{'el' if number else ''}if phase == {number}:"):
                    inside = ", ".join(["np.int64(thread)", "np.int64(1)", "num_blocks", *arrays])
                    region.add(f"{name}({inside})")
        name = f"{self.name}_together"
        self.unit.finish(name, "@launch", ("phase", "num_blocks"), region)
        inside = ", ".join(self.unit.parameters[name])
        self.writer.arrays.update(self.unit.parameters[name])
        self.writer.lines = [
            line.replace("num_blocks, ...)", f"num_blocks, {inside})")
            if f"{name}(" in line
            else line
            for line in self.writer.lines
        ]

    def activates(self, kind: str) -> bool:
        """Return whether a function of the launch can activate elements of a kind."""
        return any(activations(each, kind) for each in s.functions_of(self.launch))

    def exchange(self) -> None:
        """Write the phases of a launch that sends."""
        launch, writer = self.launch, self.writer
        if isinstance(launch.shortcut, s.Claim):
            claiming.claim_phases(self)
        elif launch.direction == "either":
            self.measure()
            with writer.block(f"if num_arcs * {PULL_SHARE} > state[NUM_ARCS]:"):
                self.pull()
            with writer.block("else:"):
                self.push()
        elif launch.direction == "pull":
            self.pull()
        else:
            self.push()

    def measure(self) -> None:
        """Write the count of the arcs of the domain's queue, once per launch."""
        queue = queue_of(self, self.launch.domain, self.launch.ids)
        if queue is not None and not self.measured:
            self.measured = True
            self.writer.add(measure_text(self.writer, queue))

    def push(self) -> None:
        """Write push, and the receiver behind it."""
        receiving.prepare_phase(self)
        sending.push_phase(self)
        receiving.after_send(self, pushed=True)

    def pull(self) -> None:
        """Write pull, with the receiver in it where that is allowed."""
        pulling.pull_phases(self)
        if not self.inline:
            receiving.after_send(self, pushed=False)

    def flatten(self) -> None:
        """Write the flattening of the disjoint sets that were joined, so that reads are direct."""
        for access in sorted(self.launch.send.effects.writes):
            if access.op != "union":
                continue
            worker = self.worker(f"flatten_{access.field}")
            place = worker.place("", {}, {})
            array = place.column(worker.writer, "vertex", access.field, "int64")
            with worker.blocks():
                worker.writer.add("low = block * 4096")
                worker.writer.add(f"flatten({array}, low, min(low + 4096, state[NUM_VERTICES]))")
            self.phase(
                worker, Extent("(state[NUM_VERTICES] + 4095) // 4096", "state[NUM_VERTICES]")
            )
