"""Functions of ``networkx.algorithms.dag`` and ``bipartite``: orders and sides of nodes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from emv import algorithms
from emv.networkx.calls import serves
from emv.networkx.graphs import BackendGraph, computed


def _generations(G: BackendGraph) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the vertices as networkx comes to them, and where each generation begins and ends."""
    from emv_kernels.cpu.orders import generations

    rows = G.ordered()
    return generations(rows.starts, rows.ahead)


def _demand_arcs(G: BackendGraph) -> None:
    if not G.is_directed():
        raise nx.NetworkXError("Topological sort not defined on undirected graphs.")


def _demand_all(G: BackendGraph, count: int) -> None:
    if count < len(G):
        raise nx.NetworkXUnfeasible("Graph contains a cycle or graph changed during iteration")


@serves()
def topological_generations(G: BackendGraph) -> Iterator[list[Any]]:
    """Return generations, each in the order in which networkx comes to its nodes."""

    def generations() -> Iterator[list[Any]]:
        _demand_arcs(G)
        order, bounds = _generations(G)
        names = G.named(order)
        for begin, end in itertools.pairwise(bounds.tolist()):
            yield names[begin:end]
        _demand_all(G, len(names))

    return generations()


@serves()
def topological_sort(G: BackendGraph) -> Iterator[Any]:
    """Return the nodes generation by generation."""

    def nodes() -> Iterator[list[Any]]:
        _demand_arcs(G)
        order, _ = _generations(G)
        yield G.named(order)
        _demand_all(G, len(order))

    return itertools.chain.from_iterable(nodes())


def sinks_first(count: int, src: list[int], dst: list[int]) -> list[int]:
    """Return the vertices of a graph without cycles, each behind those that it leads to.

    Kahn: Topological sorting of large networks, Communications of the ACM 5(11), 1962.
    """
    leading_to: list[list[int]] = [[] for _ in range(count)]
    left = [0] * count
    for u, v in zip(src, dst, strict=True):
        leading_to[v].append(u)
        left[u] += 1
    order = [v for v in range(count) if not left[v]]
    for v in order:  # which grows
        for u in leading_to[v]:
            left[u] -= 1
            if not left[u]:
                order.append(u)
    return order


@serves()
def has_cycle(G: BackendGraph) -> bool:
    """Return whether some vertices wait for each other."""
    _demand_arcs(G)
    return bool((computed(algorithms.topological_generations, G) < 0).any())


@serves()
def is_directed_acyclic_graph(G: BackendGraph) -> bool:
    """Return whether arcs lead one way and nobody waits for himself."""
    return G.is_directed() and not has_cycle(G)


def _sides(G: BackendGraph) -> NDArray[Any]:
    return np.asarray(algorithms.bipartite_sides(G.undirected()))


@serves()
def is_bipartite(G: BackendGraph) -> bool:
    """Return whether all have a side."""
    return bool((_sides(G) >= 0).all())


def _directed(arguments: dict[str, Any]) -> str | None:
    if arguments["G"].is_directed():
        return "G is directed: networkx begins with nodes that have successors"
    return None


@serves(_directed)
def color(G: BackendGraph) -> dict[Any, int]:
    """Return 1 for the first node of every component and its side, 0 for the other side."""
    side = _sides(G)
    if (side < 0).any():
        raise nx.NetworkXError("Graph is not bipartite.")
    is_alone = np.asarray(G.arrays.out_degrees()) == 0
    return G.by_node(np.where(is_alone, 0, 1 - side))
