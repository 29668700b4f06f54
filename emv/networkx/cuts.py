"""Functions of ``networkx.algorithms``, ``cuts`` and ``boundary``: what lies between nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from emv.networkx.calls import looks_at, no_function, no_multigraph, serves
from emv.networkx.graphs import BackendGraph
from emv.networkx.sparse import degrees, ends_of, is_in, numbers_of

_weighted = serves(no_function("weight"))


def _across(G: BackendGraph, S: Any, T: Any) -> NDArray[np.bool_]:
    """Return which edges lead from some nodes to others, by default to all others."""
    src, dst = ends_of(G)
    here = is_in(G, S)
    if T is None:
        between = here[src] ^ here[dst]
        return between & here[src] if G.is_directed() else between
    there = is_in(G, T)
    found = (here[src] & there[dst]) | (here[dst] & there[src])
    return found & here[src] if G.is_directed() else found


@_weighted
def cut_size(G: BackendGraph, S: Any, T: Any = None, weight: Any = None) -> Any:
    """Return the sum of the weights of the edges between two sets of nodes."""
    S, T = _listed(S), None if T is None else _listed(T)
    if G.is_directed() and T is None:
        raise TypeError("'NoneType' object is not iterable")
    values = numbers_of(G, weight)
    total = sum(values[_across(G, S, T)].tolist())
    if G.is_directed():
        total += sum(values[_across(G, T, S)].tolist())
    return total


def _listed(nodes: Any) -> Any:
    """Return a container of nodes, which may be gone through once only."""
    return list(nodes) if hasattr(nodes, "__next__") else nodes


@_weighted
def volume(G: BackendGraph, S: Any, weight: Any = None) -> Any:
    """Return the sum of the degrees of some nodes."""
    if S in G:
        raise TypeError("'int' object is not iterable")
    return sum(degrees(G, "out", weight)[G.ids_in(S)[1]].tolist())


def _others(G: BackendGraph, S: Any, T: Any) -> Any:
    return set(G) - set(S) if T is None else T


@_weighted
def normalized_cut_size(G: BackendGraph, S: Any, T: Any = None, weight: Any = None) -> float:
    """Return the cut by the volumes of both sides."""
    T = _others(G, S, T)
    size = cut_size(G, S, T, weight)
    found: float = size * (1 / volume(G, S, weight) + 1 / volume(G, T, weight))
    return found


@_weighted
def conductance(G: BackendGraph, S: Any, T: Any = None, weight: Any = None) -> float:
    """Return the cut by the smaller of both volumes."""
    T = _others(G, S, T)
    found: float = cut_size(G, S, T, weight) / min(volume(G, S, weight), volume(G, T, weight))
    return found


@_weighted
def edge_expansion(G: BackendGraph, S: Any, T: Any = None, weight: Any = None) -> float:
    """Return the cut by the nodes of the smaller side."""
    T = _others(G, S, T)
    found: float = cut_size(G, S, T, weight) / min(len(S), len(T))
    return found


@_weighted
def mixing_expansion(G: BackendGraph, S: Any, T: Any = None, weight: Any = None) -> float:
    """Return the cut by twice the edges that there are."""
    found: float = cut_size(G, S, T, weight) / (2 * len(G.arrays.edges))
    return found


def _neighbours(G: BackendGraph, here: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which vertices are neighbours of some."""
    src, dst = ends_of(G)
    found = np.zeros(len(G), bool)
    found[dst[here[src]]] = True
    if not G.is_directed():
        found[src[here[dst]]] = True
    return found


@serves()
def node_boundary(G: BackendGraph, nbunch1: Any, nbunch2: Any = None) -> set[Any]:
    """Return the neighbours of some nodes that are none of them."""
    here = is_in(G, nbunch1)
    found = _neighbours(G, here) & ~here
    if nbunch2 is not None:
        found &= is_in(G, nbunch2)
    return set(G.named(np.flatnonzero(found)))


@serves()
def node_expansion(G: BackendGraph, S: Any) -> float:
    """Return how many neighbours some nodes have, by how many they are."""
    for node in S:
        if node not in G:
            kind = "digraph" if G.is_directed() else "graph"
            raise nx.NetworkXError(f"The node {node} is not in the {kind}.")
    return int(np.count_nonzero(_neighbours(G, is_in(G, S)))) / len(S)


@serves()
def boundary_expansion(G: BackendGraph, S: Any) -> float:
    """Return how many others are neighbours of some nodes, by how many these are."""
    return len(node_boundary(G, S)) / len(S)


@looks_at("data")
def _pairs_alone(arguments: dict[str, Any]) -> str | None:
    return None if arguments["data"] is False else "attributes of few edges are looked up sooner"


@serves(no_multigraph, _pairs_alone)
def edge_boundary(
    G: BackendGraph,
    nbunch1: Any,
    nbunch2: Any = None,
    data: Any = False,
    keys: bool = False,
    default: Any = None,
) -> Iterator[tuple[Any, Any]]:
    """Return the edges between two sets of nodes as ``G.edges`` of the first lists them."""
    first = np.array([G.id_of[node] for node in {n for n in nbunch1 if n in G}], np.int64)
    here = np.zeros(len(G), bool)
    here[first] = True
    place = np.full(len(G), len(G))
    place[first] = np.arange(len(first))
    rows = G.ordered()
    tails, heads = rows.tails, rows.ahead
    kept = here[tails]
    if not G.is_directed():
        kept &= place[heads] >= place[tails]  # those of nodes gone through are listed there
    if nbunch2 is None:
        kept &= here[tails] ^ here[heads]
    else:
        there = is_in(G, nbunch2)
        kept &= there[heads] | (here[heads] & there[tails])
    tails, heads = tails[kept], heads[kept]
    order = np.argsort(place[tails], kind="stable")
    return zip(G.named(tails[order]), G.named(heads[order]), strict=True)
