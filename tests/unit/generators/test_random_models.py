"""The random models: what their definitions and the papers say of them."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from compiled_call import compiled_call
from scipy import stats
from scipy.sparse import csgraph

from emv import generators
from emv.config import config


def ends(graph):
    return graph.edges.src, graph.edges.dst


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(ends(one), ends(other), strict=True))


@pytest.mark.large
def test_rmat_has_the_spread_that_the_papers_print():
    """Medusa's Table 4: largest degree 1742, deviation 32.9."""
    degrees = generators.rmat(10**6, 16 * 10**6, rng=1).out_degrees()
    assert degrees.max() == pytest.approx(1742, rel=0.15)
    assert degrees.std() == pytest.approx(32.9, rel=0.05)
    assert np.mean(degrees == 0) == pytest.approx(0.48, abs=0.01)


@pytest.mark.large
def test_random_has_the_spread_that_the_papers_print():
    """Medusa's Table 4: largest degree 38, deviation 4.0."""
    degrees = generators.random(10**6, 16 * 10**6, rng=1).out_degrees()
    assert 34 <= degrees.max() <= 42
    assert degrees.std() == pytest.approx(4.0, abs=0.05)


def gtgraph(n, m, chances, noise, rng):
    """GTgraph's R-MAT in floats, edge by edge, as its source has it: the rule once more."""
    src, dst = np.zeros(m, int), np.zeros(m, int)
    waiting = np.arange(m)
    while len(waiting):
        u, v = np.zeros(len(waiting), int), np.zeros(len(waiting), int)
        a, b, c, d = (np.full(len(waiting), each) for each in chances)
        step = n // 2
        while step >= 1:
            p = rng.random(len(waiting))
            right = ((p >= a) & (p < a + b)) | (p >= a + b + c)
            u += step * (p >= a + b)
            v += step * right
            a, c, d = (x * (1 + noise * rng.uniform(-1, 1, len(waiting))) for x in (a, c, d))
            b = b * (1 + noise * rng.random(len(waiting)))
            total = a + b + c + d
            a, b, c, d = a / total, b / total, c / total, d / total
            step //= 2
        src[waiting], dst[waiting] = u, v
        waiting = waiting[u == v]
    return src, dst


@pytest.mark.parametrize("noise", [0.0, 0.05, 0.25])
def test_rmat_draws_every_pair_as_often_as_gtgraph(noise):
    """A chi-square test of all 11 * 11 places, between our fixed point and floats."""
    n, m, chances = 11, 200_000, (0.45, 0.15, 0.15, 0.25)
    theirs = gtgraph(n, m, chances, noise, np.random.default_rng(5))
    ours = ends(generators.rmat(n, m, chances, noise, rng=5))
    counts = [np.bincount(u * n + v, minlength=n * n) for u, v in (theirs, ours)]
    counts = np.array(counts)[:, np.sum(counts, axis=0) > 0]
    assert counts.shape[1] < n * n  # integer halving leaves places out
    assert stats.chi2_contingency(counts).pvalue > 1e-3
    assert not (ours[0] == ours[1]).any()


def test_rmat_without_noise_has_the_chances_of_a_product():
    graph = generators.rmat(8, 400_000, (0.4, 0.3, 0.2, 0.1), noise=0.0, loops=True, rng=2)
    quadrant = np.array([[0.4, 0.3], [0.2, 0.1]])
    expected = np.kron(np.kron(quadrant, quadrant), quadrant).ravel() * graph.num_edges
    src, dst = ends(graph)
    found = np.bincount(src * 8 + dst, minlength=64)
    assert stats.chisquare(found, expected).pvalue > 1e-3


def test_kronecker_is_rmat_under_other_names():
    graph = generators.kronecker(9, 16, rng=4)
    plain = generators.rmat(512, 16 * 512, generators.recursive.GRAPH500, 0.0, True, rng=4)
    assert not same(graph, plain)
    new_id = np.full(512, -1)
    for hidden, shown in zip(ends(plain), ends(graph), strict=True):
        new_id[hidden] = shown
    assert all(np.array_equal(new_id[a], b) for a, b in zip(ends(plain), ends(graph), strict=True))
    assert len(set(new_id[new_id >= 0])) == np.count_nonzero(new_id >= 0)
    assert not graph.directed


@pytest.mark.parametrize("scale", [1, 2, 3, 8, 13])
def test_kronecker_hides_ids_by_a_permutation(scale):
    from emv_kernels.cpu.generate import scrambled

    for key in (0, 1, 2**40 + 7):
        told = np.uint64(scale), np.uint64(key)
        ids = [compiled_call(scrambled, np.uint64(v), *told) for v in range(2**scale)]
        assert sorted(ids) == list(range(2**scale))


def test_random_ends_are_uniform_and_independent():
    src, dst = ends(generators.random(20, 300_000, loops=True, rng=9))
    found = np.bincount(src * 20 + dst, minlength=400)
    assert stats.chisquare(found).pvalue > 1e-3
    src, dst = ends(generators.random(20, 5_000, rng=9))
    assert not (src == dst).any()


def test_bipartite_edges_lead_across():
    graph = generators.bipartite(30, 50, 100_000, rng=1)
    side, (src, dst) = graph.vertices.side, ends(graph)
    assert side.dtype == np.uint8
    assert side.tolist() == [0] * 30 + [1] * 50
    assert not side[src].any()
    assert side[dst].all()
    found = np.bincount(src * 50 + dst - 30, minlength=1500)
    assert stats.chisquare(found).pvalue > 1e-3


@pytest.mark.parametrize("directed", [False, True])
def test_erdos_renyi_draws_each_pair_on_its_own(directed):
    n, p, rounds = 12, 0.3, 400
    found = np.zeros((n, n), int)
    for seed in range(rounds):
        src, dst = ends(generators.erdos_renyi(n, p, seed, directed=directed))
        assert len(np.unique(src * n + dst)) == len(src)
        found[src, dst] += 1
    possible = ~np.eye(n, dtype=bool) if directed else np.triu(np.ones((n, n), bool), 1)
    assert not found[~possible].any()
    spread = (found[possible] - rounds * p) ** 2 / (rounds * p * (1 - p))
    assert stats.chi2(possible.sum()).sf(spread.sum()) > 1e-3


def test_stochastic_block_has_the_chances_of_the_blocks():
    sizes, p = [300, 500, 200], np.array([[0.1, 0.02, 0.0], [0.02, 0.05, 0.2], [0.0, 0.2, 1.0]])
    graph = generators.stochastic_block(sizes, p, rng=3)
    block, (src, dst) = graph.vertices.block, ends(graph)
    assert np.bincount(block).tolist() == sizes
    for i in range(3):
        for j in range(i, 3):
            pairs = sizes[i] * sizes[j] if i != j else sizes[i] * (sizes[i] - 1) // 2
            found = np.count_nonzero((block[src] == i) & (block[dst] == j))
            deviation = (pairs * p[i, j] * (1 - p[i, j])) ** 0.5
            assert abs(found - pairs * p[i, j]) <= 4 * deviation
    one_way = generators.stochastic_block([5, 5], [[0, 1], [0, 0]], directed=True)
    assert one_way.num_edges == 25
    assert (one_way.edges.src < 5).all()


def test_barabasi_albert_grows_by_degree():
    graph = generators.barabasi_albert(8_000, 4, rng=7)
    G = graph.to_networkx()
    assert type(G) is nx.Graph  # no repeats
    assert nx.is_connected(G)
    assert nx.number_of_selfloops(G) == 0
    theirs = nx.barabasi_albert_graph(8_000, 4, seed=7)
    ours, expected = ([d for _, d in each.degree] for each in (G, theirs))
    assert stats.ks_2samp(ours, expected).pvalue > 1e-3
    # The exponent is 3: the chance of a degree from d on is k (k + 1) / (d (d + 1)).
    assert np.mean(np.array(ours) >= 40) == pytest.approx(4 * 5 / (40 * 41), rel=0.4)


@pytest.mark.parametrize("p", [0.0, 0.1, 1.0])
def test_watts_strogatz_moves_some_edges_of_a_ring(p):
    n, k = 2000, 6
    G = generators.watts_strogatz(n, k, p, rng=2).to_networkx()
    assert type(G) is nx.Graph
    assert nx.number_of_selfloops(G) == 0
    assert G.number_of_edges() == n * k // 2
    ring = nx.watts_strogatz_graph(n, k, 0)
    stayed = len(set(map(frozenset, G.edges)) & set(map(frozenset, ring.edges)))
    assert stayed == pytest.approx(n * k / 2 * (1 - p), abs=80)


def test_watts_strogatz_ends_where_there_is_hardly_a_place():
    for seed in range(50):
        G = generators.watts_strogatz(4, 2, 1.0, seed).to_networkx()
        assert (type(G), G.number_of_edges()) == (nx.Graph, 4)


@pytest.mark.parametrize("radius", [0.0, 0.07, 0.5])
def test_geometric_joins_who_is_near(radius):
    graph = generators.geometric(400, radius, rng=3)
    points = np.stack([graph.vertices.x, graph.vertices.y], 1)
    near = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1)) <= radius
    src, dst = ends(graph)
    assert np.array_equal(np.argwhere(np.triu(near, 1)), np.stack([src, dst], 1))
    assert stats.kstest(points.ravel(), "uniform").pvalue > 1e-3


def test_delaunay_circles_are_empty():
    from scipy.spatial import Delaunay

    graph = generators.delaunay(500, rng=3)
    points = np.stack([graph.vertices.x, graph.vertices.y], 1)
    hull = len(Delaunay(points).convex_hull)
    assert graph.num_edges == 3 * 500 - 3 - hull
    assert nx.check_planarity(graph.to_networkx())[0]


def test_road_is_like_roads():
    graph = generators.road(250_000, rng=1)
    degrees = graph.out_degrees()
    assert degrees.mean() == pytest.approx(2.8, abs=0.05)
    assert degrees.std() == pytest.approx(1.0, abs=0.05)
    assert (degrees.min(), degrees.max()) == (1, 12)
    _, part = csgraph.connected_components(graph.to_scipy())
    assert np.bincount(part).max() > 0.9 * graph.num_vertices


MODELS = {
    "rmat": lambda seed: generators.rmat(1000, 5000, rng=seed),
    "kronecker": lambda seed: generators.kronecker(10, 5, rng=seed),
    "random": lambda seed: generators.random(1000, 5000, rng=seed),
    "bipartite": lambda seed: generators.bipartite(400, 600, 5000, rng=seed),
    "erdos_renyi": lambda seed: generators.erdos_renyi(1000, 0.01, seed),
    "barabasi_albert": lambda seed: generators.barabasi_albert(1000, 3, seed),
    "watts_strogatz": lambda seed: generators.watts_strogatz(1000, 6, 0.3, seed),
    "geometric": lambda seed: generators.geometric(1000, 0.05, seed),
    "delaunay": lambda seed: generators.delaunay(1000, seed),
    "road": lambda seed: generators.road(5000, seed),
    "weights": lambda seed: generators.path(3000, seed, weights=(0, 1000)),
}


@pytest.mark.parametrize("model", MODELS)
def test_a_seed_gives_one_graph_on_any_number_of_threads(model):
    with config.using(num_threads=1):
        graph, other = MODELS[model](11), MODELS[model](12)
    with config.using(num_threads=3):
        again = MODELS[model](11)
    assert same(graph, again)
    if model == "weights":
        assert np.array_equal(graph.edges.weight, again.edges.weight)
        assert not np.array_equal(graph.edges.weight, other.edges.weight)
    else:
        assert not same(graph, other)
