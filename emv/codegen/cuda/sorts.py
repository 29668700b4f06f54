"""Phases that put things in order: a receiver's messages by key, ids of a queue by number.

So results do not depend on which thread came first. What a receiver has is sorted where it stands:
by a warp, or by a block if it is long.
"""

from __future__ import annotations

import abc

from emv.codegen.appended import Appended
from emv.codegen.buffers import Store
from emv.codegen.cuda.calls import CudaLaunch
from emv.codegen.cuda.threads import CudaWorker
from emv.codegen.queues import Queue, receivers_of
from emv.codegen.sorted_keys import SortedKeys
from emv.codegen.state import Own, place_of_launch

LONG = 2048  # messages of a receiver from which a whole block sorts them
MOST_OF_WARP = {"uint32": 1024, "uint64": 512}  # keys that a warp sorts: its room in shared memory


class StretchSort(abc.ABC):
    """Writes the phases that sort what each vertex has in a store.

    Attributes
    ----------
    name, long_name : str
        Of the first phase, and of the list of the vertices that blocks sort.
    most : int
        How much a warp sorts.
    """

    name, long_name, most = "", "", LONG

    def __init__(self, text: CudaLaunch, store: Store, number: int) -> None:
        self.text, self.store = text, store
        self.length = place_of_launch(number, Own.LONG_ONES)

    @abc.abstractmethod
    def vertices(self, worker: CudaWorker) -> tuple[str, str]:
        """Return the texts of how many vertices there are, and of the one at ``base + lane``."""

    @abc.abstractmethod
    def by_warp(self, worker: CudaWorker) -> str:
        """Return the call with which a warp sorts ``count`` entries from ``begin`` of each lane."""

    @abc.abstractmethod
    def by_block(self, worker: CudaWorker) -> str:
        """Return the call with which a block sorts ``count`` entries from ``begin``."""

    def long(self, worker: CudaWorker) -> str:
        """Name the list of the vertices that blocks sort."""
        terms = [f"{term}/{self.most}" for term in self.store.size_in(worker).split("+")]
        return worker.writer.scratch(self.long_name, "int64", "+".join([*terms, "1"]))

    def write(self) -> None:
        """Write the phases."""
        worker = self.text.worker(self.name)
        first, last = self.store.span(worker, "v")
        num_vertices, vertex = self.vertices(worker)
        worker.writer.add(f"""
            lane = np.int32(cuda.laneid)
            base = np.int64(me >> 5) * 32
            while base < {num_vertices}:
                begin = np.int64(0)
                count = np.int64(0)
                if base + lane < {num_vertices}:
                    v = {vertex}
                    begin = {first}
                    count = {last} - begin
                if count > {self.most}:
                    enqueue({self.long(worker)}, state, {self.length}, v)
                    count = np.int64(0)
                {self.by_warp(worker)}
                base += np.int64(threads)
        """)
        self.text.phase(worker)
        worker = self.text.worker(f"{self.name}_long")
        first, last = self.store.span(worker, "v")
        worker.writer.add(f"""
            task = np.int64(me // cuda.blockDim.x)
            while task < state[{self.length}]:
                v = {self.long(worker)}[task]
                begin = {first}
                count = {last} - begin
                {self.by_block(worker)}
                task += np.int64(blocks)
        """)
        self.text.phase(worker)
        self.text.serial(f"state[{self.length}] = 0")


class MessageSort(StretchSort):
    """Writes the phases that sort receivers' messages, as entries of an array."""

    store: Appended

    def __init__(self, text: CudaLaunch, store: Appended) -> None:
        super().__init__(text, store, store.base)
        self.name, self.long_name = "group_sort", f"long{store.base}"

    def vertices(self, worker: CudaWorker) -> tuple[str, str]:
        """Return the texts of how many receivers there are, and of one."""
        queue = receivers_of(worker, self.store.base)
        return queue.length, f"{queue.name}[base + lane]"

    def by_warp(self, worker: CudaWorker) -> str:
        """Return the call with which a warp sorts entries."""
        return f"sort_short({self.store.entries(worker)}, {self.store.key(worker)}, begin, count)"

    def by_block(self, worker: CudaWorker) -> str:
        """Return the call with which a block sorts entries."""
        arrays = f"{self.store.entries(worker)}, {self.store.key(worker)}"
        return f"sort_long({arrays}, begin, begin + count)"


class KeySort(StretchSort):
    """Writes the phases that make the keys of all messages, and sort those of each vertex."""

    def __init__(self, text: CudaLaunch, keys: SortedKeys) -> None:
        super().__init__(text, keys.store, text.launch.number)
        self.keys, self.most = keys, MOST_OF_WARP[keys.dtype]
        self.name, self.long_name = "sort_keys", f"long_{keys.name}"

    def vertices(self, worker: CudaWorker) -> tuple[str, str]:
        """Return the texts of how many vertices there are, and of one."""
        return "state[NUM_VERTICES]", "base + lane"

    def by_warp(self, worker: CudaWorker) -> str:
        """Return the call with which a warp sorts keys, in its room in shared memory."""
        is_narrow = self.keys.dtype == "uint32"
        word, rooms = ("narrow", "rooms") if is_narrow else ("wide", "wide_rooms")
        worker.shared[rooms] = None
        inside = f"{self.keys.array(worker)}, begin, np.int32(count), {self.keys.largest}"
        return f"sort_{word}_short({rooms}, {inside})"

    def by_block(self, worker: CudaWorker) -> str:
        """Return the call with which a block sorts keys, digit by digit."""
        keys = self.keys
        worker.shared["rooms"] = None
        spare = worker.writer.scratch(f"spare_{keys.name}", keys.dtype, self.store.size_in(worker))
        inside = f"{keys.array(worker)}, {spare}, begin, np.int32(count)"
        return f"sort_digits(rooms, {inside}, {keys.dtype.removeprefix('uint')})"

    def write(self) -> None:
        """Write the phases."""
        keys, store, worker = self.keys, self.store, self.text.worker("make_keys")
        store.begin(worker)
        with worker.ids(None, "position", store.total()):
            worker.writer.add(f"entry = {store.at(worker, 'position')}")
            key, is_sent = keys.key(worker), store.is_sent(worker)
            key = f"{key} if {is_sent} else {keys.largest}" if is_sent else key
            worker.writer.add(f"{keys.array(worker)}[position] = {key}")
        self.text.phase(worker)
        super().write()


def sort_messages(text: CudaLaunch, store: Appended) -> None:
    """Write the phases that sort receivers' messages by their keys."""
    MessageSort(text, store).write()


def sort_keys(text: CudaLaunch, keys: SortedKeys) -> None:
    """Write the phases that make the keys of all messages, and sort those of each vertex."""
    KeySort(text, keys).write()


def running_sums(text: CudaLaunch, name: str, array: str, length: str) -> None:
    """Write the phases that replace an array by its running sums."""
    parts = text.writer.scratch("scan_parts", "int64", "4096")
    for step, call in (
        ("add", f"add_stretches(me, threads, {array}, {parts}, {length})"),
        ("join", f"add_parts(me, {parts})"),
        ("spread", f"spread_sums(me, threads, {array}, {parts}, {length})"),
    ):
        worker = text.worker(f"{name}_{step}_{array}")
        worker.writer.take([array, parts])
        worker.writer.add(call)
        text.phase(worker)


def sort_queue(text: CudaLaunch, queue: Queue) -> None:
    """Write the sorting of a queue of different ids: flag them, and number the flags."""
    is_edges = "edges" in queue.name
    rows = "state[NUM_EDGES]" if is_edges else "state[NUM_VERTICES]"
    name, size = ("sorted_edges", "E+1") if is_edges else ("sorted", "V+1")
    places = text.writer.scratch(name, "int64", size)
    text.every(f"sort_clear_{queue.name}", f"{rows} + 1", f"{places}[row] = 0", [places])
    worker = text.worker(f"sort_mark_{queue.name}")
    worker.writer.take([places, queue.name])
    with worker.ids(queue, "v", ""):
        worker.writer.add(f"{places}[v + ONE] = 1")
    text.phase(worker)
    running_sums(text, f"sort_{queue.name}", places, f"{rows} + 1")
    put = f"if {places}[row + ONE] > {places}[row]: {queue.name}[{places}[row]] = row"
    text.every(f"sort_put_{queue.name}", rows, put, [places, queue.name])
