"""How many bytes a run takes, known before anything is allocated.

`plan_memory` says what every array of a program's table costs on a graph, and `Plan.bind` makes
it. Arrays that the graph, the caller or an earlier run lends cost nothing anew.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from emv.dtypes import dtype_named
from emv.errors import CapacityError
from emv.ir import program as p
from emv.ir import schedule as s
from emv.runtime.arrays.available import CHECKED_FROM, readable
from emv.runtime.arrays.available import available_bytes as available_bytes
from emv.runtime.arrays.columns import Key
from emv.runtime.arrays.table import Array, Kind, Lifetime, is_small
from emv.runtime.targets.target import Target

Plan = Any
"""What is counted: a plan, which stands above and asks for its own bytes."""

EASILY = 3  # times as much memory as is taken
SCRATCH_BYTES = 32  # of a vertex, an edge or an arc, at most, while index arrays are built
GROUPS = (
    "columns",
    "second copies",
    "ordered edge columns",
    "index arrays",
    "working space",
    "other parts",
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
        At most what building index arrays takes besides, for a while; parts that are on one GPU are
        built one after the other.
    by_device : dict
        Where a run is on GPUs, the bytes that it allocates at most on each, by its name.
    """

    program: str
    entries: tuple[Entry, ...]
    building_bytes: int
    by_device: dict[str, int] = field(default_factory=dict)

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

    def devices(self) -> list[tuple[str, int]]:
        """Return the GPUs and what a run allocates on each at most, where there are several."""
        return list(self.by_device.items()) if len(self.by_device) > 1 else []

    def group_bytes(self, group: str) -> int:
        """Return the bytes of one of the `GROUPS`."""
        return sum(entry.nbytes for entry in self.entries if entry.group == group)

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        from emv.shown.pages import plan_page  # only notebooks ask for it

        return plan_page(self, GROUPS)

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
            *((f"of that on {name}", nbytes) for name, nbytes in self.devices()),
        ):
            lines.append(f"    {name:<52}{nbytes:>16,}")
        return "\n".join(lines)


def plan_memory(plan: Plan) -> MemoryPlan:
    """Return the bytes of everything that ``plan.bind()`` makes and that a run gives back."""
    return Counted(plan).result()


class Counted:
    """Counts the arrays of a plan, each once; what the graph keeps is counted by its store.

    Attributes
    ----------
    index : dict
        Index arrays, as kernels name them; a set in order.
    named, given : list of (column, order)
        Edge columns that are put into an order: those of the graph, which stay there, and others.
    sets : list of Array
        Columns that begin with the ids of their rows.
    copied : collection of str
        Arrays that another part of the run was given, of which this part has copies.
    """

    def __init__(self, plan: Plan, counts_graph: bool = True, copied: Collection[str] = ()) -> None:
        self.plan, self.counts_graph, self.copied = plan, counts_graph, copied
        self.target: Target = plan.target
        self.parts: list[tuple[str, MemoryPlan]] = []  # of other GPUs, with their names
        self.columns: set[Key] = set()
        self.index: dict[str, None] = {}
        self.named: list[tuple[Key, str]] = []
        self.given: list[tuple[Key, str]] = []
        self.sets: list[Array] = []

    def result(self) -> MemoryPlan:
        """Return the memory plan."""
        entries = sorted(self.entries(), key=lambda entry: GROUPS.index(entry.group))
        building = self.plan.store.building_bytes(self) if self.counts_graph else 0
        own = [each for each in entries if each.group != "other parts"]
        name = self.plan.schedule.program.name
        if self.target.device is None:
            return MemoryPlan(name, tuple(entries), building)
        made = MemoryPlan(name, tuple(own), building)
        by_device, scratch = dict[str, int](), dict[str, int]()
        for label, part in [(self.target.device.label, made), *self.parts]:
            by_device[label] = by_device.get(label, 0) + part.new_bytes
            scratch[label] = max(scratch.get(label, 0), part.building_bytes)
        by_device = {label: kept + scratch[label] for label, kept in by_device.items()}
        return MemoryPlan(name, tuple(entries), sum(scratch.values()), by_device)

    def entries(self) -> Iterator[Entry]:
        """Yield every array."""
        plan = self.plan
        shared = sum(each.nbytes(plan.counts) for each in plan.table.control)
        nbytes = self.target.taken_bytes(shared + self.target.ids_bytes)
        kept = "kept from an earlier run"
        is_kept = bool(plan.idle())
        yield Entry("working space", self.target.control, nbytes, kept if is_kept else "new")
        has_space = self.target.has_space(plan)
        for array in plan.table.arrays.values():
            if array.name in plan.arrays or array.kind in (Kind.CONTROL, Kind.PEER):
                continue
            if array.name in self.copied or array.name in plan.given:  # which the first part has
                yield Entry("columns", array.name, self.nbytes(array))
            elif array.kind is Kind.INDEX:
                self.index[array.key] = None
            elif array.kind is Kind.COLUMN:
                yield from self.column(array.key)
            elif array.kind is Kind.ORDERED:
                yield from self.ordered(array)
            elif array.lifetime is Lifetime.PROGRAM:
                second = array.kind is Kind.SECOND
                group = "second copies" if second else "working space"
                name = shown(*array.key) if second else array.name
                yield Entry(group, name, self.nbytes(array), kept if has_space else "new")
            else:
                group = "results" if array.kind is Kind.WORKING else "working space"
                yield Entry(group, array.name, self.nbytes(array))
        yield from self.other_parts()
        yield from self.results()
        if self.counts_graph:
            yield from plan.store.entries(self)

    def other_parts(self) -> Iterator[Entry]:
        """Yield what the parts of a graph take beyond the first, which has the arrays above."""
        plan, number = self.plan, self.target.num_parts - 1
        others = self.target.plans(plan)[1:]
        seen = {id(plan.store)}
        for part, other in enumerate(others, 1):
            label, is_new = other.target.device.label, id(other.store) not in seen
            seen.add(id(other.store))
            made = Counted(other, is_new, plan.arrays.keys()).result()
            self.parts.append((label, made))
            for kind in dict.fromkeys((each.group, each.note) for each in made.entries):
                some = [each.nbytes for each in made.entries if (each.group, each.note) == kind]
                yield Entry("other parts", f"part {part} on {label}: {kind[0]}", sum(some), kind[1])
        if number and not others:
            nbytes = sum(self.nbytes(each) for each in plan.table.of_each_part)
            what = f"columns and working space of {number} more"
            yield Entry("other parts", what, number * nbytes)

    def nbytes(self, array: Array) -> int:
        """Return what an array takes where it is made."""
        return self.target.taken_bytes(array.nbytes(self.plan.counts), array)

    def column(self, key: Key) -> Iterator[Entry]:
        """Yield what a column takes, the first time it is named."""
        plan = self.plan
        name = plan.table.column(key).name
        if key in self.columns or name in self.copied or name in plan.given - plan.arrays.keys():
            return
        how = plan.columns.supply(key).how
        self.columns.add(key)
        if how == "lent" or plan.table.column(key).name in plan.arrays:
            yield Entry("columns", shown(*key), 0, "shared")
            return
        if how == "kept":
            self.named.append((key, "edge"))
        elif how == "sets":
            self.sets.append(plan.table.column(key))
        if how != "kept" or key in plan.schedule.written:
            yield Entry("columns", shown(*key), self.nbytes(plan.table.column(key)))

    def ordered(self, array: Array) -> Iterator[Entry]:
        """Yield what an edge column in the order of arcs or slots takes."""
        key, order = array.key[:2], array.key[2]
        columns = self.plan.columns
        supply = columns.supply(key)
        if supply.how == "lent" and columns.is_in_place(order):
            yield Entry("ordered edge columns", f"{shown(*key)} by {order}", 0, "shared")
        elif supply.is_named:
            self.named.append((key, order))
        else:
            if supply.array is not None:
                self.given.append((key, order))
            name = f"{shown(*key)} by {order}"
            yield Entry("ordered edge columns", name, self.nbytes(array))

    def results(self) -> Iterator[Entry]:
        """Yield what the program returns beyond the arrays that it worked on."""
        for value in p.results_in(self.plan.schedule.results):
            if isinstance(value, p.Column):
                yield from self.returned((value.kind, value.name))
            elif isinstance(value, p.Ref):
                yield from self.values(self.plan.schedule.values[value.id])

    def returned(self, key: Key) -> Iterator[Entry]:
        """Yield what a returned column takes beyond the one that the run worked on."""
        plan, declared = self.plan, self.plan.columns.fields.get(key)
        if declared is None:  # an id or a degree
            rows = plan.counts["N" if key[0] == "vertex" else "E"]
            yield Entry("results", shown(*key), self.target.taken_bytes(8 * rows))
            return
        yield from self.column(key)
        if declared.disjoint and self.target.device is None:  # widened at once
            yield Entry("results", shown(*key), 8 * plan.columns.rows(key))
        elif key not in plan.schedule.written:
            yield Entry("results", shown(*key), self.nbytes(plan.table.column(key)))

    def values(self, values: s.Values) -> Iterator[Entry]:
        """Yield returned values that are converted; others are returned as they are."""
        for name, kind in zip(values.names, s.component_types(values.type), strict=True):
            array, wanted = self.plan.table.arrays[name], dtype_named(kind)
            if not is_returned_as(array.dtype(self.plan.counts), wanted):
                nbytes = array.length(self.plan.counts) * wanted.itemsize
                yield Entry("results", name, self.target.taken_bytes(nbytes))


def is_returned_as(stored: np.dtype[Any], wanted: np.dtype[Any]) -> bool:
    """Return whether values are of the type in which a program returns them, without a copy."""
    return stored == wanted or (wanted.kind == "b" and stored.itemsize == 1)


def note(is_there: bool) -> str:
    """Return what an `Entry` says of an array that the graph keeps."""
    return "already built" if is_there else "new"


def shown(kind: str, name: str) -> str:
    """Return how a program writes a column."""
    return f"g.{'vertices' if kind == 'vertex' else 'edges'}.{name}"


def check_capacity(plan: Plan) -> None:
    """Refuse a run that does not fit the memory there is, before anything is allocated.

    Raises
    ------
    CapacityError
        With the bytes needed and the bytes available.
    """
    device = plan.target.device
    if device is None and is_small(plan.table, plan.counts):
        return
    entries = sum(plan.counts[each] for each in (*"VEA", *plan.table.rooms))
    if fits_easily(plan, entries):
        return
    counted = Counted(plan)
    made, where = counted.result(), "available"
    plan.compiled.in_all = entries, made.total_bytes
    needed = made.peak_bytes
    if device is not None:
        for each in {each.target.device: None for each in plan.target.plans(plan)}:
            needed = made.by_device[each.label]
            if needed > (free := each.free_bytes()):
                raise refused(plan, needed, free, f"free on {each.label}")
        plans = plan.target.plans(plan)
        is_alone = len(plans) == 1 and plans[0] is plan
        needed = plan.store.host_bytes(counted) if is_alone else sum(map(host_bytes, plans))
        where = "available on the host, where index arrays are built"
    if needed > CHECKED_FROM and needed > (free := available_bytes()):
        raise refused(plan, needed, free, where)


def fits_easily(plan: Plan, entries: int) -> bool:
    """Return whether a run surely fits a GPU that builds index arrays: one before took so little.

    To count every array takes longer than a run on few changes of a graph.
    """
    known, device = plan.compiled.in_all, plan.target.device
    if known is None or device is None or not plan.store.builds("first_out"):
        return False
    if plan.target.num_parts > 1 or entries > 2 * known[0]:
        return False
    return bool(EASILY * (2 * known[1] + SCRATCH_BYTES * entries) < device.free_bytes())


def host_bytes(plan: Plan) -> int:
    """Return at most what the host takes to build the index arrays of one GPU."""
    counted = Counted(plan)
    counted.result()
    return int(plan.store.host_bytes(counted))


def refused(plan: Plan, needed: int, free: int, where: str) -> CapacityError:
    """Return the error of a run that does not fit."""
    return CapacityError(
        f"{plan.schedule.program.name} needs {needed:,} bytes ({readable(needed)}) more for "
        f"{plan.whole}, but {free:,} ({readable(free)}) are {where}",
        remedy=f"Take a smaller graph or a larger {'GPU' if plan.target.device else 'machine'}; "
        "memory_plan() lists what takes them.",
    )
