"""Functions of ``networkx.algorithms.components``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from emv import algorithms
from emv.networkx.calls import serves
from emv.networkx.graphs import BackendGraph, computed


def nodes_by_label(G: BackendGraph, labels: NDArray[Any]) -> Iterator[set[Any]]:
    """Return an iterator over the sets of nodes with one label, in the order of the labels."""
    order = np.argsort(labels, kind="stable")
    starts = np.flatnonzero(np.diff(labels[order])) + 1
    parts = np.split(order, starts) if len(order) else []
    return iter([set(G.named(part)) for part in parts])


def _demand_nodes(G: BackendGraph) -> None:
    if not len(G):
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")


@serves()
def connected_components(G: BackendGraph) -> Iterator[set[Any]]:
    """Return components by their first nodes, as networkx has them."""
    return nodes_by_label(G, computed(algorithms.components, G))


@serves()
def number_connected_components(G: BackendGraph) -> int:
    """Count the vertices that bear their own label."""
    return int(np.count_nonzero(computed(algorithms.components, G) == np.arange(len(G))))


@serves()
def is_connected(G: BackendGraph) -> bool:
    """Return whether all bear the first label."""
    _demand_nodes(G)
    return not computed(algorithms.components, G).any()


@serves()
def node_connected_component(G: BackendGraph, n: Any) -> set[Any]:
    """Return the nodes that bear the label of one."""
    vertex = G.id_of[n]
    labels = computed(algorithms.components, G)
    return set(G.named(np.flatnonzero(labels == labels[vertex])))


@serves()
def weakly_connected_components(G: BackendGraph) -> Iterator[set[Any]]:
    """Return `connected_components`, which ignores the direction of edges."""
    return nodes_by_label(G, computed(algorithms.components, G))


@serves()
def number_weakly_connected_components(G: BackendGraph) -> int:
    """Return `number_connected_components`."""
    return int(np.count_nonzero(computed(algorithms.components, G) == np.arange(len(G))))


@serves()
def is_weakly_connected(G: BackendGraph) -> bool:
    """Return `is_connected`."""
    _demand_nodes(G)
    return not computed(algorithms.components, G).any()


@serves()
def strongly_connected_components(G: BackendGraph) -> Iterator[set[Any]]:
    """Return components as a depth-first search leaves the last node of each, as networkx does."""
    labels = computed(algorithms.strongly_connected_components, G)
    parts = list(nodes_by_label(G, labels))
    if len(parts) == 1:
        return iter(parts)
    numbers = np.unique(labels, return_inverse=True)[1]
    order = G.ordered().searched(np.arange(len(G)), depth_first=True).left()
    last = np.zeros(len(parts), np.int64)
    last[numbers[order]] = np.arange(len(order))  # of those of one component the last stays
    return iter([parts[each] for each in np.argsort(last)])


@serves()
def number_strongly_connected_components(G: BackendGraph) -> int:
    """Count the vertices that bear their own label."""
    labels = computed(algorithms.strongly_connected_components, G)
    return int(np.count_nonzero(labels == np.arange(len(G))))


@serves()
def is_strongly_connected(G: BackendGraph) -> bool:
    """Return whether all bear the first label."""
    _demand_nodes(G)
    return not computed(algorithms.strongly_connected_components, G).any()
