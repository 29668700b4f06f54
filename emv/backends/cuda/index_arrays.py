"""The index arrays of a graph, built on a GPU: bit for bit those of `emv.graph.index_arrays`.

Arcs are sorted by their senders, slots by their receivers, each by a stable sort of the keys with
their places (`sorting`); all else is fetched through these places, since a GPU gathers at the speed
of its memory. Undirected edges are written both ways first, with the way back of a loop behind all
vertices. Arrays stay here until `keep_only` drops those that nobody asked for, because one build
leads to others. See ``docs/design/graph.md`` for arcs, slots and their order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from emv.backends.cuda.array import DeviceArray, empty
from emv.backends.cuda.device import Device
from emv.backends.cuda.late import Late, under_way
from emv.backends.cuda.pieces import Pieces, filled, row_starts, sort_rows
from emv.backends.cuda.sorting import (
    converted,
    entry_wise,
    gathered,
    inverted,
    row_bounds,
    sorted_places,
    spread,
)
from emv.errors import GraphError
from emv.forms import Shape
from emv.graph.footprint import OF_VERTICES
from emv.graph.widths import index_dtype

Ends = tuple[DeviceArray, DeviceArray]
Arcs = Callable[[], tuple[DeviceArray, DeviceArray, DeviceArray]]
FAR_BELOW = b"\x80"  # which 64 bits of make a number far below 0
BY_PIECES = ("out_first", "out_other", "in_first", "in_other", "src_of_arc", "dst_of_slot")
"""What is built of arcs that come in pieces, without their edges."""
FACTS = ("lowest", "highest", "loops", "descents")


def survey(src: DeviceArray, dst: DeviceArray) -> dict[str, int]:
    """Return facts about the ends of edges; waits for them.

    Returns
    -------
    dict
        ``lowest`` and ``highest`` id (0 and -1 if there are no edges), number of ``loops``, and
        number of edges whose src is lower than that of the edge before, ``descents``.
    """
    if src.size == 0:
        return {"lowest": 0, "highest": -1, "loops": 0, "descents": 0}
    on, facts = src.device, empty(src.device, len(FACTS), np.dtype(np.int64))
    on.driver.fill(facts.address, FAR_BELOW, 2 * facts.itemsize, on.stream)
    on.driver.fill(facts.address + 2 * facts.itemsize, b"\0", 2 * facts.itemsize, on.stream)
    entry_wise(on, "build.survey", [src, dst, facts], src.size)
    lowest, *others = facts.tolist()
    return dict(zip(FACTS, [~lowest, *others], strict=True))


def shape_of(src: DeviceArray, dst: DeviceArray, num_vertices: int, directed: bool) -> Shape:
    """Return the counts of a graph whose ends are on a GPU; waits for them."""
    facts = survey(src, dst)
    arcs = src.size if directed else 2 * src.size - facts["loops"]
    is_sorted = arcs == src.size and facts["descents"] == 0
    return Shape(num_vertices, src.size, arcs, directed, is_sorted)


class DeviceIndexArrays:
    """Builds the index arrays of one set of edges on a GPU, and keeps them.

    Use it with the device current, ``with on.current():``; builds are put on the device's stream
    and not waited for.

    Parameters
    ----------
    on : Device
        Where.
    shape : Shape
        The counts of the graph.
    ends : callable
        Returns where edges begin and where they point to, ``int32|int64|uint32|uint64[num_edges]``
        each, all of them vertices; asked when they are needed, and again after `keep_only`.
    arcs : callable, optional
        Returns senders, receivers and edges of all arcs, in the order of their edges, where edges
        have one arc or two (`emv.graph.slices`): the graph counts as directed then.
    pieces : callable, optional
        Gives senders and receivers of all arcs, piece by piece, where edges are drawn. What needs
        their edges is refused.

    Attributes
    ----------
    made : dict
        What is there, by name, or will be when it is asked for (`late`).
    by_arc : dict
        Columns of edges that somebody keeps in the order of arcs, by name and type: what they were
        made of, and what was made.
    least_longest : int
        How long the longest row is at least, as far as somebody knows.
    follows : ByArc or None
        Of a later version: makes such columns of those of the version before.
    is_later : bool
        Whether they are a later version's, so that another may follow.

    Examples
    --------
    ``DeviceIndexArrays(on, shape_of(src, dst, 10, True), lambda: (src, dst)).array("in_first")``
    """

    def __init__(
        self,
        on: Device,
        shape: Shape,
        ends: Callable[[], Ends],
        arcs: Arcs | None = None,
        pieces: Pieces | None = None,
    ) -> None:
        self.on = on
        self.num_vertices, self.num_edges, self.num_arcs = shape[:3]
        self.directed, self.arcs_are_edges = shape.directed, shape.arcs_are_edges
        self.vertex_dtype = index_dtype(shape.num_vertices)
        self.arc_dtype = index_dtype(shape.num_arcs)
        self.made: dict[str, DeviceArray] = {}
        self.by_arc: dict[Any, tuple[DeviceArray, DeviceArray]] = {}
        self.least_longest = 0
        self.follows: Any = None
        self.is_later = False
        self._ask, self._ends, self.arcs, self.pieces = ends, None, arcs, pieces

    @property
    def ends(self) -> Ends:
        """The ends of the edges, on the device."""
        if self._ends is None:
            src, dst = self._ask()
            self._ends = under_way(src), under_way(dst)
        return self._ends

    def array(self, name: str) -> DeviceArray:
        """Return an array by its name in `emv.graph.footprint`, built when first asked for."""
        if name == "in_first" and not self.directed:
            name = "out_first"
        if name == "edge_of_slot" and self.arcs_are_edges:
            name = "arc_of_slot"
        if name not in self.made:
            if self.pieces is None:
                getattr(self, f"_build_{name}")()
            else:
                self.made[name] = self._by_pieces(name, self.pieces)
        made = self.made[name]
        if isinstance(made, Late):
            made = self.made[name] = made.under_way()
        return made

    def has(self, name: str) -> bool:
        """Return whether an array is there, and need not be made when somebody asks for it."""
        made = self.made.get(name)
        return made is not None and (not isinstance(made, Late) or made.is_made)

    def in_any_order(self, name: str) -> str:
        """Return which array serves whom ``out_other`` or ``in_other`` would, in any order of rows.

        The rows of both hold the same where edges lead both ways: one that is there will do.
        """
        if self.directed or self.has(name):
            return name
        return "in_other" if self.has("in_other") else "out_other"

    @property
    def pulled_along(self) -> set[str]:
        """What a later version merges to be pulled from, as this one was; none if it was not."""
        if "in_other" not in self.made:
            return set()
        return {"out_first", "in_first", "in_other"} | (set() if self.directed else {"edge_of_arc"})

    def twin(self, *names: str) -> DeviceIndexArrays:
        """Return index arrays of the same edges that hold some of those here, and no others."""
        twin = DeviceIndexArrays.__new__(DeviceIndexArrays)
        vars(twin).update(vars(self), _ends=None, by_arc={}, follows=None)
        twin.made = {name: self.array(name) for name in names}
        return twin

    def keep_only(self, names: set[str]) -> None:
        """Forget all other arrays, and the ends; what still holds them keeps them."""
        self.made = {name: array for name, array in self.made.items() if name in names}
        self._ends = None

    def _sort_arcs(self) -> None:
        """Sort the arcs by sender: everything by arc."""
        if self.arcs_are_edges:
            senders, receivers = (converted(each, self.vertex_dtype) for each in self.ends)
            self.made["src_of_arc"], self.made["out_other"] = senders, receivers
        elif self.arcs is not None:
            self._sort_given(*self.arcs())
        elif self.num_arcs == self.num_edges:
            keys = converted(self.ends[0], self.vertex_dtype)
            order, senders = sorted_places(keys, self.num_vertices, self.arc_dtype)
            del keys
            self.made["src_of_arc"], self.made["edge_of_arc"] = senders, order
            receivers = gathered(converted(self.ends[1], self.vertex_dtype), order)
            self.made["out_other"] = receivers
        else:
            self._sort_both_ways()
        if "out_first" not in self.made:
            senders, size = self.made["src_of_arc"], self.num_vertices
            self.made["out_first"] = row_bounds(senders, size, self.arc_dtype)

    def _by_pieces(self, name: str, pieces: Pieces) -> DeviceArray:
        """Return an array of arcs that come in pieces, of which nobody knows the edges."""
        if name not in BY_PIECES:
            raise GraphError(
                f"{name} needs the number of every edge, but the edges of this graph are drawn "
                "where they are needed, and nobody holds them",
                remedy="Make the graph with held=True.",
            )
        if name == "in_other":
            return self.slots_by_pieces(self.array("in_first"))
        if name == "dst_of_slot":
            return spread(self.array("in_first"), self.num_arcs, self.vertex_dtype)
        if name in ("out_other", "src_of_arc"):
            first, dtype = self.array("out_first"), self.vertex_dtype
            if name == "src_of_arc":
                return spread(first, self.num_arcs, dtype)
            return filled(first, pieces(True), self.num_arcs, dtype)
        ways = ((arcs[name == "in_first"], arcs[0], False) for arcs in pieces(False))
        return row_starts(self.on, ways, self.num_vertices, self.arc_dtype)

    def slots_by_pieces(
        self,
        first: DeviceArray,
        position: DeviceArray | None = None,
        place: DeviceArray | None = None,
    ) -> DeviceArray:
        """Return the senders of all slots, or their places, where arcs come in pieces.

        The rows of receivers begin at `first`, and stand by their positions, if these are given.
        """
        assert self.pieces is not None
        arcs = (
            (receivers if position is None else gathered(position, receivers), senders)
            for senders, receivers in self.pieces(False)  # as rows are sorted anyhow
        )
        made = filled(first, arcs, self.num_arcs, self.vertex_dtype)
        sort_rows(first, made, self.num_vertices, place)
        return made

    def _sort_given(self, senders: DeviceArray, others: DeviceArray, edges: DeviceArray) -> None:
        """Sort arcs that are given with their edges."""
        keys = converted(senders, self.vertex_dtype)
        order, self.made["src_of_arc"] = sorted_places(keys, self.num_vertices, self.arc_dtype)
        del keys, senders
        self.made["out_other"] = gathered(converted(others, self.vertex_dtype), order)
        self.made["edge_of_arc"] = gathered(converted(edges, self.arc_dtype), order)

    def _sort_both_ways(self) -> None:
        """Sort the arcs of undirected edges by sender."""
        size, edges, arcs = self.num_vertices, self.num_edges, self.num_arcs
        keys = empty(self.on, 2 * edges, index_dtype(size + 1))
        entry_wise(self.on, "build.both_ways", [*self.ends, keys], size, edges)
        order, senders = sorted_places(keys, size + 1, index_dtype(2 * edges))
        del keys
        order, senders = (each.view(0, arcs, each.dtype) for each in (order, senders))
        self.made["src_of_arc"] = converted(senders, self.vertex_dtype)
        receivers = empty(self.on, arcs, self.vertex_dtype)
        edge_of_arc = empty(self.on, arcs, self.arc_dtype)
        arrays = [order, *self.ends, receivers, edge_of_arc]
        entry_wise(self.on, "build.take_ends", arrays, edges, arcs)
        self.made["out_other"], self.made["edge_of_arc"] = receivers, edge_of_arc

    def _sort_slots(self) -> None:
        """Sort the arcs by receiver, which gives every arc its slot."""
        wants_first = self.directed and "in_first" not in self.made
        receivers = self.array("out_other")
        order, keys = sorted_places(receivers, self.num_vertices, self.arc_dtype, wants_first)
        self.made["arc_of_slot"] = order
        if keys is not None:
            self.made["in_first"] = row_bounds(keys, self.num_vertices, self.arc_dtype)

    def _build_src_of_arc(self) -> None:
        if "out_first" in self.made:
            first, dtype = self.array("out_first"), self.vertex_dtype
            self.made["src_of_arc"] = spread(first, self.num_arcs, dtype)
        else:
            self._sort_arcs()

    _build_out_first = _build_out_other = _build_edge_of_arc = _sort_arcs
    _build_in_first = _build_arc_of_slot = _sort_slots

    def _build_in_other(self) -> None:
        self.made["in_other"] = gathered(self.array("src_of_arc"), self.array("arc_of_slot"))

    def _build_dst_of_slot(self) -> None:
        if self.directed:
            first, dtype = self.array("in_first"), self.vertex_dtype
            self.made["dst_of_slot"] = spread(first, self.num_arcs, dtype)
        else:  # rows of both sides are as long
            self.made["dst_of_slot"] = self.array("src_of_arc")

    def _build_slot_of_arc(self) -> None:
        self.made["slot_of_arc"] = inverted(self.array("arc_of_slot"))

    def _build_edge_of_slot(self) -> None:
        self.made["edge_of_slot"] = gathered(self.array("edge_of_arc"), self.array("arc_of_slot"))

    def _sort_rows(self) -> None:
        """Sort every row by receiver: the slots, which are, once more and stably by sender."""
        senders, arcs = self.array("in_other"), self.array("arc_of_slot")
        order, _ = sorted_places(senders, self.num_vertices, self.arc_dtype, False)
        self.made["arc_of_sorted"] = gathered(arcs, order)
        self.made["sorted_dst"] = gathered(self.array("out_other"), self.made["arc_of_sorted"])

    _build_sorted_dst = _build_arc_of_sorted = _sort_rows

    def _build_edges_by_row(self) -> None:
        """Sort the edges by their ends with more out-arcs."""
        first = self.array("out_first")
        keys = empty(self.on, self.num_edges, self.vertex_dtype)
        entry_wise(self.on, "build.longer_rows", [*self.ends, first, keys], self.num_edges)
        order, _ = sorted_places(keys, self.num_vertices, self.arc_dtype, False)
        self.made["edges_by_row"] = order

    def in_order(self, values: DeviceArray, order: str) -> DeviceArray:
        """Return values of edges, any[num_edges], by edge, arc or slot."""
        if order == "edge" or (order == "arc" and self.arcs_are_edges):
            return values
        return gathered(values, self.array("edge_of_arc" if order == "arc" else "edge_of_slot"))

    def take_columns(self, column: Callable[[str], DeviceArray | None]) -> None:
        """Make the columns by arc that the version before has, of the columns of this one."""
        if self.follows is not None:
            self.by_arc, self.follows = self.follows.columns(column), None

    def nbytes(self, name: str) -> int:
        """Return the bytes of an array, built or not."""
        length = self.num_vertices + 1 if name.endswith("first") else self.num_arcs
        length = self.num_edges if name == "edges_by_row" else length
        dtype = self.vertex_dtype if name in OF_VERTICES else self.arc_dtype
        return int(length * dtype.itemsize)
