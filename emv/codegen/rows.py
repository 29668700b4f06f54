"""How the arcs of one vertex are walked, in every storage; `emv.graph.row_storage` has the rules.

One thread goes through the arcs of its vertex, in the order that compressed rows have. A place of
an arc indexes everything that is stored by arc: the other end, edge columns, ids of edges.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from emv.codegen.queues import Domain, count_of
from emv.codegen.worker import Worker
from emv.codegen.writer import Writer
from emv.errors import Loc
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
