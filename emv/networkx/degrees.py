"""Functions of networkx that follow from degrees alone, and from which edges there are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from emv.networkx.calls import GRAPH, looks_at, serves
from emv.networkx.components import is_weakly_connected, number_weakly_connected_components
from emv.networkx.graphs import BackendGraph
from emv.networkx.sparse import degrees


def _shares(G: BackendGraph, side: str) -> dict[Any, float]:
    if len(G) <= 1:
        return dict.fromkeys(G, 1)
    degree = degrees(G, side)
    shares = np.arange(degree.max() + 1) * (1.0 / (len(G) - 1.0))
    return G.by_node(shares, degree)  # nodes of one degree share a number


@serves()
def degree_centrality(G: BackendGraph) -> dict[Any, float]:
    """Return degrees by the largest that a simple graph has."""
    return _shares(G, "in+out")


@serves()
def in_degree_centrality(G: BackendGraph) -> dict[Any, float]:
    """Return degrees of arcs that lead to a node."""
    return _shares(G, "in")


@serves()
def out_degree_centrality(G: BackendGraph) -> dict[Any, float]:
    """Return degrees of arcs that lead from a node."""
    return _shares(G, "out")


@serves()
def is_isolate(G: BackendGraph, n: Any) -> bool:
    """Return whether a node has no neighbours."""
    if n not in G:
        G.ids_in(n)  # raises what networkx does, but for containers of nodes
        return False
    return bool(degrees(G)[G.id_of[n]] == 0)


@serves()
def isolates(G: BackendGraph) -> Iterator[Any]:
    """Return the nodes without neighbours."""
    return iter(G.named(np.flatnonzero(degrees(G) == 0)))


@serves()
def number_of_isolates(G: BackendGraph) -> int:
    """Count the nodes without neighbours."""
    return int(np.count_nonzero(degrees(G) == 0))


@serves()
def number_of_selfloops(G: BackendGraph) -> int:
    """Count the edges that lead back to where they start."""
    src, dst = G.arrays.edges.endpoints()
    return int(np.count_nonzero(src == dst))


def _two_way(G: BackendGraph) -> NDArray[np.int64]:
    """Return for every vertex how many of its arcs lead to it and from it, and are one pair."""
    starts: NDArray[Any] = G.structure.matrix.multiply(G.structure.turned).indptr
    return np.diff(starts).astype(np.int64)


@looks_at(GRAPH)
def _not_of_arcs(arguments: dict[str, Any]) -> str | None:
    """Refuse what networkx should refuse, and does only where both hold."""
    G = arguments["G"]
    return None if G.is_directed() and not G.is_multigraph() else "G is no simple directed graph"


@serves(_not_of_arcs)
def overall_reciprocity(G: BackendGraph) -> float:
    """Return which share of the arcs has one back; those of loops count against it."""
    count = G.arrays.num_edges
    if not count:
        raise nx.NetworkXError("Not defined for empty graphs")
    both = G.structure.matrix.multiply(G.structure.turned).nnz
    return int(both - G.structure.loops.sum()) / count


@serves(_not_of_arcs)
def reciprocity(G: BackendGraph, nodes: Any = None) -> Any:
    """Return which share of the arcs of a node has one back, or of each of some, or of all."""
    if nodes is None:
        return overall_reciprocity(G)
    named, ids = G.ids_in(nodes)
    both, all_arcs = _two_way(G)[ids].tolist(), degrees(G)[ids].tolist()
    shares = [2 * two / arcs if arcs else None for two, arcs in zip(both, all_arcs, strict=True)]
    if nodes not in G:
        return dict(zip(named, shares, strict=True))
    if shares[0] is None:
        raise nx.NetworkXError("Not defined for isolated nodes.")
    return shares[0]


def _demand_nodes(G: BackendGraph) -> None:
    if not len(G):
        raise nx.NetworkXPointlessConcept("G has no nodes.")


@serves()
def is_tree(G: BackendGraph) -> bool:
    """Return whether all are joined by one edge less than there are nodes."""
    _demand_nodes(G)
    return len(G) - 1 == len(G.arrays.edges) and is_weakly_connected(G)


@serves()
def is_forest(G: BackendGraph) -> bool:
    """Return whether every component has one edge less than nodes."""
    _demand_nodes(G)
    count = len(G) - len(G.arrays.edges)
    return count > 0 and number_weakly_connected_components(G) == count


@serves()
def is_arborescence(G: BackendGraph) -> bool:
    """Return whether it is a tree in which at most one arc leads to every node."""
    return is_tree(G) and int(degrees(G, "in").max()) <= 1


@serves()
def is_branching(G: BackendGraph) -> bool:
    """Return whether it is a forest in which at most one arc leads to every node."""
    return is_forest(G) and int(degrees(G, "in").max()) <= 1


@looks_at("edge")
def _no_edge(arguments: dict[str, Any]) -> str | None:
    return None if arguments["edge"] is None else "one edge is looked up sooner in networkx"


@serves(_no_edge)
def is_negatively_weighted(G: BackendGraph, edge: Any = None, weight: Any = "weight") -> bool:
    """Return whether an edge has a weight below 0."""
    return bool(np.any(np.asarray(G.column(weight)) < 0))
