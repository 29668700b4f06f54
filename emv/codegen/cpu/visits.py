"""How much work a phase is, in blocks that threads take one after another."""

from __future__ import annotations

from dataclasses import dataclass

from emv.codegen.queues import Domain, Queue
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


def extent_of_ids(queue: Queue | None, count: str) -> Extent:
    """Return the extent of a walk over ``count`` ids or over a queue."""
    if queue is None:
        return extent_in(count, ID_BLOCK)
    return extent_in(queue.length, QUEUE_BLOCK, queue.name)


def extent_of_arcs(queue: Domain) -> Extent:
    """Return the extent of a walk over arcs; a queue's were counted by `measure_text`."""
    return extent_in("num_arcs" if isinstance(queue, Queue) else "state[NUM_ARCS]", ARC_BLOCK)


def extent_in(total: str, size: int, *arrays: str) -> Extent:
    """Return the extent of a walk in blocks of a size."""
    return Extent(f"({total} + {size - 1}) // {size}", total, arrays)


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
