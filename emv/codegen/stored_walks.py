"""Walks over arcs as they are stored: a thread for each vertex, or for each arc.

Compressed rows unasked are walked by what each target does best instead: see ``arcs`` of a worker.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from emv.codegen.queues import Domain, Flags
from emv.codegen.rows import Rows
from emv.codegen.senders import flags_of
from emv.codegen.worker import Worker
from emv.ir import body as b


@contextlib.contextmanager
def walk_arcs(
    worker: Worker, rows: Rows, queue: Domain, per_row: Callable[[], None]
) -> Iterator[None]:
    """Write the walk over the arcs of all vertices or queued ones: ``src``, ``arc``, ``dst``.

    ``per_row`` writes what is done once per vertex, before its arcs.
    """
    layout = worker.launch.layout
    if layout == "csr":
        walk = worker.arcs(queue, per_row)
    else:
        walk = (one_by_one if layout == "coo" else by_vertex)(worker, rows, queue, per_row)
    with walk:
        yield


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
    draws = any(isinstance(each, b.Random) for each in b.expressions_in(body.statements))
    return f"np.int64({rows.id_at('arc', place)})" if draws or rows.order == "arc" else "0"
