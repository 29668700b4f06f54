"""What the backend returns is what networkx returns, on random graphs with names for nodes."""

from __future__ import annotations

import warnings

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import edge_pairs

from emv.networkx.calls import MAKES
from emv.networkx.functions import FUNCTIONS

NAMES = ["d", "a", 5, ("x", 1), "c", -1, "b", 2.5]

KINDS = {
    (False, False): nx.Graph,
    (False, True): nx.MultiGraph,
    (True, False): nx.DiGraph,
    (True, True): nx.MultiDiGraph,
}


@st.composite
def named_graphs(draw: st.DrawFn) -> nx.Graph:
    """Draw a graph of any of the four kinds with weights, some of them left out."""
    count = draw(st.integers(1, 8))
    pairs = draw(edge_pairs(count))
    G = KINDS[draw(st.booleans()), draw(st.booleans())]()
    G.add_nodes_from(draw(st.permutations(NAMES[:count])))
    weights = draw(st.sampled_from([(1, 2, 4), (0.5, 0.1, 0.7)]))
    for u, v in pairs:
        weight = draw(st.sampled_from([None, *weights]))
        named = {} if weight is None else {"weight": weight}
        G.add_edge(NAMES[u], NAMES[v], **named)
    return G


def outcome(function, *args, **named):
    """Return what a call gives, generators as lists, or the exception it raises."""
    try:
        found = function(*args, **named)
        if hasattr(found, "__next__"):
            found = list(found)
    except (nx.NetworkXException, ValueError, ZeroDivisionError, AttributeError) as error:
        return type(error), str(error)
    if isinstance(found, nx.Graph):
        return dict(found.nodes(data=True)), found.adj, found.graph
    return found


CALLS = {
    "adjacency_matrix": {},
    "all_pairs_dijkstra": {"cutoff": 3},
    "all_pairs_dijkstra_path": {},
    "all_pairs_shortest_path": {"cutoff": 2},
    "bellman_ford_path": {"source": "d", "target": "a"},
    "bfs_edges": {"source": "d", "reverse": True},
    "bfs_layers": {"sources": ["a", "d"]},
    "bfs_predecessors": {"source": "d", "depth_limit": 2},
    "bfs_successors": {"source": "d"},
    "bfs_tree": {"source": "d", "depth_limit": 1},
    "bidirectional_dijkstra": {"source": "d", "target": 5},
    "bidirectional_shortest_path": {"source": "a", "target": "d"},
    "degree_centrality": {},
    "dfs_edges": {},
    "dfs_postorder_nodes": {},
    "dfs_predecessors": {"source": "d"},
    "dfs_preorder_nodes": {"source": "d"},
    "dfs_successors": {},
    "dfs_tree": {"source": "d"},
    "dijkstra_path": {"source": "d", "target": "a"},
    "generic_bfs_edges": {"source": "d"},
    "in_degree_centrality": {},
    "is_arborescence": {},
    "is_branching": {},
    "is_forest": {},
    "is_isolate": {"n": "a"},
    "is_negatively_weighted": {},
    "is_tree": {},
    "isolates": {},
    "multi_source_dijkstra": {"sources": ["a", "d"]},
    "multi_source_dijkstra_path": {"sources": ["d", "a"], "cutoff": 2},
    "number_of_isolates": {},
    "number_of_selfloops": {},
    "out_degree_centrality": {},
    "overall_reciprocity": {},
    "reciprocity": {"nodes": ["a", "d"]},
    "shortest_path": {"target": "d"},
    "single_source_bellman_ford": {"source": "d"},
    "single_source_bellman_ford_path": {"source": "d"},
    "single_source_dijkstra": {"source": "d"},
    "single_source_dijkstra_path": {"source": "d", "cutoff": 2.5},
    "single_source_shortest_path": {"source": "d", "cutoff": 1.5},
    "single_target_shortest_path": {"target": "d"},
    "to_dict_of_lists": {},
    "to_numpy_array": {},
    "to_scipy_sparse_array": {"weight": "weight"},
    "all_pairs_bellman_ford_path_length": {},
    "all_pairs_dijkstra_path_length": {},
    "all_pairs_shortest_path_length": {"cutoff": 2},
    "ancestors": {"source": "d"},
    "average_clustering": {},
    "betweenness_centrality": {"normalized": False},
    "bellman_ford_path_length": {"source": "d", "target": "a"},
    "center": {},
    "closeness_centrality": {},
    "clustering": {"nodes": ["a", "d", "zz"]},
    "color": {},
    "connected_components": {},
    "core_number": {},
    "descendants": {"source": "d"},
    "descendants_at_distance": {"source": "d", "distance": 2},
    "diameter": {"weight": "weight"},
    "dijkstra_path_length": {"source": "d", "target": "a"},
    "edge_betweenness_centrality": {},
    "ego_graph": {"n": "d", "radius": 1},
    "eccentricity": {"v": ["a", "d"]},
    "eigenvector_centrality": {},
    "harmonic_centrality": {},
    "has_cycle": {},
    "has_path": {"source": "a", "target": "d"},
    "is_bipartite": {},
    "is_connected": {},
    "is_directed_acyclic_graph": {},
    "is_strongly_connected": {},
    "is_weakly_connected": {},
    "jaccard_coefficient": {"ebunch": [("a", "d")]},
    "k_core": {},
    "k_crust": {},
    "k_shell": {"k": 1},
    "k_truss": {"k": 3},
    "katz_centrality": {"beta": 0.5},
    "maximum_spanning_edges": {},
    "maximum_spanning_tree": {},
    "minimum_spanning_edges": {"data": True},
    "minimum_spanning_tree": {},
    "multi_source_dijkstra_path_length": {"sources": ["a", "d"], "cutoff": 2.5},
    "node_connected_component": {"n": "d"},
    "number_connected_components": {},
    "number_strongly_connected_components": {},
    "number_weakly_connected_components": {},
    "pagerank": {"weight": None, "tol": 1e-10},
    "periphery": {},
    "radius": {},
    "shortest_path_length": {"target": "d", "weight": "weight"},
    "single_source_bellman_ford_path_length": {"source": "d"},
    "single_source_dijkstra_path_length": {"source": "d", "cutoff": 2.5},
    "single_source_shortest_path_length": {"source": "d", "cutoff": 1.5},
    "single_target_shortest_path_length": {"target": "d"},
    "strongly_connected_components": {},
    "topological_generations": {},
    "topological_sort": {},
    "transitivity": {},
    "triangles": {},
    "weakly_connected_components": {},
}
"""A call of every function but hits(), whose scores are often open, and Louvain's method."""


def test_there_is_a_call_of_every_function():
    changed = {"complement", "convert_node_labels_to_integers", "relabel_nodes", "reverse"}
    assert sorted({*CALLS, *changed, "hits", "louvain_communities"}) == sorted(
        set(FUNCTIONS) - set(MAKES)
    )


@pytest.mark.parametrize("name", CALLS)
@settings(max_examples=8)
@given(graph=named_graphs())
def test_results_are_networkxs(name, graph):
    graph.__networkx_cache__ = None
    function = getattr(nx.bipartite if name == "color" else nx, name, nx.algorithms.dag.has_cycle)
    expected = outcome(function, graph, **CALLS[name])
    try:
        found = outcome(function, graph, **CALLS[name], backend="emv")
    except NotImplementedError:
        return
    if name == "strongly_connected_components" and isinstance(expected, list):
        found, expected = ({*map(frozenset, each)} for each in (found, expected))
    assert matches(found, expected)


def slow_road():
    G = nx.grid_2d_graph(3, 4000)
    return nx.convert_node_labels_to_integers(G)


@pytest.mark.parametrize(
    ("function", "named"),
    [
        (nx.pagerank, {"weight": None}),
        (nx.pagerank, {"weight": None, "tol": 1e-9, "alpha": 0.5}),
        (nx.eigenvector_centrality, {}),
        (nx.eigenvector_centrality, {"tol": 1e-7, "max_iter": 1000}),
    ],
)
def test_power_iterations_stop_where_networkx_does(function, named):
    """After few supersteps, so that another rule would show."""
    G = slow_road()
    found, wanted = (function(G, **named, backend=each) for each in ("emv", "networkx"))
    np.testing.assert_allclose(list(found.values()), list(wanted.values()), rtol=1e-9)


def test_a_power_iteration_that_has_not_settled_raises_and_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(nx.PowerIterationFailedConvergence):
            nx.pagerank(nx.path_graph(5), max_iter=2, tol=1e-12, backend="emv")


def test_hits_have_the_digits_of_networkx():
    G = nx.gnp_random_graph(30, 0.2, seed=4, directed=True)
    for found, expected in zip(nx.hits(G, backend="emv"), nx.hits(G), strict=True):
        assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", [1, None])
def test_communities_are_as_good_as_networkxs(seed):
    community = nx.community
    for G in (nx.karate_club_graph(), nx.ring_of_cliques(8, 5), nx.Graph([("a", "b")])):
        found = community.louvain_communities(G, seed=seed, backend="emv")
        assert community.is_partition(G, found)
        best = max(
            community.modularity(G, community.louvain_communities(G, seed=each))
            for each in range(5)
        )
        assert community.modularity(G, found) > best - 0.02
    assert community.louvain_communities(nx.empty_graph(2), backend="emv") == [{0}, {1}]
    for call in (
        lambda: community.louvain_communities(nx.DiGraph([(0, 1)]), backend="emv"),
        lambda: community.louvain_communities(nx.path_graph(3), threshold=-1, backend="emv"),
    ):
        with pytest.raises(NotImplementedError):
            call()


def matches(found, expected):
    """Return whether results are the same, but for the last digits of floats."""
    if isinstance(expected, float):
        return found == pytest.approx(expected, rel=1e-12)
    if scipy.sparse.issparse(expected):
        found, expected = found.todense(), expected.todense()
    if isinstance(expected, np.ndarray):
        return found.dtype == expected.dtype and np.array_equal(found, expected)
    if isinstance(expected, dict) and isinstance(found, dict):
        same = found.keys() == expected.keys()
        return same and all(matches(found[node], expected[node]) for node in expected)
    return found == expected
