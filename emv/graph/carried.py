"""What a later version of a graph carries over: rows, columns, ends, and index arrays, merged.

Its labels, and what its edges are called, `emv.graph.versions` gives it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from emv.device import Gone
from emv.graph.columns import NewRows
from emv.graph.difference import Difference
from emv.graph.ends import GrowingEnds
from emv.graph.growing_array import GrowingArray
from emv.graph.merged import merge_layouts
from emv.graph.on_device import DeviceColumn
from emv.graph.splice import NOTHING, Splice
from emv.graph.store import Store


def with_difference(
    store: Store, difference: Difference, vertex_rows: NewRows, edge_rows: NewRows
) -> Store:
    """Return a version but for its keys and labels, with the index arrays that there were."""
    made = Store(store.directed, _ends_left(store, difference))
    _take_vertices(made, store, difference, vertex_rows)
    _take_edges(made, store, difference, edge_rows)
    if store.has_layouts:
        merge_layouts(store.layouts, made.layouts, difference)
    return made


def _take_vertices(made: Store, store: Store, difference: Difference, rows: NewRows) -> None:
    gone = difference.vertices_gone
    left = _left_of(gone, lambda: Splice(store.num_vertices, NOTHING, gone))
    made.vertices.take_over(store.vertices, store.num_vertices - len(gone), left)
    if difference.num_new_vertices or rows:
        made.vertices.take_rows(difference.num_new_vertices, rows)


def _take_edges(made: Store, store: Store, difference: Difference, rows: NewRows) -> None:
    num_edges = len(store.edges)
    left = _left_of(difference.gone, lambda: difference.left(num_edges))
    made.edges.take_over(store.edges, num_edges - difference.num_gone, left)
    if difference.num_added:
        made.edges.take_edges(*difference.ends, rows)


def _ends_left(store: Store, difference: Difference) -> GrowingEnds:
    """Return the ends of the edges that are left, to which new ones are added."""
    ends, gone = store.edges.growing_ends, difference.gone
    if not isinstance(gone, np.ndarray):
        made = GrowingEnds(*gone.left_of(*(ends.there or ())))
        made.wide_for = ends.wide_for
        return made
    if not len(gone) and difference.vertex_table is None:
        return ends.twin()
    splice, none = difference.left(len(store.edges)), np.empty(0, np.int32)
    src, dst = (splice.of(each, none, difference.vertex_table) for each in store.edges.endpoints())
    return GrowingEnds(src, dst)


def _left_of(
    gone: NDArray[np.int64] | Gone, splice: Callable[[], Splice]
) -> Callable[[GrowingArray | DeviceColumn], GrowingArray | DeviceColumn] | None:
    """Return what leaves rows out of a column, here by a splice; None where none goes."""
    if isinstance(gone, np.ndarray) and not len(gone):
        return None

    def left(column: GrowingArray | DeviceColumn) -> GrowingArray | DeviceColumn:
        if isinstance(column, DeviceColumn) and not isinstance(gone, np.ndarray):
            return column.without(gone)
        return GrowingArray(splice().of(values := column.read(), values[:0]))

    return left
