"""Attributes of another library's vertices and edges as columns, and what is said of the others."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.dtypes import SHORT_NAMES
from emv.errors import GraphError
from emv.graph import Graph
from emv.graph.columns import Columns, EdgeColumns, VertexColumns
from emv.graph.on_device import on_host
from emv.graph.tables import Tables

logger = logging.getLogger("emv.interop")


def columns_of(
    attributes: Mapping[str, Any], of: str, count: int
) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """Return the attributes that are one number per row, and why the others are no columns.

    Parameters
    ----------
    attributes : mapping of str to array_like
        By name.
    of : {"vertices", "edges"}
        What a row is.
    count : int
        How many rows there are.

    Examples
    --------
    >>> columns_of({"km": [1.5, 2], "name": ["a", "b"]}, "edges", 2)
    ({'km': array([1.5, 2. ])}, {'name': "the attribute 'name' of edges is no column of numbers"})
    """
    store: type[Columns] = EdgeColumns if of == "edges" else VertexColumns
    columns: dict[str, NDArray[Any]] = {}
    absent: dict[str, str] = {}
    for name, given in attributes.items():
        values = _array(given)
        if values is not None and values.shape == (count, 1):
            values = values[:, 0]
        if values is None or values.dtype.name not in SHORT_NAMES:
            absent[name] = f"the attribute '{name}' of {of} is no column of numbers"
        elif values.shape != (count,):
            shape = f"has the shape {values.shape}, and there are {count}"
            absent[name] = f"the attribute '{name}' of {of} {shape}"
        elif not store.can_be_named(name):
            absent[name] = f"the attribute '{name}' of {of} cannot be called so"
        else:
            columns[name] = values
    return columns, absent


def _array(given: Any) -> NDArray[Any] | None:
    try:
        return on_host(given)
    except (TypeError, ValueError):
        return None


def graph_of(tables: Tables) -> Graph:
    """Return the graph of some tables, having said what was left out."""
    for absent in (tables.absent_vertex_columns, tables.absent_edge_columns):
        for reason in absent.values():
            logger.warning("left out: %s", reason)
    return Graph.of_tables(tables)


def say_lost(graph: Graph, library: str, *, labels: bool, columns: Iterable[str] = ()) -> None:
    """Say what of a graph another library's has no place for.

    Parameters
    ----------
    library : str
        Its name.
    labels : bool
        Whether labels are lost.
    columns : iterable of str
        The columns that are lost.
    """
    lost = [*(["labels"] if labels and graph.labels is not None else []), *columns]
    if lost:
        logger.warning("left out of the graph of %s: %s", library, ", ".join(lost))


def texts_or_numbers(graph: Graph, library: str) -> list[Any] | None:
    """Return the labels if all are texts or all are whole numbers, else None, and say so."""
    if graph.labels is None:
        return None
    labels = graph.labels.tolist()
    for kind in (str, int):
        if all(isinstance(each, kind) for each in labels):
            return list(labels)
    say_lost(graph, library, labels=True)
    return None


def distinct(labels: list[Any]) -> NDArray[Any] | None:
    """Return labels as an array; None if they are 0, 1, 2, ... or two vertices have the same."""
    try:
        if len(set(labels)) < len(labels):
            logger.warning("left out: names of vertices, as two have the same")
            return None
    except TypeError:
        return None
    if labels == list(range(len(labels))):
        return None
    return np.fromiter(labels, dtype=object, count=len(labels))


def checked_count(count: int, src: NDArray[Any], dst: NDArray[Any]) -> int:
    """Return the number of vertices, having made sure that all ends are some of them.

    Raises
    ------
    GraphError
        If one is not.
    """
    largest = max((int(each.max()) for each in (src, dst) if each.size), default=-1)
    if largest >= count:
        raise GraphError(f"an edge leads to vertex {largest}, but there are {count}")
    return count
