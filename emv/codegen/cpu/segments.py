"""Kept messages on CPU cores: sorted receiver by receiver, and folded in equal shares.

A block folds the positions of its share one after another, and keeps what it has of a receiver who
began in an earlier share, or goes on in the next, as a part. The parts are folded afterwards, in
their order (the segmented reduction of Blelloch, CMU-CS-90-190). So work does not depend on how
many messages a receiver has, and a fold takes them in one order.
"""

from __future__ import annotations

import contextlib
from typing import Any

from emv.codegen.cpu.visits import Extent
from emv.codegen.expressions import as_read, as_stored
from emv.codegen.folding import array_dtype, finish_fold, merge_of, without_initial
from emv.codegen.queues import receivers_of

SHARE = 8192  # positions


def sort_phase(text: Any, store: Any) -> None:
    """Write the phase that sorts each receiver's messages by their keys."""
    worker = text.worker("group_sort")
    with worker.ids(receivers_of(worker, store.base), "v", ""):
        begin, end = store.span(worker, "v")
        inside = f"{store.entries(worker)}, {store.key(worker)}, {begin}, {end}"
        worker.writer.add(f"sort_entries({inside})")
    text.phase(worker)


def fold_phases(text: Any, store: Any) -> None:
    """Write the fold of the shares, and that of the parts they leave."""
    share_phase(text, store)
    worker = text.worker("fold_parts")
    writer = worker.writer
    rows, heard = marks(store, worker)
    with worker.blocks():
        writer.add(f"parts = 2 * (({store.total()} + {SHARE - 1}) // {SHARE})")
        writer.add("part = 0")
        with writer.block("while part < parts:"):
            writer.add(f"row = {rows}[part]")
            with writer.block("if row < 0:"):
                writer.add("part += 1")
                writer.add("continue")
            locals_ = start(text, writer)
            with writer.block(f"while part < parts and ({rows}[part] < 0 or {rows}[part] == row):"):
                with writer.block(f"if {rows}[part] >= 0 and {heard}[part] != 0:"):
                    merge_part(text, worker, locals_)
                    writer.add("received = True")
                writer.add("part += 1")
            finish_fold(text, writer, locals_)
    text.phase(worker)


def share_phase(text: Any, store: Any) -> None:
    """Write the fold of each share."""
    worker = text.worker("fold_shares")
    writer, total = worker.writer, store.total()
    worker.extent = Extent(f"({total} + {SHARE - 1}) // {SHARE}", total)
    store.begin(worker)
    rows, heard = marks(store, worker)
    with worker.blocks():
        writer.add(f"low = block * {SHARE}")
        writer.add(f"high = min(low + {SHARE}, {total})")
        writer.add(f"{rows}[2 * block] = {rows}[2 * block + 1] = -1")
        writer.add("begin = low")
        with writer.block("if low < high:"):
            located = store.locate(worker, "low").format(low=0, high="state[NUM_VERTICES]")
            writer.add(f"row = {located}")
        with writer.block("while begin < high:"):
            first, last = store.span(worker, "row")
            writer.add(f"end = min({last}, high)")
            locals_ = start(text, writer)
            fold_share(text, worker, store, locals_)
            with writer.block(f"if {first} < low or {last} > high:"):
                writer.add(f"part = 2 * block + (1 if {last} > high else 0)")
                writer.add(f"{rows}[part] = row")
                writer.add(f"{heard}[part] = 1 if received else 0")
                keep_part(text, worker, locals_)
            with writer.block("else:"):
                finish_fold(text, writer, locals_)
            writer.add("begin = end")
            with writer.block("if begin < high:"):
                writer.add(f"row = {store.following(worker, 'begin')}")
    text.phase(worker)


def fold_share(text: Any, worker: Any, store: Any, locals_: list[list[str]]) -> None:
    """Write the loop over a receiver's positions in a share."""
    writer, is_sent = worker.writer, store.is_sent(worker)
    with writer.block("for position in range(begin, end):"), contextlib.ExitStack() as stack:
        writer.add(f"entry = {store.at(worker, 'position')}")
        if is_sent:
            stack.enter_context(writer.block(f"if {is_sent}:"))
        parts = store.read(worker)
        for fold, names in zip(text.folds, locals_, strict=True):
            fold.step(writer, names, parts)
        writer.add("received = True")


def start(text: Any, writer: Any) -> list[list[str]]:
    """Write the accumulators of a share's part of a receiver; ``initial=`` comes at the end."""
    writer.add("received = False")
    return [without_initial(fold).start(writer, k) for k, fold in enumerate(text.folds)]


def marks(store: Any, worker: Any) -> tuple[str, str]:
    """Name whose fold a part is, -1 where it is none, and whether a message is in it."""
    scratch, base = worker.writer.scratch, store.number
    return (
        scratch(f"part{base}_row", "int64", parts_size(store, worker)),
        scratch(f"part{base}_received", "uint8", parts_size(store, worker)),
    )


def parts_size(store: Any, worker: Any) -> str:
    """Return how many parts there may be at most."""
    size = store.sized(worker) if hasattr(store, "sized") else store.size
    return "+".join([*(f"{term}*2/{SHARE}" for term in size.split("+")), "2"])


def part_arrays(text: Any, worker: Any) -> list[list[str]]:
    """Name the arrays of the parts' folds."""
    store = text.unit.stores[text.launch.number]
    return [
        [
            worker.writer.scratch(
                f"part{store.number}_{k}_{component}", array_dtype(kind), parts_size(store, worker)
            )
            for component, kind in enumerate(fold.stored)
        ]
        for k, fold in enumerate(text.folds)
    ]


def keep_part(text: Any, worker: Any, locals_: list[list[str]]) -> None:
    """Write the accumulators to part ``part``."""
    arrays = part_arrays(text, worker)
    for names, kept, fold in zip(locals_, arrays, text.folds, strict=True):
        for name, array, kind in zip(names, kept, fold.stored, strict=True):
            worker.writer.add(f"{array}[part] = {as_stored(name, kind)}")


def merge_part(text: Any, worker: Any, locals_: list[list[str]]) -> None:
    """Write the fold of part ``part`` behind what is folded already."""
    arrays = part_arrays(text, worker)
    for names, kept, fold in zip(locals_, arrays, text.folds, strict=True):
        parts = [
            as_read(f"{array}[part]", kind) for array, kind in zip(kept, fold.stored, strict=True)
        ]
        merge_of(fold).step(worker.writer, names, parts)
