"""Graphs whose edges lie on a simulated GPU, for tests of what is made of them there."""

from __future__ import annotations

import numpy as np

from emv.runtime.targets import gpu_graph

SIZE = 12  # vertices


def ends_of(draw, count: int) -> list[np.ndarray]:
    """Return ends with loops, repeats and a hub."""
    src, dst = draw.integers(0, SIZE, (2, count)).astype(np.int32)
    src[: count // 4] = 3
    dst[: count // 6] = src[: count // 6]
    return [src, dst]


def built(gpu, graph, names, is_new: bool = False) -> None:
    """Build index arrays on the GPU, and drop those not asked for.

    What was made on the way stays, unless the graph counts as new.
    """
    build = gpu_graph.gpu_graph(graph.layouts, gpu).build
    with gpu.current():
        for name in names:
            build.asked.add(name)
            build.arrays.array(name)
        build.is_under_way = build.is_under_way or is_new
        build.settle()
