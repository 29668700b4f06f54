"""Fold kept messages in equal shares: a segmented scan, so that degrees do not matter.

Each warp takes a share of consecutive positions and scans 32 of them at a time: a lane adds what
the lanes before it have of the same receiver, five times at twice the distance (Sengupta, Harris
and Garland, NVIDIA NVR-2008-003). The lane at a receiver's last position has its fold. What the
last lane has goes on in the next 32. A receiver who began in another share, or goes on in another,
leaves one part per share; one warp scans the parts afterwards, in the same way. Shares depend on
the number of positions alone and a fold keeps the order, so that a sum of floats over slots always
comes out the same.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from emv.codegen.expressions import as_read, as_stored
from emv.codegen.folding import array_dtype, finish_fold, merge_of, without_initial
from emv.codegen.writer import Writer

SHARES = 4096  # at most: about as many as there are warps
PARTS = str(2 * SHARES)
LEAST = 64  # positions of a share


def fold_phases(text: Any, store: Any) -> None:
    """Write the scan of the shares, and that of the parts they leave."""
    share_phase(text, store)
    worker = text.worker("fold_parts")
    writer = worker.writer
    rows, heard = marks(text, worker)
    share_size(store, writer)
    writer.add("end = 2 * ((total + size - 1) // size)")
    with writer.block("if me < 32:"):

        def load(locals_: list[list[str]]) -> None:
            with writer.block("if position < end:"):
                writer.add(f"row = {worker.signed}({rows}[position])")
                with writer.block(f"if row >= 0 and {heard}[position] != 0:"):
                    writer.add("received = True")
                    load_part(text, worker, locals_)

        begin_scan(text, worker)
        writer.add("place = np.int64(0)")
        with writer.block("while place < end:"):
            writer.add("position = place + np.int32(cuda.laneid)")
            locals_ = scan(text, worker, load)
            with writer.block("if row >= 0:"):
                last = f"position + 1 == end or {rows}[position + 1] != row"
                with writer.block(f"if {last}:"):
                    finish_fold(text, writer, locals_)
            writer.add("place += 32")
    text.phase(worker)


def share_phase(text: Any, store: Any) -> None:
    """Write the scan of each share."""
    worker = text.worker("fold_shares")
    writer = worker.writer
    rows, _ = marks(text, worker)
    store.begin(worker)
    share_size(store, writer)
    writer.add("share = np.int64(me >> 5)")
    with writer.block("while share * size < total:"):
        writer.add("low = share * size")
        writer.add("high = min(low + size, total)")
        with writer.block("if cuda.laneid == 0:"):
            writer.add(f"{rows}[2 * share] = -1")
            writer.add(f"{rows}[2 * share + 1] = -1")
        writer.add("cuda.syncwarp()")
        is_searched = find_rows(store, worker)
        bounds = {"low": "first_row", "high": "last_row"}

        def load(locals_: list[list[str]]) -> None:
            with writer.block("if position < high:"), contextlib.ExitStack() as stack:
                located = store.locate(worker, "position").format(**bounds)
                writer.add(f"row = {worker.signed}({located})")
                writer.add(f"entry = {store.at(worker, 'position')}")
                if store.is_sent(worker):
                    stack.enter_context(writer.block(f"if {store.is_sent(worker)}:"))
                parts = store.read(worker)
                for fold, names in zip(text.folds, locals_, strict=True):
                    fold.step(writer, names, parts)
                writer.add("received = True")

        begin_scan(text, worker)
        writer.add("place = low")
        with writer.block("while place < high:"):
            writer.add("position = place + np.int32(cuda.laneid)")
            locals_ = scan(text, worker, load)
            if is_searched:
                with writer.block("if carried_row > first_row:"):
                    writer.add("first_row = carried_row")
            emit(text, worker, store, locals_)
            writer.add("place += 32")
        writer.add("share += np.int64(threads >> 5)")
    text.phase(worker)


def find_rows(store: Any, worker: Any) -> bool:
    """Write the first and the last but one receiver of a share; return whether they are needed."""
    if "{low}" not in store.locate(worker, "low"):
        return False
    bounds = {"low": "0", "high": "state[NUM_VERTICES]"}
    located = store.locate(worker, "low").format(**bounds)
    worker.writer.add(f"first_row = {worker.signed}({located})")
    bounds["low"] = "first_row"
    located = store.locate(worker, "(high - 1)").format(**bounds)
    worker.writer.add(f"last_row = {worker.signed}({located} + 1)")
    return True


def share_size(store: Any, writer: Writer) -> None:
    """Write how many positions there are, and how many a warp takes."""
    writer.add(f"total = np.int64({store.total()})")
    writer.add(f"size = max((total + {SHARES - 1}) // {SHARES}, np.int64({LEAST}))")
    writer.add("size = ((size + 31) >> 5) << 5")


def emit(text: Any, worker: Any, store: Any, locals_: list[list[str]]) -> None:
    """Write what the lane at the last position of a receiver, or of the share, does."""
    writer = worker.writer
    rows, heard = marks(text, worker)
    with writer.block("if row >= 0:"):
        first, last = store.span(worker, "row")
        writer.add(f"begin = {first}")
        writer.add(f"end = {last}")
        with writer.block("if position + 1 == min(end, high):"):
            with writer.block("if begin < low or end > high:"):
                with writer.block("if begin < low and end > high:  # so that its parts adjoin"):
                    writer.add(f"{rows}[2 * share] = row")
                    writer.add(f"{heard}[2 * share] = 0")
                writer.add("part = 2 * share + (1 if end > high else 0)")
                writer.add(f"{rows}[part] = row")
                writer.add(f"{heard}[part] = 1 if received else 0")
                for names, arrays, fold in zip(
                    locals_, part_arrays(text, worker), text.folds, strict=True
                ):
                    for name, array, kind in zip(names, arrays, fold.stored, strict=True):
                        writer.add(f"{array}[part] = {as_stored(name, kind)}")
            with writer.block("else:"):
                finish_fold(text, writer, locals_)


def begin_scan(text: Any, worker: Any) -> None:
    """Write what nothing is carried over from."""
    writer = worker.writer
    writer.add(f"carried_row = {worker.signed}(-1)")
    writer.add("carried = False")
    for number, fold in enumerate(text.folds):
        bare = without_initial(fold)
        for k, value in enumerate(bare.starts(writer)):
            writer.add(f"carried{number}_{k} = {value}")


def scan(text: Any, worker: Any, load: Callable[[list[list[str]]], None]) -> list[list[str]]:
    """Write the scan of 32 positions, what was carried included; return the accumulators.

    ``row``, ``received`` and the accumulators are those of a lane, and afterwards of all lanes up
    to it that have its row.
    """
    folds, writer = text.folds, worker.writer
    writer.add(f"row = {worker.signed}(-1)")
    writer.add("received = False")
    locals_ = [without_initial(fold).start(writer, k) for k, fold in enumerate(folds)]
    load(locals_)
    carried = [[f"carried{k}_{j}" for j in range(len(names))] for k, names in enumerate(locals_)]
    with writer.block("if cuda.laneid == 0 and carried and carried_row == row:"):
        put_before(text, writer, carried, locals_)
    writer.add("step = np.int32(1)")
    with writer.block("while step < 32:"):
        writer.add("other_row = cuda.shfl_up_sync(ALL, row, step)")
        writer.add("others = before_bool(received, step)")
        before: list[list[str]] = []
        for names, fold in zip(locals_, folds, strict=True):
            before.append([f"before_{name}" for name in names])
            for other, name, kind in zip(before[-1], names, fold.stored, strict=True):
                writer.add(f"{other} = {shuffled(name, kind)}")
        with writer.block("if cuda.laneid >= step and others and other_row == row:"):
            put_before(text, writer, before, locals_)
        writer.add("step = np.int32(step * 2)")
    writer.add("carried_row = from_last(row)")
    writer.add("carried = from_last(np.int32(1 if received else 0)) != 0")
    for names, fold, kept in zip(locals_, folds, carried, strict=True):
        for name, kind, local in zip(names, fold.stored, kept, strict=True):
            writer.add(f"{local} = {last_of(name, kind)}")
    return locals_


def put_before(
    text: Any, writer: Writer, before: list[list[str]], locals_: list[list[str]]
) -> None:
    """Write the fold of other accumulators with a lane's own behind them."""
    with writer.block("if received:"):
        for fold, others, names in zip(text.folds, before, locals_, strict=True):
            merge_of(fold).step(writer, others, names)
    for others, names in zip(before, locals_, strict=True):
        for other, name in zip(others, names, strict=True):
            writer.add(f"{name} = {other}")
    writer.add("received = True")


def shuffled(name: str, kind: str) -> str:
    """Return the text of a local as the lane ``step`` before has it, in its own type."""
    if kind == "bool":
        return f"before_bool({name}, step)"
    if kind in ("f32", "f64"):
        return f"before_float({name}, step)"
    return f"np.{array_dtype(kind)}(before_int({name}, step))"


def last_of(name: str, kind: str) -> str:
    """Return the text of a local as the last lane has it, in its own type."""
    if kind == "bool":
        return f"from_last(np.int32(1 if {name} else 0)) != 0"
    if kind in ("f32", "f64"):
        return f"from_last({name})"
    return f"np.{array_dtype(kind)}(from_last(np.int64({name})))"


def marks(text: Any, worker: Any) -> tuple[str, str]:
    """Name whose fold a part is, -1 where it is none, and whether a message is in it."""
    scratch, number = worker.writer.scratch, text.launch.number
    return (
        scratch(f"part{number}_row", "int64", PARTS),
        scratch(f"part{number}_received", "uint8", PARTS),
    )


def part_arrays(text: Any, worker: Any) -> list[list[str]]:
    """Name the arrays of the parts' folds."""
    number = text.launch.number
    return [
        [
            worker.writer.scratch(f"part{number}_{k}_{component}", array_dtype(kind), PARTS)
            for component, kind in enumerate(fold.stored)
        ]
        for k, fold in enumerate(text.folds)
    ]


def load_part(text: Any, worker: Any, locals_: list[list[str]]) -> None:
    """Write the accumulators from the part at ``position``."""
    for names, arrays, fold in zip(locals_, part_arrays(text, worker), text.folds, strict=True):
        for name, array, kind in zip(names, arrays, fold.stored, strict=True):
            worker.writer.add(f"{name} = {as_read(f'{array}[position]', kind)}")
