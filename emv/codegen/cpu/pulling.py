"""Pull: every receiver walks its in-arcs and folds in registers, in the order of the slots.

The receiving function runs right behind its fold where it writes nothing that other receivers still
read of their sources. Otherwise the folds are kept, and it runs in a phase of its own.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from emv.codegen import receiving
from emv.codegen.cpu import hubs
from emv.codegen.cpu.keeping import walk_kept
from emv.codegen.cpu.visits import Extent
from emv.codegen.queues import queue_of
from emv.codegen.rows import Rows
from emv.codegen.sending import (
    SEND,
    guard_arguments,
    guard_text,
)
from emv.codegen.stored_pull import fold_messages, stage_phase, start_receivers
from emv.codegen.worker import Worker


def pull_phases(text: Any) -> None:
    """Write the phases of a pull."""
    dense = text.launch.domain.kind == "all"
    if text.launch.staged:
        stage_phase(text)
    if not dense:
        member_phase(text, 1)
    if text.listed and not text.inline:
        text.writer.add(f"state[{text.length}] = 0")
    if text.writer.copies.shift:
        fold_copies(text, dense)
    else:
        hub_phase(text, dense)
        fold_phase(text, dense)
    if not dense:
        member_phase(text, 0)


def member_phase(text: Any, value: int) -> None:
    """Write the phase that sets or clears the flags of the vertices that send."""
    worker = text.worker("enter" if value else "leave")
    queue = queue_of(worker, text.launch.domain, text.launch.ids)
    flags = worker.writer.scratch("sends", "uint8", "V", 0)
    with worker.ids(queue, "v", ""):
        worker.writer.add(f"{flags}[v] = {value}")
    text.phase(worker)


def fold_phase(text: Any, dense: bool) -> None:
    """Write the walk over receivers and their in-arcs."""
    worker = text.worker("pull")
    writer = worker.writer
    start_receivers(text, worker)
    blocks, first = writer.graph("in_blocks"), writer.graph("first_in")
    with worker.blocks():
        writer.add(f"low = {blocks}[block]")
        writer.add(f"high = {blocks}[block + 1]")
        with writer.block("for v in range(low, high):"):
            locals_ = [fold.start(writer, number) for number, fold in enumerate(text.folds)]
            writer.add("received = False")
            with hubs.unless_hub(text, worker, locals_):
                guarded_walk(text, worker, locals_, dense, (f"{first}[v]", f"{first}[v + 1]"))
            receiving.take(text, worker, locals_)
    worker.extent = Extent(f"len({blocks}) - 1", "state[NUM_ARCS]", arrays=(blocks,))
    text.phase(worker)


def fold_copies(text: Any, dense: bool) -> None:
    """Write the walk over receivers of a batch: the copies of a vertex read the same row."""
    worker = text.worker("pull")
    writer, first = worker.writer, worker.writer.graph("first_in")
    start_receivers(text, worker)
    row = writer.copies.vertex("v")
    with worker.ids(None, "v", "state[NUM_VERTICES]"):
        locals_ = [fold.start(writer, number) for number, fold in enumerate(text.folds)]
        writer.add("received = False")
        guarded_walk(text, worker, locals_, dense, (f"{first}[{row}]", f"{first}[{row} + ONE]"))
        receiving.take(text, worker, locals_)
    text.phase(worker)


def hub_phase(text: Any, dense: bool) -> None:
    """Write the phase that folds the in-arcs of hubs in pieces."""
    launch, worker = text.launch, text.worker("hubs")
    worker.scalar_arguments(launch.send, launch.args, SEND)
    if launch.guard is not None:
        guard_arguments(worker)

    def walk(made: Worker, locals_: list[list[str]], begin: str, end: str) -> None:
        guarded_walk(text, made, locals_, dense, (begin, end))

    hubs.hub_phase(text, worker, walk)


def guarded_walk(
    text: Any, worker: Any, locals_: list[list[str]], dense: bool, span: tuple[str, str]
) -> None:
    """Write the loop over a stretch of a receiver's in-arcs, if the receiver cares for messages."""
    with contextlib.ExitStack() as stack:
        if text.launch.guard is not None:
            stack.enter_context(worker.writer.block(f"if {guard_text(text, worker, 'v')}:"))
        rows = Rows(worker.writer, "csr", "in")
        kept = text.launch.kept
        walk = walk_kept(worker, span) if kept else walk_slots(worker, dense, span)
        fold_messages(text, worker, rows, locals_, walk)


@contextlib.contextmanager
def walk_slots(worker: Any, dense: bool, span: tuple[str, str]) -> Iterator[None]:
    """Write the loop over a stretch of in-arcs: ``slot``, ``src``."""
    writer = worker.writer
    sources = writer.graph("src_of_slot")
    with writer.block(f"for slot in range(np.uint64({span[0]}), np.uint64({span[1]})):"):
        writer.add(f"src = {writer.copies.like(f'{sources}[slot]', 'v')}")
        if not dense:
            flags = writer.scratch("sends", "uint8", "V", 0)
            with writer.block(f"if {flags}[src] == 0:"):
                writer.add("continue")
        yield
