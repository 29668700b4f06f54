"""The suite's checks accept networkx's answers and refuse changed ones; its peers agree."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest

from bench import graphs, libraries
from bench.graphs import from_edges
from bench.suite_graphs import simple
from bench.suite_problems import PROBLEMS
from tests.oracles import checks

GRAPHS = [graphs.load("kron6"), graphs.load("road9")]


@pytest.fixture(params=GRAPHS, ids=lambda graph: graph.name)
def graph(request):
    return request.param


def as_networkx(graph):
    made = nx.DiGraph() if graph.directed else nx.Graph()
    made.add_nodes_from(range(graph.num_vertices))
    made.add_edges_from(zip(graph.src.tolist(), graph.dst.tolist(), strict=True))
    return made


def in_order(by_vertex):
    return np.array([by_vertex[v] for v in range(len(by_vertex))])


def changed(values, place, by):
    wrong = values.copy()
    wrong[place] += by
    return wrong


def test_triangles_and_clustering(graph):
    arcs, made = from_edges(graph, np), as_networkx(graph)
    triangles, shares = in_order(nx.triangles(made)), in_order(nx.clustering(made)) + 0.0
    hub = graph.source
    assert checks.triangles_fault(np, arcs, triangles) == ""
    assert checks.triangles_fault(np, arcs, changed(triangles, hub, 3))
    assert checks.triangles_fault(np, arcs, changed(triangles, hub, 1))
    assert checks.clustering_fault(np, arcs, shares) == ""
    assert checks.clustering_fault(np, arcs, changed(shares, hub, 0.1))
    for name, right in (("triangles", triangles.sum(keepdims=True) // 3), ("clustering", shares)):
        found = libraries.peer("scipy", graph).solver(name, {})()()
        assert libraries.disagreement(name, found, right, graph) == ""
        assert libraries.disagreement(name, found + 1, right, graph)


def test_core_numbers(graph):
    arcs, right = from_edges(graph, np), in_order(nx.core_number(as_networkx(graph)))
    assert checks.core_fault(np, arcs, right) == ""
    for by in (1, -1):
        assert checks.core_fault(np, arcs, changed(right, int(right.argmax()), by))
    assert checks.core_fault(np, arcs, right * 0)


def test_independent_sets_colours_and_matchings(graph):
    arcs, made = from_edges(graph, np), as_networkx(graph)
    chosen = np.zeros(graph.num_vertices, bool)
    chosen[nx.maximal_independent_set(made, seed=1)] = True
    assert checks.independent_fault(np, arcs, chosen) == ""
    assert "could be added" in checks.independent_fault(np, arcs, chosen & (np.arange(64) < 0)[:1])
    assert "two of the set" in checks.independent_fault(np, arcs, chosen | True)
    colour = in_order(nx.greedy_color(made))
    assert checks.colouring_fault(np, arcs, colour) == ""
    assert checks.colouring_fault(np, arcs, colour * 0)
    assert checks.colouring_fault(np, arcs, colour - 1)
    mate = np.full(graph.num_vertices, -1)
    for one, other in nx.maximal_matching(made):
        mate[one], mate[other] = other, one
    one = int(np.flatnonzero(mate >= 0)[0])
    assert checks.matching_fault(np, arcs, mate) == ""
    assert checks.matching_fault(np, arcs, changed(mate, one, 1))
    free = mate.copy()
    free[[one, mate[one]]] = -1
    assert "could be added" in checks.matching_fault(np, arcs, free)
    far = np.arange(graph.num_vertices)[::-1]
    assert checks.matching_fault(np, arcs, far) == "two mates are not neighbours"


def test_betweenness(graph):
    sources = [graph.source, 1, 2, 3]
    arcs, made = from_edges(graph, np), as_networkx(graph)
    found = nx.betweenness_centrality_subset(made, sources, list(made))
    right = in_order(found) * 2 * checks.sampled_scale(graph.num_vertices, sources, False)
    given = {"sources": sources}
    assert checks.betweenness_fault(np, arcs, right, given) == ""
    assert checks.betweenness_fault(np, arcs, changed(right, graph.source, 1), given)
    assert checks.betweenness_fault(np, arcs, right + np.nan, given)


def all_of(src, dst, size):
    order = np.lexsort((dst, src))
    arcs = SimpleNamespace(num_vertices=size, src=src[order], dst=dst[order])
    return arcs, checks.all_dependencies(*checks.neighbour_rows(np, arcs), [0])


def test_more_paths_than_floats_hold_are_counted():
    grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(30, 30), ordering="sorted")
    found = all_of(*np.array(list(grid.to_directed().edges)).T, 900)[1]
    right = nx.betweenness_centrality_subset(grid.to_directed(), [0], list(grid))
    assert np.allclose(found, in_order(right), rtol=1e-9)
    k = np.arange(1100)  # as many diamonds, one behind the other: 2 ** 1100 paths
    src = np.concatenate([3 * k, 3 * k, 3 * k + 1, 3 * k + 2])
    dst = np.concatenate([3 * k + 1, 3 * k + 2, 3 * k + 3, 3 * k + 3])
    found = all_of(src, dst, 3301)[1]
    assert np.allclose(found[3::3], 3.0 * (1099 - k), rtol=1e-9)
    assert np.allclose(found[1::3], (3.0 * (1099 - k) + 1) / 2, rtol=1e-9)


def test_sampled_betweenness_is_networkxs_of_all_sources():
    made = nx.path_graph(6)
    raw = in_order(nx.betweenness_centrality_subset(made, list(made), list(made))) * 2
    scale = checks.sampled_scale(6, list(made), False)
    right = in_order(nx.betweenness_centrality(made, normalized=False))
    np.testing.assert_allclose(raw * scale, right)


def test_strong_components():
    made = simple(from_edges(graphs.load("rmat6"), np), np)
    one_way = graphs.BenchGraph(**{**vars(made), "directed": True})
    arcs, label = from_edges(one_way, np), np.zeros(made.num_vertices, int)
    for number, members in enumerate(nx.strongly_connected_components(as_networkx(one_way))):
        label[list(members)] = number
    assert checks.strong_fault(np, arcs, label) == ""
    assert checks.strong_fault(np, arcs, label * 0)
    both_ways = from_edges(made, np)
    assert checks.strong_fault(np, both_ways, np.arange(made.num_vertices))
    joined = checks.component_labels(np, both_ways)
    as_directed = dataclasses.replace(both_ways, directed=True)
    assert checks.strong_fault(np, as_directed, joined) == ""
    assert checks.strong_fault(np, as_directed, np.arange(made.num_vertices))


def spread_by_hand(graph, rounds):
    """Graphalytics' rule, vertex by vertex."""
    heard = {v: [] for v in range(graph.num_vertices)}
    for one, other in zip(graph.src.tolist(), graph.dst.tolist(), strict=True):
        heard[one].append(other)
        heard[other].append(one)
    label = list(range(graph.num_vertices))
    for _ in range(rounds):
        counts = {
            v: {each: sum(label[n] == each for n in near) for each in {label[n] for n in near}}
            for v, near in heard.items()
        }
        label = [
            min(count, key=lambda each: (-count[each], each)) if count else label[v]
            for v, count in counts.items()
        ]
    return np.array(label)


@pytest.mark.parametrize(
    "graph", [graphs.load("rmat5"), graphs.load("road7")], ids=["rmat", "road"]
)
def test_labels(graph):
    arcs, right = from_edges(graph, np), spread_by_hand(graph, 4)
    assert checks.labels_fault(np, arcs, right, {"max_iter": 4}) == ""
    assert checks.labels_fault(np, arcs, changed(right, 3, 1), {"max_iter": 4})


def test_ranks_that_drop_dangling_mass():
    graph = graphs.load("rmat6")
    found = libraries.peer("scipy", graph).solver("pagerank_100", {})()()
    given = {"dangling": "drop", "max_iter": 100}
    assert checks.ranks_fault(np, from_edges(graph, np), found, given) == ""
    assert checks.ranks_fault(np, from_edges(graph, np), found * 1.01, given)


def problems_of(library):
    known = libraries.peer(library, GRAPHS[0])
    names = {problem.solved_as for problem in PROBLEMS.values()}
    return {name for name in names if hasattr(known, name)}


@pytest.mark.parametrize("library", libraries.LIBRARIES)
def test_every_answer_of_a_library_can_be_compared(library):
    pytest.importorskip(library)
    assert problems_of(library) <= libraries.AGREEMENT.keys()
    assert len(problems_of(library)) >= 8


@pytest.mark.parametrize("library", ["networkit", "graphblas"])
def test_other_libraries_agree_with_scipy(graph, library):
    pytest.importorskip(library)
    peers = [libraries.peer(each, graph) for each in ("scipy", library)]
    given = {"sources": [graph.source, 1, 2, 3]}
    for name in problems_of(library):
        right, found = (peer.solver(name, given) for peer in peers)
        if right is None:
            continue
        right, found = right()(), found()()
        assert libraries.disagreement(name, found, as_emv(name, right, graph), graph) == "", name


def test_betweenness_of_graphblas_is_right(graph):
    pytest.importorskip("graphblas")
    given = {"sources": [graph.source, 1, 2, 3]}
    found = libraries.peer("graphblas", graph).solver("betweenness", given)()()
    assert checks.betweenness_fault(np, from_edges(graph, np), found, given) == ""


def as_emv(name, right, graph):
    """A forest of scipy is a weight; the one that is compared says which edges."""
    if name != "forest":
        return right
    tree = nx.minimum_spanning_edges(weighted(graph), data=False)
    chosen = {tuple(sorted(edge)) for edge in tree}
    ends = zip(graph.src.tolist(), graph.dst.tolist(), strict=True)
    return np.array([tuple(sorted(edge)) in chosen for edge in ends])


def weighted(graph):
    made = as_networkx(graph)
    for one, other, weight in zip(graph.src, graph.dst, graph.weight, strict=True):
        made[int(one)][int(other)]["weight"] = float(weight)
    return made
