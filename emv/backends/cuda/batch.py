"""New arcs that one launch sorts and places: see `emv_kernels.cuda.batch`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from emv.backends.cuda.array import DeviceArray, several
from emv.backends.cuda.index_arrays import DeviceIndexArrays, Ends
from emv.backends.cuda.kernels import launch
from emv.backends.cuda.sorting import FEW_KEYS, cut_of
from emv.backends.cuda.splice import ranks_of
from emv.graph.widths import index_dtype
from emv_kernels.sizes import ALONE_AT


class PlacedArcs(NamedTuple):
    """Of each new arc the receiver, the edge, the old place that it stands before, and its own."""

    receivers: DeviceArray
    edges: DeviceArray
    at: DeviceArray
    places: DeviceArray


class PlacedSlots(NamedTuple):
    """Of each new slot the sender, the old place that it stands before, and its own."""

    senders: DeviceArray
    at: DeviceArray
    places: DeviceArray


class Batch(NamedTuple):
    """New arcs by sender, their places among the edges and ways back; and the same of slots.

    In a directed graph ``wrong[0]`` is how many edges have an end that is no vertex.
    """

    order: DeviceArray
    senders: DeviceArray
    arcs: PlacedArcs
    slot_order: DeviceArray
    receivers: DeviceArray
    slots: PlacedSlots
    wrong: DeviceArray


def can_be_placed(new: DeviceIndexArrays, num_given: int) -> bool:
    """Return whether one launch sorts so many new edges of a version."""
    num_keys, size = (1 if new.directed else 2) * num_given, new.num_vertices
    return 0 < num_keys <= FEW_KEYS and index_dtype(size + 1) == new.vertex_dtype


def placed(
    old: DeviceIndexArrays,
    new: DeviceIndexArrays,
    given: Ends,
    next_edge: int,
    count: int,
    slots_alone: bool,
) -> Batch:
    """Return so many new arcs of given edges, none of the old ones going, and where they stand.

    Of an undirected graph, which ``slots_alone`` suffices, arcs are not placed.
    """
    on, vertex, arc = old.on, new.vertex_dtype, new.arc_dtype
    is_both, size, num_given = int(not old.directed), new.num_vertices, given[0].size
    num_keys = (1 + is_both) * num_given
    cut, slot_cut = cut_of(on, num_keys, size + is_both), cut_of(on, num_keys, size)
    wide, num_placed = np.dtype(np.int64), 0 if slots_alone else count
    whole, keys, heads, *made = several(
        on,
        (ALONE_AT + 2 + cut.num_counts, wide),
        *[(num_keys, vertex)] * 2,
        *[(num_keys, vertex), (num_keys, arc)] * 2,
        *[(count, vertex), (count, arc)] * 2,
        *[(count, vertex), (count, arc), (num_placed, arc), (num_placed, arc)],
        *[(count, vertex), (count, arc), (count, arc)],
    )
    state, wrong = whole.view(0, ALONE_AT + 1, wide), whole.view(ALONE_AT + 1, 1, wide)
    counts = whole.view(ALONE_AT + 2, cut.num_counts, wide)
    on.driver.fill(state.address, b"\0", 8 * (ALONE_AT + 2), on.stream)
    pairs, arcs, slots = made[:8], PlacedArcs(*made[8:12]), PlacedSlots(*made[12:])
    senders, order = pairs[:2] if cut.passes & 1 else pairs[2:4]
    receivers, slot_order = pairs[4:6] if slot_cut.passes & 1 else pairs[6:8]
    rows = [old.array(name) for name in ("out_first", "in_first", "in_other")]
    asks_edges = is_both and not slots_alone
    forward = [old.array("edge_of_arc"), old.ends[0]] if asks_edges else [order, given[0]]
    arrays = [
        *(*given, keys, heads, wrong, *rows, *forward, ranks_of(keys, None)[0], state, counts),
        *(*pairs, order, senders, slot_order, receivers, *arcs, *slots),
    ]
    numbers = (
        *(old.num_vertices, size, next_edge, num_given, count, is_both, int(slots_alone)),
        *(*cut.told, cut.passes, slot_cut.passes),
    )
    launch(on, "batch.place_batch", arrays, numbers, blocks=cut.blocks)
    order, senders = (each.view(0, count, each.dtype) for each in (order, senders))
    return Batch(order, senders, arcs, slot_order, receivers, slots, wrong)
