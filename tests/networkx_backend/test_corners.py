"""Calls that a backend easily answers otherwise than networkx: views, large numbers, odd values."""

from __future__ import annotations

import math

import networkx as nx
import pytest

NAN, INF = math.nan, math.inf


def weighted(*edges, kind=nx.Graph):
    G = kind()
    G.add_weighted_edges_from(edges)
    return G


def outcome(function, *args, **named):
    try:
        found = function(*args, **named)
    except (nx.NetworkXException, ValueError) as error:
        return type(error), str(error)
    if isinstance(found, nx.Graph):
        return sorted(found.edges)
    return list(found) if hasattr(found, "__next__") else found


def two_ways(kind):
    """Return a view without direction of two arcs that differ."""
    return weighted((0, 1, 1), (1, 0, 5), kind=kind).to_undirected(as_view=True)


REFUSED = {
    "a view of two arcs": (nx.dijkstra_path_length, two_ways(nx.DiGraph), 1, 0),
    "a view of parallel arcs": (nx.dijkstra_path_length, two_ways(nx.MultiDiGraph), 1, 0),
    "a view that shows one direction": (
        nx.single_source_shortest_path_length,
        nx.subgraph_view(nx.path_graph(4), filter_edge=lambda u, v: u < v),
        3,
    ),
    "a large whole number among others": (
        nx.dijkstra_path_length,
        weighted((0, 1, 2**53 + 1), (2, 3, 0.5)),
        0,
        1,
    ),
    "a large whole number beside one below 0": (
        nx.single_source_bellman_ford_path_length,
        weighted((0, 1, 2**63), (1, 2, -1)),
        0,
    ),
    "lengths that overflow": (
        nx.dijkstra_path_length,
        weighted((0, 1, 1e308), (1, 2, 1e308)),
        0,
        2,
    ),
    "weights that cancel": (nx.constraint, weighted((0, 1, 1), (0, 2, -1)), None, "weight"),
    "weights that overflow": (nx.pagerank, weighted((0, 1, 1e308), (0, 2, 1e308))),
    "an infinite weight": (nx.pagerank, weighted((0, 1, INF), (0, 2, 1.0))),
    "a weight that is nan": (
        nx.eigenvector_centrality,
        weighted((0, 1, NAN)),
        100,
        1e-6,
        None,
        "weight",
    ),
    "hits from nowhere": (nx.hits, nx.path_graph(3), 100, 1e-8, {}),
    "hits of nothing": (nx.hits, weighted((0, 1, 0), (1, 2, 0))),
    "lengths that vanish": (
        nx.betweenness_centrality,
        weighted((0, 1, 1e16), (1, 2, 0.5), (2, 3, 0.5)),
        None,
        True,
        "weight",
    ),
    "a chance above 1": (nx.pagerank, nx.path_graph(3), 1.5),
    "a start of nothing": (nx.pagerank, nx.path_graph(3), 0.85, None, 100, 1e-6, {0: 0}),
    "a tolerance below 0": (nx.katz_centrality, nx.path_graph(3), 0.1, 1.0, 9, -1.0),
    "one attribute of trees": (
        nx.minimum_spanning_edges,
        weighted((0, 1, 1)),
        "kruskal",
        "weight",
        True,
        "weight",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_come_out_otherwise_is_refused(name):
    function, *args = REFUSED[name]
    with pytest.raises(NotImplementedError):
        outcome(function, *args, backend="emv")


ALIKE = {
    "truss of 3.0": (nx.k_truss, nx.complete_graph(4), 3.0),
    "truss of 2.5": (nx.k_truss, nx.path_graph(4), 2.5),
    "a node twice": (nx.average_clustering, nx.lollipop_graph(3, 2), [0, 0, 2]),
    "cutoff nan": (nx.single_source_dijkstra_path_length, nx.path_graph(4), 0, NAN),
    "cutoff nan of arcs": (nx.single_source_shortest_path_length, nx.path_graph(4), 0, NAN),
    "the center of nothing": (nx.center, nx.Graph()),
    "descendants of a stranger": (nx.descendants, nx.DiGraph([(0, 1)]), 5),
    "ancestors of a stranger": (nx.ancestors, nx.Graph([(0, 1)]), 5),
    "a strange source": (nx.bellman_ford_path_length, nx.path_graph(3), 99, 1),
    "a strange source and target": (nx.bellman_ford_path_length, nx.path_graph(3), 99, 99),
    "a subgraph": (nx.triangles, nx.complete_graph(5).subgraph([0, 1, 3])),
    "edges of a multigraph": (
        nx.dijkstra_path_length,
        weighted((0, 1, 2), (0, 1, 1), (1, 2, 1), kind=nx.MultiGraph).edge_subgraph([(0, 1, 0)]),
        0,
        1,
    ),
    "no step at all": (nx.pagerank, nx.path_graph(3), 0.85, None, -5),
    "no weight": (nx.eigenvector_centrality, nx.path_graph(3), 100, 1e-6, None, 0),
}


@pytest.mark.parametrize("name", ALIKE)
def test_what_comes_out_is_networkxs(name):
    function, *args = ALIKE[name]
    found = outcome(function, *args, backend="emv")
    assert found == outcome(function, *args, backend="networkx")


def test_a_view_sees_what_its_graph_became():
    G = nx.path_graph(4)
    view = G.subgraph([0, 1, 2, 3])
    assert nx.shortest_path_length(view, 0, backend="emv")[3] == 3
    G.add_edge(0, 3)
    assert nx.shortest_path_length(view, 0, backend="emv")[3] == 1


def test_what_is_refused_is_given_on_whole():
    G = weighted((0, 1, 1.0), (1, 2, 1.0), (2, 3, INF))
    with nx.config(backend_priority=["emv"]):
        assert nx.eccentricity(G, v=iter([0, 1]), weight="weight") == {0: INF, 1: INF}


def test_a_weight_that_is_none_is_told_with_its_value():
    graph = nx.DiGraph()
    graph.add_edge(0, 1, weight=2.0)
    graph.add_edge(1, 2, weight=None)
    with pytest.raises(NotImplementedError) as error:
        nx.single_source_dijkstra_path_length(graph, 0, backend="emv")
    reason = error.value if error.value.__cause__ is None else error.value.__cause__
    assert str(reason) == "the edge attribute 'weight' is not all numbers: None is among them"
