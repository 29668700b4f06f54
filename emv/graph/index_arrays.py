"""The index arrays of a graph, each built when first asked for.

An *edge* is a row that the user added. An *arc* is one direction of it: a directed edge is one
arc; an undirected edge is two, an undirected loop one (as in networkx's adjacency). Arcs are
numbered by their position in the out-rows, message slots by their position in the in-rows. The
slot of an arc is Medusa's reverse edge id (Zhong & He, TPDS 2014, section 4.2): all messages to
one vertex lie side by side, ordered by arc id, so nothing is sorted while a program runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from emv.device import Indexed
from emv.errors import GraphError
from emv.forms import Shape
from emv.graph.build import ascends, first_positions, grouped, ranked, spread
from emv.graph.busy import Busy, busy_rows
from emv.graph.columns import EdgeColumns
from emv.graph.gather import Gather
from emv.graph.hashed import Hashed, hashed_rows
from emv.graph.heads import PullHeads, pull_heads
from emv.graph.hubs import HUB_ARCS, PIECE_ARCS, hub_pieces
from emv.graph.ordered_rows import ARRAYS, OrderedRows, are_in_order
from emv.graph.pull import PullOrder, pull_order
from emv.graph.ranges import LateArray
from emv.graph.rows import Rows
from emv.graph.shared_rows import edges_by_row, row_bits
from emv.graph.widths import index_dtype, public_dtype, with_dtype
from emv_kernels.aside import leavable


class IndexArrays:
    """Builds the index arrays of one set of edges, and keeps them.

    Parameters
    ----------
    num_vertices : int
        Vertices, also those without edges.
    directed : bool
        Whether every edge has one arc.
    edges : EdgeColumns
        Where the ends of the edges are.
    """

    def __init__(self, num_vertices: int, directed: bool, edges: EdgeColumns) -> None:
        self.num_vertices = num_vertices
        self.directed = directed
        self._edges = edges
        self.ends = edges.ends()
        self._arrays: dict[str, NDArray[Any] | LateArray] = {}
        self._is_unsure = False  # whether offsets are to be compared with the ids they count
        self._agreeing: set[tuple[str, str]] = set()
        self.placed: dict[str, Indexed] = {}  # by the device that they lie on
        self.forms: dict[str, Any] = {}  # graphs made of these edges, such as the oriented one

    @classmethod
    def restore(
        cls,
        num_vertices: int,
        directed: bool,
        edges: EdgeColumns,
        arrays: Mapping[str, NDArray[Any] | LateArray],
        num_arcs: int,
    ) -> Self:
        """Return the index arrays that `to_store` gave for the same edges.

        Those that are a `LateArray` are checked when they are used, others never.
        """
        made = cls(num_vertices, directed, edges)
        made._arrays.update(arrays)
        made._is_unsure = any(isinstance(each, LateArray) for each in arrays.values())
        vars(made).update(num_arcs=num_arcs, arcs_are_edges="out_other" not in arrays)
        return made

    def to_store(self) -> dict[str, NDArray[Any]]:
        """Return the arrays from which `restore` makes all others without sorting, built now."""
        names = ["out_first", "arc_of_slot", "slot_of_arc", "in_other"]
        if self.directed:
            names.append("in_first")
        if not self.arcs_are_edges:
            names += ["out_other", "edge_of_arc", "edge_of_slot"]
        return {name: self._array(name) for name in names}

    @property
    def num_edges(self) -> int:
        """Rows that the user added."""
        return self.ends.num_edges

    @property
    def shape(self) -> Shape:
        """The counts that decide what there is."""
        sizes = self.num_vertices, self.num_edges, self.num_arcs
        return Shape(*sizes, self.directed, self.arcs_are_edges)

    @cached_property
    def num_arcs(self) -> int:
        """Directions of edges; `out_rows` has one position for each."""
        if self.directed:
            return self.num_edges
        if self.ends.drawing is not None:
            return int(self._drawn_first[-1])
        return 2 * self.num_edges - self.ends.num_loops

    # The index arrays.

    @property
    def out_rows(self) -> Rows:
        """The arcs by src. An arc's id is its position; a vertex's arcs are in edge order."""
        return Rows(self._array("out_first"), self._array("out_other"), lambda: self.edge_of_arc)

    @property
    def in_rows(self) -> Rows:
        """The arcs by receiver; those of one receiver in the order of their ids."""
        return Rows(self._array("in_first"), self._array("in_other"), lambda: self.edge_of_slot)

    @property
    def edge_of_arc(self) -> NDArray[Any] | None:
        """The edge of each arc, uint32|uint64[num_arcs]; None when it is the arc's id."""
        return None if self.arcs_are_edges else self._array("edge_of_arc")

    @property
    def src_of_arc(self) -> NDArray[Any]:
        """The sender of each arc, uint32|uint64[num_arcs]."""
        return self._array("src_of_arc")

    @property
    def edge_of_slot(self) -> NDArray[Any]:
        """The edge whose message lands in each slot, uint32|uint64[num_arcs]."""
        return self._array("arc_of_slot" if self.arcs_are_edges else "edge_of_slot")

    @property
    def arc_of_slot(self) -> NDArray[Any]:
        """The arc whose message lands in each slot, uint32|uint64[num_arcs]."""
        return self._array("arc_of_slot")

    @property
    def slot_of_arc(self) -> NDArray[Any]:
        """The slot that each arc's message lands in, uint32|uint64[num_arcs]."""
        return self._array("slot_of_arc")

    @property
    def dst_of_slot(self) -> NDArray[Any]:
        """The receiver of each slot, uint32|uint64[num_arcs]."""
        return self._array("dst_of_slot")

    @property
    def sorted_dst(self) -> NDArray[Any]:
        """The receivers of each vertex's arcs in increasing order, uint32|uint64[num_arcs]."""
        return self._array("sorted_dst")

    @property
    def arc_of_sorted(self) -> NDArray[Any]:
        """The arc at each place of `sorted_dst`, uint32|uint64[num_arcs]; repeats in order."""
        return self._array("arc_of_sorted")

    @property
    def edges_by_row(self) -> NDArray[Any]:
        """The edges in the order of ends whose rows go into tables, uint32|uint64[num_edges].

        That is dst where it has `LONG_ROW` out-arcs and no fewer than src, else src; edges of one
        such end are in the order of their ids.
        """
        return self._array("edges_by_row")

    @property
    def row_bits(self) -> NDArray[np.uint32]:
        """Which ids modulo 32 every vertex's out-neighbours have, one bit each.

        Vertices without a bit in common have no such neighbour in common (Bloom, CACM 13(7), 1970).
        """
        return self._array("row_bits")

    @cached_property
    def arcs_are_edges(self) -> bool:
        """Whether arc ``i`` is edge ``i``, because the edges are sorted by src."""
        return self.num_arcs == self.num_edges and self.ends.is_sorted

    @cached_property
    def num_forward(self) -> NDArray[Any]:
        """How many arcs of each row are those of its edges, before the ways back.

        Counted when a graph first changes, and kept by versions: uint32|uint64[num_vertices].
        """
        first = first_positions(with_dtype(self.ends.src, self.vertex_dtype), self.num_vertices)
        return np.diff(first).astype(self.arc_dtype, copy=False)

    @cached_property
    def hub_pieces(self) -> NDArray[np.int64]:
        """The pieces of vertices with very many in-arcs; see `emv.graph.hubs.hub_pieces`."""
        return hub_pieces(self._array("in_first"), HUB_ARCS, PIECE_ARCS)

    @cached_property
    def pull(self) -> PullOrder:
        """The vertices by how many lanes fold their in-arcs; see `emv.graph.pull.pull_order`."""
        first = self._array("in_first")
        order: PullOrder = leavable(lambda: pull_order(first, self.vertex_dtype), self.num_vertices)
        return order

    common: Any = None
    held: Any = None
    """Places that parts of a graph have in common, where it is one, and to which vertices it has
    arcs; see `emv.graph.slices`."""

    @cached_property
    def heads(self) -> PullHeads:
        """Whom each vertex asks first in a pull; see `emv.graph.heads.pull_heads`."""
        rows = self._array("in_first"), self._array("in_other"), self._array("out_first")
        pull, num_hubs = self.pull, len(self.pull.hub_piece) - 1
        found: PullHeads = leavable(lambda: pull_heads(pull.order, num_hubs, *rows), self.num_arcs)
        return found

    @cached_property
    def gather(self) -> Gather:
        """The in-arcs in the order of `pull`; see `emv.graph.gather`."""
        in_first, senders = self._array("in_first"), self._array("in_other")
        return Gather(self._array("out_first"), in_first, senders, self.pull, self.common)

    @cached_property
    def busy(self) -> Busy:
        """The vertices with the most arcs, and who leads to them; see `emv.graph.busy`."""
        rows = self._array("out_first"), self._array("in_first"), self._array("in_other")
        found: Busy = leavable(lambda: busy_rows(*rows), self.num_arcs)
        return found

    @cached_property
    def hashed(self) -> Hashed:
        """The receivers in every row by hashes; see `emv.graph.hashed`."""
        rows = self._array("out_first"), self._array("sorted_dst"), self._array("out_other")
        found: Hashed = leavable(lambda: hashed_rows(*rows, self.arcs_are_edges), self.num_arcs)
        return found

    def degrees(self, direction: Literal["out", "in"]) -> NDArray[Any]:
        """Return how many arcs leave or reach each vertex, int32|int64[num_vertices]."""
        first = self._array(f"{direction}_first")
        return np.diff(first).astype(public_dtype(self.num_arcs))

    # How each array is built.

    @property
    def vertex_dtype(self) -> np.dtype[Any]:
        """The dtype of vertices in index arrays."""
        return index_dtype(self.num_vertices)

    @property
    def arc_dtype(self) -> np.dtype[Any]:
        """The dtype of offsets, arcs, slots and edges in index arrays."""
        return index_dtype(self.num_arcs)

    def has(self, name: str) -> bool:
        """Return whether an index array has been built."""
        return name in self._arrays

    def array(self, name: str) -> NDArray[Any]:
        """Return an index array, built now if it is not there."""
        return self._array(name)

    def _array(self, name: str) -> NDArray[Any]:
        found = self._arrays.get(name)
        if not isinstance(found, np.ndarray):
            build = self._builder(name) if found is None else found.read
            found = leavable(build, self.num_arcs)
            self._arrays[name] = found
        return found

    def _builder(self, name: str) -> Callable[[], NDArray[Any]]:
        """Return what builds an index array."""
        if self.ordered is not None and name in ARRAYS:
            first = None if name == "out_first" else self._array("out_first")
            return partial(self.ordered.array, name, first)
        build: Callable[[], NDArray[Any]] = getattr(self, f"_build_{name}")
        return build

    @cached_property
    def ordered(self) -> OrderedRows | None:
        """What builds the arrays of undirected edges that are in order, and lie on the host."""
        ends = self.ends
        is_elsewhere = ends.on_device is not None or ends.drawing is not None
        if self.directed or self._is_unsure or is_elsewhere or self.arcs_are_edges:
            return None
        if not are_in_order(ends):
            return None
        return OrderedRows(ends, self.num_vertices, self.vertex_dtype, self.arc_dtype)

    def _grouped(self, keys: str, values: NDArray[Any], first: str) -> NDArray[Any]:
        """Return values sorted by their keys, an array or ``"src"``, which the offsets count.

        Sorting writes where the offsets say, so they must be right.

        Raises
        ------
        GraphError
            If they come out of a file that nobody checked, and are not.
        """
        ids = self._unsorted_src() if keys == "src" else self._array(keys)
        if self._is_unsure and (keys, first) not in self._agreeing:
            if not np.array_equal(first_positions(ids, self.num_vertices), self._array(first)):
                raise GraphError(
                    f"index.{first}.npy of the graph's folder is not that of its edges",
                    remedy="read it with verify=True, which finds out more, or write it again",
                )
            self._agreeing.add((keys, first))
        return grouped(ids, values, self._array(first))

    def _both_ways(self, forward: NDArray[Any], backward: NDArray[Any]) -> NDArray[Any]:
        """Return values of the arcs before sorting: every edge's, then the way back of each."""
        if self.num_arcs == self.num_edges:
            return forward
        return np.concatenate([forward, backward[self.ends.src != self.ends.dst]])

    def _unsorted_src(self) -> NDArray[Any]:
        return with_dtype(self._both_ways(self.ends.src, self.ends.dst), self.vertex_dtype)

    @cached_property
    def _drawn_first(self) -> NDArray[Any]:
        """Where the rows of edges begin that are drawn and not held."""
        found: NDArray[Any] = self.ends.drawing.starts("out", self.directed, self.num_vertices)
        return found

    def _build_out_first(self) -> NDArray[Any]:
        if self.ends.drawing is not None:
            return self._drawn_first.astype(self.arc_dtype, copy=False)
        return first_positions(self._unsorted_src(), self.num_vertices)

    def _build_out_other(self) -> NDArray[Any]:
        receivers = with_dtype(self._both_ways(self.ends.dst, self.ends.src), self.vertex_dtype)
        if self.arcs_are_edges:
            return receivers
        return self._grouped("src", receivers, "out_first")

    def _build_edge_of_arc(self) -> NDArray[Any]:
        edges = np.arange(self.num_edges, dtype=self.arc_dtype)
        return self._grouped("src", self._both_ways(edges, edges), "out_first")

    def _build_src_of_arc(self) -> NDArray[Any]:
        if self.arcs_are_edges:
            return with_dtype(self.ends.src, self.vertex_dtype)
        return spread(self._array("out_first"), self.vertex_dtype)

    def _build_dst_of_slot(self) -> NDArray[Any]:
        return spread(self._array("in_first"), self.vertex_dtype)

    def _build_in_first(self) -> NDArray[Any]:
        if not self.directed:
            return self._array("out_first")
        if self.ends.drawing is not None:
            found: NDArray[Any] = self.ends.drawing.starts("in", True, self.num_vertices)
            return found
        return first_positions(with_dtype(self.ends.dst, self.vertex_dtype), self.num_vertices)

    def _build_in_other(self) -> NDArray[Any]:
        has_senders = "src_of_arc" in self._arrays
        senders = self._array("src_of_arc") if has_senders else self._build_src_of_arc()
        return self._grouped("out_other", senders, "in_first")

    def _build_arc_of_slot(self) -> NDArray[Any]:
        arcs = np.arange(self.num_arcs, dtype=self.arc_dtype)
        return self._grouped("out_other", arcs, "in_first")

    def _build_slot_of_arc(self) -> NDArray[Any]:
        return ranked(self._array("out_other"), self._array("in_first"))

    @cached_property
    def rows_are_sorted(self) -> bool:
        """Whether every vertex's arcs already are in the order of their receivers."""
        return ascends(self._array("out_first"), self._array("out_other"))

    def _build_sorted_dst(self) -> NDArray[Any]:
        """Sort stably by sender what is sorted by receiver already: the slots."""
        if self.rows_are_sorted:
            return self._array("out_other")
        return self._grouped("in_other", self._build_dst_of_slot(), "out_first")

    def _build_arc_of_sorted(self) -> NDArray[Any]:
        if self.rows_are_sorted:
            return np.arange(self.num_arcs, dtype=self.arc_dtype)
        return self._grouped("in_other", self._array("arc_of_slot"), "out_first")

    def _build_edges_by_row(self) -> NDArray[Any]:
        src, dst = (with_dtype(each, self.vertex_dtype) for each in (self.ends.src, self.ends.dst))
        return edges_by_row(src, dst, self._array("out_first"))

    def _build_row_bits(self) -> NDArray[np.uint32]:
        return row_bits(self._array("out_first"), self._array("out_other"))

    def _build_edge_of_slot(self) -> NDArray[Any]:
        return self._grouped("out_other", self._array("edge_of_arc"), "in_first")
