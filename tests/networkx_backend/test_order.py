"""Trees and paths are networkx' very ones, in its order, also where many are as short."""

from __future__ import annotations

import random

import networkx as nx
import pytest

import emv

KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]
NO_PATH = (nx.NetworkXNoPath, nx.NodeNotFound, nx.NetworkXError)


def tied(kind, seed, weights=(1, 2)):
    """Return a graph in which many paths are as short, its nodes and rows in no order."""
    drawn = nx.gnp_random_graph(40, 0.08, seed=seed, directed=issubclass(kind, nx.DiGraph))
    G = kind()
    G.add_nodes_from((node * 17 + seed) % 40 for node in range(40))
    edges = list(drawn.edges)
    for place in range(len(edges)):
        u, v = edges[place * 7 % len(edges)] if len(edges) % 7 else edges[place]
        G.add_edge(u, v, weight=weights[(u * 3 + v) % len(weights)])
    G.add_edge(3, 3, weight=1)
    return G


def exactly(found):
    """Return a result so that the order of dicts counts."""
    if isinstance(found, nx.Graph):
        return list(found), list(found.edges)
    if isinstance(found, dict):
        return [(key, exactly(value)) for key, value in found.items()]
    if isinstance(found, tuple):
        return tuple(map(exactly, found))
    return [exactly(each) for each in found] if hasattr(found, "__next__") else found


def outcome(function, *args, **named):
    try:
        return exactly(function(*args, **named))
    except NO_PATH as error:
        return type(error), str(error)


def both(function, G, *args, **named):
    found, expected = (outcome(function, G, *args, backend=b, **named) for b in ("emv", "networkx"))
    assert found == expected


UNWEIGHTED = {
    "bfs_edges": {"source": 5},
    "bfs_layers": {"sources": [5, 9, 2]},
    "bfs_predecessors": {"source": 5},
    "bfs_successors": {"source": 5},
    "bfs_tree": {"source": 5, "reverse": True},
    "dfs_edges": {},
    "dfs_postorder_nodes": {},
    "dfs_predecessors": {"source": 5},
    "dfs_preorder_nodes": {},
    "dfs_successors": {},
    "dfs_tree": {"source": 5},
    "generic_bfs_edges": {"source": 5, "depth_limit": 2},
    "shortest_path": {"target": 5},
    "single_source_shortest_path": {"source": 5},
    "single_target_shortest_path": {"target": 5},
    "to_dict_of_lists": {},
}
WEIGHTED = {
    "multi_source_dijkstra": {"sources": [5, 9, 2]},
    "multi_source_dijkstra_path": {"sources": [9], "cutoff": 3},
    "single_source_dijkstra": {"source": 5},
    "single_source_dijkstra_path": {"source": 5, "cutoff": 4},
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", UNWEIGHTED)
def test_searches(name, kind, seed):
    both(getattr(nx, name), tied(kind, seed), **UNWEIGHTED[name])


def test_strong_components_as_a_search_leaves_them():
    for seed in range(6):
        for kind in KINDS[1::2]:
            both(nx.strongly_connected_components, tied(kind, seed))
    both(nx.strongly_connected_components, nx.DiGraph())
    both(nx.strongly_connected_components, nx.DiGraph([(0, 0)]))


@pytest.mark.parametrize("limit", [0, -1, 1, 1.5, 100, float("nan"), float("inf")])
def test_limits_of_depth(limit):
    G = tied(nx.DiGraph, 1)
    both(nx.bfs_edges, G, 5, depth_limit=limit)
    both(nx.single_source_shortest_path, G, 5, cutoff=limit)


@pytest.mark.parametrize("kind", KINDS)
def test_paths_from_both_ends(kind):
    for seed in range(4):
        G = tied(kind, seed)
        for source in range(0, 40, 3):
            for target in range(0, 40, 7):
                both(nx.shortest_path, G, source, target)


@pytest.mark.parametrize("weights", [(1, 2), (1, 1), (0.5, 1.25, 0.75), (3, 7, 11, 4)])
@pytest.mark.parametrize("kind", KINDS[:2])
@pytest.mark.parametrize("name", WEIGHTED)
def test_paths_by_weight(name, kind, weights):
    for seed in range(4):
        both(getattr(nx, name), tied(kind, seed, weights), **WEIGHTED[name])


@pytest.mark.parametrize("kind", KINDS[:2])
def test_paths_to_a_node_by_weight(kind):
    for seed in range(3):
        G = tied(kind, seed)
        both(nx.shortest_path, G, target=5, weight="weight")
        for target in range(40):
            both(nx.dijkstra_path, G, 5, target)


def test_paths_that_are_the_only_shortest():
    G = nx.gnp_random_graph(30, 0.15, seed=3, directed=True)
    draw = random.Random(5)
    for u, v in G.edges:
        G[u][v]["weight"] = draw.random() + 0.1
    for target in range(30):
        for method in ("dijkstra", "bellman-ford"):
            both(nx.shortest_path, G, 0, target, weight="weight", method=method)
    far = nx.single_source_bellman_ford(G, 0, backend="emv")
    assert far == nx.single_source_bellman_ford(G, 0)


def test_ties_that_networkx_breaks_by_its_queue_are_refused():
    ring = nx.cycle_graph(4)
    for function, *args in (
        (nx.single_source_bellman_ford, 0),
        (nx.bidirectional_dijkstra, 0, 2),
        (nx.shortest_path, 0, 2, "weight"),
    ):
        with pytest.raises(NotImplementedError):
            function(ring, *args, backend="emv")
    ring.add_edge(0, 1, weight=0)
    with pytest.raises(NotImplementedError):
        nx.single_source_dijkstra(ring, 0, backend="emv")
    with pytest.raises(NotImplementedError):
        nx.all_pairs_dijkstra_path(ring, backend="emv")


def test_a_long_path_of_long_rows():
    """A search in the depth that began every row anew would take hours."""
    G = nx.star_graph(3000)
    nx.add_path(G, range(1, 3001))
    assert list(nx.dfs_edges(G, 0, backend="emv")) == list(nx.dfs_edges(G, 0))
    assert list(nx.bfs_edges(G, 3000, backend="emv")) == list(nx.bfs_edges(G, 3000))


def test_strange_nodes():
    G = nx.path_graph(3)
    for function in (nx.bfs_edges, nx.dfs_edges, nx.bfs_layers, nx.dfs_preorder_nodes):
        for node in ("x", [0, 9]):
            lazy = function(G, node, backend="emv")  # networkx, too, raises when asked for one
            with pytest.raises((nx.NetworkXError, TypeError)):
                list(lazy)


@pytest.mark.parametrize("name", ["k_core", "k_shell", "k_crust", "k_truss"])
def test_parts_keep_order_and_attributes(name):
    G = nx.relabel_nodes(nx.gnp_random_graph(40, 0.2, seed=4), lambda node: f"n{node * 7 % 40}")
    nx.set_edge_attributes(G, {edge: {"weight": k} for k, edge in enumerate(G.edges)})
    made = emv.Graph.from_networkx(G)
    nx.set_node_attributes(G, {node: {"place": node[1:]} for node in G})
    G.graph["name"] = "drawn"
    for k in (3, 4, 5, 99):
        found, expected = (getattr(nx, name)(G, k, backend=b) for b in ("emv", "networkx"))
        assert found.adj == expected.adj
        assert found.nodes(data=True) == expected.nodes(data=True)
        assert found.graph == expected.graph
        assert {node: list(row) for node, row in found.adj.items()} == {
            node: list(row) for node, row in expected.adj.items()
        }
        assert getattr(nx, name)(made, k, backend="emv").size("weight") == expected.size("weight")


@pytest.mark.parametrize("kind", KINDS[:2])
def test_parts_have_rows_of_their_own(kind):
    G = tied(kind, 2)
    G.remove_edge(3, 3)
    found, expected = (nx.k_core(G, 2, backend=b) for b in ("emv", "networkx"))
    assert exactly(found) == exactly(expected)
    for side in ("_adj", "_pred") if G.is_directed() else ("_adj",):
        rows = ((node, list(row)) for node, row in getattr(expected, side).items())
        assert dict(rows) == {node: list(row) for node, row in getattr(found, side).items()}
    u, v = next(iter(found.edges))
    found[u][v]["weight"] = 99
    back = found.pred[v][u] if G.is_directed() else found[v][u]
    assert back["weight"] == 99
    assert G[u][v]["weight"] != 99


@pytest.mark.parametrize("weights", [(0.1, 0.2, 0.3), (0, 1, 2)])
@pytest.mark.parametrize("kind", KINDS[:2])
def test_lengths_between_two_nodes_to_the_last_digit(kind, weights):
    draw = random.Random(7)
    G = nx.grid_2d_graph(6, 7, create_using=kind)
    G.add_edge((0, 0), (0, 0), weight=0.1)
    for *_, data in G.edges(data=True):
        data["weight"] = draw.choice(weights)
    nodes = list(G)
    for _ in range(60):
        source, target = draw.choice(nodes), draw.choice(nodes)
        both(nx.dijkstra_path_length, G, source, target)


def test_lengths_between_two_nodes_far_apart():
    """Searches from both ends give up, and the whole graph is searched."""
    G = nx.path_graph(1500)
    both(nx.dijkstra_path_length, G, 3, 1490)
    G.remove_edge(700, 701)
    both(nx.dijkstra_path_length, G, 3, 1490)
    both(nx.dijkstra_path_length, G, 3, "x")


def test_generations_few_and_many_wide():
    G = nx.DiGraph()
    nx.add_path(G, range(100, 120))
    for node in range(40):
        G.add_edges_from([(119, node), (node, 50 + (node * 7 + 3) % 40), (node, 50 + node)])
    nx.add_path(G, [60, 200, 201])
    both(nx.topological_generations, G)
    both(nx.topological_sort, nx.MultiDiGraph([*G.edges, *G.edges]))
    G.add_edge(201, 60)
    with pytest.raises(nx.NetworkXUnfeasible):
        list(nx.topological_sort(G, backend="emv"))
