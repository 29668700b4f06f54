"""Phases that put things in order: a receiver's messages by key, ids of a queue by number.

So results do not depend on which thread came first. What a receiver has is sorted where it stands:
by a warp, or by a block if it is long.
"""

from __future__ import annotations

import textwrap

from emv.codegen.appended import Appended
from emv.codegen.buffers import Store
from emv.codegen.cuda import long_lists
from emv.codegen.cuda.calls import CudaLaunch
from emv.codegen.cuda.threads import CudaWorker
from emv.codegen.queues import Queue, receivers_of
from emv.codegen.slots import AtArcs
from emv.codegen.sorted_keys import SortedKeys
from emv.codegen.state import Own, own_text, place_of_launch
from emv.ir.frozen import dataclass
from emv.passes.sends import in_any_order

LONG = 2048  # messages of a receiver from which a whole block sorts them
MOST_OF_WARP = {"uint32": 1024, "uint64": 512}  # keys that a warp sorts: its room in shared memory


@dataclass(frozen=True)
class Stretches:
    """What each vertex has in a store, to be sorted.

    Attributes
    ----------
    number : int
        The launch that counts the vertices which blocks sort.
    name, long_name : str
        Of the first phase, and of the list of those vertices; without a name longer stretches are
        left as they are.
    most : int
        How much a warp sorts.
    """

    text: CudaLaunch
    store: Store
    number: int
    name: str
    long_name: str
    most: int

    def long(self, worker: CudaWorker) -> str:
        """Name the list of the vertices that blocks sort."""
        terms = [f"{term}/{self.most}" for term in self.store.size_in(worker).split("+")]
        return worker.writer.scratch(self.long_name, "int64", "+".join([*terms, "1"]))

    def by_warp(self, worker: CudaWorker, vertices: tuple[str, str], sort: str) -> None:
        """Write the phase in which warps sort, and list what is too long for them.

        Parameters
        ----------
        vertices : (str, str)
            The texts of how many vertices there are, and of the one at ``base + lane``.
        sort : str
            The call with which a warp sorts ``count`` entries from ``begin`` of each lane.
        """
        (count, vertex), (first, last) = vertices, self.store.span(worker, "v")
        note = ""
        if self.long_name:
            length = place_of_launch(self.number, Own.LONG_ONES)
            note = f"enqueue({self.long(worker)}, state, {length}, v)"
        heard = self.store.is_heard(worker, "v")
        own = f"{last} - begin if {heard} else np.int64(0)" if heard else f"{last} - begin"
        worker.writer.add(f"""
            lane = np.int32(cuda.laneid)
            base = np.int64(me >> 5) * 32
            while base < {count}:
                begin = np.int64(0)
                count = np.int64(0)
                if base + lane < {count}:
                    v = {vertex}
                    begin = {first}
                    count = {own}
                if count > {self.most}:
                    {note}
                    count = np.int64(0)
                {sort}
                base += np.int64(threads)
        """)
        self.text.phase(worker)

    def by_block(self, worker: CudaWorker, sort: str) -> None:
        """Write the phase in which blocks sort; ``sort`` sorts ``count`` entries from ``begin``."""
        first, last = self.store.span(worker, "v")
        length = own_text(self.number, Own.LONG_ONES)
        worker.writer.add(f"""
            task = np.int64(me // cuda.blockDim.x)
            while task < {length}:
                v = {self.long(worker)}[task]
                begin = {first}
                count = {last} - begin
                {textwrap.indent(sort, " " * 16).lstrip()}
                task += np.int64(blocks)
        """)
        self.text.phase(worker)
        self.text.serial(f"{length} = 0")


def sort_messages(text: CudaLaunch, store: Appended) -> None:
    """Write the phases that sort receivers' messages by their keys, as entries of an array."""
    own = Stretches(text, store, store.base, "group_sort", f"long{store.base}", LONG)
    worker, long = text.worker(own.name), text.worker(f"{own.name}_long")
    queue = receivers_of(worker, store.base)
    inside = f"{store.entries(worker)}, {store.key(worker)}, begin"
    vertices = (queue.length, f"{queue.name}[base + lane]")
    own.by_warp(worker, vertices, f"sort_short({inside}, count)")
    inside = f"{store.entries(long)}, {store.key(long)}, begin"
    own.by_block(long, f"sort_long({inside}, begin + count)")


def sort_keys(text: CudaLaunch, keys: SortedKeys) -> None:
    """Write the phases that make the keys of all messages, and sort those of each vertex.

    Long lists whose kinds come in any order are tallied as they are.
    """
    make_keys(text, keys)
    number, store, most = text.launch.number, keys.store, MOST_OF_WARP[keys.dtype]
    long_name = f"long_{keys.name}"
    if in_any_order(text.launch):
        most, long_name = min(most, long_lists.LONG - 1), ""
    own = Stretches(text, store, number, "sort_keys", long_name, most)
    worker = text.worker(own.name)
    word, rooms = ("narrow", "rooms") if keys.dtype == "uint32" else ("wide", "wide_rooms")
    worker.shared[rooms] = None
    inside = f"{rooms}, {keys.array(worker)}, begin, np.int32(count), {keys.largest}"
    own.by_warp(worker, ("state[NUM_VERTICES]", "base + lane"), f"sort_{word}_short({inside})")
    if long_name:
        sort_long_keys(text, keys, own)


def sort_long_keys(text: CudaLaunch, keys: SortedKeys, own: Stretches) -> None:
    """Write the phase in which blocks sort what is too long for warps."""
    long = text.worker(f"{own.name}_long")
    long.shared["rooms"] = None
    spare = long.writer.scratch(f"spare_{keys.name}", keys.dtype, keys.store.size_in(long))
    low, stretch = "np.int32(0)", f"{keys.array(long)}, begin, np.int32(count)"
    if keys.are_kinds:
        low = f"first_bit_of_kinds({stretch}, {keys.largest})"
    inside = f"rooms, {keys.array(long)}, {spare}, begin, np.int32(count)"
    bits = keys.dtype.removeprefix("uint")
    own.by_block(long, f"low = {low}\nsort_digits({inside}, low, {bits})")


def make_keys(text: CudaLaunch, keys: SortedKeys) -> None:
    """Write the phase that makes the keys of all messages; of vertices that hear none, no keys."""
    store, worker = keys.store, text.worker("make_keys")
    if isinstance(store, AtArcs):
        with worker.ids(None, "entry", store.total()):
            heard = store.is_heard(worker, "dst")
            if store.asks_receivers:
                worker.writer.add(f"dst = {store.receiver(worker)}")
            with worker.writer.block(f"if {heard}:" if heard else ""):
                worker.writer.add(f"key = {keys.largest}")
                with store.here(worker):
                    worker.writer.add(f"key = min({keys.key(worker)}, {keys.largest_sent})")
                worker.writer.add(f"{keys.array(worker)}[entry] = key")
        text.phase(worker)
        return
    store.begin(worker)
    with worker.ids(None, "position", store.total()):
        worker.writer.add(f"entry = {store.at(worker, 'position')}")
        key, is_sent = keys.key(worker), store.is_sent(worker)
        key = f"{key} if {is_sent} else {keys.largest}" if is_sent else key
        worker.writer.add(f"{keys.array(worker)}[position] = {key}")
    text.phase(worker)


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
