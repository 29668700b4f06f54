"""What changes of a graph come to on the GPU where its edges lie: nothing comes to the host.

New edges and removed ones, by keys or truth values, stay on the device from the call on. What
renumbers vertices, or names edges by their ends, is settled on the host (`emv.graph.versions`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from emv.device import Device, DeviceArray, Gone
from emv.graph.changes import Collected
from emv.graph.difference import Difference
from emv.graph.on_device import moved_to
from emv.graph.splice import NOTHING
from emv.graph.store import Store
from emv.graph.there import device_under
from emv.graph.widths import public_dtype


def settled_there(store: Store, said: Collected) -> Difference | None:
    """Return what changes if that can be told on the device; None if the host settles it."""
    on = device_under(store)
    dtype = public_dtype(said.num_vertices)
    is_named = on is not None and not (said.vertices_gone or said.pairs_gone)
    if on is None or not is_named or dtype != store.edges.growing_ends.dtype:
        if said.look is not None:
            said.look.check()
        return None
    if said.begun is not None and said.edges:
        src, dst, _ = said.edges[0]  # there are no others, and they lie there
    elif said.edges:
        src = _joined(on, [each[0] for each in said.edges], dtype)
        dst = _joined(on, [each[1] for each in said.edges], dtype)
    else:
        src = dst = on.numbers(0, 0, dtype)
    gone = _gone(on, len(store.edges), said.edges_gone)
    added = said.num_vertices - store.num_vertices
    made = Difference(NOTHING, added, NOTHING if gone is None else gone, src, dst, None)
    made.num_loops, made.look, made.begun = said.num_loops, said.look, said.begun
    return made


def _joined(on: Device, parts: list[Any], dtype: np.dtype[Any]) -> DeviceArray:
    """Return the ends of all new edges."""
    first = on.convert(moved_to(on, parts[0]), dtype)
    for each in parts[1:]:
        first = on.extended(first, on.convert(moved_to(on, each), dtype))
    return first


def _gone(on: Device, num_edges: int, given: list[Any]) -> Gone | None:
    """Return the edges that go, of those that calls name."""
    if not given:
        return None
    there = [each for each in given if not isinstance(each, np.ndarray)]
    here = [each for each in given if isinstance(each, np.ndarray) and len(each)]
    if len(there) == 1 and not here:
        found: Gone = there[0]
    elif there or here:
        rows = [each.entries for each in there] + [on.upload(each) for each in here]
        found = on.rows_gone(num_edges, rows)  # type: ignore[assignment] # ids were looked at
    else:
        return None
    return found if found.count else None
