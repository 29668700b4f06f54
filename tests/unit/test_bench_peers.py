"""The peers' solvers agree with networkx on small graphs of the bench."""

import networkx as nx
import numpy as np
import pytest

from bench import graphs, peers
from bench.libraries import LIBRARIES, disagreement, grouped, peer

SMALL = {
    "rmat": graphs.load("rmat7"),
    "kron": graphs.load("kron7"),
    "road": graphs.load("road12"),
}


def networkx_graph(graph):
    made = nx.MultiDiGraph() if graph.directed else nx.MultiGraph()
    made.add_nodes_from(range(graph.num_vertices))
    edges = zip(graph.src.tolist(), graph.dst.tolist(), graph.weight.tolist(), strict=True)
    made.add_weighted_edges_from(edges)
    return made


def by_vertex(values, num_vertices, missing):
    return np.array([values.get(vertex, missing) for vertex in range(num_vertices)])


def power_iteration(graph):
    """PageRank after the bench's number of iterations, arc by arc."""
    src, dst, _ = graph.arcs()
    size = graph.num_vertices
    out_degree = np.bincount(src, minlength=size)
    rank = np.full(size, 1 / size)
    for _ in range(peers.NUM_ITERATIONS):
        share = rank / np.maximum(out_degree, 1)
        received = np.bincount(dst, weights=share[src], minlength=size)
        lost = rank[out_degree == 0].sum()
        rank = (1 - peers.ALPHA) / size + peers.ALPHA * (received + lost / size)
    return rank


def components(made):
    found = nx.weakly_connected_components if made.is_directed() else nx.connected_components
    return {vertex: min(group) for group in found(made) for vertex in group}


def expected(graph, problem):
    made, size = networkx_graph(graph), graph.num_vertices
    if problem == "bfs":
        return by_vertex(nx.single_source_shortest_path_length(made, graph.source), size, -1)
    if problem == "sssp":
        lengths = nx.single_source_dijkstra_path_length(made, graph.source)
        return by_vertex(lengths, size, np.inf)
    if problem == "components":
        return by_vertex(components(made), size, -1)
    return power_iteration(graph)


@pytest.mark.parametrize("graph", SMALL.values(), ids=SMALL)
@pytest.mark.parametrize("library", LIBRARIES)
def test_peer_agrees_with_networkx(library, graph):
    if library != "scipy":
        pytest.importorskip(library)
    for problem in ("bfs", "sssp", "pagerank", "components"):
        solve = peer(library, graph).solver(problem, {})
        right, found = expected(graph, problem), solve()()
        assert disagreement(problem, found, right, graph) == "", problem
        wrong = np.array(found)
        wrong[graph.source] += 1
        assert disagreement(problem, wrong, right, graph), problem


def test_groups_do_not_depend_on_the_labels():
    assert grouped(np.array([7, 3, 7, 5]), np.array([0, 9, 0, 1]), None) == ""
    assert grouped(np.array([7, 3, 3, 5]), np.array([0, 9, 0, 1]), None)
