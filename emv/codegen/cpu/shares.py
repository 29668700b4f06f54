"""Kept messages on CPU cores: sorted receiver by receiver, and folded in equal shares.

A block folds the positions of its share one after another, and keeps what it has of a receiver who
began in an earlier share, or goes on in the next, as a part. The parts are folded afterwards, in
their order (the segmented reduction of Blelloch, CMU-CS-90-190). So work does not depend on how
many messages a receiver has, and a fold takes them in one order.
"""

from __future__ import annotations

from emv.codegen.accumulators import Accumulators, Parts
from emv.codegen.appended import Appended
from emv.codegen.buffers import Store
from emv.codegen.cpu.blocks import CpuWorker, Extent
from emv.codegen.cpu.regions import CpuLaunch
from emv.codegen.queues import receivers_of

SHARE = 8192  # positions


def sort_phase(text: CpuLaunch, store: Appended) -> None:
    """Write the phase that sorts each receiver's messages by their keys."""
    worker = text.worker("group_sort")
    with worker.ids(receivers_of(worker, store.base), "v", ""):
        begin, end = store.span(worker, "v")
        inside = f"{store.entries(worker)}, {store.key(worker)}, {begin}, {end}"
        worker.writer.add(f"sort_entries({inside})")
    text.phase(worker)


def parts_of(text: CpuLaunch, worker: CpuWorker, store: Store) -> Parts:
    """Return the arrays of what shares leave: of each, at its begin and at its end."""
    terms = [f"{term}*2/{SHARE}" for term in store.size_in(worker).split("+")]
    return Parts(text, worker.writer, "part", "+".join([*terms, "2"]))


def fold_phases(text: CpuLaunch, store: Store) -> None:
    """Write the fold of the shares, and that of the parts they leave."""
    fold_shares(text, store)
    worker = text.worker("fold_parts")
    writer, parts = worker.writer, parts_of(text, worker, store)
    folded = Accumulators(writer, text.folds, tracks=True)
    each_row = f"""
        parts = 2 * (({store.total()} + {SHARE - 1}) // {SHARE})
        part = 0
        while part < parts:
            row = {parts.rows}[part]
            if row < 0:
                part += 1
                continue
            ...
    """
    parts_of_row = f"""
        while part < parts and ({parts.rows}[part] < 0 or {parts.rows}[part] == row):
            if {parts.rows}[part] >= 0:
                ...
            part += 1
    """
    with worker.blocks(), writer.around(each_row):
        folded.start_part()
        with writer.around(parts_of_row):
            parts.merge(folded, "part")
        folded.finish("row")
    text.phase(worker)


def fold_shares(text: CpuLaunch, store: Store) -> None:
    """Write the fold of each share."""
    worker = text.worker("fold_shares")
    writer, total = worker.writer, store.total()
    worker.extent = Extent(f"({total} + {SHARE - 1}) // {SHARE}", total)
    store.begin(worker)
    parts, folded = parts_of(text, worker, store), Accumulators(writer, text.folds, tracks=True)
    located = store.locate(worker, "low").format(low=0, high="state[NUM_VERTICES]")
    first, last = store.span(worker, "row")
    each_row = f"""
        low = block * {SHARE}
        high = min(low + {SHARE}, {total})
        {parts.rows}[2 * block] = {parts.rows}[2 * block + 1] = -1
        begin = low
        if low < high:
            row = {located}
        while begin < high:
            end = min({last}, high)
            ...
            begin = end
            if begin < high:
                row = {store.following(worker, "begin")}
    """
    with worker.blocks(), writer.around(each_row):
        folded.start_part()
        with writer.block("for position in range(begin, end):"):
            store.step(worker, folded, "position")
        with writer.block(f"if {first} < low or {last} > high:"):
            writer.add(f"part = 2 * block + (1 if {last} > high else 0)")
            parts.leave(folded, "part")
        with writer.block("else:"):
            folded.finish("row")
    text.phase(worker)
