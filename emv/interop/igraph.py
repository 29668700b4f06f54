"""Graphs of igraph: attributes ``name`` are labels, numbers are columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from emv.graph import Graph
from emv.graph.tables import Tables
from emv.imports import required
from emv.interop.columns import columns_of, distinct, graph_of, texts_or_numbers


def from_igraph(G: Any) -> Graph:
    """Make a graph of one of igraph.

    Vertices and edges keep their order. The vertex attribute ``name`` becomes `labels`, unless two
    vertices have the same; attributes of numbers become columns, others are left out.

    Parameters
    ----------
    G : igraph.Graph
        The graph.

    Examples
    --------
    >>> import igraph  # doctest: +SKIP
    >>> from_igraph(igraph.Graph.Famous("Zachary"))  # doctest: +SKIP
    Graph(34 vertices, 78 edges, undirected)
    """
    ends = np.array(G.get_edgelist(), np.int64).reshape(-1, 2)
    vertices = {name: G.vs[name] for name in G.vs.attributes()}
    labels = distinct(list(vertices.pop("name"))) if "name" in vertices else None
    edges = {name: G.es[name] for name in G.es.attributes()}
    vertex_columns, no_vertex_columns = columns_of(vertices, "vertices", G.vcount())
    edge_columns, no_edge_columns = columns_of(edges, "edges", len(ends))
    return graph_of(
        Tables(
            G.vcount(),
            ends[:, 0].copy(),
            ends[:, 1].copy(),
            G.is_directed(),
            labels,
            vertex_columns,
            edge_columns,
            no_vertex_columns,
            no_edge_columns,
        )
    )


def to_igraph(graph: Graph) -> Any:
    """Return a graph of igraph, with labels as the attribute ``name`` and columns as others.

    Raises
    ------
    ArgumentError
        If igraph is not installed.
    """
    igraph = required("igraph")
    tables = graph.tables()
    ends = np.stack([tables.src, tables.dst], axis=1)
    made = igraph.Graph(n=tables.num_vertices, edges=ends, directed=tables.directed)
    labels = texts_or_numbers(graph, "igraph")
    if labels is not None:
        made.vs["name"] = labels
    for name, values in tables.vertex_columns.items():
        made.vs[name] = values.tolist()
    for name, values in tables.edge_columns.items():
        made.es[name] = values.tolist()
    return made
