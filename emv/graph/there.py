"""The device that the edges of a graph lie on, and edges that are named there."""

from __future__ import annotations

from typing import Any

import numpy as np

from emv.device import Device, Gone
from emv.errors import GraphError
from emv.forms import Begun, BegunNew
from emv.graph.new_ends import LateLook, MiscountedError
from emv.graph.on_device import device_array, lies_on_device
from emv.graph.store import Store


def device_under(store: Store) -> Device | None:
    """Return the device that the edges of a graph lie on, if they lie on one."""
    return store.edges.growing_ends.device


class LateCount:
    """Edges that are taken to be there and all different, until somebody has counted them.

    Parameters
    ----------
    gone : Gone
        The edges.
    store : Store
        Of the graph that they are edges of.
    edges : DeviceArray
        Their keys.
    begun : Begun, optional
        What has begun of the version without them.
    """

    def __init__(self, gone: Gone, store: Store, edges: Any, begun: Begun | None = None) -> None:
        self.gone, self._store, self._edges, self.begun = gone, store, edges, begun

    def check(self) -> None:
        """Count them; waits.

        Raises
        ------
        GraphError
            If there is no such edge.
        MiscountedError
            If one is named twice: they are counted now.
        """
        is_so, num_wrong = self.gone.recount()
        if is_so:
            return
        if num_wrong:
            raise_no_edge(self._store, self._edges)
        raise MiscountedError


def late_rows(store: Store, edges: Any) -> LateCount | None:
    """Return the edges that few keys on the graph's own device name; None of others."""
    if not (lies_on_device(edges) and store.has_layouts and store.keys.are_ids):
        return None
    on, given = device_under(store), device_array(edges)
    if on is None or given.device.label != on.label:
        return None
    rows = store.layouts.placed.get(on.label)
    found = None if rows is None else on.few_gone(rows, given)
    return None if found is None else LateCount(found[0], store, given, found[1])


def begun_with(store: Store, look: LateLook) -> tuple[BegunNew, int | None] | None:
    """Return what has begun of a version with few more edges, and how many of these are loops.

    None where their device has none of that. In a directed graph nobody needs the number, and who
    looks at the ends hears of them at the end.

    Raises
    ------
    GraphError
        If an end is no vertex.
    """
    label = look.ends[0].device.label
    rows = store.layouts.placed.get(label) if store.has_layouts else None
    if rows is None or (on := device_under(store)) is None or on.label != label:
        return None
    begun = on.few_new(rows, *look.ends)
    if begun is None:
        return None
    if store.directed:
        look.wrong = lambda: begun.look()[0]
        return begun, None
    num_wrong, num_loops, _ = begun.look()
    if num_wrong:
        look.refuse()
    return begun, num_loops


def raise_no_edge(store: Store, edges: Any) -> None:
    """Raise the error of keys on a device of which one is none of an edge's."""
    store.keys.rows_of(device_array(edges).numpy().astype(np.int64), len(store.edges))
    raise GraphError("the keys of edges on a GPU changed while they were looked at")


def rows_there(store: Store, edges: Any) -> Gone | None:
    """Return the edges that an array on the graph's own device names, by keys or truth values.

    None if it lies elsewhere, or the graph does.

    Raises
    ------
    GraphError
        If there is no such edge.
    """
    if not lies_on_device(edges) or (on := device_under(store)) is None:
        return None
    given, count = device_array(edges), len(store.edges)
    if given.device.label != on.label or given.dtype.kind not in "biu":
        return None
    if given.dtype.kind == "b":
        if len(given) != count:
            raise GraphError(
                f"the truth values have shape {given.shape}, one per edge is ({count},)"
            )
    elif not store.keys.are_ids:
        given = on.rows_of_keys(store.keys.there(on, count), given)
    ends = None if store.directed else store.edges.growing_ends.there
    if ends is not None:  # how many arcs go depends on them
        ends = device_array(ends[0]), device_array(ends[1])
    found = on.rows_gone(count, [given], ends)
    if found is None:
        raise_no_edge(store, edges)
    return found
