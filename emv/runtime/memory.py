"""How many bytes a run takes, known before anything is allocated.

Every array that kernels name is described by a `Buffer`; `plan_memory` says what each costs, and
`Plan.bind` makes it. Arrays that the graph, the caller or an earlier run lends cost nothing anew.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from emv.dtypes import dtype_named
from emv.errors import CapacityError
from emv.graph.hubs import HUB_ARCS, PIECE_ARCS
from emv.graph.row_storage import placing_bytes, split_name
from emv.graph.widths import index_dtype
from emv.ir import program as p
from emv.ir import schedule as s
from emv.ir.kernel import Buffer

Plan = Any
"""What is counted: a plan, which stands above and asks for its own bytes."""

ROW_PLACES = 1024 + 16  # ids that a thread collects before it appends them to a queue
PULL_BLOCK = 16384  # in-arcs that a block of receivers holds at most, unless one has more
CHECKED_FROM = 2**24  # bytes below which nobody asks how much memory there is

LAYOUTS = {
    "first_out": "out_rows.first",
    "dst_of_arc": "out_rows.other",
    "first_in": "in_rows.first",
    "src_of_slot": "in_rows.other",
}
"""The layouts whose arrays kernels call by another name."""

GROUPS = (
    "columns",
    "second copies",
    "ordered edge columns",
    "index arrays",
    "working space",
    "results",
)
"""What memory is taken for, in the order in which it is shown."""


@dataclass(frozen=True)
class Entry:
    """The bytes of one array.

    Attributes
    ----------
    group : str
        One of `GROUPS`.
    name : str
        A column, an index array, or what the generated kernels call it.
    nbytes : int
        Its bytes; 0 where it is an array of the graph or the caller.
    note : str
        ``new``, ``shared``, ``already built`` or ``kept from an earlier run``.
    """

    group: str
    name: str
    nbytes: int
    note: str = "new"


@dataclass(frozen=True, repr=False)
class MemoryPlan:
    """The bytes that a compiled run takes; print it to see every array.

    Attributes
    ----------
    program : str
        Its name.
    entries : tuple of Entry
        Every array.
    building_bytes : int
        At most what building index arrays takes besides, for a while.
    """

    program: str
    entries: tuple[Entry, ...]
    building_bytes: int

    @property
    def total_bytes(self) -> int:
        """Bytes of all arrays, also of those that are there already."""
        return sum(entry.nbytes for entry in self.entries)

    @property
    def new_bytes(self) -> int:
        """Bytes that a run will allocate."""
        return sum(entry.nbytes for entry in self.entries if entry.note == "new")

    @property
    def peak_bytes(self) -> int:
        """Bytes that a run allocates at most at one time, scratch of building included."""
        return self.new_bytes + self.building_bytes

    def group_bytes(self, group: str) -> int:
        """Return the bytes of one of the `GROUPS`."""
        return sum(entry.nbytes for entry in self.entries if entry.group == group)

    def __repr__(self) -> str:
        return f"MemoryPlan({self.program}: {readable(self.peak_bytes)} at most)"

    def __str__(self) -> str:
        lines = [f"memory {self.program}"]
        for group in GROUPS:
            found = [entry for entry in self.entries if entry.group == group]
            if found:
                lines.append(f"    {group:<52}{self.group_bytes(group):>16,}")
            for entry in found:
                note = "" if entry.note == "new" else f"  {entry.note}"
                lines.append(f"        {entry.name:<48}{entry.nbytes:>16,}{note}")
        for name, nbytes in (
            ("in all", self.total_bytes),
            ("to allocate", self.new_bytes),
            ("at most, while index arrays are built", self.peak_bytes),
        ):
            lines.append(f"    {name:<52}{nbytes:>16,}")
        return "\n".join(lines)


def readable(nbytes: int) -> str:
    """Return a number of bytes for people.

    Examples
    --------
    >>> readable(900), readable(1536), readable(3 * 2**30)
    ('900 B', '1.5 KiB', '3.0 GiB')
    """
    if nbytes < 1024:
        return f"{nbytes} B"
    size = float(nbytes)
    for unit in ("KiB", "MiB", "GiB"):
        size /= 1024
        if size < 1024:
            return f"{size:.1f} {unit}"
    return f"{size / 1024:.1f} TiB"


def plan_memory(plan: Plan) -> MemoryPlan:
    """Return the bytes of everything that ``plan.bind()`` makes and that a run gives back."""
    counted = Counted(plan)
    entries = list(counted.entries())
    entries.sort(key=lambda entry: GROUPS.index(entry.group))
    return MemoryPlan(plan.schedule.program.name, tuple(entries), counted.building_bytes)


class Counted:
    """Counts the arrays of a plan, each once."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.columns: set[tuple[str, str]] = set()
        self.layouts: list[Any] = []
        self.building_bytes = 0

    def entries(self) -> Iterator[Entry]:
        """Yield every array."""
        buffers = self.plan.source.buffers.values()
        places = self.plan.shared_places()
        yield Entry("working space", "shared state", 8 * sum(places.values()))
        for buffer in buffers:
            if buffer.name not in places and buffer.name not in self.plan.arrays:
                yield from self.buffer(buffer)
        yield from self.results(self.plan.schedule.results)
        for part in self.plan.graph.layouts.parts_of(*self.layouts):
            group = "ordered edge columns" if " by " in part.name else "index arrays"
            yield Entry(group, part.name, part.nbytes, "already built" if part.is_built else "new")
            if not part.is_built:
                self.building_bytes = max(self.building_bytes, part.scratch_bytes)

    def buffer(self, buffer: Buffer) -> Iterator[Entry]:
        """Yield what one buffer takes."""
        plan = self.plan
        if buffer.source == "graph":
            yield from self.graph_array(buffer.key)
        elif buffer.source == "column":
            yield from self.column(*buffer.key)
        elif buffer.source == "next":
            yield from self.column(*buffer.key)
            yield Entry("second copies", shown(*buffer.key), self.column_bytes(*buffer.key))
        elif buffer.source == "ordered":
            yield from self.ordered(*buffer.key)
        elif buffer.size == "ids":
            nbytes = len(plan.ids[buffer.name]) * plan.id_dtype.itemsize
            yield Entry("working space", buffer.name, nbytes)
        elif buffer.size == "T*ROW":
            nbytes = plan.num_threads * ROW_PLACES * plan.id_dtype.itemsize
            yield Entry("working space", buffer.name, nbytes)
        else:
            size, dtype = plan.size(buffer.size), np.dtype(buffer.dtype)
            note = "kept from an earlier run" if plan.kept(buffer, size) else "new"
            yield Entry("working space", buffer.name, size * dtype.itemsize, note)

    def column_bytes(self, kind: str, name: str) -> int:
        """Return the bytes of a column as kernels see it."""
        field = self.plan.schedule.program.fields[kind, name]
        itemsize = (self.plan.id_dtype if field.disjoint else field.dtype).itemsize
        return int(self.plan.rows(kind, name) * itemsize)

    def column(self, kind: str, name: str) -> Iterator[Entry]:
        """Yield what a column takes, the first time it is named."""
        if (kind, name) in self.columns:
            return
        self.columns.add((kind, name))
        field = self.plan.schedule.program.fields[kind, name]
        is_made = f"{kind[0]}_{name}" in self.plan.arrays
        if is_made or self.plan.supply(field).how == "shared":
            yield Entry("columns", shown(kind, name), 0, "shared")
        else:
            yield Entry("columns", shown(kind, name), self.column_bytes(kind, name))

    def ordered(self, kind: str, name: str, order: Any) -> Iterator[Entry]:
        """Yield what an edge column in the order of arcs or slots takes."""
        graph, field = self.plan.graph, self.plan.schedule.program.fields[kind, name]
        supply = self.plan.supply(field)
        if isinstance(supply.source, str):
            self.layouts.append((supply.source, field.dtype, order))
            return
        nbytes = graph.layouts.num_in(order) * field.dtype.itemsize
        if supply.array is not None:
            self.layouts += graph.layouts.arrays_to_permute(order)
            if order == "arc" and graph.layouts.arcs_are_edges and supply.how == "shared":
                nbytes = 0
        yield Entry("ordered edge columns", f"{shown(kind, name)} by {order}", nbytes)

    def graph_array(self, name: str) -> Iterator[Entry]:
        """Yield an index array that the graph does not keep; note the others."""
        graph = self.plan.graph
        if (stored := split_name(name)) is not None:
            yield self.stored(name, *stored)
        elif name == "in_blocks":
            self.layouts.append("in_rows")
            yield Entry("working space", name, 8 * most_blocks(graph))
        elif name.startswith("piece_"):
            yield Entry("working space", name, 8 * most_pieces(graph))
        elif name in ("src_of_edge", "dst_of_edge"):
            yield Entry("index arrays", name, 0, "shared")
        elif name == "edge_of_arc" and graph.layouts.arcs_are_edges:
            self.layouts.append("out_rows")
            nbytes = graph.num_arcs * index_dtype(graph.num_vertices).itemsize
            yield Entry("working space", name, nbytes)
        else:
            self.layouts.append(LAYOUTS.get(name, name).split(".")[0])

    def stored(self, name: str, of: str, tag: str, side: str, part: str) -> Entry:
        """Return what an array of a storage takes, and note what it is built from."""
        layouts = self.plan.graph.layouts
        storage = layouts.storage(tag, side)
        self.layouts.append(f"{side}_rows")
        placing = placing_bytes(layouts.num_vertices, layouts.num_arcs)
        self.building_bytes = max(self.building_bytes, placing)
        note = "already built" if not of and storage.is_built(part) else "new"
        return Entry("index arrays", name, storage.nbytes(part), note)

    def results(self, value: Any) -> Iterator[Entry]:
        """Yield what the program returns beyond the columns it worked on."""
        if isinstance(value, tuple | list):
            for each in value:
                yield from self.results(each)
        elif isinstance(value, dict):
            yield from self.results(tuple(value.values()))
        elif isinstance(value, p.Column):
            yield from self.returned(value.kind, value.name)
        elif isinstance(value, p.Ref):
            yield from self.values(self.plan.schedule.values[value.id])

    def returned(self, kind: str, name: str) -> Iterator[Entry]:
        """Yield what a returned column takes."""
        field = self.plan.schedule.program.fields.get((kind, name))
        if field is None:  # an id or a degree
            yield Entry("results", shown(kind, name), 8 * self.plan.rows(kind, name))
            return
        yield from self.column(kind, name)
        if field.disjoint:
            yield Entry("results", shown(kind, name), 8 * self.plan.rows(kind, name))
        elif (kind, name) not in self.plan.schedule.written:
            yield Entry("results", shown(kind, name), self.column_bytes(kind, name))

    def values(self, values: s.Values) -> Iterator[Entry]:
        """Yield what returned values take."""
        for name, kind in zip(values.names, s.component_types(values.type), strict=True):
            size = self.plan.size(self.plan.source.buffers[name].size)
            yield Entry("results", name, size * dtype_named(kind).itemsize)


def shown(kind: str, name: str) -> str:
    """Return how a program writes a column."""
    return f"g.{'vertices' if kind == 'vertex' else 'edges'}.{name}"


def most_blocks(graph: Any) -> int:
    """Return at most how many boundaries `arc_blocks` finds; they depend on the degrees."""
    by_arcs = -(-graph.num_arcs // PULL_BLOCK)
    by_rows = -(-graph.num_vertices // (4 * PULL_BLOCK))
    return int(min(graph.num_vertices + 1, by_arcs + by_rows + 1))


def most_pieces(graph: Any) -> int:
    """Return at most how many pieces its hubs are cut into; they depend on the degrees."""
    num_hubs = graph.num_arcs // HUB_ARCS
    return int(num_hubs and num_hubs + graph.num_arcs // PIECE_ARCS)


def check_capacity(plan: Plan) -> None:
    """Refuse a run that does not fit the memory there is, before anything is allocated.

    Raises
    ------
    CapacityError
        With the bytes needed and the bytes available.
    """
    graph, sizes = plan.graph, plan.sizes()
    entries = sizes["V"] + sizes["E"] + sizes["A"] + sum(plan.rooms.values())
    if 8 * entries * (len(plan.source.buffers) + 1) < CHECKED_FROM:
        return
    needed = plan_memory(plan).peak_bytes
    if needed < CHECKED_FROM:
        return
    available = available_bytes()
    if needed > available:
        raise CapacityError(
            f"{plan.schedule.program.name} needs {needed:,} bytes ({readable(needed)}) more for "
            f"{graph}, but {available:,} ({readable(available)}) are available",
            remedy="Take a smaller graph or a larger machine; memory_plan() lists what takes them.",
        )


def available_bytes() -> int:
    """Return the memory that this process may still take, as far as the system tells."""
    return max(0, min(_unused_memory(), *_control_group_limits(Path("/sys/fs/cgroup"))))


def _unused_memory() -> int:
    """Return what the machine has left, caches that it can drop included."""
    try:
        with Path("/proc/meminfo").open() as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:  # no Linux
        pass
    pages = "SC_AVPHYS_PAGES" if "SC_AVPHYS_PAGES" in os.sysconf_names else "SC_PHYS_PAGES"
    return os.sysconf(pages) * os.sysconf("SC_PAGE_SIZE")


def _control_group_limits(folder: Path) -> Iterator[int]:
    """Yield what the limit of a container leaves, its caches of files not counted as used."""
    yield sys.maxsize
    for limit, used in (
        (folder / "memory.max", "memory.current"),
        (folder / "memory" / "memory.limit_in_bytes", "memory.usage_in_bytes"),
    ):
        try:
            most = int(limit.read_text())
            now = int(limit.with_name(used).read_text())
            statistics = limit.with_name("memory.stat").read_text().splitlines()
        except (OSError, ValueError):  # there is none: no such file, or the word "max"
            continue
        caches = (line.split() for line in statistics if line.startswith(_FILE_CACHES))
        yield most - now + sum(int(nbytes) for _, nbytes in caches)


_FILE_CACHES = ("active_file ", "inactive_file ")
