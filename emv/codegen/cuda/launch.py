"""One launch on a GPU: its phases become calls in the program's kernel."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

from emv.codegen.cuda import claiming, share_scans, sorts
from emv.codegen.cuda.program import ProgramText
from emv.codegen.cuda.pull_lanes import LaneSenders, fold_groups
from emv.codegen.cuda.pull_rounds import fold_in_rounds
from emv.codegen.cuda.repeating import pulls_again
from emv.codegen.cuda.worker import FIRST, CudaWorker, keep_of
from emv.codegen.effects import EVERYTHING, access_of
from emv.codegen.launch import LaunchText
from emv.codegen.phases import write_phases
from emv.codegen.pull import pull_phases
from emv.codegen.queues import Queue, queue_of
from emv.codegen.sorted_keys import SortedKeys
from emv.codegen.worker import Partial, Unit, Worker
from emv.codegen.writer import bare
from emv.ir import schedule as s

AHEAD = 4  # sorted keys that a thread has under way
PULL_SHARE = 4  # pull when the active vertices hold more than a fourth of the arcs


class CudaLaunch(LaunchText):
    """Writes one launch into a program."""

    def __init__(self, unit: Unit, launch: s.Launch, program: ProgramText) -> None:
        super().__init__(unit, launch)
        self.program = program
        self.writer = program.writer

    def write(self) -> None:
        """Write the launch."""
        if self.launch.late_id is not None:
            self.take_id(self.launch.late_id)
        domain = self.launch.domain
        if self.unit.schedule.sorted_queues and domain.kind in ("active", "active_edges"):
            queue = queue_of(self, domain, None)
            if isinstance(queue, Queue):
                self.sort(queue)
        write_phases(self)

    def worker(self, phase: str) -> CudaWorker:
        """Return a new work function."""
        return CudaWorker(self.unit, f"{self.name}_{phase}", self.launch)

    def phase(self, worker: Any) -> None:
        """Finish a work function and call it; twice where it walks over arcs."""
        run_phase(self.unit, self.program, worker)

    def fold_partials(self, partial: Partial) -> None:
        """Write the fold of the blocks' partial results."""
        fold_partials(self.program, partial)

    def serial(self, line: str) -> None:
        """Write a change of the shared state."""
        self.program.serial(line)

    def when(self, condition: str, has_else: bool = False) -> AbstractContextManager[None]:
        """Write phases under a condition."""
        return self.program.when(condition, has_else)

    def otherwise(self) -> AbstractContextManager[None]:
        """Write what runs instead."""
        return self.program.otherwise()

    @contextlib.contextmanager
    def prefer_pull(self) -> Iterator[None]:
        """Write what runs if the active vertices have many arcs."""
        self.serial(f"state[PULLING] = state[ACTIVE_ARCS] * {PULL_SHARE} > state[NUM_ARCS]")
        with self.when("state[PULLING] != 0", has_else=True):
            yield

    def take_id(self, slot: s.Slot) -> None:
        """Write the entry of an id that is known only now into the list of ids."""
        ids = self.writer.scratch(str(self.launch.ids), self.unit.ids, "ids")
        value = f"checked({self.writer.slot(slot)}, state[NUM_VERTICES], state, BAD_INDEX)"
        self.serial(f"{ids}[0] = {value}")

    def every(self, name: str, count: str, body: str, arrays: list[str]) -> None:
        """Write a phase that runs a quotation for every ``row`` below a count."""
        worker: Any = self.worker(name)
        worker.writer.take(arrays)
        with worker.ids(None, "row", count):
            worker.writer.add(body)
        self.phase(worker)

    def copy(self, target: str, source: str, kind: str) -> None:
        """Write the copy of a column."""
        count = "state[NUM_EDGES]" if kind == "edge" else "state[NUM_VERTICES]"
        self.every(
            f"copy_{bare(target)}_{bare(source)}",
            count,
            f"{target}[row] = {source}[row]",
            [target, source],
        )

    def settle(self, target: str, source: str) -> None:
        """Write what becomes of a mask whose second copy holds what was asked for."""
        text = f"{target}[row] = {source}[row] & 1"
        self.every(f"settle_{bare(target)}", "state[NUM_VERTICES]", text, [target, source])

    def fill(self, array: str, value: str, length: str) -> None:
        """Write the fill of a working array."""
        self.every(f"fill_{bare(array)}", length, f"{array}[row] = {value}", [array])

    def sort(self, queue: Queue) -> None:
        """Write the sorting of a queue, so that sums over it always come out the same."""
        sorts.sort_queue(self, queue)

    def sort_messages(self, store: Any) -> None:
        """Write the sorting of each receiver's messages."""
        sorts.MessageSort(self, store).write()

    def sort_heard(self, keys: SortedKeys) -> None:
        """Write the phases that make and sort keys."""
        sorts.KeySort(self, keys).write()

    def sort_here(self, keys: SortedKeys, worker: Any, vertex: str) -> None:
        """Write where the keys of a vertex stand: behind those that were sent, there is nothing."""
        first, last = keys.store.span(worker, vertex)
        worker.writer.add(f"first_key = {first}")
        if not keys.store.is_sent(worker):
            worker.writer.add(f"end_of_keys = {last}")
            return
        worker.writer.add("end_of_keys = first_key")
        with keys.store.walk(worker, vertex):
            worker.writer.add("end_of_keys += 1")

    @contextlib.contextmanager
    def walk_keys(
        self, keys: SortedKeys, worker: Worker, name: Callable[[str], None], loc: Any
    ) -> Iterator[None]:
        """Write the loop over the sorted keys of a vertex, with the next ones under way.

        The one thread that walks over very many keys would wait for each of them.
        """
        writer, array = worker.writer, keys.array(worker)
        place = writer.fresh("place")
        ahead = [f"{place}_key_{k}" for k in range(AHEAD)]
        for k, key in enumerate(ahead):
            at = f"first_key + {k}" if k else "first_key"
            writer.add(f"{key} = {array}[{at}] if {at} < end_of_keys else {keys.largest}")
        writer.add(f"{place} = first_key")
        with writer.block(f"while {place} < end_of_keys:", loc):
            name(ahead[0])
            for key, following in itertools.pairwise(ahead):
                writer.add(f"{key} = {following}")
            writer.add(f"{ahead[-1]} = {array}[min({place} + {AHEAD}, end_of_keys - 1)]")
            writer.add(f"{place} += 1")
            yield

    def fold_shares(self, store: Any) -> None:
        """Write the fold of kept messages in equal shares."""
        share_scans.fold_phases(self, store)

    def measure(self) -> None:
        """Do nothing: arcs are counted when vertices are activated."""

    def claim(self) -> None:
        """Write the phases of a `Claim`."""
        claiming.claim_phases(self)

    def pull_phases(self) -> None:
        """Write the phases of a pull."""
        fold = fold_in_rounds if pulls_again(self.launch) else fold_groups
        pull_phases(self, LaneSenders(self), fold)

    def flatten(self) -> None:
        """Write the flattening of the disjoint sets that were joined, so that reads are direct."""
        for field in self.joined():
            worker: Any = self.worker(f"flatten_{field}")
            place = worker.place("", {}, {})
            array = place.column(worker.writer, "vertex", field, "int64")
            with worker.ids(None, "v", "state[NUM_VERTICES]"):
                worker.writer.add(f"flatten_one({array}, v)")
            self.phase(worker)


def run_phase(unit: Unit, program: ProgramText, worker: Any) -> None:
    """Finish a work function and write its call; twice where it walks over arcs."""
    access = access_of(worker.writer.body)
    if program.joins(worker, access):
        joined = program.last
        joined.finish()
        program.call(joined, replaces=True)
    else:
        worker.finish()
        if worker.first == FIRST:
            program.phase(worker, access)
        else:
            program.flush()
            program.name_phase(worker.name)
            with program.writer.block("for wide in range(1 + has_wide):"):
                with program.writer.block("if wide:"):
                    program.barrier()
                program.call(worker)
            program.is_dirty, program.access, program.last = True, EVERYTHING, None
            program.serial("state[NUM_WIDE] = 0")
    for partial in worker.partials:
        fold_partials(program, partial)


def fold_partials(program: ProgramText, partial: Partial) -> None:
    """Write the fold of the blocks' partial results, in one order."""
    word = keep_of(partial).split("_")[1]
    text = f"{partial.array}, blocks, lane, {partial.start}"
    program.fold(f"{partial.name} = fold_{word}({text})")
    program.serial(f"{program.writer.slot(partial.slot)} = {partial.result}")


def take_flags(unit: Unit, program: ProgramText, kind: str, number: int) -> None:
    """Write the phase that makes the pending set the active one, where sets are kept as flags."""
    stem, size = ("edge_flags", "E") if kind == "edge" else ("flags", "V")
    stale = "STALE_EDGES" if kind == "edge" else "STALE"
    with program.when(f"state[{stale}] != 0"):
        worker: Any = unit.worker(unit, f"turn_{kind}_{number}", None)
        active, pending = (
            worker.writer.scratch(f"{each}_{stem}", "uint8", size, 0)
            for each in ("active", "pending")
        )
        with worker.ids(None, "v", f"state[NUM_{'EDGES' if kind == 'edge' else 'VERTICES'}]"):
            worker.writer.add(f"{active}[v] = {pending}[v]")
            worker.writer.add(f"{pending}[v] = 0")
        run_phase(unit, program, worker)
        program.serial(f"state[{stale}] = 0")


def take_lines(kind: str, unit: Unit) -> list[str]:
    """Return the serial lines that make the pending set the active one."""
    edges = kind == "edge"
    upper = "_EDGES" if edges else ""
    lines = [
        f"if state[STALE{upper}] != 0:",
        f"    state[STALE{upper}] = 0",
        f"    state[FLIPPED{upper}] = 1 - state[FLIPPED{upper}]",
        f"    if state[NUM_PENDING{upper}] > state[PENDING_BEFORE{upper}]:",
        "        state[ACTIVATED] = 1",
        f"    state[NUM_ACTIVE{upper}] = state[NUM_PENDING{upper}]",
        f"    state[NUM_PENDING{upper}] = 0",
        f"    state[PENDING_BEFORE{upper}] = 0",
        f"    state[TURNS{upper}] += 1",
    ]
    if not edges and unit.counts_arcs:
        lines += [
            "    state[ACTIVE_ARCS] = state[PENDING_ARCS]",
            "    state[PENDING_ARCS] = 0",
        ]
    return lines
