"""Edges turned toward the higher degree on a GPU: what `emv.graph.orient` does there."""

from __future__ import annotations

import numpy as np

from emv.backends.cuda.array import DeviceArray, empty, from_host
from emv.backends.cuda.simple import simple_on_device
from emv.backends.cuda.sorting import converted, entry_wise
from emv.graph.widths import index_dtype


def oriented_on_device(
    src: DeviceArray, dst: DeviceArray, num_vertices: int, directed: bool
) -> tuple[DeviceArray, DeviceArray, DeviceArray | None]:
    """Return the ends of the oriented edges, and of directed ones how many ways each led before."""
    on, dtype = src.device, index_dtype(num_vertices + 1)
    wanted = src.dtype
    if directed:
        src, dst, _ = simple_on_device(src, dst, num_vertices, True, {}, "first")
    degrees = from_host(on, np.zeros(num_vertices, np.int64))
    entry_wise(on, "orient.count_ends", [src, dst, degrees], src.size)
    low, high = (empty(on, src.size, dtype) for _ in range(2))
    entry_wise(on, "orient.lead_up", [src, dst, degrees, low, high], num_vertices, src.size)
    ways = {"directions": from_host(on, np.ones(src.size, np.int8))} if directed else {}
    low, high, folded = simple_on_device(low, high, num_vertices + 1, True, ways, "sum")
    count = low.size
    if count and int(low[count - 1]) == num_vertices:
        count -= 1  # all loops
    cut = [each.view(0, count, each.dtype) for each in (low, high, *folded.values())]
    directions = converted(cut[2], np.dtype(np.int8)) if directed else None
    return converted(cut[0], wanted), converted(cut[1], wanted), directions
