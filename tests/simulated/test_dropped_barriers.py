"""Ten programs with one barrier less each: the race detector, or the result, tells of every one.

The graphs have what barriers are for: a receiver so long that it is cut into pieces, a row so long
that it is shared out, more to walk than one block takes alone. Kernels are left and entered again.
"""

from __future__ import annotations

import dataclasses
import sys

import numpy as np
import pytest
from algorithm_arguments import ARGUMENTS
from dropped_barriers import Barrier, barriers, without
from scheduled import compiled
from simulated.test_algorithms import FOUR_WARPS, agree, gpu, shaped

from emv import Graph
from emv.algorithms import ALGORITHMS
from emv.backends.simulated import gpu as simulated_gpu
from emv.backends.simulated.block import DeadlockError
from emv.backends.simulated.races import RaceError
from emv.codegen.cuda import joining, long_lists, sorts
from emv.runtime.targets import gpu_resident
from emv_kernels.cuda import queues

SIZE, WIDE, PIECE, LONG = 64, 12, 8, 30
STEPS = 2  # of a launch
STOPS = 0.1
TURNS = 40_000  # of threads, in a launch; the longest needs half of them
GIVEN = {
    "icm": ([0, 40], 0.9),
    "hits": (3,),
    "katz_centrality": (0.1, 1.0, 3),
    "pagerank": (0.85, 1e-6, 3),
}
GRAPHS = {
    "bfs": ("hubs", "again", "short"),
    "bfs_parents": ("hubs", "again", "short"),
    "boruvka": ("hubs", "dense"),
    "components": ("hubs", "paired"),
    "katz_centrality": ("hubs", "short"),
    "pagerank": ("hubs", "short"),
    "sssp": ("hubs", "falling"),
}
UNMISSED = ("katz_centrality",)
"""Those whose first barrier, once in a run, has no phase before it.

It is written as of any phase that fills what the first messages are made of.
"""
NAMES = (
    *("bfs", "bfs_parents", "boruvka", "icm", "components", "hits", "katz_centrality"),
    *("label_propagation", "pagerank", "sssp"),
)


def graph_of(kind: str) -> Graph:
    """Return a graph whose vertex 0 has a long row, and whose vertex 1 has many in-arcs.

    In `again` a narrow way leads from there to another long row, so that a search pulls, pushes,
    and pulls again. In `paired` there are more arcs, of which the first of each vertex lead to its
    partner.
    """
    if kind == "dense":
        return shaped(kind, 1)
    if kind == "again":
        src = [0] * 20 + [1, 21, 22] + [50] * 18  # whose mark is not in the first word
        dst = [*range(1, 21), 21, 22, 50, *range(24, 42)]
        return Graph.from_edges(src, dst, num_vertices=SIZE)
    if kind == "short":  # rows, of several from level to level
        src = np.repeat(np.arange(SIZE), 4)
        dst = (src + np.tile([1, 2, 5, 9], SIZE)) % SIZE
        return Graph.from_edges(src, dst, num_vertices=SIZE)
    draw = np.random.default_rng(5)
    src, dst = draw.integers(0, SIZE, (2, 170))
    src = np.concatenate([src, np.zeros(14, int), np.arange(20, 64)])
    dst = np.concatenate([dst, np.arange(10, 24), np.ones(44, int)])
    length = draw.integers(1, 6, len(src)).astype(float)
    if kind == "paired":
        mates = np.tile(np.arange(0, SIZE, 2), 2)
        src, dst = np.concatenate([mates, src]), np.concatenate([mates + 1, dst])
        return Graph.from_edges(src, dst, num_vertices=SIZE)
    if kind == "falling":
        differs = src != dst
        ends, length = np.sort([src[differs], dst[differs]], 0), length[differs]
        src, dst = ends
        length[::3] = -1
    return Graph.from_edges(src, dst, weight=length.astype(np.float32), num_vertices=SIZE)


@pytest.fixture
def small(small_hubs):
    """Let rows of few arcs be long ones."""
    small_hubs.setattr(joining, "MANY", 1)
    small_hubs.setattr(joining, "OUT_OF_CACHE", 1)
    small_hubs.setattr(queues, "WIDE", WIDE)
    small_hubs.setattr(queues, "PIECE", PIECE)
    small_hubs.setattr(gpu_resident, "WIDE", WIDE)
    small_hubs.setattr(long_lists, "LONG", WIDE)
    small_hubs.setattr(sorts, "MOST_OF_WARP", dict.fromkeys(sorts.MOST_OF_WARP, LONG))
    for text in [name for name in sys.modules if name.startswith("emv_simulated_")]:
        small_hubs.delitem(sys.modules, text)  # which has imported the limits that were
    return small_hubs


class Runs:
    """Runs a program on its graphs, with a barrier less or with all."""

    def __init__(self, name: str, patch: pytest.MonkeyPatch) -> None:
        self.name, self.patch, self.dropped = name, patch, None
        self.program, self.given = ALGORITHMS[name], GIVEN.get(name, ARGUMENTS[name])
        patch.setattr(self.program, "_engine", None)  # which may know it with longer rows
        graphs = [graph_of(kind) for kind in GRAPHS.get(name, ("hubs",))]
        if self.program.form == "undirected":
            graphs = [each.prepared(symmetrise=True) for each in graphs]
        wanted = [self.program(each.on("python"), *self.given, rng=3) for each in graphs]
        self.cases = list(zip(graphs, wanted, strict=True))
        self.simulate = simulated_gpu.simulate
        patch.setattr(simulated_gpu, "simulate", self.simulated)
        self.source = compiled(self.program, *self.given, target="cuda").source
        self.barriers = barriers(self.source.text)

    def simulated(self, source, arrays, **options) -> None:
        """Stand in for `simulate`."""
        if self.dropped is not None and source.functions == self.source.functions:
            assert source.text == self.source.text
            source = dataclasses.replace(source, text=without(source.text, self.dropped))
        self.simulate(source, arrays, turns=TURNS, **options)

    def are_right(self, dropped: Barrier | None) -> bool:
        """Return whether all runs without a barrier agree with plain Python.

        Who misses one barrier is asked first for the next, which mostly stands beside it.
        """
        self.dropped = dropped
        for number, (graph, wanted) in enumerate(self.cases):
            if not self.is_right(graph, wanted):
                self.cases.insert(0, self.cases.pop(number))
                return False
        return True

    def is_right(self, graph: Graph, wanted: object) -> bool:
        """Return whether the run on a graph agrees with plain Python."""
        gpu(self.patch, FOUR_WARPS, STEPS).options["stops"] = STOPS
        try:
            found = self.program(graph.on("cuda"), *self.given, rng=3)
        except (RaceError, DeadlockError, IndexError):
            if self.dropped is None:
                raise
            return False
        return agree(found, wanted)


@pytest.mark.paper("S32")
@pytest.mark.parametrize("name", NAMES)
def test_every_barrier_is_missed(name, small):
    runs = Runs(name, small)
    assert runs.are_right(None)
    assert len(runs.barriers) >= 2
    unmissed = [each for each in runs.barriers if runs.are_right(each)]
    if name in UNMISSED:
        first, *unmissed = unmissed
        assert "FLIPPED" in first.does  # behind which messages are made into the first array
    assert not [(each.line, each.does) for each in unmissed]
