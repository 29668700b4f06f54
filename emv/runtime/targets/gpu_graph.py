"""What of a graph stays on a GPU between runs: index arrays and edge columns.

Arrays that share their storage on the host share it on the device too. Edge columns may be kept
because only an assignment changes them.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from emv.backends.cuda.array import from_host
from emv.backends.cuda.pool import rounded
from emv.backends.cuda.sorting import converted
from emv.graph.on_device import FIRST_ON_DEVICE
from emv.graph.widths import id_dtype, index_dtype
from emv.runtime.arrays.index import IN_ORDER, host_index
from emv.runtime.arrays.memory import Counted, Entry, note, shown
from emv.runtime.arrays.store import Store, index_bytes

if TYPE_CHECKING:
    from emv.runtime.arrays.columns import Columns, Key
    from emv.runtime.arrays.plan import Plan
    from emv.runtime.targets.gpu_build import GpuBuild


NOT_KEPT = (None, None)

WIDEST = ("gather_slot", "edge_of_slot")
"""Index arrays that take the most beside them while they are built on a GPU."""


class GpuGraph(Store):
    """The resident arrays of one graph on one GPU.

    Attributes
    ----------
    device : Device
        Where they are.
    build : GpuBuild or None
        What builds index arrays there; None where the host does.
    columns : dict
        Edge columns of the graph by name, dtype and order, each with the graph's own.
    placed : dict
        What was copied up, by where it lies on the host, with the host's array: it is held, so that
        no other can come to lie in its place.
    """

    def __init__(self, device: Any, build: GpuBuild | None) -> None:
        super().__init__()
        self.device = device
        self.build = build
        self.columns: dict[tuple[str, str, str], tuple[Any, Any]] = {}
        self.placed: dict[tuple[int, int], tuple[NDArray[Any], Any]] = {}

    def index(self, graph: Any, name: str) -> Any:
        """Return an index array; where the order within rows is all one, of any order."""
        return super().index(graph, self.known_as(name))

    def known_as(self, name: str) -> str:
        """Return the index array that serves for one that kernels name."""
        return IN_ORDER.get(name, name) if self.build is None else self.build.known_as(name)

    def made_index(self, graph: Any, name: str) -> Any:
        """Return an index array that was not asked for before; built here or copied up."""
        if self.build is not None and self.build.makes(name):
            return self.build.array(name, id_dtype(graph.num_vertices))
        values = host_index(graph, name)
        if name == "edge_of_arc" and graph.layouts.arcs_are_edges:  # which the host does not keep
            return from_host(self.device, values)
        place = (values.__array_interface__["data"][0], values.nbytes)
        if place not in self.placed:
            self.placed[place] = values, from_host(self.device, values)
        return self.placed[place][1].view(0, len(values), values.dtype)

    def ids(self, size: int, dtype: np.dtype[Any]) -> Any:
        """Return the numbers from 0 on, which disjoint sets begin with."""
        name = ids_name(size, dtype)
        if name not in self.named:
            self.named[name] = from_host(self.device, np.arange(size, dtype=dtype))
        return self.named[name]

    def edge_column(self, columns: Columns, key: Key, order: str) -> Any:
        """Return an edge column in an order; one of the graph is kept until it is replaced."""
        supply = columns.supply(key)
        if not supply.is_named:
            return self.in_order(columns, key, order)
        named = column_key(columns, key, order)
        stored, kept = identity(columns.graph, supply.source), self.columns.get(named)
        if kept is None or kept[0] is not stored:
            if self.columns.pop(named, None) is not None and self.build is not None:
                self.build.arrays.by_arc.pop(named, None)  # before another is made
            self.columns[named] = kept = stored, self.in_order(columns, key, named[2])
        return kept[1]

    def edges_again(self, columns: Columns, key: Key, order: str, made: Any) -> Callable[[], Any]:
        named, kept = column_key(columns, key, order), self.columns
        return lambda: kept.get(named, NOT_KEPT)[1]  # which goes as soon as another takes its place

    def in_order(self, columns: Columns, key: Key, order: str) -> Any:
        """Return an edge column in an order: put into it here, or by the host."""
        supply, layouts, target = columns.supply(key), columns.graph.layouts, columns.target
        if self.build is None or not self.orders(order):
            if supply.is_named and order != "edge":
                values = layouts.edge_column(supply.source, columns.fields[key].dtype, order)
            else:
                values = layouts.in_order(columns.edge_values(key), order)
            return target.copied(values)
        values, dtype = supply.array, columns.fields[key].dtype
        is_here = target.reads(values) and values.shape == (columns.graph.num_edges,)
        if is_here and supply.is_named and order == "arc":
            return self.by_arc(columns, key, values)
        if is_here and (values.dtype == dtype or is_converted(values.dtype, dtype)):
            if target.stream != self.device.stream:  # which it is put into order on
                self.device.driver.synchronize(target.stream)
            values = converted(values, dtype)
        else:
            values = from_host(self.device, columns.edge_values(key))
        return self.build.in_order(values, order, is_kept=supply.is_named)

    def by_arc(self, columns: Columns, key: Key, values: Any) -> Any:
        """Return a column of the graph by arc: the version before has given it, or it is made.

        It is noted for the version that follows.
        """
        assert self.build is not None
        if columns.target.stream != self.device.stream:  # which all is put on
            self.device.driver.synchronize(columns.target.stream)
        name, dtype = column_key(columns, key, "arc"), columns.fields[key].dtype
        known = self.build.arrays.by_arc.get(name)
        if known is not None and known[0].address == values.address:
            return known[1]
        if values.dtype == dtype or is_converted(values.dtype, dtype):
            given = converted(values, dtype)
        else:
            given = from_host(self.device, columns.edge_values(key))
        made = self.build.in_order(given, "arc", is_kept=True)
        self.build.arrays.by_arc[name] = values, made
        return made

    def builds(self, name: str) -> bool:
        return self.build is not None and self.build.makes(name)

    def orders(self, order: str) -> bool:
        return self.build is not None and order in ("arc", "slot")

    # Bytes.

    def entries(self, counted: Counted) -> Iterator[Entry]:
        """Yield what is taken for index arrays and edge columns, each storage once."""
        plan, counts = counted.plan, counted.plan.counts
        for array in counted.sets:
            is_there = ids_name(array.length(counts), array.dtype(counts)) in self.named
            yield Entry("index arrays", "ids", rounded(array.nbytes(counts)), note(is_there))
        storages: dict[str, str] = {}
        for name in map(self.known_as, counted.index):
            storages.setdefault(storage_of(plan, name), name)
        for name in storages.values():
            if self.build is not None and self.build.shares_ends(name):
                yield Entry("index arrays", name, 0, "shared")
            else:
                nbytes = rounded(index_bytes(plan.graph, counts, name))
                yield Entry("index arrays", name, nbytes, note(name in self.named))
        for key, order in counted.named:
            name, nbytes = f"{shown(*key)} by {order}", rounded(ordered_bytes(plan, key, order))
            is_there = self.has_column(plan.columns, key, order)
            yield Entry("ordered edge columns", name, nbytes, note(is_there))

    def has_column(self, columns: Columns, key: Key, order: str) -> bool:
        """Return whether an edge column of the graph is there and current."""
        kept = self.columns.get(column_key(columns, key, order))
        source = columns.supply(key).source
        return kept is not None and kept[0] is identity(columns.graph, source)

    def building_bytes(self, counted: Counted) -> int:
        """Return at most what building on the device takes besides, for a while."""
        if self.build is None:
            return 0
        plan = counted.plan
        index = map(self.known_as, counted.index)
        names = [e for e in index if self.builds(e) and e not in self.named]
        columns = [e for e in counted.named if not self.has_column(plan.columns, *e)]
        ordered = [e for e in columns + counted.given if self.orders(e[1])]
        widest = max((rounded(ordered_bytes(plan, *each)) for each in ordered), default=0)
        return self.build.building_bytes(names, widest)

    def host_bytes(self, counted: Counted) -> int:
        """Return at most what is taken of the host, where it builds index arrays."""
        parts = [part for part in self.parts(counted) if not part.is_built]
        scratch = max((part.scratch_bytes for part in parts), default=0)
        return int(sum(part.nbytes for part in parts) + scratch)


def is_converted(given: np.dtype[Any], dtype: np.dtype[Any]) -> bool:
    """Return whether values of a type are converted here; others are looked at on the host."""
    is_number = given.kind in "iuf" and dtype.kind in "iuf"
    is_sure = dtype.kind == "f" or bool(np.can_cast(given, dtype, "safe"))
    return given != dtype and is_number and is_sure


def ids_name(size: int, dtype: np.dtype[Any]) -> str:
    """Return the name under which the ids of columns are kept."""
    return f"ids {dtype.name} {size}"


def column_key(columns: Columns, key: Key, order: str) -> tuple[str, str, str]:
    """Return what an edge column of the graph is kept by; arcs may stand as the edges do."""
    order = "edge" if columns.is_in_place(order) else order
    return columns.supply(key).source, columns.fields[key].dtype.name, order


def identity(graph: Any, source: str) -> Any:
    """Return what stays the same object until an edge column of the graph is assigned anew."""
    given = graph.edges.on_device(source)
    return graph.edges.stored(source) if given is None else given


def ordered_bytes(plan: Plan, key: Key, order: str) -> int:
    """Return the bytes of an edge column in an order."""
    return plan.counts[order] * plan.table.column(key).dtype(plan.counts).itemsize


def storage_of(plan: Plan, name: str) -> str:
    """Return the name under which the storage of an index array is counted."""
    layouts = plan.graph.layouts
    if name == "first_in" and not layouts.directed:
        return "first_out"
    if not layouts.arcs_are_edges:
        return name
    same = {"edge_of_slot": "arc_of_slot"}
    if plan.counts.dtypes["end"] == index_dtype(layouts.num_vertices):
        same |= {f"{end}_of_edge": f"{end}_of_arc" for end in ("src", "dst")}
    return same.get(name, name)


_graphs: weakref.WeakKeyDictionary[Any, dict[Any, GpuGraph]] = weakref.WeakKeyDictionary()


def is_built_there(layouts: Any) -> bool:
    """Return whether a GPU builds index arrays, if it has room: of large graphs, and its own."""
    ends = layouts.ends
    is_there = ends.on_device is not None or ends.drawing is not None
    return bool(layouts.num_edges >= FIRST_ON_DEVICE or is_there)


def gpu_graph(layouts: Any, device: Any) -> GpuGraph:
    """Return what of a graph is on a device."""
    by_device = _graphs.setdefault(layouts, {})
    if device not in by_device:
        build = None
        if is_built_there(layouts):
            from emv.runtime.targets.gpu_build import GpuBuild  # only a large graph needs it

            build = GpuBuild(layouts, device)
            is_held, most = layouts.ends.drawing is None, 8 * layouts.num_edges
            if is_held and build.building_bytes(WIDEST, most) > device.free_bytes():
                build = None  # the host takes its time, and the GPU what it keeps
        by_device[device] = GpuGraph(device, build)
    return by_device[device]
