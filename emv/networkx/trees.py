"""Functions of ``networkx.algorithms.tree``: spanning trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from emv import algorithms
from emv.networkx.calls import looks_at, only, serves
from emv.networkx.graphs import BackendGraph, computed
from emv.networkx.parts import edges_of
from emv.networkx.pause import uncollected

_kruskals = only("algorithm", "kruskal", why="its edges come in another order, and tie otherwise")


_all_or_none = only("data", True, False, why="networkx hands over attributes for True alone")


def _forest(
    G: BackendGraph, weight: str, sign: int, ignore_nan: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the edges in the order in which Kruskal's method takes them, and those without cost.

    Edges are numbered in networkx' order, and a stable sort is how both break ties.
    """
    cost = sign * np.broadcast_to(G.column(weight), G.arrays.num_edges)
    is_nan = np.flatnonzero(np.isnan(cost))
    chosen = np.flatnonzero(computed(algorithms.boruvka, G, cost, precision="double"))
    return chosen[np.argsort(cost[chosen], kind="stable")], is_nan[: 0 if ignore_nan else None]


def _spanning(
    G: BackendGraph, sign: int, weight: str, keys: bool, data: bool, ignore_nan: bool
) -> Iterator[Any]:
    chosen, is_nan = _forest(G, weight, sign, ignore_nan)
    shown = {"keys": bool(keys), "data": data}
    if not len(is_nan):
        with uncollected():
            return iter(list(edges_of(G, chosen, **shown)))

    def refused() -> Iterator[Any]:
        first = next(edges_of(G, is_nan, **shown))
        raise ValueError(f"NaN found as an edge weight. Edge {first}")
        yield

    return refused()


@looks_at("data")
def _keys_at_hand(arguments: dict[str, Any]) -> str | None:
    """Refuse to name parallel edges by keys that were not asked for with the attributes."""
    if not arguments["data"] and arguments["G"].is_multigraph():
        return "the keys of parallel edges are known with data=True"
    return None


@serves(_kruskals, _all_or_none, _keys_at_hand)
def minimum_spanning_edges(
    G: BackendGraph,
    algorithm: str = "kruskal",
    weight: str = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
) -> Iterator[Any]:
    """Return the edges of Boruvka's forest, the cheapest first."""
    return _spanning(G, 1, weight, keys, data, ignore_nan)


@serves(_kruskals, _all_or_none, _keys_at_hand)
def maximum_spanning_edges(
    G: BackendGraph,
    algorithm: str = "kruskal",
    weight: str = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
) -> Iterator[Any]:
    """Return the edges of Boruvka's forest for costs of the other sign, the dearest first."""
    return _spanning(G, -1, weight, keys, data, ignore_nan)


def _tree(G: BackendGraph, sign: int, weight: str, ignore_nan: bool) -> Any:
    if G.is_directed():
        raise nx.NetworkXNotImplemented("not implemented for directed type")
    original = G.as_networkx()
    tree = original.__class__()
    tree.graph.update(original.graph)
    tree.add_nodes_from(original.nodes.items())
    tree.add_edges_from(_spanning(G, sign, weight, True, True, ignore_nan))
    return tree


@serves(_kruskals)
def minimum_spanning_tree(
    G: BackendGraph, weight: str = "weight", algorithm: str = "kruskal", ignore_nan: bool = False
) -> Any:
    """Return a networkx graph of the edges of Boruvka's forest."""
    return _tree(G, 1, weight, ignore_nan)


@serves(_kruskals)
def maximum_spanning_tree(
    G: BackendGraph, weight: str = "weight", algorithm: str = "kruskal", ignore_nan: bool = False
) -> Any:
    """Return a networkx graph of the dearest edges that span it."""
    return _tree(G, -1, weight, ignore_nan)
