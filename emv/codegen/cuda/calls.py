"""One launch on a GPU: its phases become calls in the program's kernel."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from emv.codegen.cuda.long_links import rows_of
from emv.codegen.cuda.long_lists import find_span, lists_of
from emv.codegen.cuda.program import ProgramText
from emv.codegen.cuda.threads import CudaWorker
from emv.codegen.expressions import ExpressionText
from emv.codegen.launch import LaunchText
from emv.codegen.place import Ends, Place
from emv.codegen.queues import queue_of
from emv.codegen.sending import (
    RECEIVE,
    SEND,
    Heard,
    guard_arguments,
    hoist,
    paste,
    place_of,
    value_arguments,
)
from emv.codegen.sorted_keys import SortedKeys
from emv.codegen.state import Own
from emv.codegen.unit import Unit
from emv.codegen.worker import Worker
from emv.errors import Loc
from emv.ir import body as b
from emv.ir import schedule as s
from emv.passes.find_drain import LOWEST
from emv.passes.sends import in_any_order

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

    def drain(self) -> None:
        """Write the push of a `Drain`: pieces are taken off as they come, and warps go on.

        Nothing is folded, and nobody has to be told that messages came: who reaches the floor is
        activated by the lane that took the last piece. Its warp walks its row next if that is short
        and the warp has few such rows; all others are queued, for the superstep that comes.
        """
        launch, worker = self.launch, self.worker("drain")
        writer, function, drained = worker.writer, launch.receiver.function, launch.shortcut
        worker.onward = "once"
        if not writer.copies.shift:  # a pile's arcs are those of vertices
            worker.use_piles()
        worker.scalar_arguments(launch.send, launch.args, SEND)
        guard_arguments(worker)
        column = function.record.fields[drained.field]
        array = writer.column("vertex", drained.field, column.dtype.name)
        own = Place({"own": "dst"}, {}, RECEIVE, self.unit.written)
        floor = ExpressionText(writer, own, function.name).text(drained.floor)

        def on_send(w: Worker, stmt: b.Send, values: list[str], receiver: str, how: str) -> None:
            amount = f"np.int64({values[0]})"
            writer.add(f"is_down = drain({array}, {receiver}, {amount}, {floor})", stmt.loc)
            writer.add("down = dst")

        ends: Ends = {"src": "src", "dst": "dst"}
        place = place_of(worker, ends, {"own": ("arc", "arc")}, "np.int64(arc)", on_send)
        queue = queue_of(worker, launch.domain, launch.ids)
        with worker.arcs(queue, lambda: hoist(worker, place, launch.body, "src")):
            paste(worker, place, launch.send, launch.body)
        self.phase(worker)

    def long_rows(self, heard: Heard | None) -> None:
        """Write the phase in which warps take the vertices that a map has listed for long rows.

        Wide lists of messages are for blocks. A graph without rows of `WIDE` links has no such
        list, and no barrier for it.
        """
        length = self.own(Own.LONG_ONES)
        if self.launch.links is not None:
            self.program.run_behind(self.by_warps("long_rows", rows_of, heard))
        elif heard is not None and in_any_order(self.launch):
            wide = self.own(Own.WIDE_ONES)
            with self.when(f"{length} + {wide} > 0", has_else=True):
                self.phase(self.by_crews(heard))
            with self.otherwise():
                pass  # both share the barrier that comes next
            self.serial(f"{wide} = 0")
        else:
            return
        self.serial(f"{length} = 0")

    def by_warps(
        self, phase: str, rows: Callable[[CudaWorker], str], heard: Heard | None
    ) -> CudaWorker:
        """Return the work function in which each warp takes vertices of a list."""
        worker = self.begin_lists(phase)
        with worker.counted():
            worker.writer.add("lane = np.int32(cuda.laneid)\nrow = np.int64(me >> 5)")
            with worker.writer.block(f"while row < {self.own(Own.LONG_ONES)}:"):
                self.take_row(worker, f"{rows(worker)}[row]", heard)
                worker.writer.add("row += np.int64(threads >> 5)")
        return worker

    def by_crews(self, heard: Heard) -> CudaWorker:
        """Return the work function in which blocks take vertices of a list, then warps of one."""
        assert self.launch.heard is not None
        keys = SortedKeys(self.unit.stores[self.launch.heard], self.launch)
        worker, long, wide = self.begin_lists("long_lists"), Own.LONG_ONES, Own.WIDE_ONES
        lists = [lists_of(keys, worker, each) for each in (wide, long)]
        with worker.counted():
            worker.writer.add("""
                lane = np.int32(cuda.laneid)
                wide = True
                row = np.int64(me // cuda.blockDim.x)
                step = np.int64(blocks)
            """)
            with worker.writer.block(f"while wide or row < {self.own(long)}:"):
                with worker.writer.block(f"if wide and row >= {self.own(wide)}:"):
                    worker.writer.add("""
                        meet_crew(wide)
                        wide = False
                        row = np.int64(me >> 5)
                        step = np.int64(threads >> 5)
                    """)
                with worker.writer.block(f"if wide or row < {self.own(long)}:"):
                    self.take_row(worker, f"({lists[0]}[row] if wide else {lists[1]}[row])", heard)
                    worker.writer.add("row += step")
        return worker

    def begin_lists(self, phase: str) -> CudaWorker:
        """Return the work function of those who take vertices of a list."""
        worker = self.worker(phase)
        worker.by_long_rows = True
        worker.vote_words(self.launch.send)
        worker.scalar_arguments(self.launch.send, self.launch.args, SEND)
        return worker

    def take_row(self, worker: CudaWorker, vertex: str, heard: Heard | None) -> None:
        """Write what is done with a vertex of a list."""
        worker.writer.add(f"v = {worker.number}({vertex})")
        value_arguments(worker, "v")
        place = place_of(worker, {"own": "v"}, {}, "np.int64(v)", None)
        if heard is not None:
            place.heard = heard(worker, "v")
        paste(worker, place, self.launch.send, self.launch.body)

    def every(self, name: str, count: str, body: str, arrays: list[str], whole: str = "") -> None:
        worker = self.worker(name)
        worker.writer.take(arrays)
        with worker.ids(None, "row", count):
            worker.writer.add(body)
        self.phase(worker)

    def sort_here(self, keys: SortedKeys, worker: Worker, vertex: str) -> None:
        find_span(keys, worker, vertex)

    @contextlib.contextmanager
    def walk_keys(
        self,
        keys: SortedKeys,
        worker: Worker,
        name: Callable[[str, str, str], None],
        loc: Loc | None,
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
            name(ahead[0], ahead[1], f"{place} + 1 == end_of_keys")
            for key, following in itertools.pairwise(ahead):
                writer.add(f"{key} = {following}")
            writer.add(f"{ahead[-1]} = {array}[min({place} + {AHEAD}, end_of_keys - 1)]")
            writer.add(f"{place} += 1")
            yield
