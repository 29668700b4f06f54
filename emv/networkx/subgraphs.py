"""Functions of networkx that return parts of a graph, or compare the neighbours of two nodes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from emv import algorithms
from emv.networkx.calls import no_function, serves
from emv.networkx.core import refuse_loops
from emv.networkx.graphs import BackendGraph
from emv.networkx.paths import single_source_dijkstra_path_length
from emv.networkx.paths import single_source_shortest_path_length as lengths_from


@serves()
def k_truss(G: BackendGraph, k: int) -> Any:
    """Return the networkx graph of the edges in enough triangles, without nodes on their own."""
    refuse_loops(G)
    kept = np.asarray(algorithms.k_truss(G.arrays, math.ceil(k)))
    truss = G.as_networkx().copy()
    ends = G.ends()
    truss.remove_edges_from(ends[edge] for edge in np.flatnonzero(~kept).tolist())
    truss.remove_nodes_from(list(nx.isolates(truss)))
    return truss


def _both_ways(arguments: dict[str, Any]) -> str | None:
    if arguments["undirected"] and arguments["G"].is_directed():
        return "undirected=True on a directed graph"
    return None


@serves(_both_ways, no_function("distance"))
def ego_graph(
    G: BackendGraph,
    n: Any,
    radius: float = 1,
    center: bool = True,
    undirected: bool = False,
    distance: Any = None,
) -> Any:
    """Return the networkx graph of the nodes that are near one."""
    if distance is None:
        near = lengths_from(G, n, cutoff=radius)
    else:
        near = single_source_dijkstra_path_length(G, n, cutoff=radius, weight=distance)
    found = G.as_networkx().subgraph(near).copy()
    if not center:
        found.remove_node(n)
    return found


def _all_pairs(arguments: dict[str, Any]) -> str | None:
    return "all pairs that are no edges" if arguments["ebunch"] is None else None


@serves(_all_pairs)
def jaccard_coefficient(G: BackendGraph, ebunch: Any = None) -> Iterator[tuple[Any, Any, float]]:
    """Return for pairs of nodes which share of their neighbours they have in common."""
    src, dst = G.arrays.edges.endpoints()
    if (src == dst).any():
        raise NotImplementedError("networkx counts nodes with loops as neighbours of themselves")
    pairs = list(ebunch)
    for node in (node for pair in pairs for node in pair):
        if node not in G:
            raise nx.NodeNotFound(f"Node {node} not in G.")
    ids = np.array([[G.id_of[u], G.id_of[v]] for u, v in pairs], np.int64).reshape(-1, 2).T
    shared, first, second = algorithms.common_neighbors(G.arrays, (ids[0], ids[1]))
    listed = zip(pairs, shared.tolist(), (first + second - shared).tolist(), strict=True)
    return iter([(u, v, both / either if either else 0) for (u, v), both, either in listed])
