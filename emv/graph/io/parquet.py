"""Edges as a Parquet file, read and written by pyarrow (the extra ``parquet``).

The ends are the columns ``src`` and ``dst``, or ``source`` and ``target``, or ``from`` and ``to``,
or else the first two of whole numbers or texts. What they hold becomes labels, as
`Graph.from_arrow` says; columns of numbers and bools become edge columns, and columns of times,
categories or lists are refused by name.

A file of emv's says the rest in its metadata, under the key ``emv``: whether the graph is directed,
how many vertices there are and, as a second table, their labels and columns. So it comes back as
it was, and other readers of Parquet see a plain table of edges.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import ArgumentError, EmvError, GraphError, GraphFormatError, did_you_mean
from emv.graph import frames
from emv.graph.io.drafts import replacing
from emv.graph.io.format import EVERYTHING, Format, Hints
from emv.graph.io.packing import EXPANSION_FLOOR_BYTES, LARGEST_EXPANSION, is_packed
from emv.graph.io.pieces import TIMES_PACKED
from emv.graph.io.rectangle import refuse_unlikely
from emv.graph.io.source import Source
from emv.graph.io.table_rows import Rows, Values, arrow_values
from emv.graph.io.ways import chosen
from emv.graph.renumber import Coded
from emv.graph.tables import Tables
from emv.imports import required
from emv_kernels.aside import leavable

_MAGIC = b"PAR1"
_KEY = b"emv"
_ENDS = (("src", "dst"), ("source", "target"), ("from", "to"))
_WIDEST = 8  # bytes of a number
VERSION = 1


def has_parquet_magic(source: Source) -> bool:
    """Return whether a file begins as a Parquet file."""
    return source.head.startswith(_MAGIC)


def read_parquet(source: Source, hints: Hints) -> Tables:
    """Return the tables of a Parquet file.

    Raises
    ------
    GraphFormatError
        If it is damaged, has no ends, or holds what emv does not store.
    ArgumentError
        If pyarrow is not installed.
    """
    arrow = required("pyarrow")
    for name in hints.of_tables.keys() & {"vertices", "separator"}:
        raise ArgumentError(f"{name}= is given, but {source.file} is a Parquet file")
    try:
        content: Any = source.path
        if is_packed(source) or not source.is_plain:
            content = b"".join(source.blocks())
        return _tables(content, hints, source)
    except GraphFormatError:
        raise
    except EmvError as error:
        if not isinstance(error, ValueError | KeyError) or "not installed" in error.what:
            raise
        raise GraphFormatError(error.what, source.file, remedy=error.remedy) from None
    except (arrow.ArrowException, OSError, ValueError, KeyError, OverflowError) as error:
        reason = str(error).strip().splitlines()
        what = reason[0] if reason else type(error).__name__
        raise GraphFormatError(
            f"is no Parquet file that can be read: {what}", source.file
        ) from None


def _opened(content: Any, source: Source, texts: list[str]) -> Any:
    """Open a file, its path or its bytes, having refused what unpacks to far more than it is.

    Parameters
    ----------
    texts : list of str
        The columns that are read as codes and distinct texts: a text that a file stores once may
        stand in millions of rows.
    """
    arrow = required("pyarrow")
    parquet = required("pyarrow.parquet")
    readable = arrow.BufferReader(content) if isinstance(content, bytes) else content
    file = parquet.ParquetFile(readable, read_dictionary=texts)
    about = file.metadata
    groups = (about.row_group(group) for group in range(about.num_row_groups))
    unpacked = max(
        sum(group.total_byte_size for group in groups), about.num_rows * about.num_columns * _WIDEST
    )
    size = source.num_bytes
    if unpacked > max(EXPANSION_FLOOR_BYTES, LARGEST_EXPANSION * size):
        file.close()
        raise GraphFormatError(f"{size} bytes unpack to {unpacked}", source.file)
    return file


def _frame(file: Any) -> frames.Frame:
    """Return the table of a file, whose columns are read when they are asked for, if ever."""
    empty = file.schema_arrow.empty_table()
    names, num_rows = frames.arrow_frame(empty).names, file.metadata.num_rows

    def read(name: str) -> Any:
        table = leavable(lambda: file.read([name]), num_rows)
        if table.num_rows != num_rows:
            raise ValueError(f"column {name!r} has {table.num_rows} of {num_rows} values")
        return table

    def numbers(name: str, rows: str) -> NDArray[Any]:
        kind = frames.arrow_numbers(empty, name, rows)
        return kind if kind.dtype == object else frames.arrow_numbers(read(name), name, rows)

    def ids(name: str) -> NDArray[Any] | Coded:
        return frames.arrow_ids(read(name).column(name), name)

    return frames.Frame(names, num_rows, ids, numbers)


def _ends(schema: Any, hints: Hints, file: str) -> tuple[str, str]:
    """Return the columns of the sources and the targets."""
    given = hints.source, hints.target
    for name in given:
        if name is not None and name not in schema.names:
            there = f"has no column {name!r}; it has {', '.join(schema.names)}."
            raise GraphFormatError(there + did_you_mean(name, schema.names), file)
    if given[0] is not None and given[1] is not None:
        return given[0], given[1]
    found = _ends_by_name(schema, file)
    return given[0] or found[0], given[1] or found[1]


def _ends_by_name(schema: Any, file: str) -> tuple[str, str]:
    """Return the columns whose names or types are those of ends."""
    for ends in _ENDS:
        if set(ends) <= set(schema.names):
            return ends
    types = required("pyarrow").types
    fitting = [
        field.name for field in schema if types.is_integer(field.type) or _is_text(field.type)
    ]
    if len(fitting) < 2:
        listed = ", ".join(f"{field.name} {field.type}" for field in schema)
        raise GraphFormatError(
            f"has no two columns of whole numbers or texts; it has {listed or 'none'}",
            file,
            remedy="name the columns of the ends src and dst",
        )
    return fitting[0], fitting[1]


def _is_text(kind: Any) -> bool:
    types = required("pyarrow").types
    return bool(types.is_string(kind) or types.is_large_string(kind))


def _texts(schema: Any, names: tuple[str, ...]) -> list[str]:
    """Return those of some columns that hold texts."""
    return [field.name for field in schema if field.name in names and _is_text(field.type)]


def _said(schema: Any, file: str) -> dict[str, Any] | None:
    """Return what a file of emv's says of the graph, None of another's."""
    text = (schema.metadata or {}).get(_KEY)
    if text is None:
        return None
    try:
        said = json.loads(text)
        right = (
            said["version"] == VERSION
            and type(said["directed"]) is bool
            and type(said["num_vertices"]) is int
            and isinstance(said["vertices"], str | None)
            and said["num_vertices"] >= 0
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        right = False
    if not right:
        raise GraphFormatError("its metadata 'emv' are not what emv writes", file)
    return dict(said)


def _tables(content: Any, hints: Hints, source: Source) -> Tables:
    """Return the tables of a file, its path or its bytes."""
    with _opened(content, source, []) as file:
        schema, num_rows = file.schema_arrow, file.metadata.num_rows
    said = _said(schema, source.file)
    ends = _ENDS[0] if said else _ends(schema, hints, source.file)
    directed = hints.directed
    is_directed = said is None or said["directed"] if directed is None else directed
    vertices = None if said is None else _vertices(said, num_rows, source)
    with _opened(content, source, _texts(schema, ends)) as file:
        frame, names = _frame(file), None
        if hints.columns is not None:
            frame = _with_columns(frame, file, ends, hints.columns, source)
            names = frame.names[len(ends) :]
        return frames.frame_tables(frame, ends, is_directed, names, vertices)


def _with_columns(
    frame: frames.Frame,
    file: Any,
    ends: tuple[str, str],
    asked: Mapping[str, str | None],
    source: Source,
) -> frames.Frame:
    """Return a frame with the columns that were asked for, as numbers."""

    def values(name: str) -> Values:
        return arrow_values(file.read([name]).column(name))

    rows = Rows(tuple(frame.names), frame.num_rows, values)
    columns, _ = chosen(rows, ends, asked, "edges", source.file)
    return replace(frame, names=[*ends, *columns], numbers=lambda name, rows: columns[name])


def _vertices(said: dict[str, Any], num_edges: int, source: Source) -> frames.Frame:
    """Return the table of the vertices that a file of emv's has in it."""
    num_vertices = said["num_vertices"]
    if said["vertices"] is None:
        refuse_unlikely(num_vertices, num_edges, source.file)
        arrow = required("pyarrow")
        return frames.arrow_frame(arrow.table({frames.ID: arrow.array(np.arange(num_vertices))}))
    try:
        packed = base64.b64decode(said["vertices"], validate=True)
    except binascii.Error:
        raise GraphFormatError("its metadata 'emv' are damaged", source.file) from None
    schema = _opened(packed, source, []).schema_arrow
    found = _frame(_opened(packed, source, _texts(schema, (frames.ID,))))
    if found.num_rows != num_vertices:
        raise GraphFormatError(
            f"says it has {num_vertices} vertices and lists {found.num_rows}", source.file
        )
    return found


def write_parquet(tables: Tables, path: Path) -> None:
    """Write a table of the edges, the rest of the graph in its metadata.

    Raises
    ------
    GraphError
        If the name ends in ``.gz`` or ``.zst``, as the file is packed already, or the labels are
        neither all texts nor all whole numbers.
    ArgumentError
        If pyarrow is not installed.
    """
    arrow = required("pyarrow")
    if path.suffix.lower() in (".gz", ".zst"):
        raise GraphError(
            f"{os.fspath(path)}: a Parquet file is packed already",
            remedy=f"write it as {path.stem}",
        )
    vertices = None
    if tables.labels is not None or tables.vertex_columns:
        sink = arrow.BufferOutputStream()
        _write(frames.to_arrow(tables, "vertices"), sink)
        vertices = base64.b64encode(sink.getvalue()).decode()
    said = {
        "version": VERSION,
        "directed": tables.directed,
        "num_vertices": tables.num_vertices,
        "vertices": vertices,
    }
    edges = frames.to_arrow(tables, "edges")
    with replacing(path) as file:
        edges = edges.replace_schema_metadata({_KEY: json.dumps(said).encode()})
        leavable(lambda: _write(edges, file), TIMES_PACKED * len(edges))


def _write(table: Any, file: Any) -> None:
    """Write a table; only texts are worth a dictionary."""
    arrow = required("pyarrow")
    parquet = required("pyarrow.parquet")
    texts = [field.name for field in table.schema if arrow.types.is_string(field.type)]
    parquet.write_table(table, file, compression="zstd", use_dictionary=texts)


PARQUET = Format(
    name="parquet",
    title="a Parquet file",
    suffixes=(".parquet",),
    recognises=has_parquet_magic,
    read=read_parquet,
    write=write_parquet,
    keeps=EVERYTHING,
    has_columns=True,
)
