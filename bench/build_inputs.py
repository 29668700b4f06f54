"""The graphs that `bench.build` and `bench.build_gpu` build, in which phases, and the limits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

NUM_ARCS = 16_800_000
GRAPHS = {
    "rmat": (1 << 20, NUM_ARCS, True),
    "random": (1 << 20, NUM_ARCS, True),
    "undirected": (1 << 20, NUM_ARCS // 2, False),
}
EVERY = (
    GRAPHS | {"random 100M": (1 << 22, 100_000_000, True)} | {"small": (100_000, 1_500_000, True)}
)
LARGE = ("random 100M",)
LIMITS = {"build_s": 1.5, "peak": 2.0}  # seconds; peak beyond the input, in what is kept
PHASES = {
    "csr": ("out_first", "out_other", "edge_of_arc"),
    "csc": ("in_first", "in_other"),
    "reverse ids": ("arc_of_slot", "slot_of_arc"),
}
Arrays = tuple[int, NDArray[Any], NDArray[Any], bool]


def arrays_of(name: str) -> Arrays:
    """Return the number of vertices, both ends, and whether edges lead one way."""
    num_vertices, num_edges, directed = EVERY[name]
    if name == "rmat":
        from emv import generators

        made = generators.rmat(num_vertices, num_edges, rng=1)
        src, dst = (np.array(each) for each in made.edges.endpoints())
    else:
        rng = np.random.default_rng(1)
        src, dst = rng.integers(0, num_vertices, (2, num_edges), np.int32)
    return num_vertices, src, dst, directed
