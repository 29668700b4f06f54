"""The columns of one run on a device: where each comes from, and how it gets there.

Columns that the program writes are made anew in every run, because they are its result. An edge
column of the graph stays on the device between runs; a vertex column is copied up in every run,
because it may be changed in place. An array that lies on the device already is read where it is.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.backends.cuda import array as arrays
from emv.graph.bind import column_values
from emv.graph.on_device import device_array, lies_on_device, on_host
from emv.runtime.compile import Compiled
from emv.runtime.device_graph import device_graph
from emv.runtime.plan import Plan, Supply


class DeviceColumns(Plan):
    """A plan whose columns lie on a device.

    Attributes
    ----------
    device : Device
        Which.
    stream : int
        Where copies and fills are put.
    made : dict
        Columns and kept values by the name kernels use, as arrays on the device.
    held : list
        What the run reads and nothing else keeps.
    """

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
        self.held: list[Any] = []

    def column_dtype(self, kind: str, name: str) -> np.dtype[Any]:
        """Return the dtype of a column as kernels see it."""
        field = self.schedule.program.fields[kind, name]
        if field.disjoint:
            return self.id_dtype
        return np.dtype(np.uint8) if field.dtype.kind == "b" else field.dtype

    def empty(self, size: int, dtype: np.dtype[Any]) -> Any:
        """Return a new array on the device."""
        return arrays.empty(self.device, size, dtype)

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
        if array.shape != (self.rows(field.kind, field.name),) or array.dtype != field.dtype:
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
        array = self.empty(self.rows(kind, name), dtype)
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
        values = self.in_copies(field, column_values(self.graph, field, on_host(given)))
        self.device.upload(values, array.owner, self.stream)

    def ordered_on_device(self, kind: str, name: str, order: str) -> Any:
        """Return an edge column in the order of arcs or slots."""
        field = self.schedule.program.fields[kind, name]
        supply, layouts = self.supply(field), self.graph.layouts
        if supply.how == "filled":
            array = self.empty(layouts.num_in(order), self.column_dtype(kind, name))
            self.fill(array, field_value(field, supply))
            return array
        on_device = not isinstance(supply.array, np.ndarray)
        if on_device and order == "arc" and layouts.arcs_are_edges and supply.how == "shared":
            self.held.append(supply.array)
            return supply.array
        if isinstance(supply.source, str):
            key = (kind, supply.source, field.dtype.name, order)
            return self.on_device.column(
                key, self.identity(supply), lambda: self.in_order(field, supply, order)
            )
        if self.builds_order(order):
            return self.in_order(field, supply, order)
        values = layouts.in_order(column_values(self.graph, field, on_host(supply.array)), order)
        array = self.empty(len(values), self.column_dtype(kind, name))
        self.device.upload(values, array.owner, self.stream)
        return array

    def builds_order(self, order: str) -> bool:
        """Return whether edge columns are put into an order on the device."""
        return self.on_device.build is not None and order in ("arc", "slot")

    def identity(self, supply: Supply) -> Any:
        """Return what stays the same object until a column of the graph is assigned anew."""
        given = self.graph.edges.on_device(supply.source)
        return self.graph.edges.stored(supply.source) if given is None else given

    def in_order(self, field: Any, supply: Supply, order: str) -> Any:
        """Return an edge column by arc or slot: on the device if it is ordered there."""
        build, source = self.on_device.build, supply.source
        if build is None or not self.builds_order(order):
            return self.graph.layouts.edge_column(source, field.dtype, order)
        values = supply.array
        if isinstance(values, np.ndarray) or not self.fits(field, values):
            values = self.on_device.uploaded(self.edge_values(field, supply))
        elif self.stream != self.device.stream:  # which it is put into order on
            self.device.driver.synchronize(self.stream)
        return build.in_order(values, order, is_kept=isinstance(source, str))

    def edge_values(self, field: Any, supply: Supply) -> NDArray[Any]:
        """Return an edge column in the order of edges, on the host."""
        if isinstance(supply.source, str):
            values: NDArray[Any] = self.graph.layouts.edge_column(
                supply.source, field.dtype, "edge"
            )
            return values
        return column_values(self.graph, field, on_host(supply.array))

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

    # Results.

    def column(self, kind: str, name: str) -> Any:
        """Return a column as kernels saw it; made now if none named it."""
        key = f"{kind[0]}_{name}"
        if key not in self.made:
            self.made[key] = self.new_device_column(kind, name)
        return self.made[key]

    def as_declared(self, field: Any, values: Any) -> Any:
        """Return a column that kernels worked on in the type its record declares.

        Disjoint sets are ids as users see them: of 64 bits, as on every backend.
        """
        if not field.disjoint:
            return values.view(0, values.size, field.dtype)
        if values.itemsize == 4:
            return arrays.WideIds(values)
        return values.view(0, values.size, np.dtype(np.int64))

    def returned(self, values: NDArray[Any]) -> Any:
        """Return a host array as a result of the run: on the device, like all others."""
        return arrays.from_host(self.device, values)

    def values(self, name: str, dtype: np.dtype[Any]) -> Any:
        """Return kept values as a result."""
        kept = self.made[name]
        if kept.dtype == dtype or (dtype.kind == "b" and kept.itemsize == 1):
            return kept.view(0, kept.size, dtype)
        return self.returned(kept.numpy().astype(dtype))


def field_value(field: Any, supply: Supply) -> Any:
    """Return the number that fills a column, checked against its type."""
    one = SimpleNamespace(num_vertices=1, num_edges=1, vertices=None, edges=None)
    return column_values(one, field, supply.source)[0]


def fill_pattern(value: Any, dtype: np.dtype[Any]) -> bytes:
    r"""Return the bytes of one entry.

    Examples
    --------
    >>> fill_pattern(-1, np.dtype("uint16")), fill_pattern(True, np.dtype("uint8"))
    (b'\xff\xff', b'\x01')
    """
    return np.array(value).astype(dtype).tobytes()
