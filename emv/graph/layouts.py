"""The layouts of a graph: its index arrays, its edge columns in their order, and their bytes.

A `Layouts` is a snapshot of the edges there were; a graph that grows makes a new one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.config import config
from emv.graph.cast import cast_column
from emv.graph.columns import EdgeColumns
from emv.graph.footprint import Footprint, Part, arrays_of
from emv.graph.index_arrays import IndexArrays
from emv.graph.on_device import device_array, lowest_and_mean
from emv.graph.row_storage import RowStorage, split_order
from emv_kernels.aside import leavable

Order = str
"""What a permuted edge column is indexed by: ``edge``, ``arc``, ``slot``, or a `storage_order`."""

Wanted = str | tuple[str, np.dtype[Any], Order]
"""A layout's name, or an edge column with its dtype and order."""


class Layouts(IndexArrays):
    """The layouts of one set of edges; see the module's text for the words.

    The arrays belong to the graph and must not be written.

    Parameters
    ----------
    num_vertices : int
        Vertices, also those without edges.
    directed : bool
        Whether every edge has one arc.
    edges : EdgeColumns
        Where the ends and the columns of the edges are.

    Examples
    --------
    >>> from emv.graph import Graph
    >>> layouts = Graph.from_edges([2, 0, 2], [0, 2, 1]).layouts
    >>> layouts.out_rows.first, layouts.out_rows.other
    (array([0, 1, 1, 3], dtype=uint32), array([2, 0, 1], dtype=uint32))
    >>> layouts.slot_of_arc
    array([2, 0, 1], dtype=uint32)
    """

    edge_ids: NDArray[Any] | None = None
    """Which of the graph's edges these are, where they are not all."""

    def __init__(self, num_vertices: int, directed: bool, edges: EdgeColumns) -> None:
        super().__init__(num_vertices, directed, edges)
        self._summaries: dict[int, tuple[Any, tuple[float, float]]] = {}
        self._permuted: dict[tuple[str, str, str], tuple[NDArray[Any], NDArray[Any]]] = {}
        self._storages: dict[tuple[str, str], RowStorage] = {}
        self.owners: dict[tuple[int, str], NDArray[np.int32]] = {}  # as `Graph.on` divides
        self.places: dict[tuple[int, str], Any] = {}  # of vertices, which parts have in common
        self.slices: dict[tuple[int, str, int, int], Any] = {}  # what parts of it hold
        self.stretches: dict[tuple[int, str], list[tuple[int, int, int]]] = {}  # of one owner
        self.levels: dict[tuple[int, str, int], list[NDArray[np.int16]]] = {}  # of their replicas
        self.running: dict[tuple[int, str, int], dict[tuple[int, int], NDArray[np.uint8]]] = {}
        self.exchanges: dict[tuple[int, str, int], dict[Any, Any]] = {}  # rows they hand each other
        self.hops: dict[Any, NDArray[np.float64]] = {}  # what parts are predicted to take
        self.search: NDArray[np.int32] | None = None  # the superstep that finds each vertex

    def arcs_of_edges(self) -> Callable[[], tuple[NDArray[Any], ...]] | None:
        """Return what gives the arcs where edges have one or two; None where a rule says which.

        It returns senders, receivers and edges of all arcs, before they are sorted.
        """
        return None

    def arcs_in_pieces(self) -> Any:
        """Return the arcs, where they are drawn piece by piece; None where they come at once."""
        return None

    def storage(self, tag: str, side: str) -> RowStorage:
        """Return the rows of a side in a storage; see `emv.graph.row_storage`."""
        if (tag, side) not in self._storages:
            first = self._array(f"{side}_first")
            other = functools.partial(self._array, f"{side}_other")
            self._storages[tag, side] = RowStorage(tag, side, first, other)
        return self._storages[tag, side]

    def by_place(self, of: str, tag: str, side: str) -> NDArray[Any]:
        """Return the edge, arc or slot at each place of a storage; 0 at empty places.

        Parameters
        ----------
        of : {"edge", "arc", "slot"}
            What to name.
        """
        own, size, dtype = "arc" if side == "out" else "slot", self.num_arcs, self.arc_dtype
        rows = self.out_rows if side == "out" else self.in_rows
        values = rows.edge if of == "edge" else None
        if values is None and of in (own, "edge"):
            values = np.arange(size, dtype=dtype)
        elif values is None:
            values = self._array(f"{of}_of_{own}")
        return self.storage(tag, side).placed(values)

    # Edge columns in the order of arcs or slots.

    def edge_column(self, name: str, dtype: np.dtype[Any], order: Order) -> NDArray[Any]:
        """Return an edge column converted to `dtype` and permuted, kept until it is replaced.

        Parameters
        ----------
        name : str
            Which column.
        dtype : dtype
            The dtype that the program declares.
        order : {"edge", "arc", "slot"} or str
            What to index by. In the first the result is ``dtype[num_edges]``, in the others
            ``dtype[num_arcs]``; or an order of `storage_order`, with an entry per place.

        Raises
        ------
        ColumnError
            If there is no such column, or a value does not fit `dtype`.
        """
        dtype = np.dtype(dtype)
        source = self._edges.stored(name)[: self.num_edges]
        if self.shares_column(source.dtype, dtype, order):
            return source
        key = (name, dtype.name, order)
        kept = self._permuted.get(key)
        if kept is None or kept[0] is not self._edges.stored(name):
            ids = self.edge_ids
            values = leavable(
                lambda: self.in_order(cast_column(name, source, dtype, ids), order), self.num_arcs
            )
            self._permuted[key] = (self._edges.stored(name), values)
        return self._permuted[key][1]

    def shares_column(self, stored: np.dtype[Any], dtype: np.dtype[Any], order: Order) -> bool:
        """Return whether a column in an order is the graph's own array."""
        in_place = order == "edge" or (order == "arc" and self.arcs_are_edges)
        return in_place and stored == dtype

    def kept_columns(self) -> Iterator[tuple[tuple[str, str, str], np.dtype[Any], NDArray[Any]]]:
        """Give name, dtype and order of every column kept by `edge_column`, as it is by now.

        With them the dtype of the graph's column and the values.
        """
        for key, (source, values) in self._permuted.items():
            if key[0] in self._edges and source is self._edges.stored(key[0]):
                yield key, source.dtype, values

    def stored_column(self, name: str) -> NDArray[Any]:
        """Return an edge column as the graph has it, any[num_edges]."""
        return self._edges.stored(name)

    def take_merged(
        self,
        before: Layouts,
        arrays: dict[str, NDArray[Any]],
        columns: dict[tuple[str, str, str], NDArray[Any]],
    ) -> None:
        """Have arrays and columns that were made of those of an earlier version."""
        self._arrays.update(arrays)
        self._is_unsure = before._is_unsure
        for key, values in columns.items():
            self._permuted[key] = self._edges.stored(key[0]), values

    def in_order(self, values: NDArray[Any], order: Order) -> NDArray[Any]:
        """Return values of edges, any[num_edges], permuted into an order; see `edge_column`."""
        if order == "edge":
            return values
        if order == "arc":
            return self._by_arc(values)
        if (storage := split_order(order)) is not None:
            by_row = self.in_order(values, "arc" if storage[1] == "out" else "slot")
            return self.storage(*storage).placed(by_row)
        if self.ordered is not None:
            return self.ordered.placed(values, values, self._array("out_first"), by_slot=True)
        return self._grouped("out_other", self._by_arc(values), "in_first")

    def column_there(self, name: str) -> Any:
        """Return an edge column that lies on a GPU; None of others."""
        given = self._edges.on_device(name)
        return None if given is None else device_array(given)

    def lowest_and_mean(self, values: Any) -> tuple[float, float]:
        """Return the smallest and the mean entry of an edge column; (0, 0) of an empty one.

        Kept as long as the layouts are, so that it is computed once per graph and column, on the
        GPU where it lies on one.
        """
        whole = getattr(values, "base", None)
        whole = values if whole is None else whole
        kept, summary = self._summaries.get(id(whole), (None, (0.0, 0.0)))
        if kept is not whole and self.num_edges:
            summary = lowest_and_mean(values)
            self._summaries[id(whole)] = whole, summary
        return summary

    def take_summary(
        self,
        values: Any,
        count: int,
        first: tuple[float, float],
        others: tuple[float, float] | None = None,
    ) -> None:
        """Note the smallest and the mean entry, where those of so many first ones are known.

        Those of the others may be given, too, where there are any.
        """
        if id(values) in self._summaries:
            return
        (lowest, mean), size = first, len(values)
        if size > count:
            least, other = lowest_and_mean(values[count:]) if others is None else others
            lowest, mean = (
                float(np.minimum(lowest, least)),
                mean + (other - mean) * (1 - count / size),
            )
        self._summaries[id(values)] = values, (lowest, mean)

    def _by_arc(self, values: NDArray[Any]) -> NDArray[Any]:
        if self.arcs_are_edges:
            return values
        if self.ordered is not None:
            return self.ordered.placed(values, values, self._array("out_first"), by_slot=False)
        both_ways = self._both_ways(values, values)
        return self._grouped("src", both_ways, "out_first")

    # Bytes, before and after building.

    def bytes_of(self, *wanted: Wanted) -> int:
        """Return the bytes that building all these takes and keeps, without building them.

        What they are built from counts, every array once; what shares the edges' own storage
        does not. It is exact: on a graph without layouts, building them makes `nbytes` this.

        Parameters
        ----------
        *wanted : str or (str, dtype, str)
            ``out_rows in_rows out_first in_first edge_of_arc src_of_arc edge_of_slot arc_of_slot
            slot_of_arc dst_of_slot``, or an edge column as `edge_column` takes it.

        Raises
        ------
        ArgumentError
            If there is no such layout.
        ColumnError
            If there is no such column.

        Examples
        --------
        >>> from emv.graph import Graph
        >>> layouts = Graph.from_edges([1, 0], [0, 1], weight=1.0).layouts
        >>> layouts.bytes_of("out_rows"), layouts.bytes_of("out_rows", ("weight", "f4", "arc"))
        (20, 28)
        """
        return sum(part.nbytes for part in self.parts_of(*wanted))

    def parts_of(self, *wanted: Wanted) -> list[Part]:
        """Return the arrays whose bytes `bytes_of` adds up, each once."""
        footprint = self._footprint()
        arrays, columns = self._parts(wanted)
        parts = [
            Part(name, footprint.kept(name), footprint.scratch(name), name in self._arrays)
            for name in sorted(arrays)
        ]
        for name, dtype, order in sorted(columns, key=str):
            kept = self._permuted.get((name, dtype.name, order))
            is_built = kept is not None and kept[0] is self._edges.stored(name)
            nbytes = self.num_in(order) * dtype.itemsize
            scratch_bytes = footprint.scratch_of_column(dtype, order)
            parts.append(Part(f"{name} by {order}", nbytes, scratch_bytes, is_built))
        return parts

    def num_in(self, order: Order) -> int:
        """Return how many entries a column has in an order."""
        if (storage := split_order(order)) is not None:
            return self.storage(*storage).num_places
        return self.num_edges if order == "edge" else self.num_arcs

    def arrays_to_permute(self, order: Order) -> tuple[str, ...]:
        """Return the layouts that `in_order` needs."""
        arrays = dict.fromkeys(self._footprint().arrays_of_column(order))
        return tuple("out_rows" if each == "out_other" else each for each in arrays)

    def scratch_bytes_of(self, *wanted: Wanted) -> int:
        """Return at most how many bytes more building these takes for a while; see `bytes_of`."""
        return max((part.scratch_bytes for part in self.parts_of(*wanted)), default=0)

    def nbytes(self) -> int:
        """Return the bytes that the layouts built so far hold, permuted columns included."""
        self._permuted = {
            key: kept
            for key, kept in self._permuted.items()
            if key[0] in self._edges and kept[0] is self._edges.stored(key[0])
        }
        footprint = self._footprint()
        columns = sum(values.nbytes for _, values in self._permuted.values())
        return columns + sum(footprint.kept(array) for array in self._arrays)

    def _parts(
        self, wanted: Iterable[Wanted]
    ) -> tuple[set[str], set[tuple[str, np.dtype[Any], Order]]]:
        """Return the arrays and the copies of columns that are kept for what is wanted."""
        footprint = self._footprint()
        arrays: set[str] = set()
        columns: set[tuple[str, np.dtype[Any], Order]] = set()
        for each in wanted:
            if isinstance(each, str):
                for array in arrays_of(each):
                    arrays.update(footprint.arrays(array))
                continue
            name, dtype, order = each[0], np.dtype(each[1]), each[2]
            if not self.shares_column(self._edges.stored(name).dtype, dtype, order):
                arrays.update(footprint.arrays_of_column(order))
                columns.add((name, dtype, order))
        return arrays, columns

    def _footprint(self) -> Footprint:
        return Footprint(
            self.num_vertices,
            self.num_edges,
            self.num_arcs,
            self.directed,
            self.arcs_are_edges,
            config.num_threads,
            self.ordered is not None,
        )
