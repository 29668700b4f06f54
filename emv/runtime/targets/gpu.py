"""One GPU: arrays lie in its memory, and a program is one kernel that needs no host.

Fills, copies and launches are put on one stream. Whoever asks for values waits for it.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from emv.backends.cuda import compile as compiler
from emv.backends.cuda.array import DeviceArray, WideIds, empty
from emv.backends.cuda.device import THREADS, Kernel, Pinned, device, rounded, stream_handle
from emv.codegen.state import COMMON_PLACES, PLACES
from emv.graph.on_device import device_array, lies_on_device
from emv.runtime.arrays.memory import is_returned_as
from emv.runtime.arrays.table import Array, Kind, Lifetime
from emv.runtime.targets.gpu_graph import GpuGraph, gpu_graph
from emv.runtime.targets.target import Target
from emv_kernels.sizes import FEW, WIDE

if TYPE_CHECKING:
    from emv.runtime.arrays.plan import Plan
    from emv.runtime.compile import Compiled


COMES_DOWN = ("state", "ints", "floats")  # of the control block, after a launch
IDS_BYTES = 4096  # room for lists of ids that go up with the control block
LISTED_BYTES = 16  # which begin at multiples of it
GRAIN = 256  # bytes: arrays in the working space begin at multiples of it


class Gpu:
    """A run on a GPU; see `emv.runtime.targets.target.Target`.

    Parameters
    ----------
    name : str
        ``cuda`` or ``cuda:N``.
    stream : optional
        Where runs are put: a stream of another library or its handle; by default the device's own.
    """

    kind = "cuda"
    control, ids_bytes = "control block", IDS_BYTES
    delta_arcs = 16

    def __init__(self, name: str, stream: Any = None) -> None:
        self.device = device(name)
        self.label = name
        self.stream = self.device.stream if stream is None else stream_handle(stream)
        self.held: list[Any] = []  # what copies under way read
        self.launched: Plan | None = None  # what was launched last

    @contextlib.contextmanager
    def running(self, compiled: Compiled) -> Iterator[None]:
        """Make the device the current one; binding loads the kernel, which depends on the graph."""
        with self.device.current():
            try:
                yield
            finally:
                self.held.clear()
                self.launched = None

    def workers(self, entries: int) -> dict[str, int]:
        """Return how many blocks are expected, as the kernel may not be compiled yet."""
        return {"T": 1, "B": self.device.num_blocks(entries, None)}

    def store(self, layouts: Any) -> GpuGraph:
        """Return what of a graph is on the device."""
        return gpu_graph(layouts, self.device)

    def resident(self, plan: Plan) -> GpuResident:
        """Return what a program keeps for a graph, made new."""
        return GpuResident(plan, self)

    def launch(self, plan: Plan, name: str) -> tuple[bool, float]:
        """Run the kernel, wait for it, read the control block."""
        resident, driver = plan.resident, self.device.driver
        resident.send_control(self.stream)
        first, later, ended = resident.events
        began = later if self.launched is plan else first  # a run that begins anew has a new plan
        self.launched = plan
        driver.record(began, self.stream)  # what the host does from here on counts as the kernel's
        function, parameters = resident.kernel.function, resident.parameters
        driver.launch(function, resident.blocks, THREADS, parameters, self.stream)
        driver.record(ended, self.stream)
        resident.fetch_control(self.stream)
        driver.synchronize(self.stream)
        is_done = bool(plan.arrays["state"][PLACES["DONE"]])
        return is_done, float(driver.seconds_between(began, ended))

    def elapsed(self, plan: Plan) -> float:
        """Return the seconds from the beginning of the first launch to the end of the last."""
        first, _, ended = plan.resident.events
        return float(self.device.driver.seconds_between(first, ended))

    def empty(self, size: int, dtype: np.dtype[Any]) -> DeviceArray:
        """Return a new array, its content unknown."""
        return empty(self.device, size, dtype)

    def fill(self, array: DeviceArray, value: Any) -> None:
        """Put the fill of an array on the stream."""
        if array.size:
            pattern = fill_pattern(value, array.dtype)
            self.device.driver.fill(array.address, pattern, array.size, self.stream)

    def copy(self, array: DeviceArray, source: DeviceArray) -> None:
        """Put a copy on the stream."""
        self.held.append(source)
        if array.nbytes:
            self.device.driver.copy(array.address, source.address, array.nbytes, self.stream)

    def copied(self, values: Any, given: Any = None) -> DeviceArray:
        """Return values in a new array on the device; host arrays may then be changed."""
        made = self.empty(len(values), values.dtype)
        if isinstance(values, np.ndarray):
            self.device.upload(values, made.owner, self.stream)
        else:
            self.copy(made, values)
        return made

    def array_behind(self, source: Any, columns: Any) -> Any:
        """Return the array that a column's name means, or a given one, on the device or not."""
        if isinstance(source, str):
            given = columns.on_device(source)
            return columns.stored(source) if given is None else device_array(given, self.stream)
        return device_array(source, self.stream) if lies_on_device(source) else np.asarray(source)

    def reads(self, array: Any) -> bool:
        """Return whether an array lies on the device."""
        return not isinstance(array, np.ndarray) and bool(array.device is self.device)

    def taken_bytes(self, nbytes: int, array: Array | None = None) -> int:
        """Return what so many bytes take: a part of the arena, of the control block, or a block."""
        if array is not None and array.lifetime is Lifetime.PROGRAM:
            return -(-nbytes // GRAIN) * GRAIN
        is_listed = array is not None and array.kind is Kind.IDS and nbytes <= IDS_BYTES
        return 0 if is_listed else rounded(nbytes)

    def has_space(self, plan: Plan) -> bool:
        """Return whether the arena suffices that programs on the device take in turn."""
        arena = sum(
            self.taken_bytes(each.nbytes(plan.counts), each) for each in plan.table.working()
        )
        return bool(self.device.pool.arena_bytes() >= max(1, arena))

    def declared(self, field: Any, values: DeviceArray) -> DeviceArray:
        """Return a column that kernels worked on in the type its record declares.

        Disjoint sets are ids as users see them: of 64 bits, as on every backend.
        """
        if not field.disjoint:
            return values.view(0, values.size, field.dtype)
        if values.itemsize == 4:
            return WideIds(values)
        return values.view(0, values.size, np.dtype(np.int64))

    def kept(self, values: DeviceArray, dtype: np.dtype[Any]) -> DeviceArray:
        """Return kept values as a result."""
        if is_returned_as(values.dtype, dtype):
            return values.view(0, values.size, dtype)
        return self.copied(values.numpy().astype(dtype))


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
    events : tuple
        The beginning of the first launch, of a later one, and the end of the last.
    """

    def __init__(self, plan: Plan, target: Target) -> None:
        self.device = target.device
        self.budget = 0
        self.names = plan.source.functions["program"]
        self.number = {name: k for k, name in enumerate(self.names)}
        self.words = np.zeros(max(1, len(self.names)), np.uint64)
        steps = 8 * np.arange(len(self.words), dtype=np.uint64)
        self.addresses = self.words.ctypes.data + steps
        self.parameters = int(self.addresses.ctypes.data)
        index = plan.table.of(Kind.INDEX)
        self.arrays: dict[str, Any] = {e.name: plan.store.index(plan.graph, e.key) for e in index}
        self.kernel = self.load(plan)
        self.blocks = self.device.num_blocks(plan.counts.entries(), self.kernel)
        plan.counts["B"] = self.blocks
        for name, array in self.arrays.items():
            self.set(name, array.address)
        self.share_out(plan, target)
        self.make_control(plan)
        self.facts = facts(plan)
        self.events = tuple(self.device.driver.new_event() for _ in range(3))

    def set(self, name: str, address: int) -> None:
        """Give an array's address to the kernel, if it names the array."""
        place = self.number.get(name)
        if place is not None:
            self.words[place] = address

    def load(self, plan: Plan) -> Kernel:
        """Return the compiled kernel for the dtypes of this graph's arrays."""
        started = time.perf_counter()
        arrays, compiled = plan.table.arrays, plan.compiled
        dtypes = {each.name: each.element for each in plan.table.control}
        for name in self.names:
            index = self.arrays.get(name)
            dtypes[name] = (arrays[name].dtype(plan.counts) if index is None else index.dtype).name
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
        self.arena_bytes = end
        self.arena: Any = None
        self.views: dict[str, DeviceArray] = {}  # of the arena that the last run had
        self.base = 0

    def make_control(self, plan: Plan) -> None:
        """Make the control block, and what goes up with it."""
        total = sum(each.nbytes(plan.counts) for each in plan.table.control)
        self.pinned = Pinned(self.device.driver, total + IDS_BYTES)
        self.control = self.device.pool.take(total + IDS_BYTES)
        end = 0
        for array in plan.table.control:
            begin, end = end, end + array.nbytes(plan.counts)
            self.arrays[array.name] = self.pinned.bytes[begin:end].view(array.element)
            self.set(array.name, self.control.address + begin)
            if array.name in COMES_DOWN:
                self.shared_bytes = end
        self.ids_begin = -(-end // LISTED_BYTES) * LISTED_BYTES
        self.upload_bytes = self.ids_begin

    # One run.

    def put_ids(self, plan: Plan, ids: NDArray[Any]) -> DeviceArray:
        """Put a list of ids behind the control block, or a long one into memory of its own."""
        begin, end = self.upload_bytes, self.upload_bytes + ids.nbytes
        if end > len(self.pinned.bytes):
            long_list: DeviceArray = plan.target.copied(ids)
            return long_list
        self.pinned.bytes[begin:end] = ids.view(np.uint8)
        self.upload_bytes = -(-end // LISTED_BYTES) * LISTED_BYTES
        address = self.control.address + begin
        return DeviceArray(self.device, address, len(ids), ids.dtype, self.control)

    def begin(self, plan: Plan) -> None:
        """Take the working space, put its start values there, tell the kernel all addresses."""
        if plan.store.build is not None:
            plan.store.build.settle()
        self.upload_bytes = min(self.upload_bytes, len(self.pinned.bytes))
        for array in plan.table.made_per_run:
            self.set(array.name, plan.arrays[array.name].address)
        if not self.space:
            return
        self.arena = self.device.pool.take_arena(max(1, self.arena_bytes))
        if self.arena.address != self.base:
            self.base = self.arena.address
            for array, offset, size, dtype in self.space:
                view = DeviceArray(self.device, self.base + offset, size, dtype, None)
                self.views[array.name] = view
                self.set(array.name, view.address)
        plan.arrays.update(self.views)
        driver, stream = self.device.driver, plan.target.stream
        if self.zero_bytes:
            driver.fill(self.base, b"\0", self.zero_bytes, stream)
        for array, _, size, _ in self.space:
            if array.initial is not None and not is_zero(array.initial) and size:
                plan.target.fill(self.views[array.name], array.initial)

    def send_control(self, stream: int) -> None:
        """Put the control block, and what goes up with it, on its way to the device."""
        address, nbytes = self.control.address, self.upload_bytes
        self.device.driver.copy(address, self.pinned.address, nbytes, stream)
        self.upload_bytes = self.shared_bytes  # later uploads leave the rest as it is

    def fetch_control(self, stream: int) -> None:
        """Put the control block on its way back."""
        address, nbytes = self.pinned.address, self.shared_bytes
        self.device.driver.copy(address, self.control.address, nbytes, stream)

    def end(self) -> None:
        """Leave the working space to the next run of any program on the device."""
        self.upload_bytes = self.ids_begin
        if self.arena is not None:
            self.device.pool.give_arena(self.arena)
            self.arena = None


def is_zero(initial: Any) -> bool:
    """Return whether an array begins with entries whose bytes are all zero."""
    return initial is not None and not np.any(np.float64(initial)) and not np.signbit(initial)


def fill_pattern(value: Any, dtype: np.dtype[Any]) -> bytes:
    r"""Return the bytes of one entry.

    Examples
    --------
    >>> fill_pattern(-1, np.dtype("uint16")), fill_pattern(True, np.dtype("uint8"))
    (b'\xff\xff', b'\x01')
    """
    return np.array(value).astype(dtype).tobytes()


def facts(plan: Plan) -> list[tuple[int, int]]:
    """Return places of the state and what they hold in every run on this graph."""
    names, blocks = plan.table.arrays, plan.counts["B"]
    build, layouts = plan.store.build, plan.graph.layouts
    found: dict[str, int] = {"BLOCKS": blocks, "NUM_THREADS": blocks}
    if any(name.startswith(("pull_", "gather_")) for name in names):
        found |= pull_facts(layouts, "gather_position" in names) if build is None else build.facts()
    if "wide_source" in names or "edges_by_row" in names:
        if build is not None:
            longest = build.longest_row()
        else:
            longest = int(np.diff(layouts.out_rows.first).max(initial=0))
        found |= {"HAS_WIDE": int(longest >= WIDE), "BY_ROW": int(longest >= FEW)}
    places = PLACES | COMMON_PLACES
    return [(places[name], value) for name, value in found.items()]


def pull_facts(layouts: Any, gathers: bool) -> dict[str, int]:
    """Return what kernels are told of the orders in which they pull and gather."""
    return {
        "NUM_HUBS": len(layouts.pull.hub_piece) - 1,
        "NUM_PIECES": len(layouts.pull.piece_vertex),
        "HAS_ORDER": int(not layouts.pull.is_even),
        "HAS_POSITION": int(gathers and layouts.gather.is_sorted),
    }
