"""What of a graph stays where kernels read it: index arrays, and edge columns in an order.

A store is kept as long as the graph's layouts are, for all programs. On cores it is little more
than the layouts themselves; `emv.runtime.targets.gpu_graph` tells of a GPU's.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.graph import hubs, pull
from emv.graph.busy import WORD, num_busy
from emv.graph.hashed import may_pay, num_words
from emv.graph.row_storage import placing_bytes, split_name
from emv.runtime.arrays.columns import Columns, Key, as_bytes
from emv.runtime.arrays.index import (
    BUILT,
    ENDS,
    INDEX,
    PIECES,
    PULL_BLOCK,
    host_index,
    layout_of,
)
from emv.runtime.arrays.memory import Counted, Entry, note
from emv.runtime.arrays.table import Counts, Size


class Store:
    """What of a graph kernels on cores read besides its layouts.

    Attributes
    ----------
    named : dict
        Index arrays by the name that kernels use.
    """

    def __init__(self) -> None:
        self.named: dict[str, Any] = {}

    def index(self, graph: Any, name: str) -> Any:
        """Return an index array."""
        if name in BUILT:
            return host_index(graph, name)
        if name not in self.named:
            self.named[name] = self.made_index(graph, name)
        return self.named[name]

    def made_index(self, graph: Any, name: str) -> Any:
        """Return an index array that was not asked for before."""
        return host_index(graph, name)

    def ids(self, size: int, dtype: np.dtype[Any]) -> Any:
        """Return the numbers from 0 on."""
        return np.arange(size, dtype=dtype)

    def edge_column(self, columns: Columns, key: Key, order: str) -> Any:
        """Return an edge column in an order; the graph keeps its own."""
        supply, layouts = columns.supply(key), columns.graph.layouts
        if supply.is_named:
            values = layouts.edge_column(supply.source, columns.fields[key].dtype, order)
        else:
            values = layouts.in_order(columns.edge_values(key), order)
        seen: NDArray[Any] = as_bytes(values.view())
        if values.base is not None:  # kernels would be compiled anew for what is not to be written
            seen.flags.writeable = values.base.flags.writeable
        return seen

    def edges_again(self, columns: Columns, key: Key, order: str, made: Any) -> Callable[[], Any]:
        """Return what gives an edge column as long as it stays what it is; None if it is gone."""
        return lambda: made

    def builds(self, name: str) -> bool:
        """Return whether an index array is built elsewhere than by the layouts."""
        return False

    def orders(self, order: str) -> bool:
        """Return whether edge columns are put into an order elsewhere than by the layouts."""
        return False

    # Bytes.

    def entries(self, counted: Counted) -> Iterator[Entry]:
        """Yield what is taken for index arrays and for edge columns in an order."""
        graph = counted.plan.graph
        for name in counted.index:
            is_plain = name == "edge_of_arc" and graph.layouts.arcs_are_edges
            if name in ENDS:
                yield Entry("index arrays", name, 0, "shared")
            elif is_plain or name in ("in_blocks", "longest_row", *PIECES) or split_name(name):
                group = "index arrays" if split_name(name) else "working space"
                nbytes = index_bytes(graph, counted.plan.counts, name)
                yield Entry(group, name, nbytes, note(name in self.named))
        for part in self.parts(counted):
            group = "ordered edge columns" if " by " in part.name else "index arrays"
            yield Entry(group, part.name, part.nbytes, note(part.is_built))

    def parts(self, counted: Counted) -> Any:
        """Return the parts of the graph's layouts that a run needs."""
        columns, layouts = counted.plan.columns, counted.plan.graph.layouts
        names = [layout_of(name) for name in counted.index if not self.builds(name)]
        needs: list[Any] = [each for each in names if each]
        for key, order in counted.named:
            if order != "edge" and not self.orders(order):
                needs.append((columns.supply(key).source, columns.fields[key].dtype, order))
        for _, order in counted.given:
            needs += () if self.orders(order) else layouts.arrays_to_permute(order)
        return layouts.parts_of(*needs)

    def building_bytes(self, counted: Counted) -> int:
        """Return at most what building takes besides, for a while."""
        scratch = [each.scratch_bytes for each in self.parts(counted) if not each.is_built]
        if any(map(split_name, counted.index)):
            graph = counted.plan.graph
            scratch.append(placing_bytes(graph.num_vertices, graph.num_arcs))
        return max(scratch, default=0)


def index_bytes(graph: Any, counts: Counts, name: str) -> int:
    """Return the bytes of an index array, built or not; of pieces and blocks, at most."""
    layouts = graph.layouts
    if (stored := split_name(name)) is not None:
        _, tag, side, part = stored
        return int(layouts.storage(tag, side).nbytes(part))
    known, element = INDEX[name], INDEX[name].element
    if name == "edge_of_arc" and layouts.arcs_are_edges:
        element = "vertex"  # as numbers of vertices are what it is made of
    at_most = entries_at_most(graph, name) if not known.size else 0
    entries = Size.of(known.size).entries(counts) if known.size else at_most
    return int(entries * counts.dtype(element).itemsize)


def entries_at_most(graph: Any, name: str) -> int:
    """Return at most how long an index array is whose length depends on the degrees."""
    if name == "in_blocks":
        return most_blocks(graph)
    if name in BUILT:  # the layouts' own, or nothing
        return len(host_index(graph, name))
    if name in PIECES:
        return most_pieces(graph, hubs.HUB_ARCS, hubs.PIECE_ARCS)
    group = name.partition("_")[0]
    if group in ("pull", "busy", "hashed") and group in vars(graph.layouts):
        return len(attrgetter(INDEX[name].path)(graph.layouts))
    if name.startswith("busy_"):
        return most_busy(graph, name)
    if name.startswith("hashed_"):
        return most_hashed(graph, name)
    if name == "pull_hub_piece":
        return int(graph.num_arcs // pull.WARP_HUB_ARCS + 1)
    return most_pieces(graph, pull.WARP_HUB_ARCS, pull.WARP_PIECE_ARCS)


def most_busy(graph: Any, name: str) -> int:
    """Return at most how long an array of `emv.graph.busy` is."""
    rows = {"busy_place": graph.num_vertices, "busy_first": graph.num_vertices + 1}
    count = num_busy(graph.num_vertices, graph.num_arcs)
    bits = count * -(-count // WORD) if name == "busy_bits" else graph.num_arcs
    return int(rows.get(name, bits))


def most_hashed(graph: Any, name: str) -> int:
    """Return at most how long an array of `emv.graph.hashed` is."""
    counts = graph.num_vertices, graph.num_arcs
    if not may_pay(*counts, graph.layouts.arcs_are_edges):
        return 0
    return num_words(*counts) if name == "hashed_rows" else int(graph.num_arcs)


def most_blocks(graph: Any) -> int:
    """Return at most how many boundaries `arc_blocks` finds."""
    by_arcs = -(-graph.num_arcs // PULL_BLOCK)
    by_rows = -(-graph.num_vertices // (4 * PULL_BLOCK))
    return int(min(graph.num_vertices + 1, by_arcs + by_rows + 1))


def most_pieces(graph: Any, hub_arcs: int, piece_arcs: int) -> int:
    """Return at most how many pieces its hubs are cut into."""
    num_hubs = graph.num_arcs // hub_arcs
    return int(num_hubs and num_hubs + graph.num_arcs // piece_arcs)


_stores: weakref.WeakKeyDictionary[Any, Store] = weakref.WeakKeyDictionary()


def host_store(layouts: Any) -> Store:
    """Return what is kept of a graph besides its layouts."""
    if layouts not in _stores:
        _stores[layouts] = Store()
    return _stores[layouts]
