"""Functions of ``networkx.algorithms.bipartite`` that score nodes, or make graphs of two sides.

Borgatti, Halgin: Analyzing affiliation networks, 2011.
"""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from emv.networkx.betweenness import betweenness_centrality
from emv.networkx.calls import makes, no_multigraph, serves
from emv.networkx.graphs import BackendGraph
from emv.networkx.operators import Edges, made_of
from emv.networkx.sparse import degrees


def _sides(G: BackendGraph, nodes: Any) -> tuple[set[Any], set[Any]]:
    top = set(nodes)
    if not all(node in G for node in top):
        raise NotImplementedError("nodes that are none of the graph")
    return top, set(G) - top


@serves()
def bipartite_degree_centrality(G: BackendGraph, nodes: Any) -> dict[Any, float]:
    """Return degrees by the number of nodes on the other side."""
    sides = _sides(G, nodes)
    degree, found = degrees(G), {}
    shares = [1.0 / len(side) for side in reversed(sides)]
    for side, share in zip(sides, shares, strict=True):
        found.update({node: int(degree[G.id_of[node]]) * share for node in side})
    return found


def _most(one: int, other: int) -> float:
    """Return the most pairs that a node of a side of so many can be between."""
    s, t = divmod(one - 1, other)
    whole = other**2 * (s + 1) ** 2 + other * (s + 1) * (2 * t - s - 1) - t * (2 * s - t + 3)
    return whole / 2.0


@serves(no_multigraph)
def bipartite_betweenness_centrality(G: BackendGraph, nodes: Any) -> dict[Any, float]:
    """Return betweenness by the most that a node of its side can have."""
    sides = _sides(G, nodes)
    scores: dict[Any, float] = betweenness_centrality(G, normalized=False)
    for side, other in (sides, sides[::-1]):
        most = _most(len(side), len(other))
        for node in side:
            scores[node] /= most
    return scores


def _simple(arguments: dict[str, Any]) -> str | None:
    if arguments["create_using"] in (None, nx.Graph, nx.DiGraph):
        return None
    return "create_using= is a multigraph, a graph, or a class of its own"


def _sparse(arguments: dict[str, Any]) -> str | None:
    if (arguments["row_order"] is None) != (arguments["column_order"] is None):
        return "names for one side alone, whose nodes networkx moves behind the others"
    if getattr(arguments["A"], "format", None) not in ("csr", "csc", "coo"):
        return "A is no sparse matrix of a kind whose entries are in a list"
    return None


@makes(_simple, _sparse)
def from_biadjacency_matrix(
    A: Any,
    create_using: Any = None,
    edge_attribute: str = "weight",
    *,
    row_order: Any = None,
    column_order: Any = None,
) -> BackendGraph:
    """Return the graph of two sides whose entries are the edges from rows to columns.

    Raises
    ------
    NotImplementedError
        If entries stand for one place twice, or names are there twice.
    """
    rows, columns = A.shape
    for name, order, count in (("row", row_order, rows), ("column", column_order, columns)):
        if order is not None and len(order) != count:
            text = f"Length of {name}_order does not match number of {name}s in A "
            raise ValueError(text + ("({n})" if name == "row" else "({m})"))
    nodes = list(range(rows + columns)) if row_order is None else [*row_order, *column_order]
    entries = A.tocoo()
    src, dst = entries.row.astype(np.int64), entries.col.astype(np.int64) + rows
    places = src * (rows + columns) + dst
    if len(np.unique(places)) < len(places) or len(set(nodes)) < len(nodes):
        raise NotImplementedError("entries for one place, or names that are there twice")
    sides = [{"bipartite": 0} for _ in range(rows)] + [{"bipartite": 1} for _ in range(columns)]
    weights = [{edge_attribute: value} for value in entries.data.tolist()]
    return made_of(nodes, Edges(src, dst, None, create_using is nx.DiGraph), sides, weights)


@makes(_simple)
def from_dict_of_lists(d: Any, create_using: Any = None) -> BackendGraph:
    """Return the graph of the neighbours of every node."""
    id_of: dict[Any, int] = {node: vertex for vertex, node in enumerate(d)}
    pairs = [
        (id_of[node], id_of.setdefault(other, len(id_of)))
        for node, row in d.items()
        for other in row
    ]
    edges = np.array(pairs, np.int64).reshape(-1, 2)
    directed = create_using is nx.DiGraph
    ends = edges if directed else np.sort(edges, axis=1)
    first = np.sort(np.unique(ends @ [len(id_of), 1], return_index=True)[1])
    return made_of(list(id_of), Edges(edges[first, 0], edges[first, 1], None, directed))
