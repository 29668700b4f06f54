"""Graphs out of frames of pandas and Arrow, and back; `emv.graph.frames` reads and makes frames."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from emv.errors import GraphError
from emv.graph import frames
from emv.graph.interchange import of_tables, tables
from emv.graph.on_device import on_host
from emv.graph.store import Store
from emv.imports import required

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


def from_pandas(
    edges: pandas.DataFrame,
    source: str = "src",
    target: str = "dst",
    *,
    directed: bool = True,
    columns: Iterable[str] | None = None,
    vertices: pandas.DataFrame | None = None,
) -> Store:
    """Make a graph of a DataFrame with a row per edge.

    The ids in the two columns can be anything hashable. They become `labels`, in increasing
    order if all are whole numbers and else in the order in which they appear, unless they are
    ``0..n-1``. Every other column of numbers or bools becomes an edge column; one of anything
    else is left out, and asking for it says why, also where a program would ask by default.

    Parameters
    ----------
    edges : DataFrame
        The edges.
    source, target : str
        The columns of the ends.
    directed : bool
        Whether an edge leads one way only.
    columns : iterable of str, optional
        The edge columns to take; by default all that can be stored.
    vertices : DataFrame, optional
        The vertices, also those without edges, in their order: their ids in the column ``id``,
        and vertex columns. `to_pandas` gives such a frame.

    Raises
    ------
    ColumnError
        If a column is not there, holds times or categories, or a value is missing; or one of
        `columns` cannot be stored.
    GraphError
        If an id is missing or is none of `vertices`.

    Examples
    --------
    >>> import pandas as pd
    >>> from emv.graph import Graph
    >>> roads = pd.DataFrame({"src": ["Ulm", "Bonn"], "dst": ["Bonn", "Jena"], "km": [4, 3]})
    >>> g = Graph.from_pandas(roads)
    >>> g, g.labels.tolist()
    (Graph(3 vertices, 2 edges, directed, edges: km i64), ['Ulm', 'Bonn', 'Jena'])
    """
    rows = None if vertices is None else frames.pandas_frame(vertices)
    edge_rows = frames.pandas_frame(edges)
    return of_tables(frames.frame_tables(edge_rows, (source, target), directed, columns, rows))


def from_arrow(
    edges: pyarrow.Table,
    source: str = "src",
    target: str = "dst",
    *,
    directed: bool = True,
    columns: Iterable[str] | None = None,
    vertices: pyarrow.Table | None = None,
) -> Store:
    """Make a graph of a table of Arrow, or of what becomes one: a frame of polars, a relation.

    Parameters, rules and errors are those of `from_pandas`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from emv.graph import Graph
    >>> g = Graph.from_arrow(pa.table({"src": [7, 5], "dst": [5, 9], "weight": [0.5, 1.0]}))
    >>> g, g.labels.tolist()
    (Graph(3 vertices, 2 edges, directed, edges: weight f64), [5, 7, 9])
    """
    rows = None if vertices is None else frames.arrow_frame(vertices)
    edge_rows = frames.arrow_frame(edges)
    return of_tables(frames.frame_tables(edge_rows, (source, target), directed, columns, rows))


def to_pandas(store: Store, vertices: bool = False) -> pandas.DataFrame:
    """Return a DataFrame of the edges: ``src`` and ``dst`` by label, and the edge columns.

    Parameters
    ----------
    vertices : bool
        If True, a frame of the vertices instead: ``id``, which is the label, and the vertex
        columns.

    Examples
    --------
    >>> from emv.graph import Graph
    >>> g = Graph.from_edges([0], [1], labels=["ann", "bob"], weight=[0.5])
    >>> print(g.to_pandas())
       src  dst  weight
    0  ann  bob     0.5
    >>> g.to_pandas(vertices=True).id.tolist()
    ['ann', 'bob']
    """
    frame: pandas.DataFrame = frames.to_pandas(tables(store), _which(vertices))
    return frame


def to_arrow(store: Store, vertices: bool = False) -> pyarrow.Table:
    """Return a table of Arrow of the edges or the vertices; see `to_pandas`.

    Raises
    ------
    GraphError
        If the labels are neither all texts nor all whole numbers.

    Examples
    --------
    >>> from emv.graph import Graph
    >>> Graph.from_edges([0], [1], labels=["ann", "bob"]).to_arrow().to_pylist()
    [{'src': 'ann', 'dst': 'bob'}]
    """
    table: pyarrow.Table = frames.to_arrow(tables(store), _which(vertices))
    return table


def to_polars(store: Store, vertices: bool = False) -> polars.DataFrame:
    """Return a frame of polars of the edges or the vertices; see `to_pandas`.

    `from_arrow` takes such a frame.

    Raises
    ------
    GraphError
        If the labels are neither all texts nor all whole numbers.
    ArgumentError
        If polars or pyarrow is not installed.
    """
    frame: polars.DataFrame = required("polars").from_arrow(to_arrow(store, vertices))
    return frame


def to_dict(store: Store, values: ArrayLike) -> dict[Any, Any]:
    """Return values of the vertices by what these were called: ``{label: value}``.

    Parameters
    ----------
    values : array_like
        ``any[num_vertices]``, such as the result of an algorithm.

    Raises
    ------
    GraphError
        If there is not one value per vertex.

    Examples
    --------
    >>> from emv.graph import Graph
    >>> g = Graph.from_edges([0], [1], labels=["ann", "bob"])
    >>> g.to_dict(g.in_degrees())
    {'ann': 0, 'bob': 1}
    """
    array = np.asarray(on_host(values))
    if array.shape[:1] != (store.num_vertices,):
        raise GraphError(
            f"the values have shape {array.shape}, but the graph has {store.num_vertices} vertices",
            remedy="give one value per vertex, in the order of their ids",
        )
    keys = range(store.num_vertices) if store.labels is None else store.labels.read().tolist()
    return dict(zip(keys, array.tolist(), strict=True))


def _which(vertices: bool) -> str:
    return "vertices" if vertices else "edges"
