"""A graph as Python code that makes it again, to be pasted from a failing test."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emv.graph import Graph
from emv.graph.on_device import on_host

PARAMETERS = {"num_vertices", "directed", "labels", "renumber"}
"""What `Graph.from_edges` takes by name, so that no column is given to it by these."""


def code_of(graph: Graph) -> str:
    """Return an expression that makes a graph again: its ends, columns and labels.

    It is written in terms of `Graph`, `with_columns` of this package where columns of edges
    alone do not make it, and ``np`` where a column's type is not that of a list.

    Examples
    --------
    >>> g = Graph.from_edges([0, 1], [1, 1], num_vertices=3, directed=False, weight=[0.5, 2])
    >>> code_of(g)
    'Graph.from_edges([0, 1], [1, 1], num_vertices=3, directed=False, weight=[0.5, 2.0])'
    """
    src, dst = (np.asarray(each).tolist() for each in graph.edges.endpoints())
    parts = [str(src), str(dst)]
    if graph.labels is not None:
        parts.append(f"labels={list_of(graph.labels)}")
    elif graph.num_vertices != max([*src, *dst], default=-1) + 1:
        parts.append(f"num_vertices={graph.num_vertices}")
    if not graph.directed:
        parts.append("directed=False")
    edges, vertices = columns_of(graph.edges), columns_of(graph.vertices)
    plain = edges.keys() - PARAMETERS
    parts += [f"{name}={list_of(edges[name])}" for name in edges if name in plain]
    text = f"Graph.from_edges({', '.join(parts)})"
    others = {name: values for name, values in edges.items() if name not in plain}
    given = [f"vertices={dict_of(vertices)}"] if vertices else []
    given += [f"edges={dict_of(others)}"] if others else []
    return f"with_columns({', '.join([text, *given])})" if given else text


def with_columns(
    graph: Graph,
    vertices: Mapping[str, ArrayLike] | None = None,
    edges: Mapping[str, ArrayLike] | None = None,
) -> Graph:
    """Return a graph after giving it columns, so that one expression makes it.

    Examples
    --------
    >>> with_columns(Graph.from_edges([0], [1]), vertices={"height": [5, 7]}).vertices.height
    array([5, 7])
    """
    for store, columns in ((graph.vertices, vertices), (graph.edges, edges)):
        for name, values in (columns or {}).items():
            store[name] = values
    return graph


def columns_of(columns: Any) -> dict[str, NDArray[Any]]:
    """Return the columns of vertices or edges by name, on the host."""
    return {name: on_host(columns.stored(name)) for name in columns.names()}


def dict_of(columns: Mapping[str, NDArray[Any]]) -> str:
    """Return columns as a dictionary of lists."""
    return "{" + ", ".join(f"{name!r}: {list_of(columns[name])}" for name in columns) + "}"


def list_of(values: NDArray[Any]) -> str:
    """Return an array as a list, or as an array where a list would get another type.

    Examples
    --------
    >>> list_of(np.array([1, 2])), list_of(np.array([1.0, np.inf], np.float32))
    ('[1, 2]', "np.array([1.0, np.inf], 'f4')")
    """
    text = number_text(values.tolist())
    if len(values) and np.asarray(values.tolist()).dtype == values.dtype:
        return text
    return f"np.array({text}, {values.dtype.str.lstrip('<|=')!r})"


def number_text(value: Any) -> str:
    """Return a number, or a list of them in a list of any depth, as Python writes it."""
    if isinstance(value, list):
        return f"[{', '.join(map(number_text, value))}]"
    if isinstance(value, float) and not math.isfinite(value):
        return f"np.{value}" if value != -math.inf else "-np.inf"
    return repr(value)
