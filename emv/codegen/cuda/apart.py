"""Walks over the arcs of queued vertices whose rows have lanes of their own (`passes.lay_apart`).

Lanes side by side load the same row, in one access, and take an arc of it each.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from emv.codegen.queues import Queue


@contextlib.contextmanager
def arcs_apart(worker: Any, queue: Queue, per_row: Callable[[], None]) -> Iterator[None]:
    """Write the walk: ``src``, ``arc``, ``dst``; ``per_row`` writes what a lane asks of ``src``."""
    writer, number, first = worker.writer, worker.number, worker.writer.graph("first_out")
    dst, (row, behind) = writer.graph("dst_of_arc"), worker.row("src")
    with worker.counted():
        writer.add(f"""
            rows = {number}({queue.length})
            lanes = np.int32(state[ROW_LANES])
            own = np.int32(cuda.laneid & (lanes - 1))
            row = {number}(row_of_lane(blocks, lanes))
            step = {number}(rows_at_once(threads, lanes))
        """)
        with writer.block("while row < rows:"):
            writer.add(f"""
                src = {number}({queue.at("row")})
                arc = {number}({first}[{row}] + {number}(own))
            """)
            with writer.block(f"if arc < {first}[{behind}]:"):
                writer.add(f"dst = {worker.alike(f'{dst}[arc]', 'src')}")
                per_row()
                yield
            writer.add(f"row = {number}(row + step)")
