"""Graphs of DGL with one kind of nodes and of edges: tensors of one number a row are columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import GraphError
from emv.graph import Graph
from emv.graph.on_device import on_host
from emv.graph.tables import Tables
from emv.imports import required
from emv.interop.columns import columns_of, graph_of, say_lost


def from_dgl(G: Any) -> Graph:
    """Make a directed graph of one of DGL; its edges are arcs, in the order of their ids.

    Parameters
    ----------
    G : dgl.DGLGraph
        The graph, homogeneous.

    Raises
    ------
    GraphError
        If it has several kinds of nodes or edges.

    Examples
    --------
    >>> import dgl  # doctest: +SKIP
    >>> from_dgl(dgl.graph(([0, 1], [1, 2])))  # doctest: +SKIP
    Graph(3 vertices, 2 edges, directed)
    """
    if not G.is_homogeneous:
        raise GraphError(
            "the graph of DGL has several kinds of nodes or edges",
            remedy="dgl.to_homogeneous(G, ndata=..., edata=...) makes one of them",
        )
    src, dst = (on_host(each) for each in G.edges(order="eid"))
    vertex_columns, no_vertex_columns = columns_of(dict(G.ndata), "vertices", G.num_nodes())
    edge_columns, no_edge_columns = columns_of(dict(G.edata), "edges", len(src))
    return graph_of(
        Tables(
            G.num_nodes(),
            src,
            dst,
            True,
            None,
            vertex_columns,
            edge_columns,
            no_vertex_columns,
            no_edge_columns,
        )
    )


def to_dgl(graph: Graph) -> Any:
    """Return a graph of DGL: an edge for each arc, columns in ``ndata`` and ``edata``.

    Raises
    ------
    ArgumentError
        If dgl or torch is not installed.
    """
    dgl, torch = required("dgl"), required("torch")
    say_lost(graph, "DGL", labels=True)
    src, dst = (torch.from_numpy(each.astype(np.int64)) for each in graph.arcs())
    made = dgl.graph((src, dst), num_nodes=graph.num_vertices)
    for name in graph.vertices:
        made.ndata[name] = torch.from_numpy(np.array(graph.vertices.stored(name)))
    for name in graph.edges:
        made.edata[name] = torch.from_numpy(of_arcs(graph, name))
    return made


def of_arcs(graph: Graph, name: str) -> NDArray[Any]:
    """Return an edge column with a value for each arc, in the order of `Graph.arcs`."""
    dtype = graph.edges.stored(name).dtype
    return np.array(graph.layouts.edge_column(name, dtype, "arc"))
