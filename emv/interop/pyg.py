"""PyG's ``edge_index`` and ``Data``: an array of two rows, the sources and the targets of arcs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emv.errors import GraphError
from emv.graph import Graph
from emv.graph.convert import check_symmetric
from emv.graph.on_device import on_host
from emv.graph.tables import Tables
from emv.imports import required
from emv.interop.columns import checked_count, columns_of, graph_of, say_lost
from emv.interop.dgl import of_arcs

_WEIGHTS = ("edge_weight", "edge_attr")


def from_edge_index(
    edge_index: ArrayLike,
    num_vertices: int | None = None,
    *,
    directed: bool = True,
    **edge_columns: ArrayLike,
) -> Graph:
    """Make a graph of an array of two rows.

    Parameters
    ----------
    edge_index : array_like
        ``int[2, num_arcs]`` of torch, numpy or what else hands on its memory.
    num_vertices : int, optional
        Vertices, also those without arcs; by default the largest id plus one.
    directed : bool
        If False, every arc must have one back with equal columns; the two are one edge.
    **edge_columns
        ``any[num_arcs]`` each.

    Raises
    ------
    GraphError
        If the array has not two rows, or (undirected) an arc has none back.

    Examples
    --------
    >>> from_edge_index([[0, 1, 1, 2], [1, 0, 2, 1]], directed=False)
    Graph(3 vertices, 2 edges, undirected)
    """
    ends = on_host(edge_index)
    if ends.ndim != 2 or len(ends) != 2:
        raise GraphError(f"an edge_index has two rows, but this one has the shape {ends.shape}")
    ends = ends.astype(np.int64) if not ends.size else ends
    if num_vertices is None:
        num_vertices = int(ends.max()) + 1 if ends.size else 0
    src, dst = (np.ascontiguousarray(each) for each in ends)
    columns, absent = columns_of(edge_columns, "edges", len(src))
    if not directed:
        for values in columns.values() if columns else [np.ones(len(src))]:
            check_symmetric(src, dst, values)
        upper = src <= dst
        src, dst = src[upper], dst[upper]
        columns = {name: values[upper] for name, values in columns.items()}
    return graph_of(
        Tables(num_vertices, src, dst, directed, None, {}, columns, absent_edge_columns=absent)
    )


def from_pyg(data: Any, *, directed: bool = True) -> Graph:
    """Make a graph of a ``Data`` of PyG.

    ``edge_weight``, or ``edge_attr`` of one number each, becomes the edge column ``weight``. What
    else has one number per arc or per node becomes a column, such as ``y`` and ``train_mask``.

    Parameters
    ----------
    data : torch_geometric.data.Data
        The graph.
    directed : bool
        If False, every arc must have one back; the two are one edge.

    Raises
    ------
    GraphError
        If it has no ``edge_index``, or (undirected) an arc has none back.
    """
    fields = dict(data.to_dict())
    index = fields.pop("edge_index", None)
    if index is None:
        raise GraphError("the data have no edge_index", remedy="give one kind of nodes and edges")
    fields.pop("num_nodes", None)
    ends = on_host(index)
    count = checked_count(int(data.num_nodes), *ends)
    of_vertices: dict[str, Any] = {}
    of_edges: dict[str, Any] = {}
    for name, values in fields.items():
        is_of_edges = name.startswith("edge_") or np.shape(values)[:1] == (ends.shape[1],) != (
            count,
        )
        (of_edges if is_of_edges else of_vertices)[name] = values
    for name in _WEIGHTS:
        if (
            name in of_edges
            and "weight" not in of_edges
            and np.shape(of_edges[name])[1:] in ((), (1,))
        ):
            of_edges["weight"] = of_edges.pop(name)
    graph = from_edge_index(ends, count, directed=directed, **of_edges)
    columns, absent = columns_of(of_vertices, "vertices", count)
    tables = graph.tables()
    return graph_of(
        Tables(
            count,
            tables.src,
            tables.dst,
            directed,
            None,
            columns,
            tables.edge_columns,
            absent,
        )
    )


def edge_index(graph: Graph) -> NDArray[np.int64]:
    """Return the arcs as PyG has them, ``int64[2, num_arcs]``; torch takes the array as it is.

    Examples
    --------
    >>> edge_index(Graph.from_edges([0, 1], [1, 2], directed=False))
    array([[0, 1, 1, 2],
           [1, 2, 0, 1]])
    """
    return np.stack([np.asarray(each, np.int64) for each in graph.arcs()])


def to_pyg(graph: Graph) -> Any:
    """Return a ``Data`` of PyG; the column ``weight`` is its ``edge_weight``.

    Raises
    ------
    ArgumentError
        If torch or torch_geometric is not installed.
    """
    torch, pyg = required("torch"), required("torch_geometric.data")
    say_lost(graph, "PyG", labels=True)
    columns = {name: np.array(graph.vertices.stored(name)) for name in graph.vertices}
    for name in graph.edges:
        columns["edge_weight" if name == "weight" else name] = of_arcs(graph, name)
    fields = {name: torch.from_numpy(values) for name, values in columns.items()}
    return pyg.Data(
        edge_index=torch.from_numpy(edge_index(graph)), num_nodes=graph.num_vertices, **fields
    )
