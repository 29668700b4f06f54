"""The figures of a graph that decide how programs run on it: `Graph.stats`.

Degrees have their population deviation, as the tables of the papers on Medusa have it. Small graphs
are looked at with numpy, larger ones with `emv_kernels.cpu.survey`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.config import config
from emv.graph.build import FIRST_COMPILED
from emv.graph.layouts import Layouts
from emv_kernels.aside import leavable


@dataclass(frozen=True)
class DegreeStats:
    """How degrees are spread.

    Attributes
    ----------
    min, max : int
        Smallest and largest.
    mean, deviation : float
        Mean and population standard deviation.
    """

    min: int
    max: int
    mean: float
    deviation: float

    def __str__(self) -> str:
        return f"{self.min:,} to {self.max:,}, {self.mean:.4g} +- {self.deviation:.4g}"


@dataclass(frozen=True)
class GraphStats:
    """The figures of a graph, as `Graph.stats` returns them.

    Attributes
    ----------
    num_vertices, num_edges, num_arcs : int
        Counts.
    directed : bool
        Whether edges lead one way only.
    out_degree, in_degree : DegreeStats
        Arcs that leave, and arcs that reach a vertex; the same of an undirected graph.
    isolated : int
        Vertices without an arc.
    loops : int
        Edges from a vertex to itself.
    repeats : int
        Edges beyond the first between the same two vertices; if directed, the same way.
    diameter : int or None
        A lower bound of the largest distance in the largest component, edges taken both ways; on
        request.
    parts, largest_part : int or None
        Connected components, edges taken both ways, and the vertices of the largest; on request.
    """

    num_vertices: int
    num_edges: int
    num_arcs: int
    directed: bool
    out_degree: DegreeStats
    in_degree: DegreeStats
    isolated: int
    loops: int
    repeats: int
    diameter: int | None = None
    parts: int | None = None
    largest_part: int | None = None

    def __repr__(self) -> str:
        rows = {
            "vertices": f"{self.num_vertices:,}",
            "edges": f"{self.num_edges:,}, {'directed' if self.directed else 'undirected'}",
            "arcs": f"{self.num_arcs:,}",
            "out-degree" if self.directed else "degree": str(self.out_degree),
            "in-degree": str(self.in_degree) if self.directed else None,
            "isolated": f"{self.isolated:,}",
            "loops": f"{self.loops:,}",
            "repeats": f"{self.repeats:,}",
            "diameter": None if self.diameter is None else f"at least {self.diameter:,}",
            "parts": None
            if self.parts is None
            else f"{self.parts:,}, the largest of {self.largest_part:,} vertices",
        }
        return "\n".join(f"{name:<10}  {cell}" for name, cell in rows.items() if cell is not None)


def stats_of(layouts: Layouts, diameter: bool, parts: bool) -> GraphStats:
    """Return the figures of a graph; see `Graph.stats`."""
    out = layouts.degrees("out")
    into = layouts.degrees("in") if layouts.directed else out
    ways = _ways(layouts, diameter, parts)
    return GraphStats(
        layouts.num_vertices,
        layouts.num_edges,
        layouts.num_arcs,
        layouts.directed,
        degree_stats(out),
        degree_stats(into),
        int(np.count_nonzero((out == 0) & (into == 0))),
        layouts.ends.num_loops,
        _num_repeats(layouts),
        **ways,
    )


def degree_stats(degrees: NDArray[Any]) -> DegreeStats:
    """Return how degrees are spread.

    Examples
    --------
    >>> degree_stats(np.array([1, 3, 3, 1]))
    DegreeStats(min=1, max=3, mean=2.0, deviation=1.0)
    """
    if not len(degrees):
        return DegreeStats(0, 0, 0.0, 0.0)
    mean, deviation = float(degrees.mean()), float(degrees.std(dtype=np.float64))
    return DegreeStats(int(degrees.min()), int(degrees.max()), mean, deviation)


def _num_repeats(layouts: Layouts) -> int:
    """Return the edges that join the same vertices as one before."""
    if layouts.num_edges >= FIRST_COMPILED:
        from emv_kernels.cpu import survey

        rows = layouts.out_rows
        return survey.repeats(rows.first, rows.other, not layouts.directed, config.num_threads)
    src, dst = (ends.astype(np.uint64) for ends in (layouts.ends.src, layouts.ends.dst))
    if not layouts.directed:
        src, dst = np.minimum(src, dst), np.maximum(src, dst)
    different = np.unique(src * np.uint64(layouts.num_vertices) + dst)
    return layouts.num_edges - len(different)


def _ways(layouts: Layouts, diameter: bool, parts: bool) -> dict[str, int]:
    """Return what is asked for of diameter and parts."""
    if not (diameter or parts):
        return {}
    from emv_kernels.cpu import survey

    out_rows = layouts.out_rows.first, layouts.out_rows.other
    in_rows = out_rows
    if layouts.directed:
        in_rows = layouts.in_rows.first, layouts.in_rows.other
    ways = layouts.directed
    count, size, vertex = leavable(lambda: survey.parts(out_rows, in_rows, ways), layouts.num_arcs)
    found = {"parts": int(count), "largest_part": int(size)} if parts else {}
    if diameter:
        found["diameter"] = int(
            leavable(lambda: survey.longest_way(vertex, out_rows, in_rows, ways), layouts.num_arcs)
        )
    return found
