"""Slices of a graph: what one of several GPUs holds of its arcs, edges and edge columns.

A slice has the arcs to the vertices that its part owns, and the edges of these arcs, both in the
order of the whole graph and numbered anew; its vertices are all, under their own numbers. So its
index arrays are built like any graph's, of fewer edges, and a receiver finds its arcs in the order
that they have on one device. An undirected edge between two parts is an edge of both, with one arc
in each. What of the whole graph kernels still ask, how many arcs a vertex has and which number an
edge or an arc has there, are arrays of their own.

Which vertices of others a part reads, its replicas, follows from the ends of its edges as well.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import GraphError
from emv.graph.build import first_positions
from emv.graph.columns import EdgeColumns
from emv.graph.common_places import CommonPlaces
from emv.graph.drawn import DrawnArcs
from emv.graph.ends import Ends
from emv.graph.heads import PullHeads
from emv.graph.held_arcs import ArcsOfEdges, HeldArcs
from emv.graph.layouts import Layouts
from emv.graph.on_device import lies_on_device, on_host
from emv.graph.partition import GIVEN, owners_of
from emv.graph.pieces import for_pieces, picked
from emv.graph.pull import PullOrder, pull_order
from emv.graph.slice_ends import DealtEnds, SliceEnds
from emv.graph.widths import index_dtype, with_dtype
from emv_kernels.aside import leavable

BEYOND = np.iinfo(np.int16).max
"""The level of vertices that a part does not have."""


class SliceEdges:
    """The edges of a slice: their ends and columns, as layouts and runs read them.

    Parameters
    ----------
    whole : EdgeColumns
        Of the graph.
    ends : SliceEnds
        Which edges they are.
    """

    def __init__(self, whole: EdgeColumns, ends: SliceEnds) -> None:
        self.whole, self._ends = whole, ends
        self._kept: dict[str, tuple[Any, NDArray[Any]]] = {}

    def __len__(self) -> int:
        return self._ends.num_edges

    def __contains__(self, name: object) -> bool:
        return name in self.whole

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.stored(name)

    def names(self) -> list[str]:
        """Return the names of the columns."""
        return self.whole.names()

    def absent(self) -> dict[str, str]:
        """Return the columns that were left out, and why."""
        return self.whole.absent()

    def ends(self) -> SliceEnds:
        """Return the ends."""
        return self._ends

    def endpoints(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return ``(src, dst)``, int32|int64[edges of the slice] each."""
        return self._ends.src, self._ends.dst

    def on_device(self, name: str) -> None:
        """Return None: columns come from the host."""

    def stored(self, name: str) -> NDArray[Any]:
        """Return the own entries of a column: the same object until the column changes."""
        source, kept = self.whole.stored(name), self._kept.get(name)
        if kept is None or kept[0] is not source:
            self._kept[name] = kept = source, picked(source, self._ends.rows)
        return kept[1]


class SliceLayouts(Layouts):
    """The index arrays of a slice.

    Parameters
    ----------
    whole : Layouts
        Of the graph; it keeps its slices, and they do not keep it.
    edges : EdgeColumns
        All of them.
    held : bool[num_vertices]
        To which vertices the arcs lead: those that the part owns, and replicas that it computes.
    dealt : (int, int) or None
        Where edges are dealt, to how many parts, and to which: else it has all edges that have an
        arc to those vertices.
    common : CommonPlaces or None
        The places of vertices that all parts have in common, where it has its own arcs alone.
    """

    def __init__(
        self,
        whole: Layouts,
        edges: EdgeColumns,
        held: NDArray[np.bool_],
        dealt: tuple[int, int] | None = None,
        common: CommonPlaces | None = None,
    ) -> None:
        self._whole, self.common = weakref.ref(whole), common
        self.held, self.was_directed = held, whole.directed
        arcs_are_edges, directed = whole.arcs_are_edges, whole.directed
        dtype = index_dtype(whole.num_arcs)
        ends: SliceEnds
        if dealt is None:
            self.own = own = (
                HeldArcs(whole.ends, held, directed, dtype)
                if whole.ends.drawing is None
                else DrawnArcs.of(whole, held)
            )
            ends = SliceEnds(whole.ends, lambda: own.rows, own.num_edges, arcs_are_edges)
        else:
            ends = DealtEnds(whole.ends, *dealt, dtype, arcs_are_edges)
            self.own = HeldArcs(ends, held, directed, dtype)
        super().__init__(whole.num_vertices, True, SliceEdges(edges, ends))  # type: ignore[arg-type]
        vars(self).update(arcs_are_edges=arcs_are_edges)

    @property
    def edge_ids(self) -> NDArray[Any]:  # type: ignore[override]
        """Which of the graph's edges these are, uint32|uint64[num_edges]."""
        return self.number_of_edge

    @property
    def whole(self) -> Layouts:
        """The layouts of the graph."""
        found = self._whole()
        assert found is not None
        return found

    @property
    def num_arcs(self) -> int:
        """Arcs to the part's vertices."""
        return int(self.own.num_arcs)

    def _both_ways(self, forward: NDArray[Any], backward: NDArray[Any]) -> NDArray[Any]:
        return forward if self.was_directed else self.own.both_ways(forward, backward)

    @property
    def _drawn_first(self) -> NDArray[Any]:
        """Refused: the host has no rows of a part whose edges are drawn."""
        return self.own.rows

    def _build_in_first(self) -> NDArray[Any]:
        receivers = self._both_ways(self.ends.dst, self.ends.src)
        return first_positions(with_dtype(receivers, self.vertex_dtype), self.num_vertices)

    def arcs_in_pieces(self) -> DrawnArcs | None:
        """Return the arcs where edges are drawn; else None."""
        return self.own if isinstance(self.own, DrawnArcs) else None

    def arcs_of_edges(self) -> Callable[[], ArcsOfEdges] | None:
        """Return what gives the arcs of undirected edges; see `Layouts.arcs_of_edges`."""
        if self.was_directed or isinstance(self.own, DrawnArcs):
            return None
        return self.own.arcs  # and not the layouts themselves

    @cached_property
    def pull(self) -> PullOrder:
        """The vertices by how many lanes fold their in-arcs; those of others are in no bin."""
        first, held = self.array("in_first"), self.held
        found: PullOrder = leavable(
            lambda: pull_order(first, self.vertex_dtype, held=held), self.num_vertices
        )
        return found

    @cached_property
    def heads(self) -> PullHeads:
        """Whom each vertex asks first in a pull, by the places that all parts have in common."""
        own: PullHeads = super().heads
        return own if self.common is None else self.common.of_part(own, self.pull.order)

    # What kernels ask of the whole graph.

    @property
    def whole_first_out(self) -> NDArray[Any]:
        """Where each vertex's row of arcs begins in the whole graph, uint32|uint64[V + 1]."""
        return self.whole.array("out_first")

    @property
    def whole_first_in(self) -> NDArray[Any]:
        """Where each vertex's slots begin in the whole graph, uint32|uint64[V + 1]."""
        return self.whole.array("in_first")

    @property
    def number_of_edge(self) -> NDArray[Any]:
        """The number of each edge in the whole graph, uint32|uint64[num_edges]."""
        ends = self.ends
        assert isinstance(ends, SliceEnds)
        return ends.rows

    @property
    def number_of_arc(self) -> NDArray[Any]:
        """The number of each arc in the whole graph, uint32|uint64[num_arcs]."""
        own = np.flatnonzero(self.held[self.whole.out_rows.other])
        return own.astype(self.whole.arc_dtype)


class Slice:
    """A graph of which a part holds its own arcs, as plans of runs see it.

    Parameters
    ----------
    whole : Graph
        The graph.
    layouts : SliceLayouts
        What the part holds.
    """

    def __init__(self, whole: Any, layouts: SliceLayouts) -> None:
        self.layouts, self.edges, self.vertices = layouts, layouts._edges, whole.vertices
        self.num_vertices, self.num_edges = layouts.num_vertices, layouts.num_edges
        self.num_arcs, self.directed = layouts.num_arcs, whole.directed
        self.all_edges = whole.num_edges

    def given(self, value: Any) -> Any:
        """Return the own entries of a column of edges that the caller gives, or what else it is."""
        if isinstance(value, str) or not (lies_on_device(value) or np.ndim(value) == 1):
            return value
        values = on_host(value)
        if len(values) != self.all_edges:
            raise GraphError(
                f"an edge column has {len(values):,} values for {self.all_edges:,} edges",
                remedy="Give one value for each edge, in the order of the edges.",
            )
        return values[self.layouts.number_of_edge]


def slice_of(
    graph: Any, number: int, way: str, part: int, hops: int = 1, is_dealt: bool = False
) -> Slice:
    """Return what one of so many parts holds of a graph; kept with its layouts.

    With more hops than one it has the arcs to its replicas as well, but for those of the last hop.
    If edges are dealt, it has as many as every other, stretches of all in turn, and the arcs of
    these: what stands first in a graph may have the longest rows.
    """
    kept, key = graph.layouts.slices, (number, "dealt" if is_dealt else way, part, hops)
    if key not in kept and is_dealt:
        everyone = np.ones(graph.num_vertices, np.bool_)
        kept[key] = SliceLayouts(graph.layouts, graph.edges, everyone, (number, part))
    elif key not in kept:
        held, common = owners(graph, number, way) == part, None
        if hops > 1:
            held = levels_of(graph.layouts.ends, held, graph.directed, hops - 1) < BEYOND
        else:
            common = common_places(graph, number, way)
        kept[key] = SliceLayouts(graph.layouts, graph.edges, held, common=common)
    return Slice(graph, kept[key])


def owners(graph: Any, number: int, way: str) -> NDArray[np.int32]:
    """Return the part of each vertex, by one of the ways that have a name, or as it was given."""
    kept = graph.layouts.owners
    if (number, way) not in kept:
        if way.startswith(GIVEN):
            raise GraphError(
                "the owners of its parts were given for other edges than this graph has",
                remedy="Say again how it is divided, by g.on(..., by=...).",
            )
        kept[number, way] = owners_of(graph, number, way)
    found: NDArray[np.int32] = kept[number, way]
    return found


def common_places(graph: Any, number: int, way: str) -> CommonPlaces:
    """Return the places of vertices that all parts have in common; kept with its layouts."""
    kept = graph.layouts.places
    if (number, way) not in kept:
        kept[number, way] = CommonPlaces(graph.layouts, owners(graph, number, way), number)
    found: CommonPlaces = kept[number, way]
    return found


def levels_of(ends: Ends, own: NDArray[np.bool_], directed: bool, hops: int) -> NDArray[np.int16]:
    """Return in which hop of replicas a part has each vertex.

    Returns
    -------
    int16[num_vertices]
        0 for its own, h for those with an arc to level h - 1 and none to a lower one, `BEYOND` for
        those that it does not have.

    Examples
    --------
    >>> path = Ends(np.array([0, 1, 2, 3]), np.array([1, 2, 3, 4]))
    >>> levels_of(path, np.arange(5) > 3, True, 2)
    array([32767, 32767,     2,     1,     0], dtype=int16)
    """
    level = np.where(own, 0, BEYOND).astype(np.int16)
    for hop in range(1, hops + 1):
        found = with_arcs_to(level == hop - 1, ends, directed)
        level[found & (level == BEYOND)] = hop
    return level


def with_arcs_to(those: NDArray[np.bool_], ends: Ends, directed: bool) -> NDArray[np.bool_]:
    """Return which vertices have an arc to one of those, bool[num_vertices]."""
    if ends.drawing is not None:
        drawn: NDArray[np.bool_] = ends.drawing.senders_to(those, directed)
        return drawn
    found = np.zeros(len(those), np.bool_)
    src, dst = ends.src, ends.dst

    def mark(piece: slice) -> None:
        """Mark those of a piece; what several threads write in one place is the same."""
        first, second = src[piece], dst[piece]
        found[first.compress(those.take(second))] = True
        if not directed:
            found[second.compress(those.take(first))] = True

    for_pieces(mark, ends.num_edges)
    return found
