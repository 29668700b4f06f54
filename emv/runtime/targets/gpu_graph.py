"""What of a graph stays on a GPU between runs: index arrays and edge columns.

Kept as long as the graph's layouts are, and only once: arrays that share their storage on the host
share it on the device too. Edge columns may be kept because only an assignment changes them.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from emv.backends.cuda.array import from_host
from emv.backends.cuda.device import rounded
from emv.graph.widths import id_dtype, index_dtype
from emv.runtime.arrays.index import host_index, index_bytes, layout_of
from emv.runtime.arrays.memory import Entry, note, shown
from emv.runtime.targets import gpu_build
from emv.runtime.targets.gpu_build import GpuBuild

if TYPE_CHECKING:
    from emv.runtime.arrays.columns import Columns, Key
    from emv.runtime.arrays.memory import Counted
    from emv.runtime.arrays.plan import Plan

ColumnKey = tuple[str, str, str]
"""Name, dtype and order of an edge column."""


class GpuGraph:
    """The resident arrays of one graph on one GPU; see `emv.runtime.targets.target.Store`.

    Attributes
    ----------
    device : Device
        Where they are.
    build : GpuBuild or None
        What builds index arrays there; None where the host does.
    """

    def __init__(self, device: Any, build: GpuBuild | None) -> None:
        self.device = device
        self.build = build
        self.named: dict[str, Any] = {}
        self.columns: dict[ColumnKey, tuple[Any, Any]] = {}
        self.placed: dict[tuple[int, int], tuple[NDArray[Any], Any]] = {}

    # Index arrays.

    def index(self, graph: Any, name: str) -> Any:
        """Return an index array by the name that kernels use."""
        if name not in self.named:
            if self.builds(name):
                assert self.build is not None
                made = self.build.array(name, id_dtype(graph.num_vertices))
            else:
                is_kept = name != "edge_of_arc" or not graph.layouts.arcs_are_edges
                made = self.uploaded(host_index(graph, name), is_kept)
            self.named[name] = made
        return self.named[name]

    def builds(self, name: str) -> bool:
        """Return whether an index array is built on the device."""
        return self.build is not None and self.build.makes(name)

    def ids(self, size: int, dtype: np.dtype[Any]) -> Any:
        """Return the array ``0..size-1``, from which disjoint sets begin."""
        name = ids_name(size, dtype)
        if name not in self.named:
            self.named[name] = from_host(self.device, np.arange(size, dtype=dtype))
        return self.named[name]

    def uploaded(self, values: NDArray[Any], is_kept: bool) -> Any:
        """Return a host array's copy on the device; of what the host keeps, the one there is.

        What shares its storage is then one array here, too. The host array is held, so that no
        other can come to lie in its place.
        """
        if not is_kept:
            return from_host(self.device, values)
        place = (values.__array_interface__["data"][0], values.nbytes)
        if place not in self.placed:
            self.placed[place] = values, from_host(self.device, values)
        return self.placed[place][1].view(0, len(values), values.dtype)

    # Edge columns.

    def edge_column(self, columns: Columns, key: Key, order: str) -> Any:
        """Return an edge column by edge, arc, slot or place; one of the graph stays here."""
        supply, field = columns.supply(key), columns.fields[key]
        if supply.is_named:
            named = (supply.source, field.dtype.name, order)
            stored = identity(columns.graph, supply.source)
            return self.column(named, stored, lambda: self.in_order(columns, key, order))
        found = self.in_order(columns, key, order)
        return columns.target.copied(found) if isinstance(found, np.ndarray) else found

    def column(self, key: ColumnKey, stored: Any, make: Callable[[], Any]) -> Any:
        """Return an edge column of the graph; a new copy once the graph's own has changed.

        What `make` returns is copied up, unless it is on the device already.
        """
        kept = self.columns.get(key)
        if kept is None or kept[0] is not stored:
            self.forget(key)
            values = make()
            if isinstance(values, np.ndarray):
                is_kept = key[2] != "edge" or np.may_share_memory(values, stored)
                values = self.uploaded(values, is_kept)
            self.columns[key] = kept = stored, values
        return kept[1]

    def forget(self, key: ColumnKey) -> None:
        """Drop a column that is no longer the graph's."""
        _, array = self.columns.pop(key, (None, None))
        if array is not None:
            held = {id(each.owner) for _, each in self.columns.values()}
            held |= {id(each.owner) for each in self.named.values()}
            self.placed = {
                place: kept
                for place, kept in self.placed.items()
                if kept[1].owner is not array.owner or id(array.owner) in held
            }

    def in_order(self, columns: Columns, key: Key, order: str) -> Any:
        """Return an edge column in an order: on the device if it is put there into it."""
        supply, layouts, target = columns.supply(key), columns.graph.layouts, columns.target
        if not self.orders(order):
            if supply.is_named and order != "edge":
                return layouts.edge_column(supply.source, columns.fields[key].dtype, order)
            return layouts.in_order(columns.edge_values(key), order)
        values = supply.array
        assert self.build is not None
        if not (target.reads(values) and columns.is_like(key, values)):
            values = from_host(self.device, columns.edge_values(key))
        elif target.stream != self.device.stream:  # which it is put into order on
            self.device.driver.synchronize(target.stream)
        return self.build.in_order(values, order, is_kept=supply.is_named)

    def orders(self, order: str) -> bool:
        """Return whether edge columns are put into an order on the device."""
        return self.build is not None and order in ("arc", "slot")

    def settle(self) -> None:
        """Wait for what is being built, and drop what was built only on the way."""
        if self.build is not None:
            self.build.settle()

    # Facts.

    def order_facts(self, layouts: Any, gathers: bool) -> dict[str, int]:
        """Return what kernels are told of the orders in which they pull and gather."""
        if self.build is not None:
            return self.build.facts()
        pull = layouts.pull
        return {
            "NUM_HUBS": len(pull.hub_piece) - 1,
            "NUM_PIECES": len(pull.piece_vertex),
            "HAS_ORDER": int(not pull.is_even),
            "HAS_POSITION": int(gathers and layouts.gather.is_sorted),
        }

    def longest_row(self, layouts: Any) -> int:
        """Return the most out-arcs of a vertex."""
        if self.build is not None:
            return self.build.longest_row()
        return int(np.diff(layouts.out_rows.first).max(initial=0))

    # Bytes.

    def entries(self, counted: Counted) -> Iterator[Entry]:
        """Yield what is taken for index arrays and edge columns, each storage once."""
        plan, counts = counted.plan, counted.plan.counts
        for array in counted.sets:
            is_there = ids_name(array.length(counts), array.dtype(counts)) in self.named
            yield Entry("index arrays", "ids", rounded(array.nbytes(counts)), note(is_there))
        seen: set[str] = set()
        for name in counted.index:
            storage = storage_of(plan, name)
            if storage in seen:
                continue
            seen.add(storage)
            if self.builds(name) and self.build is not None and self.build.shares_ends(name):
                yield Entry("index arrays", name, 0, "shared")
            else:
                nbytes = rounded(index_bytes(plan.graph, counts, name))
                yield Entry("index arrays", name, nbytes, note(name in self.named))
        for key, order in counted.named:
            name, nbytes = f"{shown(*key)} by {order}", rounded(ordered_bytes(plan, key, order))
            is_there = self.has_column(plan, key, order)
            yield Entry("ordered edge columns", name, nbytes, note(is_there))

    def has_column(self, plan: Plan, key: Key, order: str) -> bool:
        """Return whether an edge column of the graph is there and current."""
        source = plan.columns.supply(key).source
        kept = self.columns.get((source, plan.columns.fields[key].dtype.name, order))
        return kept is not None and kept[0] is identity(plan.graph, source)

    def building_bytes(self, counted: Counted) -> int:
        """Return at most what building on the device takes besides, for a while."""
        plan = counted.plan
        if self.build is None:
            return 0
        names = [e for e in counted.index if self.builds(e) and e not in self.named]
        columns = [e for e in counted.named if not self.has_column(plan, *e)] + counted.given
        widest = [ordered_bytes(plan, *e) for e in columns if self.orders(e[1])]
        return self.build.building_bytes(names, max(map(rounded, widest), default=0))

    def host_bytes(self, counted: Counted) -> int:
        """Return at most what is taken of the host, where it builds index arrays."""
        plan, needs = counted.plan, list[Any]()
        for name in counted.index:
            if not self.builds(name) and layout_of(name):
                needs.append(layout_of(name))
        for key, order in counted.named:
            if order != "edge" and not self.orders(order):
                source, field = plan.columns.supply(key).source, plan.columns.fields[key]
                needs.append((source, field.dtype, order))
        parts = [part for part in plan.graph.layouts.parts_of(*needs) if not part.is_built]
        needed = sum(part.nbytes for part in parts)
        return int(needed + max((part.scratch_bytes for part in parts), default=0))


def ids_name(size: int, dtype: np.dtype[Any]) -> str:
    """Return the name under which the ids of columns are kept."""
    return f"ids {dtype.name} {size}"


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


def gpu_graph(layouts: Any, device: Any) -> GpuGraph:
    """Return what of a graph is on a device."""
    by_device = _graphs.setdefault(layouts, {})
    if device not in by_device:
        is_large = layouts.num_edges >= gpu_build.FIRST_ON_DEVICE
        build = GpuBuild(layouts, device) if is_large else None
        by_device[device] = GpuGraph(device, build)
    return by_device[device]
