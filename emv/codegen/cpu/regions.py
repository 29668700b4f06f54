"""One launch on CPU cores: a function that runs its phases one after another.

A phase is a work function over blocks. Small phases run on the calling thread alone, because waking
the others costs more than some thousand arcs. What it costs, nobody knows before; so from there up
to `LARGE` it is found out while phases run (`emv_kernels.cpu.turns`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

from emv.codegen.cpu.blocks import CpuWorker, count_text, measure_text
from emv.codegen.cpu.tallies import Tally
from emv.codegen.launch import LaunchText
from emv.codegen.queues import Queue, queue_of
from emv.codegen.quote import quote
from emv.codegen.sorted_keys import SortedKeys
from emv.codegen.unit import Unit
from emv.codegen.worker import Partial, Worker
from emv.codegen.writer import Writer
from emv.errors import Loc
from emv.ir import nodes as n
from emv.ir import schedule as s
from emv.passes.sends import in_any_order
from emv_kernels.sizes import PLACES

SMALL = 8000  # instances or arcs below which a phase runs on one thread
LEAST = 500  # below which it does behind `MANY` supersteps, if it is found out what is faster
MANY = 256  # that a run has begun: then it pays to find out
LARGE = 2**15  # from which it is shared out whatever it costs to wake the others
SMALL_CLAIM = 1600  # of a claim, which waits for memory at every arc, and next to nothing between
MOST_PHASES = 16  # of a launch
PULL_SHARE = 4  # pull when the active vertices hold more than a fourth of the arcs


class CpuLaunch(LaunchText):
    """Writes one launch."""

    def __init__(self, unit: Unit, launch: s.Launch, around: s.LoopStep | None = None) -> None:
        super().__init__(unit, launch)
        self.follows = around if launch.follows else None
        self.parallel = launch.domain.kind != "only" and not unit.schedule.alone
        self.carried: Any = None  # what its receivers make (`emv.codegen.cpu.carried`)
        self.around = around
        self.is_repeated = True  # whether a call may run it more than once
        self.pulls = False  # whether the branch of a pull is being written
        self.by_superstep = False  # whether phases are judged with the others of their superstep
        self.measured = False
        self.tells = False  # whether it is written where threads' arrays are written down
        self.has_tables = in_any_order(launch)
        self.phases: list[str] = []  # work functions that threads share

    def worker(self, phase: str) -> CpuWorker:
        return CpuWorker(self.unit, f"{self.name}_{phase}", self.launch)

    def smallest(self, worker: CpuWorker) -> str:
        """Return the size of a phase from which it is shared out."""
        return str(SMALL_CLAIM if isinstance(self.launch.shortcut, s.Claim) else SMALL)

    def is_small(self, worker: CpuWorker) -> str:
        """Return the condition that a phase is not shared out, whatever that would take.

        To find out takes four phases. Where another program has the cores, these take longer than
        all others of a program that has few.
        """
        size, smallest = worker.extent.size, self.smallest(worker)
        if smallest != str(SMALL) or not self.is_judged(worker):
            return f"{size} < {smallest}"
        return f"{size} < ({LEAST} if state[SUPERSTEPS] >= {MANY} else {SMALL})"

    def phase(self, worker: Worker) -> None:
        assert isinstance(worker, CpuWorker)
        worker.finish()
        writer, extent = self.writer, worker.extent
        writer.take(extent.arrays)
        writer.add(f"num_blocks = {extent.num_blocks}\nstate[CURSOR] = 0")
        told = map(writer.node, ("np.int64(0)", "np.int64(0)", "num_blocks"))
        alone = n.Do(self.unit.call(worker.name, *told))
        if not self.parallel:
            writer.put([alone])
        else:
            is_alone = f"{self.is_small(worker)} or state[NUM_THREADS] == 1"
            judged = ""
            is_judged = self.is_judged(worker)
            if is_judged and self.around is not None and self.is_one_of_many():
                self.by_superstep = True
                kept = kept_turns(self.writer, self.around)
                is_alone += f" or goes_alone({kept}, state[SUPERSTEPS], {extent.size}, {LARGE})"
            elif is_judged:
                kept = f"{self.kept()}, {PLACES * len(self.phases)}"
                is_alone += f" or is_alone({kept}, {extent.size}, {LARGE})"
                judged = f"judge({kept})"
            with writer.block(f"if {is_alone}:"):
                writer.put([alone])
            with writer.block("else:"):
                phase = f"np.int64({len(self.phases)})"
                given = f"state[NUM_THREADS], {self.name}_together, told, {phase}, num_blocks"
                writer.add(f"by_threads({given})")
                for queue, length in worker.queues.items():
                    writer.take([queue, f"{queue}_rows"])
                    rows = f"{queue}_rows, state[NUM_THREADS]"
                    writer.add(f"gather_rows({queue}, state, {length}, {rows})")
            writer.add(judged)
            self.phases.append(worker.name)
        writer.add("heed(state)")
        for partial in worker.partials:
            if partial not in worker.left:
                self.fold_partials(partial)

    def is_judged(self, worker: CpuWorker) -> bool:
        """Return whether it is found out who does a phase faster.

        That takes some runs of it, which a call has in loops alone; of a launch that a call runs
        once it was a third of the code.
        """
        return worker.is_steady and self.is_repeated

    def is_one_of_many(self) -> bool:
        """Return whether a phase is judged with the others of its superstep.

        A claim is nearly all of its superstep, and a pull does other work than a push.
        """
        is_claim = isinstance(self.launch.shortcut, s.Claim)
        return not is_claim and not self.pulls

    def kept(self) -> str:
        """Name the array of how long the phases took, by who did them."""
        assert len(self.phases) < MOST_PHASES
        return self.writer.scratch(f"turns{self.launch.number}", "int64", f"{PLACES * MOST_PHASES}")

    def fold_partials(self, partial: Partial) -> None:
        """Write the fold of the blocks' partial results, in the order of the blocks."""
        name, value = partial.name, f"{partial.array}[block]"
        words = {"largest": "max", "smallest": "min"}
        step = f"{name} += {value}"
        if partial.op in words:
            step = f"{name} = {words[partial.op]}({name}, {value})"
        self.writer.add(f"""
            {name} = {partial.start}
            for block in range(num_blocks):
                {step}
            {self.writer.slot(partial.slot)} = {partial.result}
        """)

    def finish(self) -> str:
        """Add the function to the module, with what each thread calls for its phases."""
        if self.phases:
            self.share_out()
        self.unit.finish(self.name, "@work", (), self.writer)
        return self.name

    def tell(self) -> str:
        """Return the text of what all threads are told, where its arrays are what they will be.

        By default that is where the function begins. One thread alone is told nothing.
        """
        self.tells = True
        return f"told = tell({self.name}_together)" if self.parallel else ""

    def share_out(self) -> None:
        """Name the function that each thread calls, and hand its arrays to it.

        That of the only phase; of several, one function with a branch inside, as a function for
        each of them would be compiled, and linked, by itself.
        """
        asked, only = n.Name(f"{self.name}_together"), len(self.phases) == 1
        name = self.phases[0] if only else self.together()
        self.writer.take(self.unit.arrays_of(name))
        if not self.tells:
            self.writer.insert(0, quote(self.tell(), self.writer.known))

        def complete(node: Any) -> Any:
            if not (isinstance(node, n.Call) and asked in node.parts):
                return node
            if node.function == "tell":
                return n.Call("tell", self.unit.call(name).parts)
            threads, _, told, phase, num_blocks = node.parts
            phase = self.writer.node("np.int64(1)") if only else phase
            return n.Call(node.function, (threads, n.Name(name), told, phase, num_blocks))

        self.writer.blocks = [list(n.rebuilt_all(self.writer.body, complete))]

    def together(self) -> str:
        """Write the function that each thread calls to work on one phase of several."""
        share = Writer(self.unit.buffers)
        for number, phase in enumerate(self.phases):
            told = map(share.node, ("thread", "np.int64(1)", "num_blocks"))
            with share.block(f"{'el' if number else ''}if phase == {number}:"):
                share.put([n.Do(self.unit.call(phase, *told))])
        name = f"{self.name}_together"
        self.unit.finish(name, "@work", ("thread", "phase", "num_blocks"), share)
        return name

    def serial(self, text: str, loc: Loc | None = None) -> None:
        self.writer.add(text, loc)

    def when(self, condition: str, has_else: bool = False) -> AbstractContextManager[None]:
        return self.writer.block(f"if {condition}:")

    def otherwise(self) -> AbstractContextManager[None]:
        return self.writer.block("else:")

    @contextlib.contextmanager
    def prefer_pull(self) -> Iterator[None]:
        self.measure(exactly=True)
        with self.when(f"num_arcs * {PULL_SHARE} > state[NUM_ARCS]"):
            self.pulls = True
            yield
            self.pulls = False

    def measure(self, exactly: bool = False) -> None:
        """Write the count of the arcs of the domain's queue, once per launch."""
        queue = queue_of(self, self.launch.domain, self.launch.ids)
        if isinstance(queue, Queue) and not self.measured:
            self.measured = True
            enough = f"state[NUM_ARCS] // {PULL_SHARE}"
            known = count_text(self.writer, queue, enough) if exactly else ""
            self.writer.add(measure_text(self.writer, queue, known))

    def check_index(self) -> None:
        self.writer.add("if state[BAD_INDEX] != 0: return")

    def every(self, name: str, count: str, body: str, arrays: list[str], whole: str = "") -> None:
        """Write what one thread does for all rows."""
        self.writer.add(whole)

    def sort(self, queue: Queue) -> None:
        self.writer.take([queue.name])
        self.writer.add(f"sort_ids({queue.name}, {queue.length}, state)")

    def sort_here(self, keys: SortedKeys, worker: Worker, vertex: str) -> None:
        """Write how a thread collects the keys of a vertex and sorts them, while it has them."""
        writer, array = worker.writer, keys.array(worker)
        writer.add(f"first_key = {keys.store.span(worker, vertex)[0]}\nend_of_keys = first_key")
        with keys.store.walk(worker, vertex):
            writer.add(f"{array}[end_of_keys] = {keys.key(worker)}\nend_of_keys += 1")
        spare = writer.scratch(f"spare_{keys.name}", keys.dtype, keys.store.size_in(worker))
        writer.add(f"sort_keys({array}, {spare}, first_key, end_of_keys)")

    @contextlib.contextmanager
    def walk_keys(
        self,
        keys: SortedKeys,
        worker: Worker,
        name: Callable[[str, str, str], None],
        loc: Loc | None,
    ) -> Iterator[None]:
        array, place = keys.array(worker), worker.writer.fresh("place")
        with worker.writer.block(f"for {place} in range(first_key, end_of_keys):", loc):
            name(f"{array}[{place}]", f"{array}[{place} + 1]", f"{place} + 1 == end_of_keys")
            yield

    def tally_here(self, keys: SortedKeys, worker: Worker, vertex: str) -> None:
        Tally(keys, worker).begin(vertex)

    def walk_tally(
        self, keys: SortedKeys, worker: Worker, name: str, loc: Loc | None
    ) -> AbstractContextManager[None]:
        return Tally(keys, worker).walk(name, loc)


def kept_turns(writer: Writer, loop: s.LoopStep) -> str:
    """Name the array of how long a loop's supersteps took, by who did their phases."""
    return writer.scratch(f"turns{loop.number}", "int64", str(PLACES))
