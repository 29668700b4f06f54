"""The table of a program's arrays: what each is, how long, until when, and what it begins with.

It is made once of a schedule and of what the kernels name (`emv.ir.kernel.Buffer`). Whatever is
done with arrays follows from it, on cores and on a GPU: the bytes of a memory plan, allocation,
what is filled and copied, the arena. Lengths are expressions in the counts of a graph, so that one
table serves every graph, a part of one as well as the whole, and rooms that have grown:

======= ===========================================================================================
``V N`` vertices: those of all copies of a batch, those of the graph
``E``   edges
``A``   arcs, those of all copies of a batch
``C``   copies of a batch that there is room for
``T``   threads of the host that run kernels
``B``   blocks of a GPU that do
``M3``  room for the messages of launch 3, which runs may find too small
``ROW`` ids that a thread collects
======= ===========================================================================================

A list of ids counts by its name, an order of arcs (``arc``, ``slot``, ``ell_in``) by its places.
"""

from __future__ import annotations

import enum
import functools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from emv.codegen.state import place_of_launch
from emv.graph.widths import id_dtype, index_dtype
from emv.ir import program as p
from emv.ir import schedule as s
from emv.ir.copies import Copies
from emv.ir.kernel import Buffer, KernelSource
from emv.passes.mix_rows import ANY
from emv.runtime.arrays.available import CHECKED_FROM
from emv.runtime.arrays.index import INDEX, MIXED, Index
from emv_kernels.sizes import ROW_PLACES

QUEUES = ("active", "pending", "queued", "active_edges", "pending_edges", "queued_edges")
"""The working arrays that pieces of a run hand on, where the host drives it."""

PER_THREAD = "T*ROW"
"""The size of an array with a row for each thread."""


@dataclass(frozen=True)
class Size:
    """A number of entries: a sum of products of numbers and counts, each rounded up.

    Examples
    --------
    >>> Size.of("A/4+2").entries({"A": 5}), Size.of("2*V").entries({"V": 5})
    (4, 10)
    """

    text: str
    terms: tuple[tuple[int, int, tuple[str, ...]], ...]  # factor, divisor and names of counts

    @classmethod
    def of(cls, text: str) -> Size:
        """Return what a text says."""
        terms = []
        for product in text.split("+"):
            factors = product.replace("/", "*/").split("*")
            number = math.prod(int(each) for each in factors if each.isdecimal())
            divisor = math.prod(int(each[1:]) for each in factors if each.startswith("/"))
            terms.append((number, divisor, tuple(each for each in factors if each[0].isalpha())))
        return cls(text, tuple(terms))

    def entries(self, counts: Mapping[str, int]) -> int:
        """Return the number for some counts."""
        return sum(
            -(-number * math.prod(counts[name] for name in names) // divisor)
            for number, divisor, names in self.terms
        )

    @property
    def names(self) -> set[str]:
        """The counts that it depends on."""
        return {name for _, _, names in self.terms for name in names}

    def has_all(self, name: str) -> bool:
        """Return whether there is at least an entry for each of a count."""
        return any(number >= divisor and names == (name,) for number, divisor, names in self.terms)


class Counts(dict[str, int]):
    """What the names in sizes and dtypes mean for a graph and a batch of copies.

    Attributes
    ----------
    dtypes : dict
        The words of `emv.runtime.arrays.table.Array` whose width depends on the graph.
    varying : frozenset of str or None
        What differs from run to run, where lengths that depend on nothing of it are kept.
    """

    varying: frozenset[str] | None = None

    def __init__(self, graph: Any, copies: Copies, whole_arcs: int | None = None) -> None:
        vertices, arcs = graph.num_vertices, graph.num_arcs
        super().__init__(N=vertices, E=graph.num_edges, C=copies.size, ROW=ROW_PLACES)
        self.update(V=vertices * copies.size, A=arcs * copies.size)
        self.layouts = graph.layouts
        whole = arcs if whole_arcs is None else whole_arcs
        self.dtypes = _dtypes(vertices, copies.shift, arcs, whole)

    def __missing__(self, order: str) -> int:
        self[order] = int(self.layouts.num_in(order))
        return self[order]

    def keep(self, varying: frozenset[str]) -> None:
        """Keep lengths for the runs that are to come, and forget the layouts until then."""
        self.varying, self.lengths = varying, dict[str, int]()
        del self.layouts

    def of_run(self, layouts: Any) -> Counts:
        """Return the counts of one run, which may change what varies."""
        made = Counts.__new__(Counts, self)
        made.update(self)
        made.layouts, made.dtypes = layouts, self.dtypes
        made.varying, made.lengths = self.varying, self.lengths
        return made

    def length(self, size: Size) -> int:
        """Return the entries of a size."""
        if self.varying is None:
            return size.entries(self)
        known = self.lengths.get(size.text)
        if known is None:
            known = size.entries(self)
            if self.varying.isdisjoint(size.names):
                self.lengths[size.text] = known
        return known

    def entries(self) -> int:
        """Return how much there is to work on: the largest of the counts of the graph."""
        return max(self[each] for each in "VEA")

    def dtype(self, word: str) -> np.dtype[Any]:
        """Return what the element type of an array means."""
        return self.dtypes[word] if word in self.dtypes else np.dtype(word)


@functools.lru_cache(maxsize=1024)
def _dtypes(vertices: int, shift: int, arcs: int, whole: int) -> dict[str, np.dtype[Any]]:
    """Return the types whose width depends on the graph, by their words; nobody changes them."""
    return {
        "id": id_dtype(vertices << shift),
        "end": id_dtype(vertices),
        "vertex": index_dtype(vertices),
        "arc": index_dtype(arcs),
        "whole": index_dtype(whole),
    }


class Kind(enum.Enum):
    """What an array is; the values are the sources of `emv.ir.kernel.Buffer`, and two more."""

    CONTROL = "control"  # what the host and kernels tell each other, and scalars
    INDEX = "graph"
    COLUMN = "column"
    SECOND = "next"  # the second copy of a column
    ORDERED = "ordered"  # an edge column in the order of arcs or slots
    PER_COPY = "copies"  # a scalar of every copy of a batch
    IDS = "ids"  # what a launch is applied to
    WORKING = "scratch"
    PEER = "peer"  # an array of another part, which kernels of this one write to


class Lifetime(enum.Enum):
    """Until when an array is needed."""

    GRAPH = "graph"  # as long as the graph: all programs share it
    PROGRAM = "program"  # its content until the run is over, its room for the next run
    RUN = "run"  # made for one run, whose results may go on using it


@dataclass(frozen=True)
class Array:
    """One array that kernels name.

    An element type is a name of numpy's, or a word whose width depends on the graph: ``id`` (of a
    vertex, all copies counted), ``end`` (of an edge), ``vertex`` and ``arc`` (in an index array),
    ``whole`` (an arc of the graph of which a part has its own).
    """

    name: str  # in the text of the kernels
    kind: Kind
    element: str
    size: Size | None  # None of an index array whose length depends on the degrees
    lifetime: Lifetime
    key: Any = None  # an index array's name, (kind, field), (kind, field, order), or a scalar
    initial: Any = None  # what working space holds when a run begins; None if that is all the same

    def length(self, counts: Counts) -> int:
        """Return the number of entries, where the size is told."""
        assert self.size is not None, self
        return counts.length(self.size)

    def dtype(self, counts: Counts) -> np.dtype[Any]:
        """Return the type of entries as kernels see them."""
        return counts.dtype(self.element)

    def nbytes(self, counts: Counts) -> int:
        """Return the bytes, where the size is told."""
        return self.length(counts) * self.dtype(counts).itemsize

    @property
    def is_per_thread(self) -> bool:
        """Return whether it has a row for each thread."""
        return self.size is not None and self.size.text == PER_THREAD


@dataclass(frozen=True)
class Table:
    """The arrays of one program by name, in the order in which kernels name them."""

    arrays: dict[str, Array]
    rooms: dict[str, Size]  # counts that only runs can tell, such as M3, and what runs begin with
    bounds: dict[str, Size]  # what such a count never exceeds, where that is known
    schedule: s.Schedule

    @functools.cached_property
    def made_per_run(self) -> tuple[Array, ...]:
        """The arrays of lifetime ``RUN``."""
        return tuple(each for each in self.arrays.values() if each.lifetime is Lifetime.RUN)

    @functools.cached_property
    def columns(self) -> dict[tuple[str, str], Array]:
        """The columns in the order of their rows, by ``vertex`` or ``edge`` and the field."""
        return {each.key: each for each in self.of(Kind.COLUMN)}

    @functools.cached_property
    def control(self) -> list[Array]:
        """The arrays that the host writes before a run and reads after it."""
        return self.of(Kind.CONTROL)

    @functools.cached_property
    def launches(self) -> list[s.Launch]:
        """The launches of the schedule, those in loops included."""
        return s.launches_in(self.schedule.body)

    @functools.cached_property
    def loops(self) -> list[s.LoopStep]:
        """The loops of the schedule, those in loops included."""
        return s.loops_in(self.schedule.body)

    @functools.cached_property
    def listed(self) -> list[tuple[s.Launch, str]]:
        """The launches that are applied to a list of ids, and what that is called."""
        return [(each, each.ids) for each in self.launches if each.ids is not None]

    @functools.cached_property
    def begins_alike(self) -> bool:
        """Whether runs with the same arguments begin with the same control block, but the seed.

        Over the same columns of edges, which decide how relaxations run.
        """
        return all(launch.late_id is None for launch, _ in self.listed)

    @functools.cached_property
    def cut_short(self) -> list[s.Launch]:
        """The launches of which columns decide how they may run."""
        kinds = s.Relax | s.Claim if self.schedule.copies.shift else s.Relax
        return [each for each in self.launches if isinstance(each.shortcut, kinds)]

    @functools.cached_property
    def written(self) -> list[tuple[tuple[str, str], str, Any]]:
        """The columns that runs write, what kernels call them, and how they are declared."""
        found, fields = self.columns.items(), self.schedule.program.fields
        return [
            (key, each.name, fields[key]) for key, each in found if key in self.schedule.written
        ]

    @functools.cached_property
    def varying(self) -> frozenset[str]:
        """The counts that differ from run to run on one graph: of lists, rooms and blocks."""
        return frozenset({name for _, name in self.listed} | self.rooms.keys() | {"B"})

    @functools.cached_property
    def of_each_part(self) -> tuple[Array, ...]:
        """The arrays of which each part of a graph has its own: all that kernels change."""
        read, written = {Kind.INDEX, Kind.ORDERED, Kind.PER_COPY, Kind.PEER}, self.schedule.written
        return tuple(
            each
            for each in self.arrays.values()
            if each.kind not in read and (each.kind is not Kind.COLUMN or each.key in written)
        )

    def of(self, *kinds: Kind) -> list[Array]:
        """Return the arrays of some kinds."""
        return [each for each in self.arrays.values() if each.kind in kinds]

    def working(self) -> list[Array]:
        """Return what is working space: room that runs take one after another."""
        space = self.of(Kind.SECOND, Kind.WORKING)
        return [each for each in space if each.lifetime is Lifetime.PROGRAM]

    def column(self, key: tuple[str, str]) -> Array:
        """Return a column, also one that no kernel names."""
        if key in self.columns:
            return self.columns[key]
        return _column(self.schedule, Buffer(f"{key[0][0]}_{key[1]}", "column", key=key))

    def in_room(self, room: str) -> list[Array]:
        """Return the arrays with an entry for each of a room; others list some of its entries."""
        return [e for e in self.arrays.values() if e.size is not None and e.size.has_all(room)]


def is_small(table: Table, counts: Counts) -> bool:
    """Return whether all arrays that a run could make are so small that nobody asks for room."""
    entries = sum(counts[each] for each in (*"VEA", *table.rooms))
    return 8 * entries * (len(table.arrays) + 1) < CHECKED_FROM


def table_of(schedule: s.Schedule, source: KernelSource) -> Table:
    """Return the table of a schedule and the kernels made of it."""
    returned = [each for each in p.results_in(schedule.results) if isinstance(each, p.Ref)]
    lasting = {name for each in returned for name in schedule.values[each.id].names}
    lasting |= set(QUEUES) if schedule.is_piece else set()
    unread = [e.number for e in s.launches_in(schedule.body) if e.buffer == "unread"]
    lasting |= {name for number in unread for name in source.buffers if is_told(name, number)}
    arrays = {each.name: each for each in _control(schedule, source)}
    for name, buffer in source.buffers.items():
        if name not in arrays and buffer.source != Kind.PEER.value:
            arrays[name] = _described(schedule, buffer, lasting)
    for name, buffer in source.buffers.items():
        if buffer.source == Kind.PEER.value:
            element = arrays[buffer.key[1]].element
            arrays[name] = Array(name, Kind.PEER, element, None, Lifetime.GRAPH, buffer.key)
    rooms = {name: Size.of(room.start) for name, room in source.rooms.items()}
    bounds = {name: Size.of(room.most) for name, room in source.rooms.items() if room.most}
    return Table(arrays, rooms, bounds, schedule)


def is_told(name: str, number: int) -> bool:
    """Return whether an array holds the messages of a launch, or their keys."""
    return name == f"key{number}" or name.startswith(f"stored{number}_")


def _control(schedule: s.Schedule, source: KernelSource) -> Iterator[Array]:
    """Yield the arrays that the host writes before a run and reads after it."""
    numbers = [each.number for each in s.launches_in(schedule.body)]
    if "program" in source.functions:  # its loops are the kernel's own
        numbers += [each.number for each in s.loops_in(schedule.body)]
    sizes = {
        "state": ("int64", place_of_launch(2 + max(numbers, default=0))),
        "ints": ("int64", schedule.num_slots["ints"] + 1),
        "floats": ("float64", schedule.num_slots["floats"] + 1),
    }
    if "near_far" in source.buffers:
        sizes["near_far"] = ("float64", 4)
    for name, (dtype, size) in sizes.items():
        yield Array(name, Kind.CONTROL, dtype, Size.of(str(size)), Lifetime.PROGRAM)


def _described(schedule: s.Schedule, buffer: Buffer, lasting: set[str]) -> Array:
    """Return the description of what kernels name."""
    name, kind = buffer.name, Kind("ids" if buffer.size == "ids" else buffer.source)
    if kind in (Kind.COLUMN, Kind.SECOND, Kind.ORDERED):
        return _column(schedule, buffer)
    if kind is Kind.INDEX:
        key = MIXED[buffer.key] if (buffer.key, ANY) in schedule.rows else buffer.key
        known = INDEX.get(key, Index("arc", ""))
        size = Size.of(known.size) if known.size else None
        return Array(name, kind, known.element, size, Lifetime.GRAPH, key)
    if kind is Kind.IDS:
        return Array(name, kind, "id", Size.of(name), Lifetime.RUN)
    own = kind is Kind.PER_COPY or name in lasting
    lifetime = Lifetime.RUN if own else Lifetime.PROGRAM
    dtype = "id" if buffer.size == PER_THREAD else buffer.dtype
    return Array(name, kind, dtype, Size.of(buffer.size), lifetime, buffer.key, buffer.initial)


def _column(schedule: s.Schedule, buffer: Buffer) -> Array:
    """Return the description of a column, of its second copy, or of it in another order.

    Truth values are bytes, disjoint sets ids.
    """
    kind, name = buffer.key[:2]
    declared = schedule.program.fields[kind, name]
    dtype = "uint8" if declared.dtype.kind == "b" else declared.dtype.name
    size = "N" if (kind, name) in schedule.copies.shared else "V"
    if kind == "edge":
        size = buffer.key[2] if len(buffer.key) > 2 else "E"
    second = buffer.source == "next"
    return Array(
        buffer.name,
        Kind(buffer.source),
        "id" if declared.disjoint else dtype,
        Size.of(size),
        Lifetime.PROGRAM if second else Lifetime.RUN,
        buffer.key,
    )
