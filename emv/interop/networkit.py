"""Graphs of networkit, which have weights of 64 bits and no other columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from emv.graph import Graph
from emv.graph.tables import Tables
from emv.imports import required
from emv.interop.columns import graph_of, say_lost

WEIGHT = "weight"


def from_networkit(G: Any) -> Graph:
    """Make a graph of one of networkit.

    Nodes that were removed leave gaps; then the numbers of the others become `labels`. Weights
    become the column ``weight``, f64.

    Parameters
    ----------
    G : networkit.Graph
        The graph.

    Examples
    --------
    >>> import networkit as nk  # doctest: +SKIP
    >>> from_networkit(nk.graphio.METISGraphReader().read("jazz.graph"))  # doctest: +SKIP
    Graph(198 vertices, 2742 edges, undirected)
    """
    nodes = np.fromiter(G.iterNodes(), np.int64)
    columns = {}
    if G.isWeighted():
        rows = list(G.iterEdgesWeights())
        columns[WEIGHT] = np.array([row[2] for row in rows], np.float64)
    else:
        rows = list(G.iterEdges())
    src, dst = (np.array([row[end] for row in rows], np.int64) for end in (0, 1))
    labels = None
    if len(nodes) < G.upperNodeIdBound():
        labels = nodes
        place = np.zeros(G.upperNodeIdBound(), np.int64)
        place[nodes] = np.arange(len(nodes))
        src, dst = place[src], place[dst]
    return graph_of(Tables(len(nodes), src, dst, G.isDirected(), labels, {}, columns))


def to_networkit(graph: Graph, weight: str | None = WEIGHT) -> Any:
    """Return a graph of networkit.

    Parameters
    ----------
    weight : str or None
        The edge column that gives the weights; None for none. By default ``weight``, if there is
        such a column.

    Raises
    ------
    ColumnError
        If another column is named that is not there.
    ArgumentError
        If networkit is not installed.
    """
    networkit = required("networkit")
    tables = graph.tables()
    named = weight if weight != WEIGHT or WEIGHT in tables.edge_columns else None
    values = None if named is None else graph.edges.stored(named)
    others = [name for name in tables.edge_columns if name != named]
    say_lost(graph, "networkit", labels=True, columns=[*tables.vertex_columns, *others])
    ends = (tables.src.astype(np.uint64), tables.dst.astype(np.uint64))  # int32 crashes 11.2
    weights = np.ones(len(ends[0])) if values is None else values.astype(np.float64)
    return networkit.GraphFromCoo(
        (weights, ends),
        n=tables.num_vertices,
        weighted=values is not None,
        directed=tables.directed,
    )
