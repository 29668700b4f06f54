"""Functions of networkx that say whether sets of nodes or edges are what they are said to be."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import networkx as nx
import numpy as np

from emv.networkx.calls import no_multigraph, serves
from emv.networkx.graphs import BackendGraph
from emv.networkx.sparse import are_joined, ends_of, is_in, neighbours


def _joined(G: BackendGraph, pairs: Iterable[tuple[Any, Any]]) -> list[bool]:
    """Return for pairs of nodes whether they are an edge; those that are not there are none."""
    ids = [(G.id_of[u], G.id_of[v]) if u in G and v in G else (-1, -1) for u, v in pairs]
    u, v = np.array(ids, np.int64).reshape(-1, 2).T
    found = np.zeros(len(ids), bool)
    there = np.flatnonzero(u >= 0)
    found[there] = are_joined(G, u[there], v[there])
    listed: list[bool] = found.tolist()
    return listed


def _pairs_of(matching: Any) -> Any:
    """Return a matching that is given as a dict as pairs."""
    if not isinstance(matching, dict):
        return matching
    edges: set[Any] = set()
    for u, v in matching.items():
        if (v, u) in edges or (u, v) in edges:
            continue
        if u == v:
            raise nx.NetworkXError(f"Selfloops cannot appear in matchings {(u, v)}")
        edges.add((u, v))
    return edges


def _matched(G: BackendGraph, matching: Any) -> set[Any] | None:
    """Return the nodes of a matching; None if it is none.

    Raises
    ------
    networkx.NetworkXError
        If an edge is no pair of nodes of the graph.
    """
    matching = list(_pairs_of(matching))
    is_edge = _joined(G, (each if len(each) == 2 else (None, None) for each in matching))
    nodes: set[Any] = set()
    for edge, joined in zip(matching, is_edge, strict=True):
        if len(edge) != 2:
            raise nx.NetworkXError(f"matching has non-2-tuple edge {edge}")
        u, v = edge
        if u not in G or v not in G:
            raise nx.NetworkXError(f"matching contains edge {edge} with node not in G")
        if u == v or not joined or u in nodes or v in nodes:
            return None
        nodes.update(edge)
    return nodes


@serves()
def is_matching(G: BackendGraph, matching: Any) -> bool:
    """Return whether some edges have no end in common."""
    return _matched(G, matching) is not None


@serves()
def is_perfect_matching(G: BackendGraph, matching: Any) -> bool:
    """Return whether some edges have every node for an end, and once."""
    nodes = _matched(G, matching)
    return nodes is not None and len(nodes) == len(G)


@serves(no_multigraph)
def is_maximal_matching(G: BackendGraph, matching: Any) -> bool:
    """Return whether some edges have no end in common, and every other edge has one of theirs."""
    nodes = _matched(G, matching)
    if nodes is None:
        return False
    free = ~is_in(G, nodes)
    src, dst = ends_of(G)
    return not bool((free[src] & free[dst] & (src != dst)).any())


@serves()
def is_edge_cover(G: BackendGraph, cover: Any) -> bool:
    """Return whether every node is an end of some edges."""
    return bool(is_in(G, set(itertools.chain.from_iterable(cover))).all())


@serves()
def is_dominating_set(G: BackendGraph, nbunch: Any) -> bool:
    """Return whether every node is one of some, or is a neighbour of one."""
    here = is_in(G, nbunch)
    reached = neighbours(G, turned=True) @ here.astype(np.float64) > 0
    return bool((here | reached).all())


@serves()
def is_simple_path(G: BackendGraph, nodes: Any) -> bool:
    """Return whether nodes are joined one to the next, and none is there twice."""
    if len(nodes) < 2:
        return len(nodes) == 1 and nodes[0] in G
    if not all(node in G for node in nodes) or len(set(nodes)) != len(nodes):
        return False
    return all(_joined(G, itertools.pairwise(nodes)))
