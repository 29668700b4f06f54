"""One GPU: arrays lie in its memory, and a program is one kernel that needs no host.

Fills, copies and launches are put on one stream. Whoever asks for values waits for it.
"""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import numpy as np

from emv.backends.cuda import compile as compiler
from emv.backends.cuda.around import WORD, Fill, copy_of, fill_of
from emv.backends.cuda.array import DeviceArray, WideIds, empty
from emv.backends.cuda.beside import NOWHERE, here
from emv.backends.cuda.device import DEVICES, device, made
from emv.backends.cuda.pool import rounded
from emv.backends.cuda.sorting import converted
from emv.backends.cuda.streams import stream_handle
from emv.codegen.state import PLACES
from emv.graph.on_device import device_array, lies_on_device
from emv.graph.slices import slice_of
from emv.passes.divide import is_dealt
from emv.runtime.arrays.index import host_index
from emv.runtime.arrays.memory import is_returned_as
from emv.runtime.arrays.table import Array, Kind, Lifetime
from emv.runtime.targets.costs import costs_of
from emv.runtime.targets.gpu_graph import GpuGraph, gpu_graph, is_built_there, is_converted
from emv.runtime.targets.gpu_resident import BESIDE_BYTES, IDS_BYTES, GpuResident, pattern_of
from emv.runtime.targets.target import Target
from emv_kernels import aside
from emv_kernels.sizes import MOST_FILLS

if TYPE_CHECKING:
    from emv.backends.cuda.device import Device
    from emv.graph.supersteps import Costs
    from emv.runtime.arrays.plan import Plan
    from emv.runtime.compile import Compiled


ASKED_S = 0.002  # for which the host asks whether a launch is over, and does nothing else
MOST_ASKED_S = 0.02  # for which it asks and lets others go first, before it waits aside
DONE = PLACES["DONE"]
give_way = getattr(os, "sched_yield", functools.partial(time.sleep, 0))
"""Lets other threads have Python; to sleep for 0 s instead takes Linux 50 us and more."""
GRAIN = 256  # bytes: arrays in the working space begin at multiples of it


class Gpu(Target):
    """A run on a GPU; see `emv.runtime.targets.target.Target`.

    Parameters
    ----------
    name : str
        ``cuda`` or ``cuda:N``.
    stream : optional
        Where runs are put: a stream of another library or its handle; by default the device's own.
    """

    kind: str = "cuda"
    group = ""  # the GPUs among which it has a part of a graph
    has_rounds = False  # whether the host hands on what these read of each other
    control, ids_bytes = "control block", BESIDE_BYTES
    delta_arcs = 16
    begins_ahead = True

    def __init__(self, name: str, stream: Any = None) -> None:
        self.name = self.label = name
        self.is_own = stream is None
        if stream is not None:
            self.stream = stream_handle(stream)
        if (known := made(name)) is not None:
            self.take(known)
        self.here = place = here()
        self.share, self.number = (1.0, NOWHERE) if place is None else (place.share, place.number)
        self.held: list[Any] = []  # what copies under way read
        self.launched: Plan | None = None  # what was launched last
        self.fills: list[Fill] | None = None  # what the next launch fills before it begins
        self.began = self.ended = 0  # when the first launch did, and the last, by the GPU's clock

    def take(self, on: Device) -> None:
        """Have a device, and the stream of it on which things are done here."""
        self.device = on
        self.__dict__.setdefault("stream", on.stream)

    def __getattr__(self, name: str) -> Any:
        """Wait for the device where it is first needed: programs are written meanwhile."""
        if name not in ("device", "stream"):
            raise AttributeError(f"a GPU has no attribute {name!r}")
        self.take(device(self.name))
        return getattr(self, name)

    def is_here(self) -> bool:
        place, on = here(), self.device
        is_such = self.is_own and DEVICES.get(on.ordinal) is on
        return is_such and (place is self.here or place == self.here)

    def ahead(self, compiled: Compiled, graph: Any) -> None:
        """Make what the host makes of a graph, while another thread makes the device."""
        if "device" not in vars(self):
            compiler.toolchain()
            if not is_built_there(graph.layouts):
                for array in compiled.table.of(Kind.INDEX):
                    host_index(graph, array.key)

    def running(self, compiled: Compiled) -> AbstractContextManager[None]:
        """Make the device the current one; binding loads the kernel, which depends on the graph."""
        return self

    def __enter__(self) -> None:
        """Make the device the current one: a call has a target of its own."""
        self.before = self.device.driver.use()
        if self.part_of is None:
            self.fills = []

    def __exit__(self, *error: object) -> None:
        """Finish what no launch has begun with, and let go of what was held for copies."""
        if self.fills is not None:
            self.finish_fills()
        self.held.clear()
        self.launched = None
        if self.before is not None:
            self.device.driver.leave(self.before)

    def workers(self, entries: int) -> dict[str, int]:
        """Return how many blocks are expected, as the kernel may not be compiled yet."""
        return {"T": 1, "B": self.device.num_blocks(entries, None)}

    def held_of(self, plan: Plan) -> Any:
        if self.part_of is None or not plan.schedule.sliced:
            return plan.whole
        return slice_of(plan.whole, *self.part_of, plan.hops, is_dealt(plan.schedule))

    def costs(self, vertices: int) -> Costs:
        return costs_of(self.group, vertices, self.has_rounds)

    def arc_room(self) -> float:
        return float(self.device.free_bytes())

    def store(self, layouts: Any) -> GpuGraph:
        return gpu_graph(layouts, self.device)

    def resident(self, plan: Plan) -> GpuResident:
        return GpuResident(plan, self)

    def begin(self, plan: Plan) -> None:
        resident, fills = plan.resident, self.fills
        self.fills = None  # what is filled from here on is so at once
        if fills is not None and len(fills) > MOST_FILLS:
            for fill in fills[MOST_FILLS:]:
                self.put_now(fill)
            del fills[MOST_FILLS:]
        resident.around.start(fills or (), resident.upload_bytes, self.stream)
        resident.upload_bytes = resident.shared_bytes  # later uploads leave the rest as it is
        plan.is_under_way = True

    def launch(self, plan: Plan, name: str) -> tuple[bool, float]:
        """Run the kernel, wait for it, read the control block."""
        if not plan.is_under_way:
            self.begin(plan)
        resident = plan.resident
        self.wait(resident.around.is_done, resident.pause, plan.meanwhile)
        plan.is_under_way = False
        began, ended = resident.around.times
        if self.launched is not plan:  # a run that begins anew has a new plan
            self.launched, self.began = plan, began
        self.ended = ended
        return resident.state.item(DONE) != 0, 1e-9 * (ended - began)

    def assembly(self, plan: Plan, form: str) -> str:
        """Return what a program is compiled to, in one of the forms of `backends.cuda.assembly`."""
        from emv.backends.cuda.assembly import assembly  # few ask for it

        arch = compiler.arch_of(*self.device.driver.capability)
        return assembly(plan.source, plan.resident.dtypes, form, arch, plan.compiled.files)

    def wait(
        self,
        is_over: Callable[[], bool],
        leave: Callable[[], None],
        meanwhile: Callable[[], object] = int,
    ) -> None:
        """Wait for a launch; where a handler of a signal raises, it is left.

        Short ones are asked for again and again; for others another thread waits, which wakes up
        late, while the main thread hears signals.
        """
        driver, stream = self.device.driver, self.stream
        if not aside.is_main():
            meanwhile()
            driver.synchronize(stream)
            return
        began = time.perf_counter()
        until, last = began + ASKED_S, began + MOST_ASKED_S
        try:
            meanwhile()
            while not (is_done := is_over()) and time.perf_counter() < until:
                pass
            while not (is_done or is_over()) and time.perf_counter() < last:
                give_way()
            is_done = is_done or is_over()
        except BaseException:
            leave()
            self.synchronized()
            raise
        if not is_done:
            aside.aside(self.synchronized, leave)

    def synchronized(self) -> None:
        """Wait, on whatever thread, until everything on the stream is done."""
        with self.device.current():
            self.device.driver.synchronize(self.stream)

    def elapsed(self, plan: Plan) -> float:
        return 1e-9 * (self.ended - self.began)

    def empty(self, size: int, dtype: np.dtype[Any]) -> DeviceArray:
        return empty(self.device, size, dtype)

    def fill(self, array: DeviceArray, value: Any) -> None:
        """Put the fill of an array on the stream."""
        if array.size:
            is_such = isinstance(value, np.generic) and value.dtype == array.dtype
            pattern = value.tobytes() if is_such else pattern_of(value, array.dtype)
            self.put_first(fill_of(array.address, pattern, array.size))

    def put_first(self, fill: Fill) -> None:
        """Fill or copy when the next launch begins, or put that on the stream."""
        if self.fills is None:
            self.put_now(fill)
        else:
            self.fills.append(fill)

    def put_now(self, fill: Fill) -> None:
        """Put a fill or a copy on the stream."""
        address, count, word = fill
        if count < 0:
            self.device.driver.copy(address, word, -WORD * count, self.stream)
        elif count:
            pattern = word.to_bytes(WORD, "little", signed=True)
            self.device.driver.fill(address, pattern, count, self.stream)

    def start(self, size: int, dtype: np.dtype[Any], number: Any, ids: Any) -> Any:
        """Return the bytes of a block, those used, entries and their type; words, and a word.

        `GpuResident.begin_again` makes it.
        """
        used, count, word = size * dtype.itemsize, 0, 0
        if ids is not None:  # which stay with the graph
            _, count, word = copy_of(0, ids(size, dtype).address, used)
        elif number is not None and size:
            _, count, word = fill_of(0, pattern_of(number, dtype), size)
        return rounded(used), used, size, dtype, count, word

    def settle(self) -> None:
        """See to it that what was made behind the last launch may be read on the device's stream.

        What no launch has filled is put on the stream here; where that is another one, it is waited
        for.
        """
        if self.fills is not None:
            self.finish_fills()
        if self.stream != self.device.own_stream:
            self.device.driver.synchronize(self.stream)

    def finish_fills(self) -> None:
        """Put on the stream what no launch has filled."""
        fills, self.fills = self.fills, None
        for fill in fills or ():
            self.put_now(fill)

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
        if isinstance(source, str):
            given = columns.on_device(source)
            return columns.stored(source) if given is None else device_array(given, self.stream)
        return device_array(source, self.stream) if lies_on_device(source) else np.asarray(source)

    def fitted(self, values: Any, dtype: np.dtype[Any]) -> Any:
        if not (self.reads(values) and is_converted(values.dtype, dtype)):
            return None
        driver, stream = self.device.driver, self.device.stream
        if self.stream != stream:  # on which they may be under way
            driver.synchronize(self.stream)
        made = converted(values, dtype)
        if self.stream != stream:
            driver.synchronize(stream)
        return made

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
        if is_returned_as(values.dtype, dtype):
            return values.view(0, values.size, dtype)
        return self.copied(values.numpy().astype(dtype))
