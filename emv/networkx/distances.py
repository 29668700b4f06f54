"""Functions of ``networkx.algorithms.distance_measures``: one search from every node, or from few.

With ``usebounds=True`` the searches end when the bounds that they set decide. Takes, Kosters:
Computing the eccentricity distribution of large graphs, Algorithms 6(1), 2013.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from emv import algorithms
from emv.networkx.calls import no_function, only, serves
from emv.networkx.graphs import BackendGraph, computed
from emv.networkx.paths import depths, distances, far_from, lengths
from emv.networkx.versions import demand_eccentricity

_unknown = only("e", None, why="the eccentricities are known")


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
    if weight is None and nodes is G:  # searches of 64 nodes at once
        from_all = computed(algorithms.eccentricity, G)
        if (from_all < 0).any():
            raise nx.NetworkXError(f"Found infinite path length because the {kind}")
        return G.by_node(from_all)
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
    found = _eccentricities(G, G if v is None else G.ids_in(v)[0], weight)
    return found[v] if v in G else found


class _Bounds:
    """Bounds of every eccentricity of a graph without direction, closer with every search.

    Attributes
    ----------
    low, high : float64[num_vertices]
        No eccentricity is below the one, none above the other.
    """

    def __init__(self, G: BackendGraph, weight: Any) -> None:
        if not len(G):
            raise ValueError("max() iterable argument is empty")
        self._graph = G
        self._length = None if weight is None else lengths(G, weight, False)
        if np.asarray(self._length).dtype.kind == "f":
            raise NotImplementedError("bounds of floats round")
        self._degree = np.asarray(G.arrays.out_degrees())
        self.low = np.zeros(len(G))
        self.high = np.full(len(G), np.inf)

    def decide(self, is_open: Callable[[_Bounds], NDArray[np.bool_]]) -> None:
        """Search until no vertex is open: from the least lower and the largest upper in turn."""
        candidates, turn = np.arange(len(self.low)), 0
        while len(candidates):
            bound = self.high[candidates] if turn % 2 else -self.low[candidates]
            best = candidates[bound == bound.max()]
            self._search(int(best[np.argmax(self._degree[best])]))
            candidates = np.flatnonzero((self.low < self.high) & is_open(self))
            turn += 1

    def _search(self, vertex: int) -> None:
        far = _far(self._graph, vertex, self._length)
        if not np.isfinite(far).all():
            raise nx.NetworkXError("Cannot compute metric because graph is not connected.")
        np.maximum(self.low, np.maximum(far, far.max() - far), out=self.low)
        np.minimum(self.high, far + far.max(), out=self.high)
        self.low[vertex] = self.high[vertex] = far.max()


def _far(G: BackendGraph, vertex: int, length: Any) -> NDArray[np.float64]:
    if length is not None:
        return far_from(G, [vertex], length)
    depth = computed(algorithms.bfs, G, vertex)
    return np.where(depth < 0, np.inf, depth)


def _bounded(G: BackendGraph, usebounds: bool) -> bool:
    return usebounds is True and not G.is_directed()  # networkx asks for True itself


@serves(_unknown, no_function("weight"))
def diameter(G: BackendGraph, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    """Return the largest eccentricity."""
    if _bounded(G, usebounds):
        bounds = _Bounds(G, weight)
        bounds.decide(lambda known: known.high > known.low.max())
        return int(bounds.low.max())
    return max(_eccentricities(G, G, weight).values())


@serves(_unknown, no_function("weight"))
def radius(G: BackendGraph, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    """Return the least eccentricity."""
    if _bounded(G, usebounds):
        bounds = _Bounds(G, weight)
        bounds.decide(lambda known: known.low < known.high.min())
        return int(bounds.high.min())
    return min(_eccentricities(G, G, weight).values())


@serves(_unknown, no_function("weight"))
def periphery(G: BackendGraph, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    """Return the nodes of the largest eccentricity."""
    if _bounded(G, usebounds):
        bounds = _Bounds(G, weight)
        bounds.decide(lambda known: known.high >= known.low.max())
        return G.named(np.flatnonzero(bounds.high >= bounds.low.max()))
    found = _eccentricities(G, G, weight)
    largest = max(found.values())
    return [node for node in found if found[node] == largest]


@serves(_unknown, no_function("weight"))
def center(G: BackendGraph, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    """Return the nodes of the least eccentricity."""
    if _bounded(G, usebounds):
        bounds = _Bounds(G, weight)
        bounds.decide(lambda known: known.low <= known.high.min())
        return G.named(np.flatnonzero(bounds.low <= bounds.high.min()))
    if not len(G) and weight is None and not G.is_directed():
        raise nx.NetworkXPointlessConcept("G has no nodes.")
    found = _eccentricities(G, G, weight)
    least = min(found.values())
    return [node for node in found if found[node] == least]
