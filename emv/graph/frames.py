"""Frames of pandas and Arrow as a graph's tables, and back; `emv.graph.tabular` hands them on.

A frame of edges has a column of sources, one of targets, and further columns; a frame of vertices
has their ids in the column ``id``, in the order of the vertices. Both libraries are optional.

A column of numbers or bools becomes a column of the graph. One of times or of categories is an
error. One of anything else is left out, and asking for it says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.dtypes import SHORT_NAMES
from emv.errors import ArgumentError, ColumnError, GraphError, did_you_mean
from emv.graph.columns import Columns, EdgeColumns, VertexColumns
from emv.graph.kinds import refuse_kind, refused_kind
from emv.graph.renumber import (
    Coded,
    as_coded,
    id_array,
    is_numbered,
    place_among,
    places_of,
    renumber,
    renumber_coded,
)
from emv.graph.tables import Tables
from emv.imports import required

ID = "id"

_NO_COLUMNS: tuple[dict[str, NDArray[Any]], dict[str, str]] = {}, {}


@dataclass(frozen=True)
class Frame:
    """A frame of some library.

    Attributes
    ----------
    names : list
        Of its columns.
    num_rows : int
        How many rows it has.
    ids : callable
        Returns a column as ids: whole numbers, or what else names vertices.
    numbers : callable
        Returns a column as numbers, or as an array of another dtype that is none.
    """

    names: list[Any]
    num_rows: int
    ids: Callable[[str], NDArray[Any] | Coded]
    numbers: Callable[[str, str], NDArray[Any]]


def frame_tables(
    edges: Frame,
    ends: tuple[str, str],
    directed: bool,
    columns: Iterable[str] | None = None,
    vertices: Frame | None = None,
) -> Tables:
    """Return the tables of frames; see `Graph.from_pandas` for the rules.

    Parameters
    ----------
    edges : Frame
        One row per edge.
    ends : (str, str)
        The columns of sources and of targets.
    directed : bool
        Whether an edge leads one way only.
    columns : iterable of str, optional
        The columns to take; by default all.
    vertices : Frame, optional
        One row per vertex.
    """
    given = [edges.ids(_there(edges, name)) for name in ends]
    edge_columns, no_edge_columns = _columns(edges, ends, columns, EdgeColumns)
    if vertices is None:
        (src, dst), ids = _renumbered(*given)
        vertex_columns, no_vertex_columns = _NO_COLUMNS
    else:
        known = vertices.ids(_there(vertices, ID))
        ids = known.names[known.codes] if isinstance(known, Coded) else known
        src, dst = (places_of(each, ids, end) for each, end in zip(given, ends, strict=True))
        vertex_columns, no_vertex_columns = _columns(vertices, (ID,), None, VertexColumns)
    return Tables(
        len(ids),
        src,
        dst,
        directed,
        None if is_numbered(ids) else ids,
        vertex_columns,
        edge_columns,
        no_vertex_columns,
        no_edge_columns,
    )


def _renumbered(
    src: NDArray[Any] | Coded, dst: NDArray[Any] | Coded
) -> tuple[tuple[NDArray[Any], NDArray[Any]], NDArray[Any]]:
    """Return the ends numbered, and what each number stands for."""
    if isinstance(src, Coded) or isinstance(dst, Coded):
        return renumber_coded(as_coded(src), as_coded(dst))
    return renumber(src, dst)


def _there(frame: Frame, name: str) -> str:
    """Return the name of a column, having made sure that there is one."""
    if name not in frame.names:
        names = [str(each) for each in frame.names]
        raise ColumnError(
            f"the frame has no column {name!r}; it has {', '.join(names) or 'none'}."
            + did_you_mean(str(name), names)
        )
    return name


def _columns(
    frame: Frame, others: tuple[str, ...], wanted: Iterable[str] | None, store: type[Columns]
) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """Return the columns that are numbers, and why the others are no columns."""
    columns: dict[str, NDArray[Any]] = {}
    absent: dict[str, str] = {}
    rows = "edges" if store is EdgeColumns else "vertices"
    names = frame.names if wanted is None else [_there(frame, name) for name in wanted]
    for name in names:
        if name in others:
            continue
        values = frame.numbers(name, rows)
        if not isinstance(name, str) or not store.can_be_named(name):
            absent[str(name)] = f"{name!r} of the frame is no name of a column of {rows}"
        elif values.dtype.name not in SHORT_NAMES:
            absent[name] = (
                f"column '{name}' of the frame is {values.dtype}, which emv does not store: "
                "convert it to numbers"
            )
        else:
            columns[name] = values
    if absent and wanted is not None:
        raise ColumnError(next(iter(absent.values())))
    return columns, absent


def table_of(tables: Tables, of: str) -> Mapping[str, Any]:
    """Return the columns of a frame of ``"edges"`` or ``"vertices"``, vertices by their labels."""
    labels = tables.labels
    if of == "vertices":
        ids = np.arange(tables.num_vertices) if labels is None else labels
        return {ID: ids, **tables.vertex_columns}
    ends = (each if labels is None else labels[each] for each in (tables.src, tables.dst))
    return dict(zip(("src", "dst"), ends, strict=True)) | dict(tables.edge_columns)


# pandas


def pandas_frame(frame: Any) -> Frame:
    """Return a frame of pandas.

    Raises
    ------
    ArgumentError
        If it is none.
    """
    pandas = required("pandas")
    if not isinstance(frame, pandas.DataFrame):
        kind, library = type(frame).__name__, type(frame).__module__.partition(".")[0]
        told = kind if library == "builtins" else f"{library}.{kind}"
        raise ArgumentError(
            f"expected a DataFrame of pandas, not {told}",
            remedy="Graph.from_arrow(frame) takes tables of pyarrow and frames of polars."
            if hasattr(frame, "__arrow_c_stream__")
            else None,
        )
    names = list(frame.columns)
    if len(set(names)) < len(names):
        raise ColumnError("two columns of the frame have the same name")

    def numbers(name: str, rows: str) -> NDArray[Any]:
        column = frame[name]
        refuse_kind(str(name), column, rows)
        if column.isna().any() and not isinstance(column.dtype, np.dtype):
            row = int(np.argmax(column.isna()))
            raise ColumnError(f"column '{name}' has no value in row {row} of the frame")
        values: NDArray[Any] = column.to_numpy()
        if values.dtype != object:
            return values
        # pandas keeps the bools and numbers of its own dtypes as objects, and any column may be so
        own = getattr(column.dtype, "numpy_dtype", values.dtype)
        return values.astype(own) if own.name in SHORT_NAMES else values

    return Frame(names, len(frame), lambda name: pandas_ids(frame[name], name), numbers)


def pandas_ids(column: Any, name: str) -> NDArray[Any] | Coded:
    """Return a Series of ids: whole numbers, or anything hashable.

    Raises
    ------
    GraphError
        If an id is missing, is a time, or cannot be hashed.
    """
    pandas = required("pandas")
    if pandas.api.types.is_numeric_dtype(column.dtype):
        array = id_array(column, name)
        if array.dtype.kind in "iu":
            return array
    refused = refused_kind(column)
    if refused is not None and refused[0] == "temporal":
        raise GraphError(
            f"column '{name}' of ids is temporal ({refused[1]}), and no time is an id",
            remedy="give texts instead, values.astype(str)",
        )
    try:
        codes, distinct = pandas.factorize(column.astype(object))
    except TypeError as error:
        raise GraphError(f"an id cannot be hashed: {error}") from None
    if len(codes) and codes.min() < 0:
        raise GraphError(f"{name} of edge {int(np.argmin(codes))} is missing")
    return Coded(codes, np.fromiter(distinct, dtype=object, count=len(distinct)))


def to_pandas(tables: Tables, of: str) -> Any:
    """Return a DataFrame of the edges or the vertices."""
    pandas = required("pandas")
    return pandas.DataFrame({name: np.array(each) for name, each in table_of(tables, of).items()})


# Arrow


def arrow_frame(table: Any) -> Frame:
    """Return a table of Arrow, or what hands one over by Arrow's protocols (polars, DuckDB).

    Raises
    ------
    ArgumentError
        If it is none.
    """
    arrow = required("pyarrow")
    if not isinstance(table, arrow.Table):
        if not hasattr(table, "__arrow_c_stream__") and not hasattr(table, "__arrow_c_array__"):
            raise ArgumentError(f"expected a table of Arrow, not {type(table).__name__}")
        table = arrow.table(table)
    names = list(table.column_names)
    if len(set(names)) < len(names):
        raise ColumnError("two columns of the table have the same name")

    return Frame(
        names,
        table.num_rows,
        lambda name: arrow_ids(table.column(name), name),
        lambda name, rows: arrow_numbers(table, name, rows),
    )


def arrow_ids(column: Any, name: str) -> NDArray[Any] | Coded:
    """Return a column of ids: whole numbers, or texts.

    Raises
    ------
    GraphError
        If it has another type, or an id is missing.
    """
    types = required("pyarrow").types
    is_coded = types.is_dictionary(column.type)
    kind = column.type.value_type if is_coded else column.type
    is_text = types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
    if not is_text and not types.is_integer(kind):
        raise GraphError(f"column '{name}' of ids is {kind}, expected whole numbers or texts")
    if column.null_count:
        raise GraphError(f"{name} of edge {_first_null(column)} is missing")
    if not is_text:
        return _numpy_of(column.cast(kind) if is_coded else column)
    if not is_coded:
        column = column.cast("large_string").dictionary_encode()
    return _coded(column.unify_dictionaries().combine_chunks(), name)


def _coded(column: Any, name: str) -> Coded:
    """Return texts that Arrow has as codes, without those texts that no code stands for."""
    codes = column.indices.to_numpy()
    is_used = np.bincount(codes, minlength=len(column.dictionary)) > 0
    names = column.dictionary.filter(required("pyarrow").array(is_used))
    codes = place_among(is_used)[codes]
    if names.null_count:
        edge = int(np.argmax(names.is_null().to_numpy(zero_copy_only=False)[codes]))
        raise GraphError(f"{name} of edge {edge} is missing")
    return Coded(codes, names.to_numpy(zero_copy_only=False))


def arrow_numbers(table: Any, name: str, rows: str) -> NDArray[Any]:
    """Return a column as an array, whose dtype may be none of emv's.

    Raises
    ------
    ColumnError
        If it holds times, categories or lists, or a value is missing.
    """
    types = required("pyarrow").types
    column = table.column(name)
    refuse_kind(name, column, rows)
    if types.is_nested(column.type):
        raise ColumnError(
            f"column '{name}' of {rows} is nested ({column.type}), which emv does not store",
            remedy="make a column of numbers of each part",
        )
    is_number = types.is_integer(column.type) or types.is_floating(column.type)
    if not is_number and not types.is_boolean(column.type):
        return np.empty(0, object)
    if column.null_count:
        raise ColumnError(f"column '{name}' of {rows} has no value in row {_first_null(column)}")
    return _numpy_of(column)


def to_arrow(tables: Tables, of: str) -> Any:
    """Return a table of Arrow of the edges or the vertices.

    Raises
    ------
    GraphError
        If the labels are neither all texts nor all whole numbers of 64 bits, or a text has half
        a pair of surrogates.
    """
    arrow = required("pyarrow")
    labels = np.empty(0, np.int64) if tables.labels is None else tables.labels
    is_text = labels.dtype.kind not in "iu"
    if is_text and not all(isinstance(each, str) for each in labels.tolist()):
        raise GraphError(
            "the labels are neither all texts nor all whole numbers of 64 bits",
            remedy="make the graph with labels=[str(each) for each in graph.labels]",
        )
    try:
        return arrow.table(
            {
                name: arrow.array(values, arrow.string() if values.dtype == object else None)
                for name, values in table_of(tables, of).items()
            }
        )
    except UnicodeEncodeError as error:
        raise GraphError(
            f"the label {error.object!r} is no text that Arrow holds: {error.reason}",
            remedy="labels in files are of whole characters; make the graph with others",
        ) from None


def _first_null(column: Any) -> int:
    return int(np.argmax(column.is_null().to_numpy()))


def _numpy_of(column: Any) -> NDArray[Any]:
    """Return a chunked column without missing values as one array."""
    values: NDArray[Any] = column.to_numpy()
    return values
