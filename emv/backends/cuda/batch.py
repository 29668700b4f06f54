"""New arcs that one launch sorts and places: see `emv_kernels.cuda.batch`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from emv.backends.cuda.array import DeviceArray
from emv.backends.cuda.device import Device
from emv.backends.cuda.index_arrays import DeviceIndexArrays, Ends
from emv.backends.cuda.kernels import Ready
from emv.backends.cuda.prepared import Laid, Step, prepared
from emv.backends.cuda.sorting import FEW_KEYS, Cut, cut_of
from emv.backends.cuda.splice import RANK
from emv.backends.cuda.telling import LONG
from emv.graph.widths import index_dtype
from emv_kernels.sizes import ALONE_AT

Types = tuple[np.dtype[Any], np.dtype[Any]]
"""Of vertices and of arcs."""


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


def laid_for(num_keys: int, count: int, num_counts: int, types: Types) -> Laid:
    """Return how a block is laid out for so many keys and new arcs of vertices' and arcs' types.

    First what is counted and blocks meet by, keys and heads; then four sorted pairs, and what new
    arcs have, and new slots.
    """
    vertex, arc = types
    return Laid(
        *[(ALONE_AT + 2 + num_counts, LONG), (num_keys, vertex), (num_keys, vertex)],
        *[(num_keys, vertex), (num_keys, arc)] * 2,
        *[(count, vertex), (count, arc)] * 2,
        *[(count, vertex), (count, arc), (count, arc), (count, arc)],
        *[(count, vertex), (count, arc), (count, arc)],
    )


class Placing(NamedTuple):
    """What is to be placed: so many arcs of given edges, the first of which has this id.

    With ``slots_alone`` arcs are not placed. There will be ``num_vertices``.
    """

    old: DeviceIndexArrays
    given: Ends
    next_edge: int
    count: int
    num_vertices: int
    slots_alone: bool

    @property
    def cuts(self) -> tuple[Cut, Cut]:
        """How arcs and slots are sorted."""
        is_both, on = not self.old.directed, self.old.on
        num_keys = (1 + is_both) * self.given[0].size
        return tuple(cut_of(on, num_keys, self.num_vertices + more) for more in (is_both, 0))  # type: ignore[return-value]

    def launch(self, at: Sequence[int], counted: tuple[int, int], stream: int) -> Placed:
        """Put it on a stream, in a block whose arrays begin at some places (`laid_for`).

        What counts edges that are none and what blocks meet by, both zeros, lie somewhere.
        """
        old, (src, dst), (cut, slot_cut) = self.old, self.given, self.cuts
        on, vertex, arc = old.on, old.vertex_dtype, old.arc_dtype
        is_both = int(not old.directed)
        whole, keys, heads, *pairs = at[:11]
        arcs = pairs[:2] if cut.passes & 1 else pairs[2:4]
        slots = pairs[4:6] if slot_cut.passes & 1 else pairs[6:8]
        if is_both and not self.slots_alone:
            edges, ends = old.array("edge_of_arc"), old.ends[0]
            forward, kind = (edges.address, ends.address), ends.dtype
        else:
            forward, kind = (arcs[1], src.address), src.dtype
        rows = [old.array(name).address for name in ("out_first", "in_first", "in_other")]
        key = ("batch", src.dtype, dst.dtype, kind, vertex, arc)
        ready = on.ready.get(key) or on.ready.setdefault(key, _prepared(on, key))
        wrong, state = counted
        values = (
            *(src.address, dst.address, keys, heads, wrong, *rows, *forward, keys, state),
            *(whole + (ALONE_AT + 2) * LONG.itemsize, *pairs, arcs[1], arcs[0], slots[1], slots[0]),
            *(*at[11:], old.num_vertices, self.num_vertices, self.next_edge, src.size),
            *(self.count, is_both, int(self.slots_alone), *cut.told, cut.passes, slot_cut.passes),
        )
        ready.start(on, values, cut.blocks, stream, True)
        return Placed(arcs[1], arcs[0], slots[1], slots[0], *at[11:])


class Placed(NamedTuple):
    """Where in memory that lies which `Batch` has."""

    order: int
    senders: int
    slot_order: int
    receivers: int
    arc_receivers: int
    edges: int
    at: int
    places: int
    slot_senders: int
    slot_at: int
    slot_places: int


def _prepared(on: Device, key: tuple[Any, ...]) -> Ready:
    """Return the launch for ends, senders of old edges, vertices and arcs of some types."""
    _, src, dst, ends, vertex, arc = key
    given = (src, dst, vertex, vertex, LONG, arc, arc, vertex, arc, ends, RANK, LONG, LONG)
    made = (arc, vertex, arc, vertex, *(vertex, arc, arc, arc), *(vertex, arc, arc))
    return prepared(on, Step("batch.place_batch", (*given, *(vertex, arc) * 4, *made), 12))


def placed(task: Placing) -> Batch:
    """Return new arcs of given edges, none of the old ones going, and where they stand."""
    old, (cut, _), count = task.old, task.cuts, task.count
    on, vertex, arc = old.on, old.vertex_dtype, old.arc_dtype
    num_keys = (2 - old.directed) * task.given[0].size
    laid = laid_for(num_keys, count, cut.num_counts, (vertex, arc))
    memory = on.pool.take(laid.nbytes)
    at = laid.at(memory.address)
    on.driver.fill(at[0], b"\0", LONG.itemsize * (ALONE_AT + 2), on.stream)
    wrong = at[0] + LONG.itemsize * (ALONE_AT + 1)
    found = task.launch(at, (wrong, at[0]), on.stream)
    types = (arc, vertex, arc, vertex, vertex, arc, arc, arc, vertex, arc, arc)
    made = [
        DeviceArray(on, address, count, dtype, memory)
        for address, dtype in zip(found, types, strict=True)
    ]
    order, senders, slot_order, receivers = made[:4]
    arcs, slots = PlacedArcs(*made[4:8]), PlacedSlots(*made[8:])
    wrong_there = DeviceArray(on, wrong, 1, LONG, memory)
    return Batch(order, senders, arcs, slot_order, receivers, slots, wrong_there)
