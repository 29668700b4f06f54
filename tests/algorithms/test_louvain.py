"""`louvain` finds communities as good as networkx's, `modularity` is networkx's."""

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from algorithm_cases import networkx_of, real_graph
from backends_available import BACKENDS
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graphs

from emv import Graph
from emv.algorithms import (
    WrongResultError,
    check_louvain,
    check_modularity,
    louvain,
    modularity,
)
from emv.algorithms._communities import smallest_members
from emv.algorithms._moves import move_vertices, pair_up
from emv.errors import ArgumentError, GraphError
from emv.generators import watts_strogatz

over_backends = pytest.mark.parametrize("backend", BACKENDS)
COMPILED = BACKENDS[-1]


def sets_of(community):
    return [set(np.flatnonzero(community == name).tolist()) for name in np.unique(community)]


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float64, np.bool_])
@pytest.mark.parametrize("names", [[], [2, 1, 2, 0, 1], [7, 3, 7], [-1, 0, -1]])
def test_communities_are_named_by_their_smallest_members(names, dtype):
    given = np.array(names, dtype)
    wanted = [given.tolist().index(name) for name in given.tolist()]
    found = smallest_members(given)
    assert found.tolist() == wanted
    assert found.dtype == np.int32


@over_backends
@settings(max_examples=25)
@given(
    data=st.data(),
    graph=graphs(directed=False, min_vertices=1, weighted=True),
    resolution=st.sampled_from([1.0, 0.5]),
)
def test_modularity_is_networkxs(backend, data, graph, resolution):
    n = graph.num_vertices
    community = np.array(data.draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=n)))
    found = modularity(graph, community, resolution=resolution, backend=backend)
    if graph.num_edges:
        oracle = networkx_of(graph, "weight")
        sets = sets_of(community)
        expected = nx.community.modularity(oracle, sets, "weight", resolution)
        assert found == pytest.approx(expected, abs=1e-12)
    check_modularity(graph, found, community, resolution=resolution)


def exact_modularity(graph, community, weights):
    """Modularity by its definition, in fractions."""
    src, dst = (community[ends] for ends in graph.edges.endpoints())
    whole = sum(weights)
    totals = {name: Fraction(0) for name in community.tolist()}
    for one, other, weight in zip(src.tolist(), dst.tolist(), weights, strict=True):
        totals[one] += weight
        totals[other] += weight
    inside = sum(w for w, is_in in zip(weights, src == dst, strict=True) if is_in)
    return inside / whole - sum((each / (2 * whole)) ** 2 for each in totals.values())


@over_backends
@pytest.mark.parametrize("kind", ["i1", "i8", "f4", "f8"])
def test_weights_count_with_all_their_digits(backend, kind):
    draw = np.random.default_rng(8)
    weights = draw.integers(1, 100, 40).astype(kind)
    if kind == "i8":
        weights = 2**31 + draw.integers(1, 2**40, 40)
    if kind == "f8":
        weights = 1 + draw.random(40) * 1e-9
    graph = Graph.from_edges(
        *draw.integers(0, 12, (2, 40)), num_vertices=12, directed=False, weight=weights
    )
    community = draw.integers(0, 3, 12)
    found = modularity(graph, community, backend=backend)
    wanted = exact_modularity(graph, community, [Fraction(each) for each in weights.tolist()])
    assert found == pytest.approx(float(wanted), rel=1e-12, abs=1e-14)
    check_modularity(graph, found, community)


@pytest.mark.parametrize("scale", [1e-320, 1e-60, 1e60, 1e305])
def test_communities_do_not_depend_on_the_scale_of_weights(scale):
    graph = real_graph("karate")
    community, value = louvain(graph, weight="cost")
    scaled = louvain(graph, weight=graph.edges.cost * scale)
    if scale > 1e-300:  # below, a weight has few digits
        assert scaled[0].tolist() == community.tolist()
    assert scaled[1] == pytest.approx(value, rel=1e-3)


@pytest.mark.parametrize("weight", [[1, np.inf], [1e308, 1e308], [1, np.nan], [1, -1]])
def test_weights_that_have_no_share_are_refused(weight):
    with pytest.raises(ArgumentError, match=r"louvain\(\): an edge weighs"):
        louvain(Graph.from_edges([0, 1], [1, 2], directed=False, weight=weight))


@settings(max_examples=40)
@given(graph=graphs(directed=False, weighted=True), seed=st.integers(0, 3))
def test_communities_of_any_graph_pass_the_check(graph, seed):
    community, value = louvain(graph.on(COMPILED), rng=seed)
    check_louvain(graph, community, value)


PLANTED = nx.planted_partition_graph(8, 25, 0.6, 0.01, seed=1)
SOCIAL = {
    "karate": lambda: Graph.from_networkx(nx.karate_club_graph()),
    "miserables": lambda: Graph.from_networkx(nx.les_miserables_graph()),
    "planted": lambda: Graph.from_networkx(PLANTED),
    "cliques": lambda: Graph.from_networkx(nx.ring_of_cliques(12, 6)),
    "football": lambda: real_graph("football").both_ways(),
    "netscience": lambda: real_graph("netscience").both_ways(),
}


@pytest.mark.parametrize("name", SOCIAL)
def test_communities_are_as_good_as_networkxs(name):
    graph = SOCIAL[name]()
    oracle = networkx_of(graph)
    best = max(
        nx.community.modularity(oracle, nx.community.louvain_communities(oracle, seed=seed))
        for seed in range(3)
    )
    found = [louvain(graph.on(COMPILED), weight=1, rng=seed) for seed in range(3)]
    for community, value in found:
        check_louvain(graph, community, value, weight=1)
        assert nx.community.modularity(oracle, sets_of(community)) == pytest.approx(value)
    assert np.mean([value for _, value in found]) >= 0.97 * best


def test_planted_communities_are_found():
    community, _ = louvain(Graph.from_networkx(PLANTED).on(COMPILED))
    assert community.tolist() == [25 * (v // 25) for v in range(200)]


@over_backends
def test_a_level_does_not_lose(backend):
    graph = Graph.from_networkx(nx.karate_club_graph())
    start = np.arange(34) // 12 * 12
    before = modularity(graph, start, weight=1, backend=backend)
    moved, value = move_vertices(graph, start, weight=1, backend=backend)
    assert value > before
    check_modularity(graph, value, moved, weight=1)
    alone = np.zeros(34, int)
    assert move_vertices(graph, alone, 1, limit=1, backend=backend)[0].tolist() == alone.tolist()


@over_backends
@settings(max_examples=25)
@given(graph=graphs(directed=False, min_vertices=1, weighted=True))
def test_pairs_are_those_that_gain_most_to_both(backend, graph):
    n = graph.num_vertices
    weights = [Fraction(float(each)) for each in np.asarray(graph.edges.weight, "f4")]
    if not sum(weights) > 0:
        return
    own = np.arange(n)
    community = np.asarray(pair_up(graph, own, graph.edges.weight, backend=backend))
    before = exact_modularity(graph, own, weights)
    gains = {
        (a, b): exact_modularity(graph, np.where(own == a, b, own), weights) - before
        for a, b in {(a, b) for a, b in zip(*graph.edges.endpoints(), strict=True) if a != b}
    }
    gains |= {(b, a): gain for (a, b), gain in gains.items()}
    most = [max((gain for (a, _), gain in gains.items() if a == v), default=0) for v in own]
    for v in np.flatnonzero(community != own):
        mate = community[v]
        assert community[mate] == mate
        assert v < mate
        assert float(gains[v, mate]) == pytest.approx(float(most[v]), abs=1e-9)
        assert float(gains[v, mate]) == pytest.approx(float(most[mate]), abs=1e-9)
    if max(most, default=0) > 1e-6:
        assert (community != own).any()


def test_what_many_moves_at_once_miss_is_found_by_pairs():
    graph = watts_strogatz(422, 10, 0.23, rng=6)
    community, value = louvain(graph.on(COMPILED), weight=1, rng=5)
    check_louvain(graph, community, value, weight=1)


def test_resolution_and_levels_are_followed():
    graph = Graph.from_networkx(nx.karate_club_graph()).on(COMPILED)
    few, many = (len(set(louvain(graph, resolution=each)[0])) for each in (0.2, 3.0))
    assert few < 4 < many
    first, last = louvain(graph, max_level=1)[1], louvain(graph)[1]
    assert first <= last


def test_what_weighs_nothing_stays_alone():
    for graph in (Graph(directed=False), Graph.from_edges([0], [1], directed=False, weight=[0.0])):
        community, value = louvain(graph)
        assert community.tolist() == list(range(graph.num_vertices))
        assert value == 0.0


def test_directed_graphs_and_negative_weights_are_refused():
    with pytest.raises(GraphError, match="takes an undirected graph"):
        louvain(Graph.from_edges([0], [1]))
    with pytest.raises(ArgumentError, match="weighs less than 0"):
        louvain(Graph.from_edges([0, 1], [1, 0], directed=False), weight=[1.0, -1.0])


BELLS = Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5], directed=False)


@pytest.mark.parametrize(
    ("wrong", "value", "message"),
    [
        ([1, 1, 1, 3, 3, 3], 5 / 14, "vertex 0 has the name 1, not 0"),
        ([0, 0, 0, 3, 3, 3], 0.4, "the modularity is 0.357142857, not 0.4"),
        ([0, 1, 0, 3, 3, 3], 17 / 98, "communities 0 and 1 would gain"),
        ([0, 0, 0, 3, 3], 5 / 14, "shape"),
    ],
)
def test_check_finds_wrong_communities(wrong, value, message):
    check_louvain(BELLS, np.array([0, 0, 0, 3, 3, 3]), 5 / 14)
    with pytest.raises(WrongResultError, match=message):
        check_louvain(BELLS, np.array(wrong), value)


def test_check_finds_wrong_modularity():
    with pytest.raises(WrongResultError, match=r"is 0\.357142857, not 0\.5"):
        check_modularity(BELLS, 0.5, [0, 0, 0, 3, 3, 3])
