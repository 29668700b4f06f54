"""How the arcs of one vertex are walked, in every storage; `emv.graph.row_storage` has the rules.

One thread goes through the arcs of its vertex, in the order that compressed rows have. A place of
an arc indexes everything that is stored by arc: the other end, edge columns, ids of edges.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from emv.codegen.writer import Writer
from emv.graph.row_storage import PLACED, storage_order


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
    def ids(self, worker: Any, queue: Any, vertex: str) -> Iterator[None]:
        """Write the walk over all vertices or a queue, as they lie side by side.

        Ranks are what lies side by side in ``caa``; a queue has an order of its own.
        """
        if self.name != "caa" or queue is not None:
            with worker.ids(queue, vertex, "state[NUM_VERTICES]"):
                yield
            return
        with worker.ids(None, "by_rank", "state[NUM_VERTICES]"):
            self.writer.add(f"{vertex} = {self.part('order')}[by_rank]")
            yield
        worker.stay_apart()

    @contextlib.contextmanager
    def walk(self, vertex: str, place: str, end: str, loc: Any = None) -> Iterator[None]:
        """Write the loop over a vertex's arcs; its body knows ``place`` and the other ``end``."""
        with getattr(self, f"_{self.name}")(vertex, place, loc) as other:
            self.writer.add(f"{end} = {other}")
            yield

    @contextlib.contextmanager
    def _compressed(self, vertex: str, place: str, loc: Any) -> Iterator[str]:
        first = self.writer.graph(f"first_{self.side}")
        others = self.writer.graph("dst_of_arc" if self.side == "out" else "src_of_slot")
        copies = self.writer.copies
        row = copies.vertex(vertex)
        begin, end = f"np.uint64({first}[{row}])", f"np.uint64({first}[np.int64({row}) + 1])"
        with self.writer.block(f"for {place} in range({begin}, {end}):", loc):
            yield copies.like(f"{others}[{place}]", vertex)

    @contextlib.contextmanager
    def _caa(self, vertex: str, place: str, loc: Any) -> Iterator[str]:
        writer, levels, level = self.writer, self.part("levels"), self.writer.fresh("level")
        rank = writer.fresh("rank")
        writer.add(f"{rank} = np.uint64({self.part('rank')}[{vertex}])", loc)
        with writer.block(f"for {level} in range({self.part('width')}[0]):"):
            writer.add(f"{place} = np.uint64({levels}[{level}]) + {rank}")
            with writer.block(f"if {place} >= np.uint64({levels}[{level} + 1]):"):
                writer.add("break")
            yield f"{self.part('other')}[{place}]"

    @contextlib.contextmanager
    def _ell(self, vertex: str, place: str, loc: Any) -> Iterator[str]:
        with self._degree(vertex, loc) as level:
            padded = f"np.uint64({level}) * np.uint64(state[NUM_VERTICES]) + np.uint64({vertex})"
            self.writer.add(f"{place} = {padded}")
            yield f"{self.part('other')}[{place}]"

    @contextlib.contextmanager
    def _hybrid(self, vertex: str, place: str, loc: Any) -> Iterator[str]:
        tail = f"np.uint64({self.part('tail')}[{vertex}]) + np.uint64({{0}})"
        with self._degree(vertex, loc) as level:
            padded = f"np.uint64({level}) * np.uint64(state[NUM_VERTICES]) + np.uint64({vertex})"
            with self.writer.block(f"if {level} < {self.part('width')}[0]:"):
                self.writer.add(f"{place} = {padded}")
            with self.writer.block("else:"):
                self.writer.add(f"{place} = {tail.format(level)}")
            yield f"{self.part('other')}[{place}]"

    @contextlib.contextmanager
    def _degree(self, vertex: str, loc: Any) -> Iterator[str]:
        first, level = self.writer.graph(f"first_{self.side}"), self.writer.fresh("level")
        span = f"np.int64({first}[np.int64({vertex}) + 1]) - np.int64({first}[{vertex}])"
        with self.writer.block(f"for {level} in range({span}):", loc):
            yield level

    @contextlib.contextmanager
    def _dia(self, vertex: str, place: str, loc: Any) -> Iterator[str]:
        writer, level = self.writer, self.writer.fresh("level")
        with writer.block(f"for {level} in range({self.part('width')}[0]):", loc):
            padded = f"np.uint64({level}) * np.uint64(state[NUM_VERTICES]) + np.uint64({vertex})"
            writer.add(f"{place} = {padded}")
            with writer.block(f"if {self.part('present')}[{place}] != 0:"):
                yield f"np.uint64(np.int64({vertex}) + {self.part('steps')}[{level}])"
