"""Functions of ``networkx.convert_matrix``: adjacency as matrices."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from emv.networkx.calls import no_multigraph, only, serves
from emv.networkx.graphs import BackendGraph


def _places(G: BackendGraph, nodelist: Any) -> NDArray[np.int64] | None:
    """Return the row of every vertex, -1 for those left out; None if rows are as vertices.

    Raises
    ------
    networkx.NetworkXError
        If a node is none of the graph, or is there twice.
    """
    if nodelist is None:
        return None
    for node in nodelist:
        if node not in G:
            raise nx.NetworkXError(f"Node {node} in nodelist is not in G")
    ids = np.array([G.id_of[node] for node in nodelist], np.int64)
    place = np.full(len(G), -1)
    place[ids] = np.arange(len(ids))
    if np.count_nonzero(place >= 0) < len(ids):
        raise nx.NetworkXError("nodelist contains duplicates.")
    return place


def _entries(
    G: BackendGraph, place: NDArray[np.int64] | None, weight: Any
) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]:
    """Return value, row and column of every edge."""
    src, dst = (np.asarray(each, np.int64) for each in G.arrays.edges.endpoints())
    values = np.array(np.broadcast_to(G.column(weight), len(src)))
    if weight in G.of_numpy:
        raise NotImplementedError(f"{weight!r} has bools, or numbers of NumPy's, whose width shows")
    if place is None:
        return values, src, dst
    src, dst = place[src], place[dst]
    is_in = (src >= 0) & (dst >= 0)
    return values[is_in], src[is_in], dst[is_in]


@serves()
def to_scipy_sparse_array(
    G: BackendGraph,
    nodelist: Any = None,
    dtype: Any = None,
    weight: Any = "weight",
    format: str = "csr",
) -> Any:
    """Return the adjacency as SciPy's sparse array."""
    from scipy.sparse import coo_array

    if not len(G):
        raise nx.NetworkXError("Graph has no nodes or edges")
    if nodelist is not None and not len(nodelist):
        raise nx.NetworkXError("nodelist has no nodes")
    count = len(G) if nodelist is None else len(nodelist)
    values, src, dst = _entries(G, _places(G, nodelist), weight)
    if not G.is_directed():
        loop = src == dst  # listed both ways, and taken off once, as networkx has it
        values = np.concatenate([values, values, -values[loop]])
        src, dst = np.concatenate([src, dst, src[loop]]), np.concatenate([dst, src, src[loop]])
    if not len(values):
        values = np.empty(0)  # as SciPy has it for no values
    try:
        return coo_array((values, (src, dst)), shape=(count, count), dtype=dtype).asformat(format)
    except ValueError as error:
        raise nx.NetworkXError(f"Unknown sparse matrix format: {format}") from error


@serves()
def adjacency_matrix(
    G: BackendGraph,
    nodelist: Any = None,
    dtype: Any = None,
    weight: Any = "weight",
    *,
    format: str = "csr",
) -> Any:
    """Return `to_scipy_sparse_array`."""
    return to_scipy_sparse_array(G, nodelist, dtype, weight, format)


def _plain(arguments: dict[str, Any]) -> str | None:
    names = getattr(np.dtype(arguments["dtype"]), "names", None)
    return "a dtype of several attributes" if names else None


@serves(no_multigraph, _plain)
def to_numpy_array(
    G: BackendGraph,
    nodelist: Any = None,
    dtype: Any = None,
    order: Any = None,
    multigraph_weight: Any = sum,
    weight: Any = "weight",
    nonedge: Any = 0.0,
) -> NDArray[Any]:
    """Return the adjacency as an array."""
    listed = list(G) if nodelist is None else list(nodelist)
    strange = set(listed) - set(G)
    if strange:
        raise nx.NetworkXError(f"Nodes {strange} in nodelist is not in G")
    place = _places(G, nodelist)
    found = np.full((len(listed), len(listed)), nonedge, dtype=dtype, order=order)
    values, src, dst = _entries(G, place, weight)
    found[src, dst] = values
    if not G.is_directed():
        found[dst, src] = values
    return found


@serves(only("nodelist", None, why="networkx looks for every neighbour in it"))
def to_dict_of_lists(G: BackendGraph, nodelist: Any = None) -> dict[Any, list[Any]]:
    """Return the neighbours of every node."""
    rows, nodes = G.ordered(), G.nodes
    named = [[nodes[v] for v in row] for row in rows.lists]
    return dict(zip(nodes, named, strict=True))
