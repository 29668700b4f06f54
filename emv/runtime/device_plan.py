"""Bind the arrays that kernels name to a graph on a device and one run.

Index arrays stay on the device between runs, and so does what `Resident` keeps for a program; the
columns are told of in `emv.runtime.device_columns`. Working space is one block, which the programs
on a device take in turn.
"""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.backends.cuda.device import THREADS
from emv.codegen.state import IDS_PLACE, place_of_launch
from emv.ir import program as p
from emv.ir import schedule as s
from emv.ir.kernel import Buffer
from emv.runtime.compile import Compiled
from emv.runtime.device_columns import DeviceColumns, fill_pattern
from emv.runtime.resident import HOST_FILLED, SHARED, Resident, id_places

DELTA_ARCS = 16  # arcs of mean weight by which the threshold of a relaxation moves, per degree
LISTED_BYTES = 16  # lists of ids in the control block begin at multiples of it
QUEUES = ("active", "pending", "queued", "active_edges", "pending_edges", "queued_edges")


class DevicePlan(DeviceColumns):
    """The arrays of one run on a device.

    Attributes
    ----------
    arrays : dict
        ``state``, ``ints`` and ``floats`` in host memory, as they were after the last launch.
    blocks : int
        Thread blocks of a launch; what is expected until the kernel is loaded.
    """

    delta_arcs = DELTA_ARCS
    spare = ()
    blocks = 0

    def __init__(
        self,
        compiled: Compiled,
        graph: Any,
        bindings: dict[tuple[str, str], Any],
        ids: dict[str, NDArray[Any]],
        device: Any,
        stream: int,
    ) -> None:
        super().__init__(compiled, graph, bindings, ids, device, stream)
        self.blocks = device.num_blocks(self.entries(), None)
        self.resident: Resident | None = None
        self.arena: Any = None
        self.before: Any = None  # the context that was current
        self.is_launched = False

    def entries(self) -> int:
        """Return the largest of the counts of the graph, of all copies of a batch."""
        sizes = super().sizes()
        return int(max(sizes[each] for each in "VEA"))

    def sizes(self) -> dict[str, int]:
        """Return what the letters of sizes mean."""
        return {**super().sizes(), "B": self.blocks}

    def files(self) -> list[str]:
        """Return the files that hold the user's functions."""
        return list(
            dict.fromkeys(
                function.loc.file
                for launch in s.launches_in(self.schedule.body)
                for function in s.functions_of(launch)
            )
        )

    def shared_places(self) -> dict[str, int]:
        """Return the lengths of the arrays of 8-byte places, those of loops included."""
        lengths = super().shared_places()
        numbers = [loop.number for loop in s.loops_in(self.schedule.body)]
        least = place_of_launch(2 + max(numbers, default=0))
        return {**lengths, "state": max(lengths["state"], least)}

    # Binding.

    def bind(self) -> None:
        """Make every array; fills and copies are put on the stream, not waited for.

        Raises
        ------
        CapacityError
            If they do not fit the memory there is; nothing has been allocated then.
        """
        self.before = self.device.driver.use()
        with contextlib.suppress(IndexError):  # the first run, or all are at work
            self.resident = self.idle().pop()
        if self.resident is None:
            from emv.runtime.device_memory import check_device_capacity

            check_device_capacity(self)
            self.resident = Resident(self)
        resident = self.resident
        self.blocks = resident.blocks
        for view in resident.views.values():
            view[:] = 0
        self.arrays.update(resident.views)
        self.put_counts()
        self.put_ids()
        for buffer in resident.columns:
            self.bind_column(buffer)
        if self.on_device.build is not None:
            self.on_device.build.settle()
        for buffer in resident.lasting:
            self.bind_lasting(buffer)
        self.bind_scratch()
        self.put_relaxations()

    def idle(self) -> list[Resident]:
        """Return what earlier runs left for this one: those that have its rooms."""
        by_device: dict[Any, list[Resident]] = self.compiled.residents.setdefault(
            self.graph.layouts, {}
        )
        return by_device.setdefault((self.device, *self.rooms.values()), [])

    def put_counts(self) -> None:
        """Put what is known of the graph and the device into the shared state."""
        super().put_counts()
        assert self.resident is not None
        state = self.arrays["state"]
        for place, value in self.resident.constants:
            state[place] = value
        for place, value in id_places(self, IDS_PLACE):
            state[place] = value

    def put_ids(self) -> None:
        """Put the lists of ids behind the control block, or a long one into memory of its own."""
        resident = self.resident
        assert resident is not None
        end = -(-resident.end // LISTED_BYTES) * LISTED_BYTES
        for buffer in resident.lists:
            ids = self.ids[buffer.name].astype(self.id_dtype)
            if end + ids.nbytes <= len(resident.pinned.bytes):
                resident.pinned.bytes[end : end + ids.nbytes] = ids.view(np.uint8)
                resident.set(buffer.name, resident.control.address + end)
                end += -(-ids.nbytes // LISTED_BYTES) * LISTED_BYTES
            else:
                memory = self.device.upload(ids, None, self.stream)
                self.held.append(memory)
                resident.set(buffer.name, memory.address)
        self.upload_bytes = min(end, len(resident.pinned.bytes))

    def bind_column(self, buffer: Buffer) -> None:
        """Make a column, in the order of edges, arcs or slots."""
        assert self.resident is not None
        if buffer.name not in self.made:
            if buffer.source == "copies":
                self.made[buffer.name] = self.returned(self.per_copy[buffer.key])
            elif buffer.source == "ordered":
                self.made[buffer.name] = self.ordered_on_device(*buffer.key)
            else:
                self.made[buffer.name] = self.new_device_column(*buffer.key)
        self.resident.set(buffer.name, self.made[buffer.name].address)

    def bind_lasting(self, buffer: Buffer) -> None:
        """Make an array that outlives the run: values that are returned, queues between pieces."""
        assert self.resident is not None
        if buffer.name not in self.made:
            array = self.empty(self.length(buffer), self.dtype(buffer))
            if buffer.initial is not None:
                self.fill(array, buffer.initial)
            self.made[buffer.name] = array
        self.resident.set(buffer.name, self.made[buffer.name].address)

    def bind_scratch(self) -> None:
        """Take the working space and put its start values into it."""
        resident, driver = self.resident, self.device.driver
        assert resident is not None
        if not resident.offsets:
            return
        self.arena = self.device.pool.take_arena(max(1, resident.arena_bytes))
        base = self.arena.address
        for name, offset in resident.offsets.items():
            resident.set(name, base + offset)
        if resident.zero_bytes:
            driver.fill(base, b"\0", resident.zero_bytes, self.stream)
        for buffer, size in resident.fills:
            pattern = fill_pattern(buffer.initial, self.dtype(buffer))
            if size:
                driver.fill(base + resident.offsets[buffer.name], pattern, size, self.stream)

    # What kernels name.

    def index(self, buffer: Buffer) -> Any:
        """Return an index array of the graph."""
        build = self.on_device.build
        if build is not None and build.makes(buffer.key):
            return self.on_device.built(buffer.key, self.end_dtype)
        is_kept = buffer.key != "edge_of_arc" or not self.graph.layouts.arcs_are_edges
        return self.on_device.index(buffer.key, lambda: self.graph_array(buffer.key), is_kept)

    def lasting_names(self) -> set[str]:
        """Return the working arrays that outlive the run."""
        names = set(QUEUES) if self.compiled.is_piece else set()
        if self.schedule.all_active:  # callbacks hear how many are active
            names |= {"active_flags", "pending_flags"}
        return names | set(returned_values(self.schedule, self.schedule.results))

    def is_working_space(self, buffer: Buffer) -> bool:
        """Return whether an array is shared out of the working space."""
        if buffer.source == "next":
            return True
        if buffer.source != "scratch" or buffer.name in (*SHARED, *HOST_FILLED):
            return False
        return buffer.size != "ids" and buffer.name not in self.lasting_names()

    def length(self, buffer: Buffer) -> int:
        """Return the entries of an array that is not the graph's."""
        if buffer.source in ("next", "column"):
            return self.rows(*buffer.key)
        if buffer.source == "ordered":
            return int(self.graph.layouts.num_in(buffer.key[2]))
        return self.size(buffer.size)

    def dtype(self, buffer: Buffer) -> np.dtype[Any]:
        """Return the dtype of an array as kernels see it, index arrays left out."""
        if buffer.source in ("next", "column", "ordered"):
            return self.column_dtype(*buffer.key[:2])
        return self.id_dtype if buffer.size == "ids" else np.dtype(buffer.dtype)

    # The run.

    def upload_control(self) -> None:
        """Put the control block, and what goes up with it, on its way to the device."""
        resident = self.resident
        assert resident is not None
        address, nbytes = resident.control.address, self.upload_bytes
        self.device.driver.copy(address, resident.pinned.address, nbytes, self.stream)
        self.upload_bytes = resident.shared_bytes  # later uploads leave the rest as it is

    def launch(self) -> float:
        """Run the kernel, wait for it, read the control block; return the seconds it took."""
        resident, driver = self.resident, self.device.driver
        assert resident is not None
        first, later, ended = resident.events
        began = later if self.is_launched else first
        self.is_launched = True
        function = resident.kernel.function
        driver.record(began, self.stream)  # what the host does from here on counts as the kernel's
        driver.launch(function, resident.blocks, THREADS, resident.parameters, self.stream)
        driver.record(ended, self.stream)
        address, nbytes = resident.pinned.address, resident.shared_bytes
        driver.copy(address, resident.control.address, nbytes, self.stream)
        driver.synchronize(self.stream)
        return float(driver.seconds_between(began, ended))

    def elapsed_s(self) -> float:
        """Return the seconds from the beginning of the first launch to the end of the last."""
        assert self.resident is not None
        first, _, ended = self.resident.events
        return float(self.device.driver.seconds_between(first, ended))

    def release(self) -> None:
        """Leave what is not a result to the next run."""
        if self.arena is not None:
            self.device.pool.give_arena(self.arena)
            self.arena = None
        if self.resident is not None:
            self.arrays.clear()  # the next run writes them
            self.idle().append(self.resident)
            self.resident = None
        self.held.clear()
        self.device.driver.leave(self.before)
        self.before = None

    def share(self, arrays: dict[str, Any]) -> None:
        """Work on arrays that earlier pieces of the run made."""
        self.made.update(arrays)

    def lasting(self, name: str) -> Any:
        """Return an array for later pieces of the run."""
        return self.made[name]

    def release_piece(self) -> None:
        """Leave what later pieces do not work on."""
        self.release()

    def abandon(self) -> None:
        """Give up what a failed run holds, once the device works on it no more."""
        with contextlib.suppress(Exception):  # the error that led here says more
            self.device.driver.synchronize(self.stream)
        self.made.clear()
        self.release()


def returned_values(schedule: s.Schedule, value: Any) -> list[str]:
    """Return the names of the arrays of kept values that a program returns."""
    if isinstance(value, tuple | list):
        return [name for each in value for name in returned_values(schedule, each)]
    if isinstance(value, dict):
        return returned_values(schedule, tuple(value.values()))
    return list(schedule.values[value.id].names) if isinstance(value, p.Ref) else []
