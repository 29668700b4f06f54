"""Functions of ``networkx.algorithms.distance_measures``: one search from every node."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import networkx as nx

from emv.networkx.calls import no_function, only, serves
from emv.networkx.graphs import BackendGraph
from emv.networkx.paths import depths, distances, lengths
from emv.networkx.versions import demand_eccentricity

_unknown = only("e", None, why="the eccentricities are known")
_all_nodes = only("usebounds", False, why="emv searches from every node")


def _eccentricities(G: BackendGraph, nodes: Iterable[Any], weight: Any) -> dict[Any, Any]:
    """Return how far the farthest node is from each of some.

    Raises
    ------
    networkx.NetworkXError
        If one is out of reach.
    """
    demand_eccentricity(len(G))
    kind = "digraph is not strongly connected" if G.is_directed() else "graph is not connected"
    found = {}
    length = None if weight is None else lengths(G, weight, False)
    for node in nodes:
        if length is None:
            depth = depths(G, node)
            is_reached, farthest = bool((depth >= 0).all()), int(depth.max())
        else:
            far = distances(G, [node], length)
            is_reached, farthest = len(far) == len(G), max(far.values())
        if not is_reached:
            raise nx.NetworkXError(f"Found infinite path length because the {kind}")
        found[node] = farthest
    return found


@serves(only("sp", None, why="the lengths are known"), no_function("weight"))
def eccentricity(G: BackendGraph, v: Any = None, sp: Any = None, weight: Any = None) -> Any:
    """Return the largest distance from one node, or from each of some."""
    if weight is not None:
        lengths(G, weight, False)  # where these are refused, networkx needs all of v
    found = _eccentricities(G, G.ids_in(v)[0], weight)
    return found[v] if v in G else found


@serves(_unknown, _all_nodes, no_function("weight"))
def diameter(G: BackendGraph, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    """Return the largest eccentricity."""
    return max(_eccentricities(G, G, weight).values())


@serves(_unknown, _all_nodes, no_function("weight"))
def radius(G: BackendGraph, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    """Return the least eccentricity."""
    return min(_eccentricities(G, G, weight).values())


@serves(_unknown, _all_nodes, no_function("weight"))
def periphery(G: BackendGraph, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    """Return the nodes of the largest eccentricity."""
    found = _eccentricities(G, G, weight)
    largest = max(found.values())
    return [node for node in found if found[node] == largest]


@serves(_unknown, _all_nodes, no_function("weight"))
def center(G: BackendGraph, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    """Return the nodes of the least eccentricity."""
    if not len(G) and weight is None and not G.is_directed():
        raise nx.NetworkXPointlessConcept("G has no nodes.")
    found = _eccentricities(G, G, weight)
    least = min(found.values())
    return [node for node in found if found[node] == least]
