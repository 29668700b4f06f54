"""Large graphs on the compiled backends: hubs, long paths, threads that meet.

Everything small runs on one thread, so only graphs of this size show races; but a simulated GPU has
a detector of them, and graphs that it can walk.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from backends_available import BACKENDS
from scipy.sparse import coo_array
from scipy.sparse import csgraph as oracle

import emv
from emv import Edge, Graph, Vertex, edge, f64, program, vertex
from emv.algorithms import bfs, boruvka, components, icm, pagerank, sssp
from emv.config import config

pytestmark = pytest.mark.large
IS_SIMULATED = BACKENDS == ("cuda:0",)
REPEATS = 1 if IS_SIMULATED else 20
STAR, LONG = (120, 80) if IS_SIMULATED else (10**6, 10**5)  # leaves of a star; of a path
RANDOM, DENSE = (
    ((40, 240), (24, 130)) if IS_SIMULATED else ((10**5, 10**6), (20_000, 10**5))
)  # vertices and edges


@cache
def made(kind: str) -> Graph:
    """Return a graph with the column ``weight``, built once."""
    random = np.random.default_rng(5)
    if kind == "star out":
        num_vertices = STAR + 1
        src, dst = np.zeros(STAR, np.int64), np.arange(1, num_vertices)
    elif kind == "star in":
        num_vertices = STAR + 1
        src, dst = np.arange(1, num_vertices), np.zeros(STAR, np.int64)
    elif kind == "path":
        num_vertices = LONG
        src, dst = np.arange(num_vertices - 1), np.arange(1, num_vertices)
    else:
        num_vertices, num_edges = RANDOM if kind == "random" else DENSE
        src, dst = random.integers(0, num_vertices, (2, num_edges))
    weight = random.integers(1, 50, len(src)).astype(float)
    directed = kind != "dense and undirected"
    return Graph.from_edges(src, dst, num_vertices=num_vertices, directed=directed, weight=weight)


KINDS = ["star out", "star in", "path", "random"]


def lightest(graph: Graph, column: str | None) -> coo_array:
    """Return the graph as scipy's matrix, of parallel edges the lightest."""
    src, dst = graph.edges.endpoints()
    weight = np.ones(graph.num_edges) if column is None else graph.edges[column]
    order = np.lexsort((weight, dst, src))
    src, dst, weight = src[order], dst[order], weight[order]
    new = np.ones(len(src), bool)
    new[1:] = (np.diff(src) != 0) | (np.diff(dst) != 0)
    shape = (graph.num_vertices,) * 2
    return coo_array((weight[new], (src[new], dst[new])), shape=shape).tocsr()


def source_of(kind: str) -> int:
    return 7 if kind == "star in" else 0


@pytest.mark.parametrize("kind", KINDS)
def test_depths_are_scipys(kind, compiled):
    graph, source = made(kind), source_of(kind)
    wanted = oracle.dijkstra(lightest(graph, None), indices=source, unweighted=True)
    wanted = np.where(np.isinf(wanted), -1, wanted)
    np.testing.assert_array_equal(bfs(graph, source, backend=compiled), wanted)


@pytest.mark.parametrize("kind", KINDS)
def test_distances_are_scipys(kind, compiled):
    graph, source = made(kind), source_of(kind)
    wanted = oracle.dijkstra(lightest(graph, "weight"), indices=source)
    np.testing.assert_array_equal(sssp(graph, source, backend=compiled), wanted)


@pytest.mark.parametrize("kind", KINDS)
def test_components_are_scipys(kind, compiled):
    graph = made(kind)
    _, wanted = oracle.connected_components(lightest(graph, None), directed=False)
    found = components(graph, backend=compiled)
    _, first = np.unique(wanted, return_index=True)
    np.testing.assert_array_equal(found, first[wanted])


@pytest.mark.parametrize("kind", KINDS)
def test_ranks_are_those_of_the_matrix(kind, compiled):
    graph = made(kind)
    n, rounds = graph.num_vertices, 12
    src, dst = graph.edges.endpoints()
    degree = np.bincount(src, minlength=n)
    rank = np.full(n, 1 / n)
    for _ in range(rounds):
        share = np.divide(rank, degree, out=np.zeros(n), where=degree > 0)
        lost = rank[degree == 0].sum()
        rank = 0.15 / n + 0.85 * (np.bincount(dst, share[src], minlength=n) + lost / n)
    found = pagerank(graph, tol=0.0, max_iter=rounds, backend=compiled)
    np.testing.assert_allclose(found, rank, rtol=2e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_cascade_that_always_convinces_goes_as_far_as_depths(kind, compiled):
    graph, source = made(kind), source_of(kind)
    found = icm(graph, [source], p=1.0, backend=compiled)
    np.testing.assert_array_equal(found, bfs(graph, source, backend=compiled))


@pytest.mark.parametrize("p", [0.0, 0.3])
def test_cascade_over_a_star_convinces_its_share(p, compiled):
    found = icm(made("star out"), [0], p=p, backend=compiled, rng=3)
    share = (found[1:] == 1).mean()
    assert share == pytest.approx(p, abs=4.5 * np.sqrt(p * (1 - p) / STAR))


class Spot(Vertex):
    value: f64 = 0.0


@edge
def tell(e: Edge[Spot]):
    e.send(e.src.id)


@vertex
def take(v: Spot, heard: f64):
    v.value = heard


@vertex
def wake(v: Spot):
    v.activate()


@program
def sums(g):
    take(g, emv.sum(tell(g), initial=5))
    return g.vertices.value


@program
def sums_of_the_active(g):
    wake(g)
    heard = tell(g.active)
    take(heard.receivers, emv.sum(heard))
    return g.vertices.value


@pytest.mark.paper("S9", "S50")
@pytest.mark.parametrize("kind", KINDS)
def test_sums_over_hubs_count_every_message_and_the_start_once(kind, compiled):
    graph = made(kind)
    src, dst = graph.edges.endpoints()
    wanted = np.bincount(dst, src, minlength=graph.num_vertices)
    np.testing.assert_array_equal(sums(graph, backend=compiled), wanted + 5)
    np.testing.assert_array_equal(sums_of_the_active(graph, backend=compiled), wanted)


RACY = {
    "bfs": lambda graph, backend: bfs.run(graph, 0, backend=backend),
    "sssp": lambda graph, backend: sssp.run(graph, 0, backend=backend),
    "components": lambda graph, backend: components.run(graph, backend=backend),
    "icm": lambda graph, backend: icm.run(graph, [0, 5], p=0.4, backend=backend, rng=1),
    "pagerank": lambda graph, backend: pagerank.run(graph, backend=backend),
}


@pytest.mark.paper("S32")
@pytest.mark.parametrize("name", RACY)
def test_repeated_and_alone_the_result_is_the_same(name, compiled):
    graph = made("dense")
    with config.using(num_threads=1):
        alone = RACY[name](graph, compiled).result
    with config.using(num_threads=2):
        for _ in range(REPEATS):
            np.testing.assert_array_equal(RACY[name](graph, compiled).result, alone)


def test_spanning_forest_is_the_same_every_time(compiled):
    graph = made("dense and undirected")
    with config.using(num_threads=1):
        alone = boruvka(graph, backend=compiled)
    forest = oracle.minimum_spanning_tree(lightest(graph, "weight"))
    assert graph.edges.weight[alone].sum() == forest.sum()
    with config.using(num_threads=2):
        for _ in range(REPEATS):
            np.testing.assert_array_equal(boruvka(graph, backend=compiled), alone)
