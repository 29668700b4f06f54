"""Walks over the arcs of queued vertices on cores that first ask whose ends pass a test.

On a mesh a processor guesses wrong every other time whether an end passes, and behind a wrong guess
nothing is begun. So where rows are short the arcs of a block whose ends do are put down without a
branch, each where the next one overwrites it if it does not count, and gone through behind that.
Where rows are long most ends are told apart by the same answer, and to put down all costs more.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from emv.codegen.queues import Queue
from emv.passes.ask_first import ends_of
from emv_kernels.sizes import ASKED


@contextlib.contextmanager
def asked_arcs(
    worker: Any, queue: Queue, per_row: Callable[[], None], looks: str
) -> Iterator[None]:
    """Write the walk over those arcs of queued vertices for whose ``dst`` a condition holds."""
    writer, ids = worker.writer, worker.unit.ids
    ends = [writer.scratch(f"asked_{end}", ids, f"T*{ASKED}") for end in ends_of(worker.launch)]
    put = "".join(f"{end}[num_asked] = {end[6:]}\n" for end in ends)
    step = f"dst = {writer.graph('dst_of_arc')}[arc]"
    writer.add(f"by_arcs = {worker.is_long()}")
    writer.add(f"asked = np.uint64(thread) * np.uint64({ASKED})")
    with worker.blocks():
        writer.add("num_asked = asked")
        with worker.rows_of_block(queue):
            with writer.block("if by_arcs:"), writer.block("for arc in range(begin, end):"):
                writer.add(step)
                with writer.block(f"if {looks}:"):
                    writer.add(f"{put}num_asked += ONE")
            with writer.block("else:"), writer.block("for arc in range(begin, end):"):
                writer.add(f"{step}\n{put}num_asked += np.uint64({looks})")
        with writer.block("for place in range(asked, num_asked):"):
            writer.add("".join(f"{end[6:]} = {end}[place]\n" for end in ends))
            per_row()
            yield
