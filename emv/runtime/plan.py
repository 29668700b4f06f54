"""Bind the arrays that kernels name to a graph and one run: index arrays, columns, working space.

The bytes are known before anything is allocated: `Plan.bytes` adds up what `Plan.bind` will make.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.codegen.cpu.state import FIRST_FREE, PLACES, place_of_launch
from emv.graph.bind import column_values, source_of
from emv.ir import schedule as s
from emv.ir.kernel import Buffer, KernelSource
from emv.lang.records import REQUIRED

ROW = 1024  # ids that a thread collects before it appends them to a queue
PULL_BLOCK = 16384  # in-arcs that a block of receivers holds at most, unless one has more

DELTA_ARCS = 8  # arcs of mean weight by which the threshold of a relaxation moves, per degree


class Plan:
    """The arrays of one run.

    Attributes
    ----------
    arrays : dict
        Every array by the name kernels use.
    """

    def __init__(
        self,
        schedule: s.Schedule,
        source: KernelSource,
        graph: Any,
        bindings: dict[tuple[str, str], Any],
        ids: dict[str, NDArray[Any]],
        num_threads: int,
        pool: dict[str, NDArray[Any]],
    ) -> None:
        self.schedule = schedule
        self.source = source
        self.graph = graph
        self.bindings = bindings
        self.ids = ids
        self.num_threads = num_threads
        self.pool = pool
        self.arrays: dict[str, NDArray[Any]] = {}
        self.id_dtype = np.dtype("uint32" if graph.num_vertices < 2**31 else "uint64")

    def bind(self) -> None:
        """Make every array."""
        launches = s.launches_in(self.schedule.body)
        places = FIRST_FREE + 16 * (2 + max((each.number for each in launches), default=0))
        self.arrays["state"] = np.zeros(places, np.int64)
        self.arrays["ints"] = np.zeros(self.schedule.num_slots["ints"] + 1, np.int64)
        self.arrays["floats"] = np.zeros(self.schedule.num_slots["floats"] + 1, np.float64)
        for buffer in self.source.buffers.values():
            if buffer.name not in self.arrays:
                self.arrays[buffer.name] = self.make(buffer)
        for name, value in (
            ("NUM_VERTICES", self.graph.num_vertices),
            ("NUM_EDGES", self.graph.num_edges),
            ("NUM_ARCS", self.graph.num_arcs),
            ("NUM_THREADS", self.num_threads),
            ("DIRECTED", int(self.graph.directed)),
        ):
            self.arrays["state"][PLACES[name]] = value
        for launch in launches:
            if isinstance(launch.shortcut, s.Relax):
                self.allow_relaxing(launch)

    def allow_relaxing(self, launch: s.Launch) -> None:
        """Say whether a relaxation may run nearest first, and how far a threshold moves.

        It may when nothing negative is added along an arc. The step is some mean weights, fewer
        where vertices have many arcs, as in delta-stepping (Meyer and Sanders, 2003).
        """
        shortcut, step = launch.shortcut, np.inf
        lowest: Any = 0
        if shortcut.weight is not None:
            name = f"e_{shortcut.weight}_by_arc"
            name = name if name in self.arrays else f"e_{shortcut.weight}"
            lowest, mean = self.graph.layouts.lowest_and_mean(self.arrays[name])
            degree = self.graph.num_arcs / max(1, self.graph.num_vertices)
            step = mean * DELTA_ARCS / max(1.0, degree) if mean > 0 else np.inf
        place = place_of_launch(launch.number) + 3
        self.arrays["state"][place] = int(bool(lowest >= 0))
        self.arrays["near_far"][:] = -np.inf, step, -np.inf, -np.inf

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
        if buffer.size == "ids":
            return self.ids[buffer.name].astype(self.id_dtype)
        if buffer.size == "T*ROW":
            return np.zeros((self.num_threads, ROW + 16), self.id_dtype)
        return self.scratch(buffer, self.size(buffer.size))

    def scratch(self, buffer: Buffer, size: int) -> NDArray[Any]:
        """Return working space: that of an earlier run on this graph where there is one."""
        array = self.pool.pop(buffer.name, None)
        if array is None or len(array) != size or array.dtype != buffer.dtype:
            array = np.zeros(size, buffer.dtype)
        if buffer.initial is not None:
            array.fill(buffer.initial)
        return array

    def release(self) -> None:
        """Leave the working space to the next run on this graph."""
        for buffer in self.source.buffers.values():
            if buffer.source == "scratch" and buffer.size not in ("", "ids", "T*ROW"):
                self.pool[buffer.name] = self.arrays[buffer.name]

    def size(self, text: str) -> int:
        """Return the number of entries that a size means for this graph."""
        names = {"V": self.graph.num_vertices, "E": self.graph.num_edges, "A": self.graph.num_arcs}
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
        rows = self.graph.num_vertices if kind == "vertex" else self.graph.num_edges
        if field.disjoint:
            return np.arange(rows, dtype=self.id_dtype)
        if self.filled_first(kind, name):
            values = np.empty(rows, field.dtype)
        else:
            values = self.given(field)
            if (kind, name) in self.schedule.written and self.is_lent(field):
                values = values.copy()
        return values.view(np.uint8) if field.dtype.kind == "b" else np.ascontiguousarray(values)

    def is_lent(self, field: Any) -> bool:
        """Return whether an array may share memory with the graph or the caller."""
        source = source_of(self.graph, field, self.bindings.get((field.kind, field.name)))
        return isinstance(source, str) or np.ndim(source) > 0

    def given(self, field: Any) -> NDArray[Any]:
        """Return what a parameter, the default or the graph gives for a field."""
        source = source_of(self.graph, field, self.bindings.get((field.kind, field.name)))
        if isinstance(source, str):
            store = self.graph.vertices if field.kind == "vertex" else self.graph.edges
            stored = store.stored(source)
            rows = self.graph.num_vertices if field.kind == "vertex" else self.graph.num_edges
            if stored.dtype == field.dtype and len(stored) == rows:
                return stored
        return column_values(self.graph, field, source)

    def filled_first(self, kind: str, name: str) -> bool:
        """Return whether the program fills a column, without its own old values, before all else."""
        field = self.schedule.program.fields[kind, name]
        if field.default is not REQUIRED or (kind, name) in self.bindings:
            return False
        for step in self.schedule.body:
            if isinstance(step, s.FillColumn) and (step.column.kind, step.column.name) == (kind, name):
                return step.value != step.column
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
        elif np.ndim(source) == 0:
            values = np.full(self.graph.num_arcs, source, field.dtype)
        else:
            values = layouts.in_order(column_values(self.graph, field, source), order)
        values = values.view()
        values.flags.writeable = values.base.flags.writeable if values.base is not None else True
        return values.view(np.uint8) if field.dtype.kind == "b" else values

    def graph_array(self, name: str) -> NDArray[Any]:
        """Return an index array of the graph."""
        layouts, graph = self.graph.layouts, self.graph
        if name == "in_blocks":
            return arc_blocks(layouts.in_rows.first, PULL_BLOCK)
        if name in ("src_of_edge", "dst_of_edge"):
            ends = graph.edges.endpoints()[0 if name == "src_of_edge" else 1]
            return ends.view(self.id_dtype)
        if name == "edge_of_arc" and layouts.edge_of_arc is None:
            return np.arange(graph.num_arcs, dtype=layouts.out_rows.other.dtype)
        makers = {
            "first_out": lambda: layouts.out_rows.first,
            "dst_of_arc": lambda: layouts.out_rows.other,
            "first_in": lambda: layouts.in_rows.first,
            "src_of_slot": lambda: layouts.in_rows.other,
        }
        if name in makers:
            return makers[name]()
        array: NDArray[Any] = getattr(layouts, name)
        return array


def arc_blocks(first: NDArray[Any], size: int) -> NDArray[np.int64]:
    """Return boundaries of runs of rows that hold about ``size`` arcs each, ``int64[blocks + 1]``.

    Examples
    --------
    >>> arc_blocks(np.array([0, 5, 6, 6, 40], np.uint32), size=10)
    array([0, 3, 4])
    """
    rows = len(first) - 1
    marks = np.arange(0, int(first[-1]) + size, size)
    cuts = np.searchsorted(first[1:-1], marks, side="left") if rows > 1 else np.zeros(1, int)
    limits = np.arange(0, rows + 4 * size, 4 * size)
    bounds = np.unique(np.concatenate([[0], cuts, limits, [rows]]))
    bounds = bounds[bounds <= rows].astype(np.int64)
    return bounds if rows else np.zeros(1, np.int64)
