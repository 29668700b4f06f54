"""What pages that move vertices between communities share: their arguments, and contracting."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emv.algorithms._arguments import a_number, refuse_weights
from emv.algorithms._checks import edge_numbers
from emv.errors import ArgumentError
from emv.graph import Graph
from emv.graph.demands import demand_undirected
from emv.lang.draws import Rng
from emv.runtime.arguments import check_call


class Asked(NamedTuple):
    """What the caller asks for."""

    resolution: float
    threshold: float
    seed: int


def asked_of(name: str, graph: Graph, resolution: float, threshold: float, rng: Rng) -> Asked:
    """Return what a call asks for, or refuse what it cannot.

    Raises
    ------
    ArgumentError, GraphError
        If the threshold is below 0 or nan, or the graph is directed.
    """
    seed = check_call(name.removesuffix("()"), graph, rng)
    a_number(f"{name}: threshold", threshold, graph)
    if not threshold >= 0:
        raise ArgumentError(f"{name}: threshold={threshold!r}", remedy="Give 0 or more.")
    demand_undirected(graph, name)
    return Asked(resolution, threshold, seed)


def scaled_weights(name: str, graph: Graph, weight: str | ArrayLike) -> NDArray[np.float64]:
    """Return the weights of the edges, as near 1 as f32 likes them.

    Raises
    ------
    ArgumentError
        If one of them has no share in modularity.
    """
    weights = edge_numbers(graph, weight, 1.0, np.float64)
    refuse_weights(name, weights)
    scaled: NDArray[np.float64] = np.ldexp(weights, -np.frexp(weights.max(initial=0))[1])
    return scaled


def contracted(graph: Graph, weights: NDArray[Any], number: NDArray[Any]) -> Graph:
    """Return the graph whose vertices are communities; weights of edges between two are added."""
    src, dst = (number[ends] for ends in graph.edges.endpoints())
    count = int(number.max()) + 1
    weight = weights.astype(np.float64)
    many = Graph.from_edges(src, dst, num_vertices=count, directed=False, weight=weight)
    return many.prepared(dedup="sum").on(graph.device)


def numbered(community: NDArray[Any]) -> NDArray[Any]:
    """Return the communities numbered from 0.

    Examples
    --------
    >>> numbered(np.array([7, 3, 7]))
    array([1, 0, 1])
    """
    return np.unique(community, return_inverse=True)[1]


def smallest_members(community: NDArray[Any]) -> NDArray[np.int32]:
    """Return the communities named by the smallest ids of their members.

    Examples
    --------
    >>> smallest_members(np.array([7, 3, 7]))
    array([0, 1, 0], dtype=int32)
    """
    _, first, number = np.unique(community, return_index=True, return_inverse=True)
    return first.astype(np.int32)[number]
