"""Pulls of claims that look at whom the pull before has left open, against networkx.

All supersteps pull, so that bits and lists are handed from one to the next; hubs are cut, rows are
longer than a warp, and piles of ids fill.
"""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from fake_cuda import fresh
from simulated.test_algorithms import FOUR_WARPS, ONE_BLOCK, TWO_BLOCKS, gpu
from simulated.test_grids import changed
from simulated_gpu import SimulatedDriver, install

import emv
from emv import Edge, Graph, Vertex, edge, program, vertex
from emv.algorithms import bfs
from emv.backends.simulated.races import RaceError
from emv.codegen.cuda import claiming

ALL_PULL = """
    state[PULLING] = 1
    state[SEEN_VOLUME] += state[ACTIVE_ARCS]
"""
IN_TURN = ALL_PULL.replace("= 1", "= 1 if state[SUPERSTEPS] % 3 != 0 else 0")
SHAPES = {"blocks": (TWO_BLOCKS, 64), "resumed": (ONE_BLOCK, 1), "warps": (FOUR_WARPS, 3)}


class Spot(Vertex):
    seen: bool = False


def drawn(kind: str, size: int, directed: bool) -> Graph:
    """Return a graph with hubs of in-arcs, rows of more than 32 arcs, loops, and loose ends."""
    draw = np.random.default_rng(size)
    count = 4 * size
    src, dst = draw.integers(0, size, count), draw.integers(0, size, count)
    if kind == "skewed":
        dst[: count // 2] = draw.integers(0, 4, count // 2)
        src[count // 2 : 3 * count // 4] = draw.integers(0, 6, count // 4)
    if kind == "layers":  # from one stretch of vertices to the next, and back to the first
        src = np.arange(count) % size
        dst = np.minimum(src + draw.integers(1, size // 5, count), size - 1)
    if kind == "even":  # rows so short that the order is that of ids
        src = np.arange(2 * size) % size
        dst = (src + 1 + draw.integers(0, 10, 2 * size)) % size
    if kind == "loops":
        dst[::2] = src[::2]
    return Graph.from_edges(src, dst, num_vertices=size + 3, directed=directed)


def several(patch: pytest.MonkeyPatch, seed: int, place: str = "") -> None:
    """Have three GPUs, of two blocks each, which have two warps where there are but two parts."""
    block = 32 if place.count(",") > 1 else 64
    for k in range(3):
        options = {"multiprocessors": 2, "block": block, "seed": seed + k, "stops": 0.02}
        install(SimulatedDriver(ordinal=k, **options), patch)


def depths(graph: Graph, source: int) -> np.ndarray:
    """Return what networkx says."""
    found = np.full(graph.num_vertices, -1)
    far = nx.single_source_shortest_path_length(graph.to_networkx(), source)
    found[list(far)] = list(far.values())
    return found


@edge
def knock(e: Edge[Spot]):
    e.send(True)


@vertex
def mark(v: Spot, heard: bool):
    if not v.seen:
        v.seen = True
        v.activate()


@program
def reached(g, source):
    mark(g.only(source), True)
    for _ in g.supersteps():
        heard = knock(g.active)
        mark(heard.receivers, emv.any(heard))
    return g.vertices.seen


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ["skewed", "layers", "loops"])
def test_depths(kind, shape, directed, small_hubs):
    small_hubs.setattr(claiming, "ALPHA", 10**6)
    small_hubs.setattr(claiming, "BETA", 10**6)
    small_hubs.setattr(claiming, "CHOICE", claiming.CHOICE.replace(" * 4 ", " * 1000000 "))
    device = gpu(small_hubs, *SHAPES[shape])
    graph = drawn(kind, 160 if shape == "resumed" else 90, directed)
    for source in (0, 7):
        found = bfs.run(graph, source, backend="cuda")
        np.testing.assert_array_equal(found.result, depths(graph, source))
    np.testing.assert_array_equal(reached(graph, 7, backend="cuda"), depths(graph, 7) >= 0)
    assert device.count("launch") >= 2


@pytest.mark.parametrize(
    ("kind", "place"),
    [
        ("layers", "cuda:0,1/ranges/peer"),
        ("layers", "cuda:0,0/hash/peer"),
        ("layers", "cuda:0,1,2/hash"),
        ("skewed", "cuda:0,0/hash/peer"),
        ("even", "cuda:0,1,2/hash"),
    ],
)
def test_depths_of_parts(kind, place, small_hubs):
    """Each part finds its own, and hands on their bits; orders of parts may be those of ids."""
    several(small_hubs, len(place), place)
    for directed, choice, sources in ((True, ALL_PULL, (0, 7)), (False, IN_TURN, (7,))):
        search, reach = fresh(bfs), fresh(reached)  # which keep the text of the first choice
        small_hubs.setattr(claiming, "CHOICE", choice)
        graph = drawn(kind, 90, directed)
        for source in sources:
            found = search.run(graph.on(place), source)
            assert found.backend == place
            np.testing.assert_array_equal(found.result, depths(graph, source))
        seen = reach(graph.on(place), 7)
        np.testing.assert_array_equal(seen, depths(graph, 7) >= 0)


def test_bits_that_are_not_handed_on_are_missed(small_hubs):
    several(small_hubs, 1)
    small_hubs.setattr(claiming, "CHOICE", ALL_PULL)
    graph = drawn("layers", 90, directed=True)
    place, search = graph.on("cuda", gpus=2), fresh(bfs)
    with changed("peer1_waves3[at] = held", "pass"):
        assert (search(place, 0) != depths(graph, 0)).any()
    np.testing.assert_array_equal(search(place, 0), depths(graph, 0))


def test_bits_of_others_are_not_cleared_where_they_may_be_told_by_then(small_hubs):
    small_hubs.setattr(claiming, "CHOICE", IN_TURN)
    graph, search = drawn("layers", 90, directed=False), fresh(bfs)
    own = "word < own_end and (word < 0 or word >= own_begin)"

    def search_often():  # whether the two meet depends on who goes on when
        for seed in range(1, 13):
            several(small_hubs, seed)
            search(graph.on("cuda", gpus=2), 0)

    with changed(f"if {own}:", "if word < words:"), pytest.raises(RaceError, match="waves3"):
        search_often()
