"""Functions of networkx that return a changed graph.

networkx changes its own graphs sooner than they are converted, so that those are left to it if emv
is not asked by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import ArrayLike

import emv
from emv.networkx.calls import makes, no_multigraph, only, serves
from emv.networkx.graphs import BackendGraph
from emv.networkx.operators import (
    Edges,
    changed,
    demand_kind,
    edges_of,
    graph_row,
    made_of,
    renamed,
)
from emv.networkx.rows import matrix_of
from emv.networkx.structure import Structure

_copied = only("copy", True, why="a graph of the backend is not changed in place")


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


@serves(_copied)
def reverse(G: BackendGraph, copy: bool = True) -> Any:
    """Return the graph whose edges lead the other way."""
    if not G.is_directed():
        raise nx.NetworkXError("Cannot reverse an undirected graph.")
    if G.is_emvs:
        return _with(G, turned=True, labels=G.structure.arrays.labels)
    demand_kind(G)
    edges = edges_of(G)
    turned = Edges(edges.dst, edges.src, edges.keys, True)
    rows = deepcopy((G.node_rows(), G.all_rows(), graph_row(G)))
    return made_of(G.nodes, turned, *rows)


@serves()
def relabel_nodes(G: BackendGraph, mapping: Any, copy: bool = True) -> Any:
    """Return the graph with other names.

    Raises
    ------
    NotImplementedError
        If two nodes get one name, which networkx takes for one node.
    """
    if not hasattr(mapping, "__getitem__"):
        names = [mapping(node) for node in G]
    elif isinstance(mapping, Mapping):
        names = [mapping.get(node, node) for node in G]
    else:
        raise NotImplementedError("a mapping that is neither a function nor a mapping")
    if not copy:
        return changed(G, _moved(G, names), copy)
    return _renamed(G, names)


def _moved(G: BackendGraph, names: list[Any]) -> BackendGraph:
    """Return the graph in which those with other names are last, as networkx renames in place.

    Raises
    ------
    NotImplementedError
        If a new name is that of another node.
    """
    is_same = np.array([old == new for old, new in zip(G, names, strict=True)], bool)
    if any(name in G for name, same in zip(names, is_same.tolist(), strict=True) if not same):
        raise NotImplementedError("copy=False, and a new name is that of another node")
    order = np.argsort(~is_same, kind="stable")
    place = np.empty(len(G), np.int64)
    place[order] = np.arange(len(G))
    edges, rows = edges_of(G), G.node_rows()
    src, dst = place[edges.src], place[edges.dst]
    if not edges.directed:
        src, dst = np.minimum(src, dst), np.maximum(src, dst)
    return renamed(
        made_of(
            order.tolist(),
            Edges(src, dst, edges.keys, edges.directed),
            None if rows is None else [rows[vertex] for vertex in order.tolist()],
            G.all_rows(),
            graph_row(G),
        ),
        [names[vertex] for vertex in order.tolist()],
    )


def _renamed(G: BackendGraph, names: list[Any]) -> Any:
    if not G.is_emvs:
        demand_kind(G)
        return renamed(G, names)
    if len(set(names)) < len(names):
        raise NotImplementedError("two nodes get one name")
    return _with(G, labels=np.fromiter(names, dtype=object, count=len(names)))


def _ordered(G: BackendGraph, ordering: str) -> list[int]:
    """Return the vertices in one of networkx' orders of nodes."""
    nodes = G.nodes
    if ordering == "sorted":
        return sorted(range(len(G)), key=nodes.__getitem__)
    src, dst = G.arrays.edges.endpoints()
    degree = (np.bincount(src, minlength=len(G)) + np.bincount(dst, minlength=len(G))).tolist()
    if ordering not in ("increasing degree", "decreasing degree"):
        raise nx.NetworkXError(f"Unknown node ordering: {ordering}")
    is_turned = ordering == "decreasing degree"
    return sorted(range(len(G)), key=lambda v: (degree[v], nodes[v]), reverse=is_turned)


def _label_of_emvs(arguments: dict[str, Any]) -> str | None:
    if arguments["label_attribute"] is None or isinstance(arguments["G"], nx.Graph | BackendGraph):
        return None
    return "a column of a graph of emv holds numbers, so no label_attribute="


@serves(_label_of_emvs)
def convert_node_labels_to_integers(
    G: BackendGraph, first_label: int = 0, ordering: str = "default", label_attribute: Any = None
) -> Any:
    """Return the graph whose nodes are called after their places."""
    if G.is_emvs and ordering == "default" and first_label == 0:
        return _with(G)
    order = range(len(G)) if ordering == "default" else _ordered(G, ordering)
    names = np.empty(len(G), np.int64)
    names[list(order)] = np.arange(first_label, first_label + len(G))
    made = _renamed(G, names.tolist())
    if label_attribute is not None:
        rows = made.node_data or [{} for _ in G]
        made.node_data = [row | {label_attribute: node} for row, node in zip(rows, G, strict=True)]
    return made


@serves(no_multigraph)
def complement(G: BackendGraph) -> BackendGraph:
    """Return the graph of all pairs that are no edges."""
    demand_kind(G)
    rows = G.ordered()
    is_edge = matrix_of(rows.starts, rows.ahead).toarray() > 0
    is_edge |= np.eye(len(G), dtype=bool)
    pairs = np.argwhere(~(is_edge if G.is_directed() else is_edge | np.tri(len(G), dtype=bool)))
    return made_of(G.nodes, Edges(pairs[:, 0], pairs[:, 1], None, G.is_directed()))


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
