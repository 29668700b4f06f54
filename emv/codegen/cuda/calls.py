"""One launch on a GPU: its phases become calls in the program's kernel."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from emv.codegen.cuda.program import ProgramText
from emv.codegen.cuda.threads import CudaWorker
from emv.codegen.launch import LaunchText
from emv.codegen.sorted_keys import SortedKeys
from emv.codegen.unit import Unit
from emv.codegen.worker import Worker
from emv.errors import Loc
from emv.ir import body as b
from emv.ir import schedule as s
from emv.passes.find_drain import LOWEST

AHEAD = 4  # sorted keys that a thread has under way
PULL_SHARE = 4  # pull when the active vertices hold more than a fourth of the arcs


class CudaLaunch(LaunchText):
    """Writes one launch into a program."""

    def __init__(self, unit: Unit, launch: s.Launch, program: ProgramText) -> None:
        super().__init__(unit, launch)
        self.program = program
        self.writer = program.writer

    def worker(self, phase: str) -> CudaWorker:
        return CudaWorker(self.unit, f"{self.name}_{phase}", self.launch)

    def phase(self, worker: Worker) -> None:
        assert isinstance(worker, CudaWorker)
        self.program.run(worker)

    def serial(self, text: str, loc: Loc | None = None) -> None:
        self.program.serial(text, loc)

    def when(self, condition: str, has_else: bool = False) -> AbstractContextManager[None]:
        return self.program.when(condition, has_else)

    def otherwise(self) -> AbstractContextManager[None]:
        return self.program.otherwise()

    def prefer_pull(self) -> AbstractContextManager[None]:
        """Write what runs if the active vertices have many arcs; they are counted already."""
        pays = f"state[ACTIVE_ARCS] * {PULL_SHARE} > state[{self.unit.all_arcs}]"
        self.serial(f"state[PULLING] = {self.must_pull()}{pays}")
        return self.when("state[PULLING] != 0", has_else=True)

    def must_pull(self) -> str:
        """Return the condition under which a launch is pulled however few are active, or nothing.

        Pieces are taken off before anybody knows that they were too many, so numbers go below
        the floor for a moment.
        """
        drain = self.launch.shortcut
        if not isinstance(drain, s.Drain) or not isinstance(drain.floor, b.Local):
            return ""
        args = {each.name: each.source for each in self.launch.receiver.args}
        return f"{self.writer.read(args[drain.floor.name])} < {LOWEST} or "

    def every(self, name: str, count: str, body: str, arrays: list[str], whole: str = "") -> None:
        worker = self.worker(name)
        worker.writer.take(arrays)
        with worker.ids(None, "row", count):
            worker.writer.add(body)
        self.phase(worker)

    def sort_here(self, keys: SortedKeys, worker: Worker, vertex: str) -> None:
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
        self, keys: SortedKeys, worker: Worker, name: Callable[[str], None], loc: Loc | None
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
