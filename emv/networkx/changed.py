"""Functions of networkx that return a changed graph, for graphs that are emv's already.

networkx changes its own graphs sooner than they are converted, so that those are left to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import ArrayLike

import emv
from emv.networkx.calls import makes, only, serves
from emv.networkx.graphs import BackendGraph, Structure
from emv.networkx.rows import matrix_of


def _of_networkx(arguments: dict[str, Any]) -> str | None:
    if isinstance(arguments["G"], nx.Graph):
        return "networkx changes its own graph sooner than it is converted"
    return None


_copied = only("copy", True, why="a graph of emv is not changed in place")


def _with(G: BackendGraph, *, turned: bool = False, labels: ArrayLike | None = None) -> Any:
    """Return the graph of emv with the same columns, turned round or with other names."""
    arrays = G.structure.arrays
    src, dst = arrays.edges.endpoints()
    made = emv.Graph.from_edges(
        *((dst, src) if turned else (src, dst)),
        num_vertices=len(G),
        directed=arrays.directed,
        labels=labels,
    )
    for name in arrays.edges.names():
        made.edges[name] = arrays.edges[name]
    for name in arrays.vertices.names():
        made.vertices[name] = arrays.vertices[name]
    return made


@serves(_of_networkx, _copied)
def reverse(G: BackendGraph, copy: bool = True) -> Any:
    """Return the graph of emv whose edges lead the other way."""
    if not G.is_directed():
        raise nx.NetworkXError("Cannot reverse an undirected graph.")
    return _with(G, turned=True, labels=G.structure.arrays.labels)


@serves(_of_networkx, _copied)
def relabel_nodes(G: BackendGraph, mapping: Any, copy: bool = True) -> Any:
    """Return the graph of emv with other names.

    Raises
    ------
    NotImplementedError
        If two nodes get one name, which networkx takes for one node.
    """
    new_name = mapping if callable(mapping) else lambda node: mapping.get(node, node)
    if not callable(mapping) and not isinstance(mapping, Mapping):
        raise NotImplementedError("a mapping that is neither a function nor a mapping")
    names = [new_name(node) for node in G]
    if len(set(names)) < len(names):
        raise NotImplementedError("two nodes get one name")
    return _with(G, labels=np.fromiter(names, dtype=object, count=len(names)))


@serves(
    _of_networkx,
    only("ordering", "default", why="a graph of emv keeps the order of its vertices"),
    only("label_attribute", None, why="a column holds numbers"),
)
def convert_node_labels_to_integers(
    G: BackendGraph, first_label: int = 0, ordering: str = "default", label_attribute: Any = None
) -> Any:
    """Return the graph of emv whose nodes are called after their places."""
    if first_label == 0:
        return _with(G)
    return _with(G, labels=np.arange(first_label, first_label + len(G)))


def _many(arguments: dict[str, Any]) -> str | None:
    return "G is a multigraph" if arguments["G"].is_multigraph() else None


@serves(_of_networkx, _many)
def complement(G: BackendGraph) -> BackendGraph:
    """Return the graph of all pairs that are no edges."""
    rows = G.ordered()
    is_edge = matrix_of(rows.starts, rows.ahead).toarray() > 0
    is_edge |= np.eye(len(G), dtype=bool)
    pairs = np.argwhere(~(is_edge if G.is_directed() else is_edge | np.tri(len(G), dtype=bool)))
    arrays = emv.Graph.from_edges(*pairs.T, num_vertices=len(G), directed=G.is_directed())
    return BackendGraph(Structure(arrays, G.nodes, False))


def _plain(arguments: dict[str, Any]) -> str | None:
    if arguments["create_using"] not in (None, nx.Graph, nx.DiGraph):
        return "create_using= is a multigraph, a graph, or a class of its own"
    if getattr(arguments["A"], "format", None) not in ("csr", "csc", "coo"):
        return "A is no sparse matrix of a kind whose entries are in a list"
    return None


@makes(_plain)
def from_scipy_sparse_array(
    A: Any, parallel_edges: bool = False, create_using: Any = None, edge_attribute: str = "weight"
) -> BackendGraph:
    """Return a graph of a matrix, which must be symmetric for one without direction.

    Raises
    ------
    NotImplementedError
        If entries stand for one place twice or are no numbers, or the matrix is not symmetric.
    """
    if A.shape[0] != A.shape[1]:
        raise nx.NetworkXError(f"Adjacency matrix not square: nx,ny={A.shape}")
    entries = A.tocoo()
    places = entries.row.astype(np.int64) * A.shape[0] + entries.col
    if len(np.unique(places)) < len(places) or entries.dtype.kind not in "biuf":
        raise NotImplementedError("entries for one place, or no numbers")
    try:
        arrays = emv.Graph.from_scipy(entries, create_using is nx.DiGraph, edge_attribute)
    except emv.EmvError as error:
        raise NotImplementedError(str(error)) from None
    return BackendGraph(Structure(arrays, range(A.shape[0]), False), is_emvs=True)
