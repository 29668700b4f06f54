"""How many bytes of a GPU a run takes, known before anything is allocated there.

The same descriptions of buffers as `DevicePlan.bind` works from. What is on the device already,
from an earlier run on the graph or by the user's hand, costs nothing anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from emv.dtypes import dtype_named
from emv.errors import CapacityError
from emv.graph.pull import WARP_HUB_ARCS, WARP_PIECE_ARCS
from emv.graph.row_storage import split_name
from emv.graph.widths import index_dtype
from emv.ir import schedule as s
from emv.ir.kernel import Buffer
from emv.runtime.memory import (
    CHECKED_FROM,
    GROUPS,
    LAYOUTS,
    Counted,
    Entry,
    MemoryPlan,
    available_bytes,
    readable,
    shown,
)
from emv.runtime.resident import GRAIN, HOST_FILLED, IDS_BYTES, SHARED

DevicePlan = Any
"""A plan of `emv.runtime.device_plan`, which stands above."""

BLOCK = 512  # bytes: blocks of device memory are multiples of it


def plan_device_memory(plan: DevicePlan) -> MemoryPlan:
    """Return the bytes that ``plan.bind()`` takes on the device, results included."""
    counted = DeviceCounted(plan)
    entries = sorted(counted.entries(), key=lambda entry: GROUPS.index(entry.group))
    return MemoryPlan(plan.schedule.program.name, tuple(entries), counted.building_on_device())


def in_blocks(nbytes: int) -> int:
    """Return what so many bytes take.

    Examples
    --------
    >>> in_blocks(1), in_blocks(512), in_blocks(513)
    (512, 512, 1024)
    """
    return max(1, -(-nbytes // BLOCK)) * BLOCK


class DeviceCounted(Counted):
    """Counts the arrays of a plan on a device, each once."""

    plan: DevicePlan

    def __init__(self, plan: DevicePlan) -> None:
        super().__init__(plan)
        self.storages: set[str] = set()
        self.built: list[str] = []  # index arrays that the device builds
        self.ordered_bytes = 0  # of the largest edge column that it puts into an order

    def building_on_device(self) -> int:
        """Return at most what building on the device takes besides; asked after `entries`."""
        build = self.plan.on_device.build
        return 0 if build is None else build.building_bytes(self.built, self.ordered_bytes)

    def entries(self) -> Iterator[Entry]:
        """Yield every array."""
        plan = self.plan
        names = plan.source.functions["program"]
        buffers = [plan.source.buffers[name] for name in names if name not in SHARED]
        yield self.control_block(buffers)
        arena = sum(self.aligned(each) for each in buffers if plan.is_working_space(each))
        is_kept = plan.device.pool.arena_bytes() >= max(1, arena)
        for each in buffers:
            if plan.is_working_space(each):
                group = "second copies" if each.source == "next" else "working space"
                note = "kept from an earlier run" if is_kept else "new"
                yield Entry(group, each.name, self.aligned(each), note)
            elif each.name not in HOST_FILLED and each.name not in plan.made:
                yield from self.buffer(each)
        yield from self.results(plan.schedule.results)

    def control_block(self, buffers: list[Buffer]) -> Entry:
        """Return the control block, with what goes up with it."""
        plan = self.plan
        filled = sum(8 * plan.length(each) for each in buffers if each.name in HOST_FILLED)
        nbytes = in_blocks(8 * sum(plan.shared_places().values()) + filled + IDS_BYTES)
        note = "kept from an earlier run" if plan.idle() else "new"
        return Entry("working space", "control block", nbytes, note)

    def aligned(self, buffer: Buffer) -> int:
        """Return what an array takes of the working space."""
        nbytes = self.plan.length(buffer) * self.plan.dtype(buffer).itemsize
        return int(-(-nbytes // GRAIN) * GRAIN)

    def buffer(self, buffer: Buffer) -> Iterator[Entry]:
        """Yield what one buffer takes that is no working space."""
        plan = self.plan
        if buffer.source == "graph":
            yield from self.graph_array(buffer.key)
        elif buffer.source == "column":
            yield from self.column(*buffer.key)
        elif buffer.source == "ordered":
            yield from self.ordered(*buffer.key)
        elif buffer.size == "ids":
            nbytes = len(plan.ids[buffer.name]) * plan.id_dtype.itemsize
            nbytes = 0 if nbytes <= IDS_BYTES else in_blocks(nbytes)
            yield Entry("working space", buffer.name, nbytes)
        else:  # values that are returned, or scalars of copies
            nbytes = plan.length(buffer) * plan.dtype(buffer).itemsize
            group = "working space" if buffer.source == "copies" else "results"
            yield Entry(group, buffer.name, in_blocks(nbytes))

    def column(self, kind: str, name: str) -> Iterator[Entry]:
        """Yield what a column takes, the first time it is named."""
        if (kind, name) in self.columns:
            return
        self.columns.add((kind, name))
        plan, field = self.plan, self.plan.schedule.program.fields[kind, name]
        nbytes = in_blocks(plan.rows(kind, name) * plan.column_dtype(kind, name).itemsize)
        supply = plan.supply(field)
        is_written = (kind, name) in plan.schedule.written
        if supply.how == "shared" and not isinstance(supply.array, np.ndarray):
            yield Entry("columns", shown(kind, name), 0, "shared")
            return
        if supply.how == "sets":
            ids = f"ids {plan.id_dtype.name} {plan.rows(kind, name)}"
            note = "already built" if ids in plan.on_device.named else "new"
            yield Entry("index arrays", "ids", nbytes, note)
        if kind == "edge" and isinstance(supply.source, str):
            yield self.kept(kind, name, "edge", field, nbytes)
            if not is_written:
                return
        yield Entry("columns", shown(kind, name), nbytes)

    def kept(self, kind: str, name: str, order: str, field: Any, nbytes: int) -> Entry:
        """Return an edge column that stays on the device."""
        plan = self.plan
        source = plan.supply(field).source
        key = (kind, source, field.dtype.name, order)
        stored = plan.identity(plan.supply(field))
        note = "already built" if plan.on_device.has_column(key, stored) else "new"
        return Entry("ordered edge columns", f"{shown(kind, name)} by {order}", nbytes, note)

    def ordered(self, kind: str, name: str, order: Any) -> Iterator[Entry]:
        """Yield what an edge column in the order of arcs or slots takes."""
        plan, field = self.plan, self.plan.schedule.program.fields[kind, name]
        supply = plan.supply(field)
        nbytes = in_blocks(
            plan.graph.layouts.num_in(order) * plan.column_dtype(kind, name).itemsize
        )
        in_place = order == "arc" and plan.graph.layouts.arcs_are_edges
        if in_place and supply.how == "shared" and not isinstance(supply.array, np.ndarray):
            yield Entry("ordered edge columns", f"{shown(kind, name)} by {order}", 0, "shared")
        elif isinstance(supply.source, str):
            yield self.ordered_column(kind, name, order, field, nbytes)
        else:
            self.order_on_device(order, nbytes)
            yield Entry("ordered edge columns", f"{shown(kind, name)} by {order}", nbytes)

    def ordered_column(self, kind: str, name: str, order: Any, field: Any, nbytes: int) -> Entry:
        """Return an edge column of the graph in an order, and note what puts it there."""
        entry = self.kept(kind, name, order, field, nbytes)
        if self.plan.builds_order(order):
            if entry.note == "new":
                self.order_on_device(order, nbytes)
        else:
            self.layouts.append((self.plan.supply(field).source, field.dtype, order))
        return entry

    def order_on_device(self, order: Any, nbytes: int) -> None:
        """Note a column that is put into an order, which takes it in the order of edges too."""
        if self.plan.builds_order(order):
            self.ordered_bytes = max(self.ordered_bytes, nbytes)

    def graph_array(self, name: str) -> Iterator[Entry]:
        """Yield an index array, unless it shares the storage of one counted already."""
        storage = self.storage(name)
        if storage in self.storages:
            return
        self.storages.add(storage)
        build = self.plan.on_device.build
        note = "already built" if name in self.plan.on_device.named else "new"
        if build is not None and build.makes(name):
            if note == "new":
                self.built.append(name)
            if build.shares_ends(name):
                yield Entry("index arrays", name, 0, "shared")
                return
        elif name not in ("src_of_edge", "dst_of_edge"):
            self.layouts.append(layout_of(name))
        yield Entry("index arrays", name, in_blocks(self.index_bytes(name)), note)

    def storage(self, name: str) -> str:
        """Return the name under which the storage of an index array is counted."""
        layouts = self.plan.graph.layouts
        if name == "first_in" and not layouts.directed:
            return "first_out"
        if not layouts.arcs_are_edges:
            return name
        same = {"edge_of_slot": "arc_of_slot"}
        if self.plan.end_dtype == index_dtype(layouts.num_vertices):
            same |= {"dst_of_edge": "dst_of_arc", "src_of_edge": "src_of_arc"}
        return same.get(name, name)

    def index_bytes(self, name: str) -> int:
        """Return the bytes of an index array; of pieces, at most."""
        layouts = self.plan.graph.layouts
        if (stored := split_name(name)) is not None:
            _, tag, side, part = stored
            return int(layouts.storage(tag, side).nbytes(part))
        vertex = index_dtype(layouts.num_vertices).itemsize
        arc = index_dtype(layouts.num_arcs).itemsize
        if name.startswith("pull_") and "pull" in vars(layouts):
            return int(getattr(layouts.pull, name.removeprefix("pull_")).nbytes)
        hubs = layouts.num_arcs // WARP_HUB_ARCS
        pieces = hubs and hubs + layouts.num_arcs // WARP_PIECE_ARCS
        known = {
            "first_out": (layouts.num_vertices + 1) * arc,
            "first_in": (layouts.num_vertices + 1) * arc,
            "dst_of_arc": layouts.num_arcs * vertex,
            "src_of_slot": layouts.num_arcs * vertex,
            "sorted_dst": layouts.num_arcs * vertex,
            "src_of_arc": layouts.num_arcs * vertex,
            "edges_by_row": layouts.num_edges * arc,
            "src_of_edge": layouts.num_edges * self.plan.end_dtype.itemsize,
            "dst_of_edge": layouts.num_edges * self.plan.end_dtype.itemsize,
            "gather_position": layouts.num_vertices * vertex,
            "gather_slot": layouts.num_arcs * vertex,
            "gather_first": (layouts.num_vertices + 1) * arc,
            "pull_order": layouts.num_vertices * vertex,
            "pull_bins": 8 * 24,
            "pull_hub_piece": 8 * (hubs + 1),
            "pull_piece_vertex": pieces * vertex,
        }
        if name.endswith(("piece_begin", "piece_end")):
            return int(pieces * arc)
        if name == "edge_of_arc" and layouts.arcs_are_edges:
            return int(layouts.num_arcs * vertex)
        return int(known.get(name, layouts.num_arcs * arc))

    def returned(self, kind: str, name: str) -> Iterator[Entry]:
        """Yield what a returned column takes beyond the one that the run worked on."""
        plan = self.plan
        field = plan.schedule.program.fields.get((kind, name))
        if field is None:  # an id or a degree
            yield Entry("results", shown(kind, name), in_blocks(8 * plan.rows(kind, name)))
            return
        yield from self.column(kind, name)
        if (kind, name) not in plan.schedule.written:
            nbytes = plan.rows(kind, name) * plan.column_dtype(kind, name).itemsize
            yield Entry("results", shown(kind, name), in_blocks(nbytes))

    def values(self, values: s.Values) -> Iterator[Entry]:
        """Yield returned values that are converted; others are returned as they are."""
        for name, kind in zip(values.names, s.component_types(values.type), strict=True):
            buffer, wanted = self.plan.source.buffers[name], dtype_named(kind)
            stored = np.dtype(buffer.dtype)
            if wanted != stored and not (wanted.kind == "b" and stored.itemsize == 1):
                nbytes = self.plan.length(buffer) * wanted.itemsize
                yield Entry("results", name, in_blocks(nbytes))


def layout_of(name: str) -> str:
    """Return the layout that an index array is built with.

    Examples
    --------
    >>> layout_of("first_in"), layout_of("slot_of_arc"), layout_of("pull_order")
    ('in_rows', 'slot_of_arc', 'in_first')
    """
    if name.startswith(("pull_", "piece_")):
        return "in_first"
    if (stored := split_name(name)) is not None:
        return f"{stored[2]}_rows"
    known = {
        "gather_position": "out_first",
        "gather_first": "in_first",
        "gather_piece_begin": "in_first",
        "gather_piece_end": "in_first",
        "gather_slot": "in_rows",
        "in_blocks": "in_rows",
    }
    return known.get(name) or LAYOUTS.get(name, name).split(".")[0]


def check_device_capacity(plan: DevicePlan) -> None:
    """Refuse a run that does not fit the device, or the host while index arrays are built.

    Raises
    ------
    CapacityError
        With the bytes needed and the bytes available.
    """
    counted = DeviceCounted(plan)
    needed = sum(entry.nbytes for entry in counted.entries() if entry.note == "new")
    needed += counted.building_on_device()
    free = plan.device.free_bytes()
    if needed > free:
        raise refused(plan, needed, free, f"free on {plan.device.label}")
    parts = [part for part in plan.graph.layouts.parts_of(*counted.layouts) if not part.is_built]
    needed = sum(part.nbytes for part in parts)
    needed += max((part.scratch_bytes for part in parts), default=0)
    if needed > CHECKED_FROM and needed > (free := available_bytes()):
        raise refused(plan, needed, free, "available on the host, where index arrays are built")


def refused(plan: DevicePlan, needed: int, free: int, where: str) -> CapacityError:
    """Return the error of a run that does not fit."""
    return CapacityError(
        f"{plan.schedule.program.name} needs {needed:,} bytes ({readable(needed)}) more for "
        f"{plan.graph}, but {free:,} ({readable(free)}) are {where}",
        remedy="Take a smaller graph or a larger GPU; memory_plan() lists what takes them.",
    )
