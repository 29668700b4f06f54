"""Functions of networkx that return parts of a graph."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from emv import algorithms
from emv.networkx.calls import looks_at, no_function, serves
from emv.networkx.core import refuse_loops
from emv.networkx.graphs import BackendGraph
from emv.networkx.parts import part_of
from emv.networkx.paths import single_source_dijkstra_path_length
from emv.networkx.paths import single_source_shortest_path_length as lengths_from


@serves()
def k_truss(G: BackendGraph, k: int) -> Any:
    """Return the networkx graph of the edges in enough triangles, without nodes on their own."""
    refuse_loops(G)
    kept = np.asarray(algorithms.k_truss(G.arrays, math.ceil(k)))
    is_in = np.zeros(len(G), bool)
    for ends in G.arrays.edges.endpoints():
        is_in[ends[kept]] = True
    return part_of(G, is_in, kept)


@looks_at("undirected")
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
