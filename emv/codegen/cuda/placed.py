"""Rows of vertices in the order of the receivers of a pull, as long as its loop runs.

Receivers with as many in-arcs stand together in that order (`emv.graph.pull`), far from where their
ids would have them, so that each row of theirs is a sector of memory of its own. What a GPU's
second cache can move are sectors, and it is what a gather waits for. So columns that nobody else in
the loop has to do with (`emv.passes.follow`) are copied into the receivers' order where the loop is
entered, and back where it is left; what the graph says of a vertex is copied, too. Then receivers
that stand side by side have their rows side by side.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from emv.codegen.cuda.threads import CudaWorker
from emv.codegen.quote import quote
from emv.codegen.unit import Unit
from emv.codegen.writer import Writer, bare
from emv.ir import body as b
from emv.ir import nodes as n
from emv.ir import schedule as s

OWN_ROW = "own_row"  # where a receiver's rows are; the first receiver's where a lane has none
IN_ORDER = "state[HAS_ORDER] != 0"


class Placed:
    """What is kept in the receivers' order of one pull, where that is not the order of ids.

    Parameters
    ----------
    launch : Launch
        The pull.
    joined : list of Launch
        The functions that its receivers run besides.
    """

    when = IN_ORDER

    def __init__(self, unit: Unit, launch: s.Launch, joined: list[s.Launch]) -> None:
        self.unit, self.number, self.columns = unit, launch.number, sorted(launch.placed)
        written = launch.receiver.function.effects.written
        self.changed = [each for each in self.columns if each in written]
        bodies = [launch.body, launch.receiver.function.body, *(each.body for each in joined)]
        self.sides = sorted({side for body in bodies for side in sides_in(body)})

    def more(self, writer: Writer) -> dict[str, tuple[str, str]]:
        """Name arrays that are kept besides, each with what it has and how ``v`` asks for that."""
        return {}

    def column(self, writer: Writer, key: tuple[str, str]) -> tuple[str, str]:
        """Name a column, and say what its entries are."""
        dtype = self.unit.schedule.program.fields[key].dtype.name
        return writer.column(*key, dtype), dtype

    def copies(self, writer: Writer) -> Iterator[tuple[str, str, str, str]]:
        """Yield the arrays that keep something of ``v``, what that is, how it is asked for, read.

        What they have is in the first of both as it is made, in the last one as it is told.
        """
        named = [self.column(writer, key) for key in self.columns]
        columns = {name: (dtype, f"{name}[v]") for name, dtype in named}
        for name, (dtype, asked) in {**columns, **self.more(writer)}.items():
            array = self.array(writer, name, dtype)
            yield array, f"{name}[v]", asked, f"{array}[{OWN_ROW}]"
        for side in self.sides:
            first, array = writer.offsets(side), self.array(writer, f"{side}_degree", self.unit.ids)
            asked = f"np.int64({first}[np.int64(v) + 1]) - np.int64({first}[v])"
            yield array, f"np.{self.unit.ids}({asked})", asked, f"np.int64({array}[{OWN_ROW}])"

    def array(self, writer: Writer, name: str, dtype: str) -> str:
        """Name the array that has what is kept of another."""
        return writer.scratch(f"placed{self.number}_{bare(name)}", dtype, "V")

    def fill(self, name: str) -> CudaWorker:
        """Return the walk that copies into the receivers' order."""
        worker = CudaWorker(self.unit, name, None)
        with self.receivers(worker):
            self.copy(worker.writer)
        return worker

    def copy(self, writer: Writer) -> None:
        """Write the copies of what is kept of ``v``."""
        for array, made, *_ in self.copies(writer):
            writer.add(f"{array}[index] = {made}")

    def put_back(self, name: str) -> CudaWorker:
        """Return the walk that copies back what has changed."""
        worker = CudaWorker(self.unit, name, None)
        with self.receivers(worker, self.when):
            for key in self.changed:
                column, dtype = self.column(worker.writer, key)
                array = self.array(worker.writer, column, dtype)
                worker.writer.add(f"{column}[v] = {array}[index]")
        return worker

    @contextlib.contextmanager
    def receivers(self, worker: CudaWorker, when: str = "") -> Iterator[None]:
        """Write the walk over all that fold, ``v`` at ``index``; over none unless that holds."""
        order, bins = map(worker.writer.graph, ("pull_order", "pull_bins"))
        with worker.ids(None, "index", f"{bins}[21]" + (f" if {when} else 0" if when else "")):
            row = f"{order}[index] if {IN_ORDER} else index"
            worker.writer.add(f"v = {worker.number}({row})")
            yield

    def begin(self, worker: CudaWorker) -> n.Block:
        """Return what says where the rows of a receiver are, or of a lane that has none."""
        number = worker.number
        text = f"{OWN_ROW} = {number}(0 if pieces or index < 0 else index)"
        return quote(text, worker.writer.known)

    def block(self, worker: CudaWorker, block: n.Block) -> n.Block:
        """Return statements about ``v`` that use what is kept."""
        node = worker.writer.node
        kept = {node(asked): node(read) for _, _, asked, read in self.copies(worker.writer)}
        made = n.rebuilt_all(block, lambda node: kept.get(node, node))
        arrays = (each.buffer.key for each in n.inside_block(made) if isinstance(each, n.Array))
        assert not set(self.columns).intersection(arrays), "a row of another vertex is asked for"
        return made


def sides_in(body: b.Body) -> Iterator[str]:
    """Yield the sides of which a function asks how many arcs a vertex has."""
    for each in b.expressions_in(body.statements):
        if isinstance(each, b.Attribute) and each.name.endswith("_degree"):
            yield each.name.removesuffix("_degree")
