"""Graphs of graph-tool: property maps of numbers are columns, ``name`` or ``label`` are labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.dtypes import short_name
from emv.graph import Graph
from emv.graph.tables import Tables
from emv.imports import required
from emv.interop.columns import columns_of, distinct, graph_of, say_lost, texts_or_numbers

_NAMES = ("name", "label")
_VALUE_TYPES = {
    "bool": "bool",
    "i16": "int16_t",
    "i32": "int32_t",
    "i64": "int64_t",
    "f64": "double",
}


def from_graph_tool(G: Any) -> Graph:
    """Make a graph of one of graph-tool, with its internal property maps.

    Edges come in the order of their indices. Of a filtered graph what is shown is taken, and the
    indices of its vertices become `labels`.

    Parameters
    ----------
    G : graph_tool.Graph
        The graph.

    Examples
    --------
    >>> import graph_tool.collection  # doctest: +SKIP
    >>> from_graph_tool(graph_tool.collection.data["karate"]).num_edges  # doctest: +SKIP
    78
    """
    vertices = np.asarray(G.get_vertices(), np.int64)
    rows = np.asarray(G.get_edges([G.edge_index]), np.int64).reshape(-1, 3)
    rows = rows[np.argsort(rows[:, 2], kind="stable")]
    src, dst, index = (rows[:, column].copy() for column in range(3))
    labels = None
    if not np.array_equal(vertices, np.arange(len(vertices))):
        labels = vertices
        place = np.zeros(int(vertices.max()) + 1, np.int64)
        place[vertices] = np.arange(len(vertices))
        src, dst = place[src], place[dst]
    of_vertices = {name: _values(each, vertices) for name, each in G.vp.items()}
    of_edges = {name: _values(each, index) for name, each in G.ep.items()}
    for name in _NAMES:
        if labels is None and name in of_vertices and G.vp[name].value_type() == "string":
            labels = distinct([G.vp[name][vertex] for vertex in vertices.tolist()])
            del of_vertices[name]
    vertex_columns, no_vertex_columns = columns_of(of_vertices, "vertices", len(vertices))
    edge_columns, no_edge_columns = columns_of(of_edges, "edges", len(rows))
    return graph_of(
        Tables(
            len(vertices),
            src,
            dst,
            G.is_directed(),
            labels,
            vertex_columns,
            edge_columns,
            no_vertex_columns,
            no_edge_columns,
        )
    )


def _values(properties: Any, index: NDArray[Any]) -> Any:
    """Return a property map of numbers as an array; of other types None."""
    if properties.a is None:
        return None
    values = np.asarray(properties.a)[index]
    return values.astype(np.bool_) if properties.value_type() == "bool" else values


def to_graph_tool(graph: Graph) -> Any:
    """Return a graph of graph-tool, with labels as the property ``name`` and columns as others.

    Raises
    ------
    ArgumentError
        If graph-tool is not installed.
    """
    graph_tool = required("graph_tool")
    tables = graph.tables()
    made = graph_tool.Graph(directed=tables.directed)
    made.add_vertex(tables.num_vertices)
    made.add_edge_list(np.stack([tables.src, tables.dst], axis=1))
    labels = texts_or_numbers(graph, "graph-tool")
    if labels is not None:
        kind = "string" if labels and isinstance(labels[0], str) else "int64_t"
        made.vp["name"] = made.new_vp(kind, vals=labels)
    lost = []
    for columns, new, maps in (
        (tables.vertex_columns, made.new_vp, made.vp),
        (tables.edge_columns, made.new_ep, made.ep),
    ):
        for name, values in columns.items():
            held = _as_held(values)
            if held is None:
                lost.append(name)
            else:
                maps[name] = new(_VALUE_TYPES[short_name(held.dtype)], vals=held)
    say_lost(graph, "graph-tool", labels=False, columns=lost)
    return made


def _as_held(values: NDArray[Any]) -> NDArray[Any] | None:
    """Return values in a type that graph-tool has and that holds all of them; None without one."""
    if short_name(values.dtype) in _VALUE_TYPES:
        return values
    wider = np.float64 if values.dtype.kind == "f" else np.int64
    if values.dtype == np.uint64 and values.size and int(values.max()) >= 2**63:
        return None
    return values.astype(wider)
