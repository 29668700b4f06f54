"""Bind the arrays that kernels name to a graph and one run: index arrays, columns, working space.

The bytes are known before anything is allocated: `emv.runtime.memory` adds up what `Plan.bind`
will make, from the same descriptions of buffers and the same `Plan.supply` of columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.codegen.state import CHUNK, IS_EMPTY, MAY_RELAX, PLACES, place_of_launch, room_place
from emv.graph.bind import column_values, source_of
from emv.graph.hubs import arc_blocks
from emv.graph.on_device import lies_on_device, on_host
from emv.graph.row_storage import split_name
from emv.graph.widths import id_dtype, index_dtype
from emv.ir import schedule as s
from emv.ir.kernel import Buffer
from emv.lang.records import REQUIRED
from emv.runtime.compile import Compiled
from emv.runtime.memory import LAYOUTS, PULL_BLOCK, ROW_PLACES, check_capacity
from emv.runtime.rooms import rooms_of

DELTA_ARCS = 8  # arcs of mean weight by which the threshold of a relaxation moves, per degree


@dataclass(frozen=True)
class Supply:
    """What a column holds at the start of a run.

    Attributes
    ----------
    how : str
        ``shared`` (an array of the graph or the caller, only read), ``copied`` (from one),
        ``filled`` (with a number), ``sets`` (every vertex alone) or ``empty`` (the program fills
        it before all else).
    source : Any
        A column's name, a number or an array.
    array : any[rows] or None
        The array behind a column's name, or the given one.
    """

    how: str
    source: Any = None
    array: Any = None


class Plan:
    """The arrays of one run.

    Attributes
    ----------
    arrays : dict
        Every array by the name kernels use.
    delta : float or "auto"
        How far the caller wants the threshold of relaxations to move.
    """

    delta_arcs = DELTA_ARCS
    spare: tuple[str, ...] = (f"T*{CHUNK}",)
    delta: float | str = "auto"
    num_copies = 0  # of a batch
    per_copy: dict[Any, NDArray[Any]]  # scalars that differ from copy to copy, by expression

    def __init__(
        self,
        compiled: Compiled,
        graph: Any,
        bindings: dict[tuple[str, str], Any],
        ids: dict[str, NDArray[Any]],
        num_threads: int,
    ) -> None:
        self.compiled = compiled
        self.schedule = compiled.schedule
        self.source = compiled.source
        self.pool: dict[str, NDArray[Any]] = compiled.pools.setdefault(graph.layouts, {})
        self.graph = graph
        self.bindings = bindings
        self.ids = ids
        self.num_threads = num_threads
        self.arrays: dict[str, NDArray[Any]] = {}
        self.copies = compiled.schedule.copies
        self.rooms: dict[str, int] = {}
        self.rooms = rooms_of(self)
        self.end_dtype = id_dtype(graph.num_vertices)
        self.id_dtype = id_dtype(graph.num_vertices << self.copies.shift)

    def bind(self) -> None:
        """Make every array.

        Raises
        ------
        CapacityError
            If they do not fit the memory there is; nothing has been allocated then.
        """
        check_capacity(self)
        for name, length in self.shared_places().items():
            self.arrays[name] = np.zeros(length, np.float64 if name == "floats" else np.int64)
        for buffer in self.source.buffers.values():
            if buffer.name not in self.arrays:
                self.arrays[buffer.name] = self.make(buffer)
        self.put_counts()
        self.put_relaxations()

    def put_counts(self) -> None:
        """Put what is known of the graph into the shared state."""
        for name, value in (
            ("NUM_VERTICES", self.sizes()["V"]),
            ("NUM_EDGES", self.graph.num_edges),
            ("NUM_ARCS", self.sizes()["A"]),
            ("NUM_THREADS", self.num_threads),
            ("DIRECTED", int(self.graph.directed)),
        ):
            self.arrays["state"][PLACES[name]] = value
        for name in self.rooms:  # that of an array, with what threads take and leave empty
            self.arrays["state"][room_place(name)] = self.size("+".join([name, *self.spare]))

    def put_relaxations(self) -> None:
        """Decide for every relaxation how it may run, and whether claims begin with nothing."""
        for launch in s.launches_in(self.schedule.body):
            if isinstance(launch.shortcut, s.Relax):
                self.allow_relaxing(launch)
            elif isinstance(launch.shortcut, s.Claim) and self.copies.shift:
                place = place_of_launch(launch.number) + IS_EMPTY
                self.arrays["state"][place] = int(self.is_empty(launch.shortcut))

    def is_empty(self, claim: s.Claim) -> bool:
        """Return whether all entries of a claimed column are empty when the run begins."""
        field = self.schedule.program.fields["vertex", claim.field]
        supply = self.supply(field)
        return supply.how == "filled" and bool(field.dtype.type(supply.source) == claim.empty)

    def shared_places(self) -> dict[str, int]:
        """Return the lengths of the arrays of 8-byte places that every program has."""
        launches = s.launches_in(self.schedule.body)
        num_launches = max((each.number for each in launches), default=0)
        slots = self.schedule.num_slots
        state = place_of_launch(2 + num_launches)
        return {"state": state, "ints": slots["ints"] + 1, "floats": slots["floats"] + 1}

    def allow_relaxing(self, launch: s.Launch) -> None:
        """Say whether a relaxation may run nearest first, and how far a threshold moves.

        It may when nothing negative is added along an arc. Unless the caller says more, the step
        is some mean weights, fewer where vertices have many arcs, as in delta-stepping (Meyer and
        Sanders, 2003).
        """
        shortcut, step = launch.shortcut, np.inf
        lowest: Any = 0
        if shortcut.weights:
            found = [self.lowest_and_mean(each) for each in shortcut.weights]
            lowest, mean = min(each[0] for each in found), sum(each[1] for each in found)
            degree = self.graph.num_arcs / max(1, self.graph.num_vertices)
            step = mean * self.delta_arcs / max(1.0, degree) if mean > 0 else np.inf
        if self.delta != "auto":
            step = float(self.delta)
        place = place_of_launch(launch.number) + MAY_RELAX
        self.arrays["state"][place] = int(bool(lowest >= 0))
        self.arrays["near_far"][:] = -np.inf, step, -np.inf, -np.inf

    def lowest_and_mean(self, weight: str) -> tuple[float, float]:
        """Return the smallest and the mean entry of an edge column."""
        name = f"arc_e_{weight}"
        name = name if name in self.arrays else f"e_{weight}"
        summary: tuple[float, float] = self.graph.layouts.lowest_and_mean(self.arrays[name])
        return summary

    def make(self, buffer: Buffer) -> NDArray[Any]:
        """Make one array."""
        if buffer.source == "graph":
            return self.graph_array(buffer.key)
        if buffer.source == "column":
            return self.column(*buffer.key)
        if buffer.source == "next":
            return np.empty_like(self.column(*buffer.key))
        if buffer.source == "ordered":
            return self.ordered_column(*buffer.key)
        if buffer.source == "copies":
            return self.per_copy[buffer.key]
        if buffer.size == "ids":
            return self.ids[buffer.name].astype(self.id_dtype)
        if buffer.size == "T*ROW":
            return np.zeros((self.num_threads, ROW_PLACES), self.id_dtype)
        return self.scratch(buffer, self.size(buffer.size))

    def scratch(self, buffer: Buffer, size: int) -> NDArray[Any]:
        """Return working space: that of an earlier run on this graph where there is one."""
        is_kept = self.kept(buffer, size)
        array = self.pool.pop(buffer.name) if is_kept else np.zeros(size, buffer.dtype)
        if buffer.initial is not None:
            array.fill(buffer.initial)
        return array

    def kept(self, buffer: Buffer, size: int) -> bool:
        """Return whether an earlier run on this graph left a working array that fits."""
        array = self.pool.get(buffer.name)
        return array is not None and len(array) == size and array.dtype == buffer.dtype

    def release(self) -> None:
        """Leave the working space to the next run on this graph."""
        for buffer in self.source.buffers.values():
            if buffer.source == "scratch" and buffer.size not in ("", "ids", "T*ROW"):
                self.pool[buffer.name] = self.arrays[buffer.name]

    def abandon(self) -> None:
        """Give up what a failed run holds."""

    # Of runs in pieces.

    def share(self, arrays: dict[str, Any]) -> None:
        """Work on arrays that earlier pieces of the run made."""
        self.arrays.update(arrays)

    def lasting(self, name: str) -> Any:
        """Return an array for later pieces of the run."""
        return self.arrays[name]

    def release_piece(self) -> None:
        """Leave what later pieces do not work on; working space goes with the plan."""

    # Results.

    def as_declared(self, field: Any, values: NDArray[Any]) -> NDArray[Any]:
        """Return a column that kernels worked on in the type its record declares."""
        if field.disjoint:
            return values.astype(np.int64)
        return values.view(np.bool_) if field.dtype.kind == "b" else values

    def returned(self, values: NDArray[Any]) -> Any:
        """Return a host array as a result of the run."""
        return values

    def values(self, name: str, dtype: np.dtype[Any]) -> NDArray[Any]:
        """Return kept values as a result."""
        return self.arrays[name].astype(dtype)

    # Sizes.

    def sizes(self) -> dict[str, int]:
        """Return what the letters of sizes mean."""
        graph, copies = self.graph, self.copies.size
        counts = {
            "V": graph.num_vertices * copies,
            "E": graph.num_edges,
            "A": graph.num_arcs * copies,
            "C": copies,
        }
        return {**counts, "T": self.num_threads, **self.rooms}

    def size(self, text: str) -> int:
        """Return the number of entries that a size means for this graph."""
        names = self.sizes()
        total = 0
        for part in text.split("+"):
            value, divide = 1, 1
            for factor in part.replace("/", "*/").split("*"):
                if factor.startswith("/"):
                    divide = int(factor[1:])
                else:
                    value *= names[factor] if factor in names else int(factor)
            total += -(-value // divide)
        return total

    def column(self, kind: str, name: str) -> NDArray[Any]:
        """Return a column as kernels see it: truth values as bytes, disjoint sets as ids."""
        key = f"{'v' if kind == 'vertex' else 'e'}_{name}"
        if key not in self.arrays:
            self.arrays[key] = self.new_column(kind, name)
        return self.arrays[key]

    def new_column(self, kind: str, name: str) -> NDArray[Any]:
        """Make the column of a field at the start of the run."""
        field = self.schedule.program.fields[kind, name]
        supply = self.supply(field)
        if supply.how == "sets":
            return np.arange(self.rows(kind, name), dtype=self.id_dtype)
        if supply.how == "empty":
            values = np.empty(self.rows(kind, name), field.dtype)
        elif supply.how == "shared":
            values = supply.array
        else:
            values = self.in_copies(field, column_values(self.graph, field, supply.source))
            if supply.how == "copied" and np.may_share_memory(values, supply.array):
                values = values.copy()
        return values.view(np.uint8) if field.dtype.kind == "b" else values

    def rows(self, kind: str, name: str) -> int:
        """Return the length of a column."""
        if kind == "edge":
            return int(self.graph.num_edges)
        shared = (kind, name) in self.copies.shared
        return int(self.graph.num_vertices) << (0 if shared else self.copies.shift)

    def in_copies(self, field: Any, values: NDArray[Any]) -> NDArray[Any]:
        """Return the values of a field as each copy of a batch begins with them."""
        rows = self.rows(field.kind, field.name)
        return values if len(values) == rows else np.repeat(values, self.copies.size)

    def supply(self, field: Any) -> Supply:
        """Return what a column holds at the start of the run, and whether that takes memory.

        The graph's own arrays, and the caller's, are lent to kernels that only read them.
        """
        key = (field.kind, field.name)
        if field.disjoint:
            return Supply("sets")
        if self.filled_first(*key):
            return Supply("empty")
        source = source_of(self.graph, field, self.bindings.get(key))
        array = self.array_behind(field, source)
        if array.ndim == 0:
            return Supply("filled", source)
        lent = key not in self.schedule.written and self.fits(field, array)
        return Supply("shared" if lent else "copied", source, array)

    def array_behind(self, field: Any, source: Any) -> Any:
        """Return the array that a column's name means, or a given one."""
        if isinstance(source, str):
            store = self.graph.vertices if field.kind == "vertex" else self.graph.edges
            return store.stored(source)
        return on_host(source)

    def fits(self, field: Any, array: Any) -> bool:
        """Return whether kernels can read an array as it is."""
        flags = array.flags
        as_it_is = array.dtype == field.dtype and flags.c_contiguous and flags.writeable
        return bool(as_it_is and array.shape == (self.rows(field.kind, field.name),))

    def filled_first(self, kind: str, name: str) -> bool:
        """Return whether the program fills a column before all else, not with its old values."""
        field = self.schedule.program.fields[kind, name]
        if field.default is not REQUIRED or (kind, name) in self.bindings:
            return False
        for step in self.schedule.body:
            if isinstance(step, s.FillColumn) and (step.column.kind, step.column.name) == (
                kind,
                name,
            ):
                return bool(step.value != step.column)
            if isinstance(step, s.Launch | s.LoopStep):
                return False
        return False

    def ordered_column(self, kind: str, name: str, order: str) -> NDArray[Any]:
        """Return an edge column in the order of arcs or slots."""
        field = self.schedule.program.fields[kind, name]
        source = source_of(self.graph, field, self.bindings.get((kind, name)))
        layouts = self.graph.layouts
        if isinstance(source, str):
            values = layouts.edge_column(source, field.dtype, order)
        elif not lies_on_device(source) and np.ndim(source) == 0:
            values = np.full(layouts.num_in(order), source, field.dtype)
        else:
            values = layouts.in_order(column_values(self.graph, field, source), order)
        values = values.view()
        values.flags.writeable = values.base.flags.writeable if values.base is not None else True
        seen: NDArray[Any] = values.view(np.uint8) if field.dtype.kind == "b" else values
        return seen

    def graph_array(self, name: str) -> NDArray[Any]:
        """Return an index array of the graph."""
        layouts, graph = self.graph.layouts, self.graph
        if (stored := split_name(name)) is not None:
            of, tag, side, part = stored
            places: NDArray[Any] = (
                layouts.by_place(of, tag, side) if of else layouts.storage(tag, side).part(part)
            )
            return places
        if name == "in_blocks":
            return arc_blocks(layouts.in_rows.first, PULL_BLOCK)
        if name.startswith(("pull_", "gather_")):
            group, part = name.split("_", 1)
            found: NDArray[Any] = getattr(getattr(layouts, group), part)
            return found
        if name.startswith("piece_"):
            which = ("piece_vertex", "piece_begin", "piece_end").index(name)
            pieces: NDArray[np.int64] = layouts.hub_pieces[which]
            return pieces
        array: NDArray[Any]
        if name in ("src_of_edge", "dst_of_edge"):
            ends = graph.edges.endpoints()[0 if name == "src_of_edge" else 1]
            array = ends.view(self.end_dtype)
            return array
        if name == "edge_of_arc" and layouts.edge_of_arc is None:
            return np.arange(graph.num_arcs, dtype=index_dtype(graph.num_vertices))
        if name in LAYOUTS:
            rows, part = LAYOUTS[name].split(".")
            array = getattr(getattr(layouts, rows), part)
        else:
            array = getattr(layouts, name)
        return array
