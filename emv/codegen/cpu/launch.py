"""One launch on CPU cores: a function that runs its phases one after another.

A phase is a work function over blocks. Small phases run on the calling thread alone, because waking
the others costs more than some thousand arcs.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from emv.codegen.cpu import claiming, shares
from emv.codegen.cpu.pull_blocks import fold_blocks, keep_phase
from emv.codegen.cpu.values import take_value
from emv.codegen.cpu.visits import Extent, measure_text
from emv.codegen.cpu.worker import CpuWorker
from emv.codegen.launch import LaunchText
from emv.codegen.phases import write_phases
from emv.codegen.pull import fold_rows, pull_phases
from emv.codegen.queues import Queue, queue_of
from emv.codegen.senders import Senders
from emv.codegen.sorted_keys import SortedKeys
from emv.codegen.worker import Partial, Unit, Worker
from emv.codegen.writer import Writer
from emv.ir import nodes as n
from emv.ir import schedule as s

SMALL = 1600  # instances or arcs below which a phase runs on one thread
PULL_SHARE = 4  # pull when the active vertices hold more than a fourth of the arcs


class CpuLaunch(LaunchText):
    """Writes one launch."""

    def __init__(self, unit: Unit, launch: s.Launch) -> None:
        super().__init__(unit, launch)
        self.parallel = launch.domain.kind != "only" and not unit.schedule.alone
        self.measured = False
        self.phases: list[str] = []  # work functions that threads share

    def worker(self, phase: str) -> CpuWorker:
        """Return a new work function."""
        return CpuWorker(self.unit, f"{self.name}_{phase}", self.launch)

    def phase(self, worker: Any) -> None:
        """Finish a work function and write the region that runs it."""
        worker.finish()
        writer, extent = self.writer, worker.extent
        writer.take(extent.arrays)
        writer.add(f"num_blocks = {extent.num_blocks}")
        writer.add("state[CURSOR] = 0")
        told = map(writer.node, ("np.int64(0)", "np.int64(0)", "num_blocks"))
        alone = n.Do(self.unit.call(worker.name, *told))
        if not self.parallel:
            writer.put([alone])
        else:
            with writer.block(f"if {extent.size} < {SMALL} or state[NUM_THREADS] == 1:"):
                writer.put([alone])
            with writer.block("else:"):
                writer.add(f"{self.name}_together(np.int64({len(self.phases)}), num_blocks)")
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
        writer.add(f"{writer.slot(partial.slot)} = {partial.result}")

    def write(self) -> str:
        """Write the launch and return the name of its function."""
        if self.launch.late_id is not None:
            self.take_id(self.launch.late_id)
        if self.launch.indexed is not None:
            take_value(self)
        write_phases(self)
        if self.phases:
            self.together()
        self.unit.finish(self.name, "@work", (), self.writer)
        return self.name

    def prepare(self) -> str:
        """Write what comes before the launch's loop and return the name of its function."""
        self.name = f"{self.name}_before"
        keep_phase(self)
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
                told = map(region.node, ("np.int64(thread)", "np.int64(1)", "num_blocks"))
                with region.block(f"{'el' if number else ''}if phase == {number}:"):
                    region.put([n.Do(self.unit.call(name, *told))])
        name = f"{self.name}_together"
        self.unit.finish(name, "@launch", ("phase", "num_blocks"), region)
        self.writer.take(self.unit.arrays_of(name))

        def complete(node: Any) -> Any:
            """Hand its arrays to the function, now that they are known."""
            is_call = isinstance(node, n.Call) and node.function == name
            return self.unit.call(name, *node.parts) if is_call else node

        self.writer.blocks = [list(n.rebuilt_all(self.writer.body, complete))]

    def serial(self, line: str) -> None:
        """Write a line between phases."""
        self.writer.add(line)

    @contextlib.contextmanager
    def when(self, condition: str, has_else: bool = False) -> Iterator[None]:
        """Write phases under a condition."""
        with self.writer.block(f"if {condition}:"):
            yield

    @contextlib.contextmanager
    def otherwise(self) -> Iterator[None]:
        """Write what runs instead."""
        with self.writer.block("else:"):
            yield

    @contextlib.contextmanager
    def prefer_pull(self) -> Iterator[None]:
        """Write what runs if the active vertices have many arcs."""
        self.measure()
        with self.when(f"num_arcs * {PULL_SHARE} > state[NUM_ARCS]"):
            yield

    def copy(self, target: str, source: str, kind: str) -> None:
        """Write the copy of a column."""
        self.writer.add(f"copy_into({target}, {source})")

    def settle(self, target: str, source: str) -> None:
        """Write what becomes of a mask whose second copy holds what was asked for."""
        self.writer.add(f"settle_into({target}, {source})")

    def fill(self, array: str, value: str, length: str) -> None:
        """Write the fill of a working array."""
        self.writer.add(f"{array}[:] = {value}")

    def sort(self, queue: Queue) -> None:
        """Write the sorting of a queue."""
        self.writer.take([queue.name])
        self.writer.add(f"sort_ids({queue.name}, {queue.length})")

    def sort_messages(self, store: Any) -> None:
        """Write the sorting of each receiver's messages."""
        shares.sort_phase(self, store)

    def sort_heard(self, keys: SortedKeys) -> None:
        """Write nothing: a thread sorts what it hears, while it is in its cache."""

    def sort_here(self, keys: SortedKeys, worker: Any, vertex: str) -> None:
        """Write how a thread collects the keys of a vertex and sorts them."""
        writer, array = worker.writer, keys.array(worker)
        writer.add(f"first_key = {keys.store.span(worker, vertex)[0]}")
        writer.add("end_of_keys = first_key")
        with keys.store.walk(worker, vertex):
            writer.add(f"{array}[end_of_keys] = {keys.key(worker)}")
            writer.add("end_of_keys += 1")
        spare = writer.scratch(f"spare_{keys.name}", keys.dtype, keys.store.size_in(worker))
        writer.add(f"sort_keys({array}, {spare}, first_key, end_of_keys)")

    @contextlib.contextmanager
    def walk_keys(
        self, keys: SortedKeys, worker: Worker, name: Callable[[str], None], loc: Any
    ) -> Iterator[None]:
        """Write the loop over the sorted keys of a vertex."""
        writer, array = worker.writer, keys.array(worker)
        place = writer.fresh("place")
        with writer.block(f"for {place} in range(first_key, end_of_keys):", loc):
            name(f"{array}[{place}]")
            yield

    def fold_shares(self, store: Any) -> None:
        """Write the fold of kept messages in equal shares."""
        shares.fold_phases(self, store)

    def claim(self) -> None:
        """Write the phases of a `Claim`."""
        claiming.claim_phases(self)

    def pull_phases(self) -> None:
        """Write the phases of a pull."""
        fold = fold_rows if self.writer.copies.shift else fold_blocks
        pull_phases(self, Senders(self), fold)

    def measure(self) -> None:
        """Write the count of the arcs of the domain's queue, once per launch."""
        queue = queue_of(self, self.launch.domain, self.launch.ids)
        if isinstance(queue, Queue) and not self.measured:
            self.measured = True
            self.writer.add(measure_text(self.writer, queue))

    def flatten(self) -> None:
        """Write the flattening of the disjoint sets that were joined, so that reads are direct."""
        for field in self.joined():
            worker: Any = self.worker(f"flatten_{field}")
            place = worker.place("", {}, {})
            array = place.column(worker.writer, "vertex", field, "int64")
            worker.extent = Extent("(state[NUM_VERTICES] + 4095) // 4096", "state[NUM_VERTICES]")
            with worker.blocks():
                worker.writer.add("low = block * 4096")
                worker.writer.add(f"flatten({array}, low, min(low + 4096, state[NUM_VERTICES]))")
            self.phase(worker)
