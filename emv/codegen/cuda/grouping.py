"""Phases that put things in order: a receiver's messages by key, ids of a queue by number.

So results do not depend on which thread came first.
"""

from __future__ import annotations

from typing import Any

from emv.codegen.queues import Queue, receivers_of
from emv.codegen.sorting import SortedKeys
from emv.codegen.state import LONG_ONES, place_of_launch

LONG = 2048  # messages of a receiver from which a whole block sorts them
MOST_OF_WARP = {"uint32": 1024, "uint64": 512}  # keys that a warp sorts: its room in shared memory


def sort_messages(text: Any, store: Any) -> None:
    """Write the phases that sort receivers' messages: short lists by warps, long ones by blocks."""
    worker: Any = text.worker("group_sort")
    writer, number = worker.writer, store.base
    queue = receivers_of(worker, number)
    long_rows = writer.scratch(f"long{number}", "int64", long_size(store, worker))
    length = store.place_number(LONG_ONES)
    entries, keys = store.entries(worker), store.key(worker)
    writer.add("lane = np.int32(cuda.laneid)")
    writer.add("base = np.int64(me >> 5) * 32")
    with writer.block(f"while base < {queue.length}:"):
        writer.add("begin = np.int64(0)")
        writer.add("count = np.int64(0)")
        with writer.block(f"if base + lane < {queue.length}:"):
            writer.add(f"v = {queue.name}[base + lane]")
            first, last = store.span(worker, "v")
            writer.add(f"begin = {first}")
            writer.add(f"count = {last} - begin")
        with writer.block(f"if count >= {LONG}:"):
            writer.add(f"enqueue({long_rows}, state, {length}, v)")
            writer.add("count = np.int64(0)")
        writer.add(f"sort_short({entries}, {keys}, begin, count)")
        writer.add("base += np.int64(threads)")
    text.phase(worker)
    worker = text.worker("group_sort_long")
    writer = worker.writer
    writer.take([long_rows])
    entries, keys = store.entries(worker), store.key(worker)
    writer.add("task = np.int64(me // cuda.blockDim.x)")
    with writer.block(f"while task < state[{length}]:"):
        first, last = store.span(worker, f"{long_rows}[task]")
        writer.add(f"sort_long({entries}, {keys}, {first}, {last})")
        writer.add("task += np.int64(blocks)")
    text.phase(worker)
    text.serial(f"state[{length}] = 0")


def sort_keys(text: Any, keys: SortedKeys) -> None:
    """Write the phases that make the keys of all messages, and sort those of each vertex."""
    store, worker = keys.store, text.worker("make_keys")
    store.begin(worker)
    array = keys.array(worker)
    with worker.ids(None, "position", store.total()):
        worker.writer.add(f"entry = {store.at(worker, 'position')}")
        key, is_sent = keys.key(worker), store.is_sent(worker)
        worker.writer.add(
            f"{array}[position] = {key}" + (f" if {is_sent} else {keys.largest}" if is_sent else "")
        )
    text.phase(worker)
    sort_short_keys(text, keys)
    sort_long_keys(text, keys)


def long_keys(text: Any, keys: SortedKeys, worker: Any) -> tuple[str, int]:
    """Name the list of the vertices whose keys a block sorts; return also its length's place."""
    size = long_size(keys.store, worker, MOST_OF_WARP[keys.dtype])
    name = worker.writer.scratch(f"long_{keys.name}", "int64", size)
    return name, place_of_launch(text.launch.number) + LONG_ONES


def sort_short_keys(text: Any, keys: SortedKeys) -> None:
    """Write the phase in which warps sort keys; who has more of them is put into a list."""
    worker: Any = text.worker("sort_keys")
    writer, most = worker.writer, MOST_OF_WARP[keys.dtype]
    long_rows, length = long_keys(text, keys, worker)
    array = keys.array(worker)
    word, rooms = ("narrow", "rooms") if keys.dtype == "uint32" else ("wide", "wide_rooms")
    worker.shared[rooms] = None
    writer.add("lane = np.int32(cuda.laneid)")
    writer.add("base = np.int64(me >> 5) * 32")
    with writer.block("while base < state[NUM_VERTICES]:"):
        writer.add("begin = np.int64(0)")
        writer.add("count = np.int64(0)")
        with writer.block("if base + lane < state[NUM_VERTICES]:"):
            first, last = keys.store.span(worker, "(base + lane)")
            writer.add(f"begin = {first}")
            writer.add(f"count = {last} - begin")
        with writer.block(f"if count > {most}:"):
            writer.add(f"enqueue({long_rows}, state, {length}, base + lane)")
            writer.add("count = np.int64(0)")
        writer.add(f"sort_{word}_short({rooms}, {array}, begin, np.int32(count), {keys.largest})")
        writer.add("base += np.int64(threads)")
    text.phase(worker)


def sort_long_keys(text: Any, keys: SortedKeys) -> None:
    """Write the phase in which blocks sort the keys of those in the list."""
    worker: Any = text.worker("sort_keys_long")
    writer, store = worker.writer, keys.store
    long_rows, length = long_keys(text, keys, worker)
    worker.shared["rooms"] = None
    array = keys.array(worker)
    spare = writer.scratch(f"spare_{keys.name}", keys.dtype, store.size_in(worker))
    bits = keys.dtype.removeprefix("uint")
    writer.add("task = np.int64(me // cuda.blockDim.x)")
    with writer.block(f"while task < state[{length}]:"):
        first, last = store.span(worker, f"{long_rows}[task]")
        writer.add(f"begin = {first}")
        writer.add(f"count = np.int32({last} - begin)")
        writer.add(f"sort_digits(rooms, {array}, {spare}, begin, count, {bits})")
        writer.add("task += np.int64(blocks)")
    text.phase(worker)
    text.serial(f"state[{length}] = 0")


def long_size(store: Any, worker: Any, most: int = LONG) -> str:
    """Return how many receivers may have so many messages that a block sorts them."""
    return "+".join([*(f"{term}/{most}" for term in store.size_in(worker).split("+")), "1"])


def running_sums(text: Any, name: str, array: str, length: str) -> None:
    """Write the phases that replace an array by its running sums."""
    parts = text.writer.scratch("scan_parts", "int64", "4096")
    for step, call in (
        ("add", f"add_stretches(me, threads, {array}, {parts}, {length})"),
        ("join", f"add_parts(me, {parts})"),
        ("spread", f"spread_sums(me, threads, {array}, {parts}, {length})"),
    ):
        worker: Any = text.worker(f"{name}_{step}_{array}")
        worker.writer.take([array, parts])
        worker.writer.add(call)
        text.phase(worker)


def sort_queue(text: Any, queue: Queue) -> None:
    """Write the sorting of a queue of different ids: flag them, and number the flags."""
    is_edges = "edges" in queue.name
    rows = "state[NUM_EDGES]" if is_edges else "state[NUM_VERTICES]"
    places = text.writer.scratch(
        f"sorted{'_edges' if is_edges else ''}", "int64", "E+1" if is_edges else "V+1"
    )
    text.every(f"sort_clear_{queue.name}", f"{rows} + 1", f"{places}[row] = 0", [places])
    worker: Any = text.worker(f"sort_mark_{queue.name}")
    worker.writer.take([places, queue.name])
    with worker.ids(queue, "v", ""):
        worker.writer.add(f"{places}[v + ONE] = 1")
    text.phase(worker)
    running_sums(text, f"sort_{queue.name}", places, f"{rows} + 1")
    put = f"if {places}[row + ONE] > {places}[row]: {queue.name}[{places}[row]] = row"
    text.every(f"sort_put_{queue.name}", rows, put, [places, queue.name])
