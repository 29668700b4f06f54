"""Functions of networkx on sets of nodes: partitions, groups, tournaments, votes.

Newman: Modularity, Physical Review E 70, 2004. Everett, Borgatti: The centrality of groups and
classes, 1999. Zhang, Chen, Dong, Zhao: Identifying a set of influential spreaders, 2016.
"""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from emv.networkx.calls import a_graph, no_function, serves
from emv.networkx.graphs import BackendGraph
from emv.networkx.matrices import adjacency_matrix
from emv.networkx.paths import distances, lengths
from emv.networkx.sparse import degrees, ends_of, is_in, neighbours, numbers_of


def _partition(G: BackendGraph, communities: list[Any]) -> NDArray[np.int64] | None:
    """Return the part of every vertex; None if parts have nodes in common, or leave some out."""
    part = np.full(len(G), -1)
    total = 0
    for number, community in enumerate(communities):
        members = [G.id_of[node] for node in community if node in G]
        part[members] = number
        total += len(community)
    return None if total != len(G) or (part < 0).any() else part


@serves(a_graph)
def is_partition(G: BackendGraph, communities: Any) -> bool:
    """Return whether every node is in one set of some, and no other is."""
    return _partition(G, list(communities)) is not None


def _demand_partition(G: BackendGraph, communities: list[Any]) -> NDArray[np.int64]:
    part = _partition(G, communities)
    if part is None:
        raise nx.algorithms.community.quality.NotAPartition(G.as_networkx(), communities)
    return part


@serves(no_function("weight"))
def modularity(
    G: BackendGraph, communities: Any, weight: Any = "weight", resolution: float = 1
) -> float:
    """Return how much more edges lie within parts than would by chance."""
    communities = list(communities)
    part = _demand_partition(G, communities)
    src, dst = ends_of(G)
    values = numbers_of(G, weight).astype(np.float64)
    inside = part[src] == part[dst]
    within = np.bincount(part[src[inside]], values[inside], minlength=len(communities))
    sides = ("out", "in") if G.is_directed() else ("in+out", "in+out")
    sums = [
        np.bincount(part, degrees(G, side, weight), minlength=len(communities)) for side in sides
    ]
    total = degrees(G, sides[0], weight).sum().item()  # whole as in networkx, which says what of 0
    m = total if G.is_directed() else total / 2
    norm = 1 / total**2
    return float(sum((within / m - resolution * sums[0] * sums[1] * norm).tolist()))


def _reached(G: BackendGraph, S: Any, *, turned: bool = False) -> float:
    """Return which share of the other nodes some have for neighbours."""
    for node in S:
        if node not in G:
            kind = "digraph" if G.is_directed() else "graph"
            raise nx.NetworkXError(f"The node {node} is not in the {kind}.")
    here = is_in(G, S)
    near = neighbours(G, turned=not turned) @ here.astype(np.float64) > 0
    return int(np.count_nonzero(near & ~here)) / (len(G) - len(S))


@serves()
def group_degree_centrality(G: BackendGraph, S: Any) -> float:
    """Return which share of the other nodes a group has for neighbours."""
    return _reached(G, S)


@serves()
def group_out_degree_centrality(G: BackendGraph, S: Any) -> float:
    """Return which share of the other nodes arcs of a group lead to."""
    return _reached(G, S)


@serves()
def group_in_degree_centrality(G: BackendGraph, S: Any) -> float:
    """Return which share of the other nodes lead to a group."""
    return _reached(G, S, turned=True)


@serves(no_function("weight"))
def group_closeness_centrality(G: BackendGraph, S: Any, weight: Any = None) -> float:
    """Return 1 by the mean distance of the other nodes to a group."""
    group = set(S)
    if not group:
        raise ValueError("sources must not be empty")
    for node in group:
        if node not in G:
            raise nx.NodeNotFound(f"Node {node} not found in graph")
    turned = G.reversed()
    found = distances(turned, list(group), lengths(turned, weight, False))
    total = sum(found.values())
    return (len(G) - len(group)) / total if total else 0


@serves()
def voterank(G: BackendGraph, number_of_nodes: int | None = None) -> list[Any]:
    """Return nodes for which most others vote, one after the other; neighbours then vote less."""
    if not len(G):
        return []
    if G.is_multigraph():
        raise NotImplementedError("a multigraph")
    most = len(G) if number_of_nodes is None else min(number_of_nodes, len(G))
    A = neighbours(G)
    src, dst = ends_of(G)
    if not G.is_directed() and (src == dst).any():
        raise NotImplementedError("loops, whose node votes for itself twice")
    mean = int(degrees(G, "out").sum()) / len(G)
    ability, chosen = np.ones(len(G)), np.zeros(len(G), bool)
    found: list[int] = []
    for _ in range(most):
        votes = A @ ability
        votes[chosen] = 0
        best = int(np.argmax(votes))
        if votes[best] == 0:
            break
        found.append(best)
        chosen[best], ability[best] = True, 0
        near = A.indices[A.indptr[best] : A.indptr[best + 1]]
        ability[near] = np.maximum(ability[near] - 1 / mean, 0)
    return [G.nodes[vertex] for vertex in found]


@serves()
def is_tournament(G: BackendGraph) -> bool:
    """Return whether one arc joins any two nodes."""
    src, dst = ends_of(G)
    if len(src) != len(G) * (len(G) - 1) // 2 or (src == dst).any():
        return False
    low, high = np.minimum(src, dst), np.maximum(src, dst)
    return len(np.unique(low * len(G) + high)) == len(src)


@serves()
def score_sequence(G: BackendGraph) -> list[int]:
    """Return the degrees of the arcs that lead from nodes, sorted."""
    found: list[int] = np.sort(degrees(G, "out")).tolist()
    return found


@serves()
def tournament_matrix(G: BackendGraph) -> Any:
    """Return the adjacency less that of the arcs turned round."""
    A = adjacency_matrix(G)
    return A - A.T


@serves()
def s_metric(G: BackendGraph) -> float:
    """Return the sum over the edges of the product of the degrees of both ends."""
    src, dst = ends_of(G)
    degree = degrees(G)
    return float((degree[src] * degree[dst]).sum())
