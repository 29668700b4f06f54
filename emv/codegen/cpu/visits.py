"""How a domain is walked: which blocks there are, and what a block's instances are called.

Vertices and edges are walked in runs of ids or queue entries. Arcs are walked by number, so that a
vertex with a million arcs is shared by all threads: a block finds the row its first arc stands in.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from emv.codegen.queues import Flags, Queue
from emv.codegen.writer import Writer

ID_BLOCK = 4096  # ids of a dense walk
QUEUE_BLOCK = 256  # entries of a queue
ARC_BLOCK = 1024  # arcs


@dataclass(frozen=True)
class Extent:
    """How much work a walk is: the texts of its number of blocks and of its size."""

    num_blocks: str
    size: str
    arrays: tuple[str, ...] = ()


@contextlib.contextmanager
def walk_ids(worker: Any, queue: Queue | None, name: str, count: str) -> Iterator[None]:
    """Write the walk over all ids or over a queue; ``name`` is the id in the body."""
    writer = worker.writer
    size = ID_BLOCK if queue is None else QUEUE_BLOCK
    total = count if queue is None else queue.length
    writer.add(f"low = block * {size}")
    writer.add(f"high = min(low + {size}, {total})")
    if queue is None:
        with writer.block(f"for {name} in range(low, high):"):
            yield
    else:
        with writer.block("for k in range(low, high):"):
            writer.add(f"{name} = {queue.name}[k]")
            yield


def extent_of_ids(queue: Queue | None, count: str) -> Extent:
    """Return the extent of `walk_ids`."""
    size = ID_BLOCK if queue is None else QUEUE_BLOCK
    total = count if queue is None else queue.length
    arrays = () if queue is None else (queue.name,)
    return Extent(f"({total} + {size - 1}) // {size}", total, arrays=arrays)


@contextlib.contextmanager
def walk_arcs(
    worker: Any, domain: Queue | Flags | None, per_row: Callable[[], None]
) -> Iterator[None]:
    """Write the walk over the arcs of all vertices or of some: ``src``, ``arc``, ``dst``.

    ``per_row`` writes what is done once per vertex, before its arcs.
    """
    writer = worker.writer
    queue = domain if isinstance(domain, Queue) else None
    first, dst = writer.graph("first_out"), writer.graph("dst_of_arc")
    offsets = first if queue is None else writer.scratch("arc_offsets", "int64", "V+1")
    starts = "" if queue is None else writer.scratch("arc_starts", "int64", "V")
    rows = "state[NUM_VERTICES]" if queue is None else queue.length
    total = f"np.int64({offsets}[{rows}])"
    writer.add(f"low = block * {ARC_BLOCK}")
    writer.add(f"high = min(low + {ARC_BLOCK}, {total})")
    writer.add(f"row = np.uint64(row_of({offsets}, low, 0, {rows}))")
    writer.add("begin = low")
    with writer.block("while begin < high:"):
        writer.add(f"end = min(np.int64({offsets}[row + ONE]), high)")
        writer.add("src = row" if queue is None else f"src = {queue.name}[row]")
        with contextlib.ExitStack() as stack:
            if isinstance(domain, Flags):
                stack.enter_context(writer.block(f"if {domain.name}[src] != 0:"))
            per_row()
            shift = ""
            if queue is not None:
                writer.add(f"shift = {starts}[row] - {offsets}[row]")
                shift = "shift + "
            span = f"np.uint64({shift}begin), np.uint64({shift}end)"
            stack.enter_context(writer.block(f"for arc in range({span}):"))
            writer.add(f"dst = {writer.copies.like(f'{dst}[arc]', 'src')}")
            yield
        writer.add("begin = end")
        writer.add("row += ONE")


def measure_text(writer: Writer, queue: Queue) -> str:
    """Return the line that lays the arcs of a queue end to end and counts them."""
    first = writer.graph("first_out")
    offsets = writer.scratch("arc_offsets", "int64", "V+1")
    starts = writer.scratch("arc_starts", "int64", "V")
    writer.take([queue.name])
    inside = f"{queue.name}, {queue.length}, {first}, {offsets}, {starts}"
    if writer.copies.shift:
        return f"num_arcs = measure_copies({inside}, SHIFT)"
    return f"num_arcs = measure({inside})"


def extent_of_arcs(queue: Queue | Flags | None) -> Extent:
    """Return the extent of `walk_arcs`; a queue's arcs were counted by `measure_text`."""
    total = "num_arcs" if isinstance(queue, Queue) else "state[NUM_ARCS]"
    return Extent(f"({total} + {ARC_BLOCK - 1}) // {ARC_BLOCK}", total)
