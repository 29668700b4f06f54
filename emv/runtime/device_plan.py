"""Bind the arrays that kernels name to a graph on a GPU and one run.

Index arrays and edge columns stay on the device between runs (`emv.runtime.device_graph`). Columns
that the program writes are made anew in every run, because they are its result; vertex columns of
the graph are copied up in every run, because they may be changed in place. An array that lies on
the device already is read where it is.
"""

from __future__ import annotations

import contextlib
import importlib
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.codegen import state as places
from emv.graph.bind import column_values
from emv.graph.on_device import device_array, lies_on_device, on_host
from emv.ir import program as p
from emv.ir import schedule as s
from emv.ir.kernel import Buffer
from emv.runtime.compile import Compiled
from emv.runtime.device_graph import device_graph
from emv.runtime.plan import Plan, Supply
from emv.runtime.resident import HOST_FILLED, SHARED, Resident, fill_pattern, id_places

DELTA_ARCS = 8  # arcs of mean weight by which the threshold of a relaxation moves, per degree
LISTED_BYTES = 16  # lists of ids in the control block begin at multiples of it
QUEUES = ("active", "pending", "queued", "active_edges", "pending_edges", "queued_edges")


class DevicePlan(Plan):
    """The arrays of one run on a device.

    Attributes
    ----------
    arrays : dict
        ``state``, ``ints`` and ``floats`` in host memory, as they were after the last launch.
    made : dict
        Columns and kept values by the name kernels use, as arrays on the device.
    stream : int
        Where everything is put.
    """

    delta_arcs = DELTA_ARCS

    def __init__(
        self,
        compiled: Compiled,
        graph: Any,
        bindings: dict[tuple[str, str], Any],
        ids: dict[str, NDArray[Any]],
        device: Any,
        stream: int,
    ) -> None:
        super().__init__(compiled, graph, bindings, ids, num_threads=1)
        self.device = device
        self.stream = stream
        self.on_device = device_graph(graph.layouts, device)
        self.made: dict[str, Any] = {}
        self.blocks = device.num_blocks(self.entries(), None)
        self.resident: Resident | None = None
        self.arena: Any = None
        self.held: list[Any] = []  # memory that the run reads and nothing else keeps

    def entries(self) -> int:
        """Return the largest of the counts of the graph."""
        return int(max(self.graph.num_vertices, self.graph.num_edges, self.graph.num_arcs))

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
        numbers = [loop.number for loop in loops_in(self.schedule.body)]
        lengths["state"] += 16 * (1 + max(numbers, default=0))
        return lengths

    # Binding.

    def bind(self) -> None:
        """Make every array; fills and copies are put on the stream, not waited for.

        Raises
        ------
        CapacityError
            If they do not fit the memory there is; nothing has been allocated then.
        """
        self.device.use()
        idle = self.idle()
        if idle:
            self.resident = idle.pop()
        else:
            check = importlib.import_module("emv.runtime.device_memory").check_device_capacity
            check(self)
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
        for buffer in resident.lasting:
            self.bind_lasting(buffer)
        self.bind_scratch()
        self.put_relaxations()

    def idle(self) -> list[Resident]:
        """Return what earlier runs left for this one."""
        by_device: dict[int, list[Resident]] = self.compiled.residents.setdefault(
            self.graph.layouts, {}
        )
        return by_device.setdefault(self.device.ordinal, [])

    def put_counts(self) -> None:
        """Put what is known of the graph and the device into the shared state."""
        super().put_counts()
        assert self.resident is not None
        state = self.arrays["state"]
        for place, value in self.resident.constants:
            state[place] = value
        for place, value in id_places(self, getattr(places, "IDS_PLACE", 9)):
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
            if buffer.source == "ordered":
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
        return self.on_device.index(buffer.key, lambda: self.graph_array(buffer.key))

    def lasting_names(self) -> set[str]:
        """Return the working arrays that outlive the run."""
        names = set(QUEUES) if self.compiled.is_piece else set()
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
            return self.rows(buffer.key[0])
        if buffer.source == "ordered":
            return int(self.graph.num_arcs)
        return self.size(buffer.size)

    def dtype(self, buffer: Buffer) -> np.dtype[Any]:
        """Return the dtype of an array as kernels see it, index arrays left out."""
        if buffer.source in ("next", "column", "ordered"):
            return self.column_dtype(*buffer.key[:2])
        return self.id_dtype if buffer.size == "ids" else np.dtype(buffer.dtype)

    def column_dtype(self, kind: str, name: str) -> np.dtype[Any]:
        """Return the dtype of a column as kernels see it."""
        field = self.schedule.program.fields[kind, name]
        if field.disjoint:
            return self.id_dtype
        return np.dtype(np.uint8) if field.dtype.kind == "b" else field.dtype

    # Columns.

    def empty(self, size: int, dtype: np.dtype[Any]) -> Any:
        """Return a new array on the device."""
        return importlib.import_module("emv.backends.cuda.array").empty(self.device, size, dtype)

    def fill(self, array: Any, value: Any) -> None:
        """Put the fill of an array on the stream."""
        if array.size:
            pattern = fill_pattern(value, array.dtype)
            self.device.driver.fill(array.address, pattern, array.size, self.stream)

    def array_behind(self, field: Any, source: Any) -> Any:
        """Return the array that a column's name means, or a given one, on the device or not."""
        store = self.graph.vertices if field.kind == "vertex" else self.graph.edges
        if isinstance(source, str):
            given = store.on_device(source)
            return store.stored(source) if given is None else device_array(given, self.stream)
        return device_array(source, self.stream) if lies_on_device(source) else np.asarray(source)

    def fits(self, field: Any, array: Any) -> bool:
        """Return whether kernels can read an array as it is, on the device or once it is there."""
        if array.shape != (self.rows(field.kind),) or array.dtype != field.dtype:
            return False
        return isinstance(array, np.ndarray) or bool(array.device is self.device)

    def new_device_column(self, kind: str, name: str) -> Any:
        """Return a column of the device as it is at the start of the run."""
        field = self.schedule.program.fields[kind, name]
        supply, dtype = self.supply(field), self.column_dtype(kind, name)
        if supply.how == "shared" and not isinstance(supply.array, np.ndarray):
            self.held.append(supply.array)
            return supply.array
        kept = self.kept_column(field, supply)
        if kept is not None and (kind, name) not in self.schedule.written:
            return kept
        array = self.empty(self.rows(kind), dtype)
        if supply.how == "filled":
            self.fill(array, field_value(field, supply))
        elif supply.how == "sets":
            self.copy(array, self.on_device.ids(array.size, dtype))
        elif kept is not None:
            self.copy(array, kept)
        elif supply.how != "empty":
            self.copy_into(array, field, supply)
        return array

    def kept_column(self, field: Any, supply: Supply) -> Any:
        """Return an edge column of the graph, which stays on the device; None for all others."""
        if field.kind != "edge" or not isinstance(supply.source, str):
            return None
        if not isinstance(supply.array, np.ndarray):
            return None
        key = (field.kind, supply.source, field.dtype.name, "edge")
        values = lambda: column_values(self.graph, field, supply.source)  # noqa: E731
        return self.on_device.column(key, supply.array, values)

    def copy(self, target: Any, source: Any) -> None:
        """Put a copy on the stream."""
        self.held.append(source)
        if target.nbytes:
            self.device.driver.copy(target.address, source.address, target.nbytes, self.stream)

    def copy_into(self, array: Any, field: Any, supply: Supply) -> None:
        """Copy a given array or a vertex column into a column, converted if need be."""
        given = supply.array
        alike = given.shape == (array.size,) and given.dtype == field.dtype
        if alike and not isinstance(given, np.ndarray):
            self.copy(array, given)
            return
        values = column_values(self.graph, field, on_host(given))
        self.device.upload(values, array.owner, self.stream)

    def ordered_on_device(self, kind: str, name: str, order: str) -> Any:
        """Return an edge column in the order of arcs or slots."""
        field = self.schedule.program.fields[kind, name]
        supply, layouts = self.supply(field), self.graph.layouts
        if supply.how == "filled":
            array = self.empty(self.graph.num_arcs, self.column_dtype(kind, name))
            self.fill(array, field_value(field, supply))
            return array
        on_device = not isinstance(supply.array, np.ndarray)
        if on_device and order == "arc" and layouts.arcs_are_edges and supply.how == "shared":
            self.held.append(supply.array)
            return supply.array
        if isinstance(supply.source, str):
            key = (kind, supply.source, field.dtype.name, order)
            stored = self.graph.edges.stored(supply.source)
            return self.on_device.column(
                key, stored, lambda: layouts.edge_column(supply.source, field.dtype, order)
            )
        values = layouts.in_order(column_values(self.graph, field, on_host(supply.array)), order)
        array = self.empty(len(values), self.column_dtype(kind, name))
        self.device.upload(values, array.owner, self.stream)
        return array

    def lowest_and_mean(self, weight: str) -> tuple[float, float]:
        """Return the smallest and the mean entry of an edge column."""
        field = self.schedule.program.fields["edge", weight]
        supply, layouts = self.supply(field), self.graph.layouts
        if supply.how == "filled":
            value = float(field_value(field, supply))
            return value, value
        if not isinstance(supply.source, str):
            values = on_host(supply.array)
            return (float(values.min()), float(values.mean())) if len(values) else (0.0, 0.0)
        stored = self.graph.edges.stored(supply.source)
        summary: tuple[float, float] = layouts.lowest_and_mean(stored)
        return summary

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
        began, ended = resident.events
        driver.record(began, self.stream)
        threads = importlib.import_module("emv.backends.cuda.device").THREADS
        function = resident.kernel.function
        driver.launch(function, resident.blocks, threads, resident.parameters, self.stream)
        driver.record(ended, self.stream)
        address, nbytes = resident.pinned.address, resident.shared_bytes
        driver.copy(address, resident.control.address, nbytes, self.stream)
        driver.synchronize(self.stream)
        return float(driver.seconds_between(began, ended))

    def column(self, kind: str, name: str) -> Any:
        """Return a column as kernels saw it."""
        return self.made[f"{kind[0]}_{name}"]

    def as_declared(self, field: Any, values: Any) -> Any:
        """Return a column that kernels worked on in the type its record declares.

        Disjoint sets are ids as users see them, of the width that this graph's ids have.
        """
        if field.disjoint:
            return values.view(0, values.size, np.dtype(f"int{8 * self.id_dtype.itemsize}"))
        return values.view(0, values.size, field.dtype)

    def returned(self, values: NDArray[Any]) -> Any:
        """Return a host array as a result of the run: on the device, like all others."""
        arrays = importlib.import_module("emv.backends.cuda.array")
        return arrays.from_host(self.device, values)

    def values(self, name: str, dtype: np.dtype[Any]) -> Any:
        """Return kept values as a result."""
        kept = self.made[name]
        if kept.dtype == dtype or (dtype.kind == "b" and kept.itemsize == 1):
            return kept.view(0, kept.size, dtype)
        return self.returned(kept.numpy().astype(dtype))

    def release(self) -> None:
        """Leave what is not a result to the next run."""
        if self.arena is not None:
            self.device.pool.give_arena(self.arena)
            self.arena = None
        if self.resident is not None:
            self.arrays = {name: view.copy() for name, view in self.resident.views.items()}
            self.idle().append(self.resident)
            self.resident = None
        self.held.clear()

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


def field_value(field: Any, supply: Supply) -> Any:
    """Return the number that fills a column, checked against its type."""
    one = SimpleNamespace(num_vertices=1, num_edges=1, vertices=None, edges=None)
    return column_values(one, field, supply.source)[0]


def loops_in(steps: tuple[Any, ...]) -> list[s.LoopStep]:
    """Return every loop of a list of steps, those in loops included."""
    found: list[s.LoopStep] = []
    for step in steps:
        if isinstance(step, s.LoopStep):
            found += [step, *loops_in(step.body)]
    return found


def returned_values(schedule: s.Schedule, value: Any) -> list[str]:
    """Return the names of the arrays of kept values that a program returns."""
    if isinstance(value, tuple | list):
        return [name for each in value for name in returned_values(schedule, each)]
    if isinstance(value, dict):
        return returned_values(schedule, tuple(value.values()))
    return list(schedule.values[value.id].names) if isinstance(value, p.Ref) else []
