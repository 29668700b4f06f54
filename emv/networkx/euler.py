"""Functions of ``networkx.algorithms`` ``euler`` and ``regular``, which follow from degrees."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from emv.networkx.calls import serves
from emv.networkx.components import is_connected, is_strongly_connected, is_weakly_connected
from emv.networkx.graphs import BackendGraph
from emv.networkx.sparse import degrees


@serves()
def is_regular(G: BackendGraph) -> bool:
    """Return whether all nodes have one degree, of a directed graph in and out."""
    if not len(G):
        raise nx.NetworkXPointlessConcept("Graph has no nodes.")
    sides = ("in", "out") if G.is_directed() else ("in+out",)
    return all(bool((found == found[0]).all()) for found in (degrees(G, side) for side in sides))


@serves()
def is_k_regular(G: BackendGraph, k: Any) -> bool:
    """Return whether all nodes have this degree."""
    return bool((degrees(G) == k).all())


@serves()
def is_eulerian(G: BackendGraph) -> bool:
    """Return whether one closed walk takes every edge once."""
    if G.is_directed():
        is_even = bool((degrees(G, "in") == degrees(G, "out")).all())
        return is_even and is_strongly_connected(G)
    return bool((degrees(G) % 2 == 0).all()) and is_connected(G)


@serves()
def has_eulerian_path(G: BackendGraph, source: Any = None) -> bool:
    """Return whether one walk takes every edge once, and starts at a node if it is given."""
    if is_eulerian(G):
        return True
    if not G.is_directed():
        is_odd = degrees(G) % 2 == 1
        if source is not None and not is_odd[G.id_of[source]]:
            return False
        return int(np.count_nonzero(is_odd)) == 2 and is_connected(G)
    more = degrees(G, "out") - degrees(G, "in")
    if source is not None and more[G.id_of[source]] != 1:
        return False
    counts = [int(np.count_nonzero(more == each)) for each in (1, -1)]
    return bool((np.abs(more) <= 1).all()) and max(counts) <= 1 and is_weakly_connected(G)


@serves()
def is_semieulerian(G: BackendGraph) -> bool:
    """Return whether a walk takes every edge once, but none that is closed."""
    return has_eulerian_path(G) and not is_eulerian(G)
