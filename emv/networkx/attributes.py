"""Functions of ``networkx.classes`` that read and write attributes of nodes and edges.

On a graph of emv they read and write its columns. A graph of the backend that networkx converted
gets rows of its own; the networkx graph that it was read from stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from emv.networkx.calls import looks_at, serves
from emv.networkx.graphs import BackendGraph
from emv.networkx.operators import graph_row

Row = dict[Any, Any]


def _own(G: BackendGraph) -> tuple[list[Row], list[Row]]:
    """Return rows of attributes that belong to this graph alone, of nodes and of edges."""
    nodes = [dict(row) for row in G.node_rows() or [{}] * len(G)]
    edges = [dict(row) for row in G.all_rows()]
    if G.is_multigraph():
        G.keys = G.edge_keys()
    G.graph, G.original = dict(graph_row(G)), None
    G.node_data, G.edge_data = nodes, edges
    G.values.clear()
    G.of_numpy.clear()
    return nodes, edges


def _set(row_of: Mapping[Any, Row], rows: Iterable[Row], values: Any, name: Any) -> None:
    """Write values by node or edge, those of others left out, or one value for all."""
    if name is not None and not hasattr(values, "items"):
        for row in rows:
            row[name] = values
        return
    for key, value in values.items():
        if key in row_of:
            row_of[key].update(value if name is None else {name: value})


def _column(columns: Any, place_of: Mapping[Any, int], count: int, values: Any, name: Any) -> None:
    """Write values into a column of a graph of emv.

    Raises
    ------
    NotImplementedError
        If it has no such column yet, and some rows get no value; or values are no numbers.
    """
    if name is None:
        raise NotImplementedError("a graph of emv takes the values of one column at a time")
    if hasattr(values, "items"):
        known = {place_of[key]: value for key, value in values.items() if key in place_of}
    else:
        known = dict.fromkeys(range(count), values)
    if name not in columns and len(known) < count:
        raise NotImplementedError(f"a new column {name!r} needs a value for every row")
    given = np.array(list(known.values()))
    if given.dtype.kind not in "biuf":
        raise NotImplementedError("a column of a graph of emv holds numbers")
    column = np.empty(count, given.dtype) if len(known) == count else np.array(columns[name])
    column[list(known)] = given
    columns[name] = column


def _named_edges(G: BackendGraph) -> dict[Any, int]:
    """Return the place of every edge by its ends, in a multigraph with its key."""
    place_of = {edge: place for place, edge in enumerate(G.edges)}
    if not G.is_directed():
        for (u, v, *key), place in list(place_of.items()):
            place_of.setdefault((v, u, *key), place)
    return place_of


@serves()
def set_node_attributes(G: BackendGraph, values: Any, name: Any = None) -> None:
    """Write attributes of nodes: one value for all, by node, or several by node."""
    if G.is_emvs:
        _column(G.structure.arrays.vertices, G.id_of, len(G), values, name)
        return
    nodes, _ = _own(G)
    _set(dict(zip(G, nodes, strict=True)), nodes, values, name)


@serves()
def set_edge_attributes(G: BackendGraph, values: Any, name: Any = None) -> None:
    """Write attributes of edges: one value for all, by edge, or several by edge."""
    place_of = _named_edges(G) if hasattr(values, "items") or name is None else {}
    if G.is_emvs:
        edges = G.structure.arrays.edges
        _column(edges, place_of, len(edges), values, name)
        return
    _, rows = _own(G)
    _set({edge: rows[place] for edge, place in place_of.items()}, rows, values, name)


def _said(keys: Iterable[Any], rows: Iterable[Row] | None, name: Any, default: Any) -> Row:
    """Return what is said under a name by key; where nothing is, the default if there is one."""
    if rows is None:
        return {} if default is None else dict.fromkeys(keys, default)
    if default is not None:
        return {key: row.get(name, default) for key, row in zip(keys, rows, strict=True)}
    return {key: row[name] for key, row in zip(keys, rows, strict=True) if name in row}


@serves()
def get_node_attributes(G: BackendGraph, name: Any, default: Any = None) -> Row:
    """Return what nodes say under a name."""
    return _said(G, G.node_rows(), name, default)


@serves()
def get_edge_attributes(G: BackendGraph, name: Any, default: Any = None) -> Row:
    """Return what edges say under a name."""
    return _said(G.edges, G.all_rows(), name, default)


@looks_at("edge")
def _no_edge(arguments: dict[str, Any]) -> str | None:
    return None if arguments["edge"] is None else "one edge is looked up sooner in networkx"


@serves(_no_edge)
def is_weighted(G: BackendGraph, edge: Any = None, weight: Any = "weight") -> bool:
    """Return whether there are edges, and all say something under a name."""
    rows = G.all_rows()
    return bool(rows) and all(weight in row for row in rows)


@serves()
def is_empty(G: BackendGraph) -> bool:
    """Return whether there are no edges."""
    return not len(G.arrays.edges)
