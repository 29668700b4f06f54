"""How arcs are walked as they are stored; `emv.graph.row_storage` has the rules.

One thread goes through the arcs of its vertex, in the order that compressed rows have. A place of
an arc indexes everything that is stored by arc: the other end, edge columns, ids of edges. Whole
walks take a thread for each vertex, or for each arc; compressed rows unasked are walked by what
each target does best instead: see ``arcs`` of a worker.

A queue of vertices says nothing of the one at the end of an arc: who sends is marked before arcs
are asked, and unmarked after (`Senders`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from emv.codegen.launch import LaunchText
from emv.codegen.queues import Domain, Flags, count_of, queue_of
from emv.codegen.worker import Worker
from emv.codegen.writer import Writer
from emv.errors import Loc
from emv.graph.row_storage import PLACED, storage_order
from emv.ir import body as b


class Rows:
    """The rows of one side of the graph, as text.

    Parameters
    ----------
    writer : Writer
        Of the work function.
    tag : str
        The storage.
    side : {"out", "in"}
        Whose rows.

    Attributes
    ----------
    order : str
        What edge columns are indexed by: ``arc``, ``slot``, or the storage's own order.
    """

    def __init__(self, writer: Writer, tag: str, side: str) -> None:
        self.writer, self.side = writer, side
        self.order = storage_order(tag, side)
        name = tag.rstrip("0123456789")
        self.name = name if name in PLACED else "compressed"

    def part(self, name: str) -> str:
        """Name an array of the storage."""
        return self.writer.graph(f"{self.order}_{name}")

    def id_at(self, of: str, place: str) -> str:
        """Return the text of the arc, slot or edge at a place."""
        if of == self.order:
            return place
        return f"{self.writer.graph(f'{of}_of_{self.order}')}[{place}]"

    @contextlib.contextmanager
    def ids(self, worker: Worker, queue: Domain, vertex: str) -> Iterator[None]:
        """Write the walk over all vertices or a queue, as they lie side by side.

        Ranks are what lies side by side in ``caa``; a queue has an order of its own.
        """
        if self.name != "caa" or queue is not None:
            with worker.ids(queue, vertex, count_of("vertex")):
                yield
            return
        with worker.ids(None, "by_rank", count_of("vertex")):
            self.writer.add(f"{vertex} = {self.part('order')}[by_rank]")
            yield
        worker.stay_apart()

    @contextlib.contextmanager
    def walk(self, vertex: str, place: str, end: str, loc: Loc | None = None) -> Iterator[None]:
        """Write the loop over a vertex's arcs; its body knows ``place`` and the other ``end``."""
        text, other = getattr(self, f"_{self.name}")(vertex, place)
        with self.writer.around(text, loc):
            self.writer.add(f"{end} = {other}")
            yield

    # Of each storage: the loop, with `...` where its body stands, and what the other end is.

    def _compressed(self, vertex: str, place: str) -> tuple[str, str]:
        first = self.writer.graph(f"first_{self.side}")
        others = self.writer.graph("dst_of_arc" if self.side == "out" else "src_of_slot")
        row = self.writer.copies.vertex(vertex)
        begin, end = f"np.uint64({first}[{row}])", f"np.uint64({first}[np.int64({row}) + 1])"
        other = self.writer.copies.like(f"{others}[{place}]", vertex)
        return f"for {place} in range({begin}, {end}): ...", other

    def _caa(self, vertex: str, place: str) -> tuple[str, str]:
        levels, level, rank = self.part("levels"), *map(self.writer.fresh, ("level", "rank"))
        text = f"""
            {rank} = np.uint64({self.part("rank")}[{vertex}])
            for {level} in range({self.part("width")}[0]):
                {place} = np.uint64({levels}[{level}]) + {rank}
                if {place} >= np.uint64({levels}[{level} + 1]):
                    break
                ...
        """
        return text, f"{self.part('other')}[{place}]"

    def _ell(self, vertex: str, place: str) -> tuple[str, str]:
        level = self.writer.fresh("level")
        text = f"""
            for {level} in range({self._degree(vertex)}):
                {place} = {padded(level, vertex)}
                ...
        """
        return text, f"{self.part('other')}[{place}]"

    def _hybrid(self, vertex: str, place: str) -> tuple[str, str]:
        level = self.writer.fresh("level")
        text = f"""
            for {level} in range({self._degree(vertex)}):
                if {level} < {self.part("width")}[0]:
                    {place} = {padded(level, vertex)}
                else:
                    {place} = np.uint64({self.part("tail")}[{vertex}]) + np.uint64({level})
                ...
        """
        return text, f"{self.part('other')}[{place}]"

    def _dia(self, vertex: str, place: str) -> tuple[str, str]:
        level = self.writer.fresh("level")
        text = f"""
            for {level} in range({self.part("width")}[0]):
                {place} = {padded(level, vertex)}
                if {self.part("present")}[{place}] != 0:
                    ...
        """
        return text, f"np.uint64(np.int64({vertex}) + {self.part('steps')}[{level}])"

    def _degree(self, vertex: str) -> str:
        first = self.writer.graph(f"first_{self.side}")
        return f"np.int64({first}[np.int64({vertex}) + 1]) - np.int64({first}[{vertex}])"


def padded(level: str, vertex: str) -> str:
    """Return the text of a vertex's place in a level that has one for each."""
    return f"np.uint64({level}) * np.uint64({count_of('vertex')}) + np.uint64({vertex})"


def walk_arcs(
    worker: Worker, rows: Rows, queue: Domain, per_row: Callable[[], None]
) -> AbstractContextManager[None]:
    """Write the walk over the arcs of all vertices or queued ones: ``src``, ``arc``, ``dst``.

    ``per_row`` writes what is done once per vertex, before its arcs.
    """
    layout = worker.launch.layout
    if layout == "csr":
        return worker.arcs(queue, per_row)
    return (one_by_one if layout == "coo" else by_vertex)(worker, rows, queue, per_row)


@contextlib.contextmanager
def by_vertex(
    worker: Worker, rows: Rows, queue: Domain, per_row: Callable[[], None]
) -> Iterator[None]:
    """Write the walk of threads over vertices and their arcs."""
    with rows.ids(worker, queue, "src"):
        per_row()
        with rows.walk("src", "arc", "dst"):
            yield


@contextlib.contextmanager
def one_by_one(
    worker: Worker, rows: Rows, queue: Domain, per_row: Callable[[], None]
) -> Iterator[None]:
    """Write the walk of threads over arcs, those of flagged vertices if there is a queue."""
    writer, is_in = worker.writer, ""
    with worker.ids(None, "arc", "state[NUM_ARCS]"):
        writer.add(f"src = {writer.graph('src_of_arc')}[arc]")
        if queue is not None:
            flags = queue.name if isinstance(queue, Flags) else flags_of(worker)
            is_in = f"if {flags}[src] != 0:"
        with writer.block(is_in):
            writer.add(f"dst = {writer.graph('dst_of_arc')}[arc]")
            per_row()
            yield


def drawn_id(rows: Rows, body: b.Body, place: str) -> str:
    """Return the text of the arc that random draws depend on; nothing is looked up for none."""
    if draws(body):
        return f"np.int64({rows.writer.number_of('arc', rows.id_at('arc', place))})"
    return f"np.int64({place})" if rows.order == "arc" else "0"


def draws(body: b.Body) -> bool:
    """Return whether a function draws."""
    return any(isinstance(each, b.Random) for each in b.expressions_in(body.statements))


class Senders:
    """The vertices that send in a launch: a flag for each.

    Attributes
    ----------
    are_all : bool
        Whether everybody sends, so that there are no flags.
    """

    def __init__(self, text: LaunchText) -> None:
        self.text = text
        self.are_all = text.launch.domain.kind == "all"

    def mark(self) -> None:
        """Write the phase that sets the flags."""
        self.phase("enter", is_sender=True)

    def unmark(self) -> None:
        """Write the phase that clears them."""
        self.phase("leave", is_sender=False)

    def phase(self, name: str, is_sender: bool) -> None:
        """Write a phase over the senders."""
        launch, worker = self.text.launch, self.text.worker(name)
        queue = queue_of(worker, launch.domain, launch.ids)
        self.begin(worker)
        with worker.ids(queue, "v", ""):
            self.put(worker, self.place(worker), is_sender)
        self.text.phase(worker)

    def begin(self, worker: Worker) -> None:
        """Write what is known before a walk over senders."""

    def place(self, worker: Worker) -> str:
        """Write by what arcs know the sender ``v``, which is its id; return its name."""
        return "v"

    def heard(self, worker: Worker, place: str) -> AbstractContextManager[None]:
        """Write what is done for a sender only if somebody may read what it sends."""
        return contextlib.nullcontext()

    def put(self, worker: Worker, place: str, is_sender: bool) -> None:
        """Write whether somebody sends."""
        worker.writer.add(f"{flags_of(worker)}[{place}] = {int(is_sender)}")

    def asked(self, worker: Worker, place: str) -> str:
        """Return the condition that somebody sends."""
        return f"{flags_of(worker)}[{place}] != 0"

    def only(self, worker: Worker, place: str) -> AbstractContextManager[None]:
        """Write what is done if somebody sends."""
        return worker.writer.block("" if self.are_all else f"if {self.asked(worker, place)}:")


def flags_of(worker: Worker) -> str:
    """Name the flags of the vertices that send."""
    return worker.writer.scratch("sending", "uint8", "V", 0)
