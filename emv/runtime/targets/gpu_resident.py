"""What stays on a GPU between the runs of a program on a graph: kernel, control block, room.

The control block is one piece of memory that goes up before a launch and comes down after it; all
working space is one piece, too, which programs on the device take in turn.
"""

from __future__ import annotations

import functools
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from emv.backends.cuda import compile as compiler
from emv.backends.cuda.around import Around, Fill, fill_of
from emv.backends.cuda.array import DeviceArray
from emv.backends.cuda.device import Kernel
from emv.backends.cuda.pool import Pinned
from emv.backends.cuda.together import THREADS
from emv.codegen.state import COMMON_PLACES, PLACES
from emv.graph.busy import pays
from emv.ir.schedule import loops_in
from emv.runtime.arrays.table import Array, Kind
from emv.runtime.targets.target import Target
from emv_kernels.sizes import FEW, WIDE

if TYPE_CHECKING:
    from emv.runtime.arrays.begun import Begun
    from emv.runtime.arrays.plan import Plan


COMES_DOWN = ("state", "ints", "floats")  # of the control block, after a launch
IDS_BYTES = 4096  # room for lists of ids that go up with the control block
BEGAN_BYTES = 8  # behind them, for the kernels around a program
LISTED_BYTES = 16  # which begin at multiples of it
BESIDE_BYTES = IDS_BYTES + LISTED_BYTES + BEGAN_BYTES  # all of it, at most
NO_SUPERSTEP, LEAVES = 0, 1  # words that a kernel is told while it runs
NEARLY_ONE = 1e-9  # of a block, by which products of shares may fall short
BUDGET, SEED = PLACES["BUDGET"], PLACES["SEED"]
THIN = 16  # arcs of a vertex at most, where supersteps wait for memory and not for threads
PAUSES = 2  # times that a launch is asked to end: it may be counting its budget down just then


class GpuResident:
    """What stays between the runs of a program on a graph and a GPU; see `Resident`.

    Attributes
    ----------
    kernel : Kernel
        Ready to launch.
    blocks : int
        Thread blocks of a launch.
    parameters : int
        Where the addresses lie that a launch is given.
    control_bytes, start : uint8[n], uint8[n] or None
        The control block on the host; what it holds when a run begins, once that is known.
    around : Around
        What launches the kernel, with what comes before it and behind it.
    """

    def __init__(self, plan: Plan, target: Target) -> None:
        self.device = target.device
        self.budget = 0
        self.names = plan.source.functions["program"]
        self.number = {name: k for k, name in enumerate(self.names)}
        self.words = np.zeros(max(1, len(self.names)), np.uint64)
        self.told = self.words.data  # quicker than numpy, word by word
        steps = 8 * np.arange(len(self.words), dtype=np.uint64)
        self.addresses = self.words.ctypes.data + steps
        self.parameters = int(self.addresses.ctypes.data)
        index = plan.table.of(Kind.INDEX)
        self.arrays: dict[str, Any] = {e.name: plan.store.index(plan.graph, e.key) for e in index}
        self.kernel = self.load(plan)
        blocks = self.device.num_blocks(plan.counts.entries(), self.kernel)
        if is_thin(plan):
            blocks = min(blocks, self.device.driver.num_multiprocessors)
        most = int(self.kernel.most_blocks * plan.target.share + NEARLY_ONE)
        self.blocks = max(1, min(blocks, most))
        plan.counts["B"] = self.blocks
        for name, array in self.arrays.items():
            self.set(name, array.address)
        made = [each.name for each in plan.table.made_per_run]
        self.made_per_run = [(self.number[name], name) for name in made if name in self.number]
        self.share_out(plan, target)
        self.make_control(plan)
        self.facts = facts(plan)
        self.around = self.launched(plan)

    def set(self, name: str, address: int) -> None:
        """Give an array's address to the kernel, if it names the array."""
        place = self.number.get(name)
        if place is not None:
            self.told[place] = address

    def load(self, plan: Plan) -> Kernel:
        """Return the compiled kernel for the dtypes of this graph's arrays."""
        started = time.perf_counter()
        arrays, compiled = plan.table.arrays, plan.compiled
        dtypes = {each.name: each.element for each in plan.table.control}
        for name in self.names:
            index = self.arrays.get(name)
            dtypes[name] = (arrays[name].dtype(plan.counts) if index is None else index.dtype).name
        self.dtypes = dtypes
        key = (self.device, *dtypes.values())
        if key not in compiled.kernels:
            arch = compiler.arch_of(*self.device.driver.capability)
            binary = compiler.load(plan.source, dtypes, arch=arch, files=compiled.files)
            kernel = self.device.kernel(binary.cubin, binary.kernel, plan.source.shared_bytes)
            compiled.kernels[key] = kernel
            compiled.seconds += time.perf_counter() - started
        found: Kernel = compiled.kernels[key]
        return found

    def share_out(self, plan: Plan, target: Target) -> None:
        """Share out the working space: what begins as zeros, then all else."""
        self.space: list[tuple[Array, int, int, np.dtype[Any]]] = []  # offset, length, type
        self.zero_bytes = end = 0
        counts = plan.counts
        for array in sorted(plan.table.working(), key=lambda each: not is_zero(each.initial)):
            length, dtype = array.length(counts), array.dtype(counts)
            self.space.append((array, end, length, dtype))
            end += target.taken_bytes(array.nbytes(counts), array)
            if is_zero(array.initial):
                self.zero_bytes = end
        self.fills = [(0, b"\0", self.zero_bytes)] if self.zero_bytes else []
        self.fills += [
            (offset, pattern_of(array.initial, dtype), length)
            for array, offset, length, dtype in self.space
            if array.initial is not None and not is_zero(array.initial) and length
        ]
        self.first_fills: list[Fill] = []
        self.arena_bytes = max(1, end)
        self.arena: Any = None
        self.views: dict[str, DeviceArray] = {}  # of the arena that the last run had
        self.one = self.space[0][0].name if self.space else ""  # of them
        self.base = 0

    def make_control(self, plan: Plan) -> None:
        """Make the control block, and what goes up with it."""
        total = sum(each.nbytes(plan.counts) for each in plan.table.control)
        self.pinned = Pinned(self.device.driver, total + IDS_BYTES)
        self.going_up = self.pinned.bytes.data
        self.began_at = -(-(total + IDS_BYTES) // LISTED_BYTES) * LISTED_BYTES
        self.control = self.device.pool.take(self.began_at + BEGAN_BYTES)
        began = self.control.address + self.began_at
        self.device.driver.fill(began, b"\0", BEGAN_BYTES, plan.target.stream)
        end = 0
        for array in plan.table.control:
            begin, end = end, end + array.nbytes(plan.counts)
            self.arrays[array.name] = self.pinned.bytes[begin:end].view(array.element)
            self.set(array.name, self.control.address + begin)
            if array.name == "state":
                self.state: NDArray[np.int64] = self.arrays["state"]
                self.state_address = self.control.address + begin
                # parts must end alike, so they hear it in their meetings
                self.ended_by = "GOES_ON" if plan.compiled.grids else "BUDGET"
            if array.name in COMES_DOWN:
                self.shared_bytes = end
        self.control_bytes, self.start = self.pinned.bytes[:end], None
        self.ids_begin = -(-end // LISTED_BYTES) * LISTED_BYTES
        self.upload_bytes = self.ids_begin

    def launched(self, plan: Plan) -> Around:
        """Return what launches the kernel."""
        control = self.control.address, self.pinned.address, self.control.address + self.began_at
        given, columns = (self.words, self.parameters), plan.table.made_per_run
        filled = self.zero_bytes + sum(each.nbytes(plan.counts) for each in columns)
        nbytes = self.shared_bytes, filled
        return Around(self.device, self.kernel, self.blocks, given, control, nbytes)

    @functools.cached_property
    def events(self) -> tuple[Any, ...]:
        """The beginning of the first launch, of a later one, and the end of the last, of parts."""
        return tuple(self.device.driver.new_event() for _ in range(3))

    @functools.cached_property
    def gate(self) -> Pinned:
        """The word for which the kernels of parts wait that begin together."""
        return Pinned(self.device.driver, 4)

    # One run.

    def put_ids(self, plan: Plan, ids: NDArray[Any]) -> DeviceArray:
        """Put a list of ids behind the control block, or a long one into memory of its own."""
        begin, end = self.upload_bytes, self.upload_bytes + ids.nbytes
        if end > len(self.pinned.bytes):
            long_list: DeviceArray = plan.target.copied(ids)
            return long_list
        self.pinned.bytes[begin:end] = ids.view(np.uint8)
        self.upload_bytes = min(-(-end // LISTED_BYTES) * LISTED_BYTES, len(self.pinned.bytes))
        address = self.control.address + begin
        return DeviceArray(self.device, address, len(ids), ids.dtype, self.control)

    def lasting(self) -> dict[str, Any]:
        """Return the arrays that the next run finds, too, unless its working space is another."""
        return self.arrays | self.views

    def kept(self) -> bytes:
        """Return all that goes up as it is now, for runs that begin with the same."""
        return self.going_up[: self.upload_bytes].tobytes()

    def restore(self, kept: bytes) -> None:
        """Let go up what did then."""
        self.upload_bytes = len(kept)
        self.going_up[: self.upload_bytes] = kept

    def begin(self, plan: Plan) -> None:
        """Take the working space, put its start values there, tell the kernel all addresses."""
        if plan.store.build is not None:
            plan.store.build.settle()
        arrays, told = plan.arrays, self.told
        for place, name in self.made_per_run:
            told[place] = arrays[name].address
        if not self.space:
            return
        self.arena = self.device.pool.take_arena(self.arena_bytes)
        base = self.arena.address
        if base != self.base:
            self.share_views(base)
        if arrays.get(self.one) is not self.views[self.one]:
            arrays.update(self.views)
        target: Any = plan.target  # a GPU
        for fill in self.first_fills:
            target.put_first(fill)

    def begin_again(self, plan: Plan, begun: Begun, seed: Any) -> None:
        """Begin as a run did that is over, the launch included; see `Plan.begin_again`.

        It is `restore`, `begin` and what lies around them in one function, as small runs take less
        than to go through them one by one.
        """
        arrays, start, state, told = plan.arrays, begun.start, self.state, self.told
        target: Any = plan.target  # a GPU
        fills, pool, device = target.fills, self.device.pool, self.device
        if plan.store.build is not None:
            plan.store.build.settle()
        self.upload_bytes = len(start)
        self.going_up[: self.upload_bytes] = start
        state[SEED], state[BUDGET] = seed, self.budget
        for name, (block, used, size, dtype, count, word) in begun.fresh or ():
            memory = pool.taken(block, target.number)
            memory.used, address = used, memory.address
            arrays[name] = DeviceArray(device, address, size, dtype, memory)
            if count:
                fills.append((address, count, word))
        for place, name in self.made_per_run:
            told[place] = arrays[name].address
        if self.space:
            self.arena = arena = pool.take_arena(self.arena_bytes)
            if arena.address != self.base:
                self.share_views(arena.address)
                arrays.update(self.views)
            fills += self.first_fills
        target.begin(plan)

    def share_views(self, base: int) -> None:
        """Share out the working space that a run has got, if it is not that of the last."""
        self.base = base
        for array, offset, size, dtype in self.space:
            view = DeviceArray(self.device, base + offset, size, dtype, None)
            self.views[array.name] = view
            self.set(array.name, view.address)
        self.first_fills = [fill_of(base + begin, word, size) for begin, word, size in self.fills]

    def send_control(self, stream: int) -> None:
        """Put the control block, and what goes up with it, on its way to the device."""
        address, nbytes = self.control.address, self.upload_bytes
        self.device.driver.copy(address, self.pinned.address, nbytes, stream)
        self.upload_bytes = self.shared_bytes  # later uploads leave the rest as it is

    def fetch_control(self, stream: int) -> None:
        """Put the control block on its way back."""
        address, nbytes = self.pinned.address, self.shared_bytes
        self.device.driver.copy(address, self.control.address, nbytes, stream)

    def pause(self) -> None:
        """Let the launch that runs leave its superstep, and use up its budget of others.

        One whose control block is still on its way up finds it there so.
        """
        driver, beside = self.device.driver, self.device.beside
        with self.device.current():
            for _ in range(PAUSES):
                for name, word in (("LEAVING", LEAVES), (self.ended_by, NO_SUPERSTEP)):
                    place = PLACES[name]
                    self.arrays["state"][place] = self.device.told[word]
                    source = self.device.told.ctypes.data + 8 * word
                    driver.copy(self.state_address + 8 * place, source, 8, beside)
                driver.synchronize(beside)

    def end(self) -> None:
        """Leave the working space to the next run of any program on the device."""
        self.upload_bytes = self.ids_begin
        if self.arena is not None:
            self.device.pool.give_arena(self.arena)
            self.arena = None


def pattern_of(value: Any, dtype: np.dtype[Any]) -> bytes:
    """Return the bytes of one entry of an array that is filled with a number."""
    return np.array(value).astype(dtype).tobytes()


def is_zero(initial: Any) -> bool:
    """Return whether an array begins with entries whose bytes are all zero."""
    return initial is not None and not np.any(np.float64(initial)) and not np.signbit(initial)


def longest_row(plan: Plan) -> int:
    """Return how many out-arcs a vertex has at most."""
    build = plan.store.build
    if build is not None:
        return int(build.longest_row(max(WIDE, FEW)))
    return int(np.diff(plan.graph.layouts.out_rows.first).max(initial=0))


def is_thin(plan: Plan) -> bool:
    """Return whether few vertices are active at a time: all rows are short, as those of a mesh.

    Then one block a multiprocessor suffices, and half as many meet at a barrier.
    """
    loops = list(loops_in(plan.schedule.body))
    names = plan.table.arrays
    if not loops or "wide_source" not in names or not all(each.shrinks for each in loops):
        return False
    return longest_row(plan) <= THIN


def lanes_of(longest: int) -> int:
    """Return how many lanes of a warp hold any row, a power of two; 0 where rows are long.

    Examples
    --------
    >>> [lanes_of(longest) for longest in (0, 1, 3, 4, 16, 17)]
    [1, 1, 4, 4, 16, 0]
    """
    return 0 if longest > THIN else 1 << max(0, longest - 1).bit_length()


def facts(plan: Plan) -> list[tuple[int, int]]:
    """Return places of the state and what they hold in every run on this graph."""
    names, blocks = plan.table.arrays, plan.counts["B"]
    build, layouts = plan.store.build, plan.graph.layouts
    found: dict[str, int] = {"BLOCKS": blocks, "NUM_THREADS": blocks}
    if any(name.startswith(("pull_", "gather_")) for name in names):
        gathers = "gather_position" in names
        found |= pull_facts(layouts, gathers) if build is None else build.facts(gathers)
    if any(name.startswith(("wide_source", "edges_by_row", "long_rows")) for name in names):
        longest = longest_row(plan)
        # Edges that are arcs stand in that order anyhow, where all rows are short.
        is_by_row = longest >= FEW and not (layouts.arcs_are_edges and not pays(longest))
        found |= {"HAS_WIDE": int(longest >= WIDE), "BY_ROW": int(is_by_row)}
        if "busy_bits" in names:
            found["BUSY_WORDS"] = (layouts if build is None else build).busy.words
            is_hashed = len(layouts.hashed.rows) > 0 if build is None else build.hashed.pays
            found["HASHED"] = int(is_hashed)
        if lanes := lanes_of(longest):
            found |= {"ROW_LANES": lanes, "MOST_APART": blocks * THREADS // lanes}
    places = PLACES | COMMON_PLACES
    return [(places[name], value) for name, value in found.items()]


def pull_facts(layouts: Any, gathers: bool) -> dict[str, int]:
    """Return what kernels are told of the orders in which they pull and gather."""
    return {
        "NUM_HUBS": len(layouts.pull.hub_piece) - 1,
        "NUM_PIECES": len(layouts.pull.piece_vertex),
        "HAS_ORDER": int(not layouts.pull.is_even),
        "HAS_POSITION": int(gathers and layouts.gather.is_sorted),
        "NUM_SENDERS": layouts.gather.num_senders if gathers else 0,
    }
