"""Phases that put things in order: messages by receiver, ids of a queue by number.

A counting sort by atomics, running sums and a scatter; within a receiver entries are sorted then,
so that the result does not depend on which thread came first.
"""

from __future__ import annotations

from typing import Any

from emv.codegen.queues import Queue


def group_messages(text: Any, store: Any) -> None:
    """Write the grouping of messages by receiver: first positions and entries."""
    first, entries = store.grouped(text)
    target = store.target(text)
    vertices = "state[NUM_VERTICES]"
    text.every("group_clear", f"{vertices} + 2", [f"{first}[row] = 0"], [first])
    count = f"fetch_add({first}, {target}[row] + 2, 1)"
    text.every(
        "group_count", store.length, [f"if {target}[row] >= 0:", f"    {count}"], [first, target]
    )
    running_sums(text, "group", first, f"{vertices} + 2")
    place = f"{entries}[fetch_add({first}, {target}[row] + 1, 1)] = row"
    text.every(
        "group_place",
        store.length,
        [f"if {target}[row] >= 0:", f"    {place}"],
        [first, target, entries],
    )
    ends = f"{first}[row], {first}[row + ONE]"
    text.every("group_sort", vertices, [f"sort_entries({entries}, {ends})"], [first, entries])


def running_sums(text: Any, name: str, array: str, length: str) -> None:
    """Write the phases that replace an array by its running sums."""
    parts = text.writer.scratch("scan_parts", "int64", "4096")
    for step, call in (
        ("add", f"add_stretches(me, threads, {array}, {parts}, {length})"),
        ("join", f"add_parts(me, {parts})"),
        ("spread", f"spread_sums(me, threads, {array}, {parts}, {length})"),
    ):
        worker: Any = text.worker(f"{name}_{step}_{array}")
        worker.writer.arrays.update({array, parts})
        worker.writer.add(call)
        text.phase(worker)


def sort_queue(text: Any, queue: Queue) -> None:
    """Write the sorting of a queue of different ids: flag them, and number the flags."""
    is_edges = "edges" in queue.name
    rows = "state[NUM_EDGES]" if is_edges else "state[NUM_VERTICES]"
    places = text.writer.scratch(
        f"sorted{'_edges' if is_edges else ''}", "int64", "E+1" if is_edges else "V+1"
    )
    text.every(f"sort_clear_{queue.name}", f"{rows} + 1", [f"{places}[row] = 0"], [places])
    worker: Any = text.worker(f"sort_mark_{queue.name}")
    worker.writer.arrays.update({places, queue.name})
    with worker.ids(queue, "v", ""):
        worker.writer.add(f"{places}[v + ONE] = 1")
    text.phase(worker)
    running_sums(text, f"sort_{queue.name}", places, f"{rows} + 1")
    put = [
        f"if {places}[row + ONE] > {places}[row]:",
        f"    {queue.name}[{places}[row]] = row",
    ]
    text.every(f"sort_put_{queue.name}", rows, put, [places, queue.name])
