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
from pathlib import Path
from typing import Any

import numpy as np

from emv.errors import EmvError, GraphError, GraphFormatError
from emv.graph import frames
from emv.graph.io.drafts import replacing
from emv.graph.io.format import EVERYTHING, Format, Hints
from emv.graph.io.packing import EXPANSION_FLOOR_BYTES, LARGEST_EXPANSION, is_packed
from emv.graph.io.rectangle import refuse_unlikely
from emv.graph.io.source import Source
from emv.graph.tables import Tables
from emv.imports import required

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
    try:
        content: Any = source.path
        if is_packed(source) or not source.is_plain:
            content = arrow.BufferReader(b"".join(source.blocks()))
        table = _table(content, source)
        said = _said(table, source.file)
        if said is None:
            ends = _ends(table, source.file)
            is_directed = True if hints.directed is None else hints.directed
            return frames.frame_tables(frames.arrow_frame(table), ends, is_directed)
        return _tables(table, said, hints.directed, source)
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


def _table(content: Any, source: Source) -> Any:
    """Return the table of a file, having refused what would unpack to far more than the file."""
    parquet = required("pyarrow.parquet")
    with parquet.ParquetFile(content) as file:
        about = file.metadata
        groups = (about.row_group(group) for group in range(about.num_row_groups))
        unpacked = max(
            sum(group.total_byte_size for group in groups),
            about.num_rows * about.num_columns * _WIDEST,
        )
        size = source.num_bytes
        if unpacked > max(EXPANSION_FLOOR_BYTES, LARGEST_EXPANSION * size):
            raise GraphFormatError(f"{size} bytes unpack to {unpacked}", source.file)
        return file.read()


def _ends(table: Any, file: str) -> tuple[str, str]:
    """Return the columns of the sources and the targets."""
    types = required("pyarrow").types
    for ends in _ENDS:
        if set(ends) <= set(table.column_names):
            return ends
    fitting = [
        field.name
        for field in table.schema
        if types.is_integer(field.type)
        or types.is_string(field.type)
        or types.is_large_string(field.type)
    ]
    if len(fitting) < 2:
        listed = ", ".join(f"{field.name} {field.type}" for field in table.schema)
        raise GraphFormatError(
            f"has no two columns of whole numbers or texts; it has {listed or 'none'}",
            file,
            remedy="name the columns of the ends src and dst",
        )
    return fitting[0], fitting[1]


def _said(table: Any, file: str) -> dict[str, Any] | None:
    """Return what a file of emv's says of the graph, None of another's."""
    text = (table.schema.metadata or {}).get(_KEY)
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


def _tables(table: Any, said: dict[str, Any], directed: bool | None, source: Source) -> Tables:
    """Return the tables of a file of emv's."""
    arrow = required("pyarrow")
    num_vertices = said["num_vertices"]
    if said["vertices"] is None:
        refuse_unlikely(num_vertices, table.num_rows, source.file)
        vertices = arrow.table({frames.ID: arrow.array(np.arange(num_vertices))})
    else:
        try:
            packed = base64.b64decode(said["vertices"], validate=True)
        except binascii.Error:
            raise GraphFormatError("its metadata 'emv' are damaged", source.file) from None
        vertices = _table(arrow.BufferReader(packed), source)
    if vertices.num_rows != num_vertices:
        raise GraphFormatError(
            f"says it has {num_vertices} vertices and lists {vertices.num_rows}", source.file
        )
    return frames.frame_tables(
        frames.arrow_frame(table),
        _ENDS[0],
        said["directed"] if directed is None else directed,
        vertices=frames.arrow_frame(vertices),
    )


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
        _write(edges.replace_schema_metadata({_KEY: json.dumps(said).encode()}), file)


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
)
