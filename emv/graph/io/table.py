"""Tables of edges with names, quotes, ``;``, texts as ids: what spreadsheets and databases save.

A line of names, then a row per edge (`header` says how it is told). The ends are the columns that
the caller names, else those called as ends are, else the first two. Ids are whole numbers if both
columns hold nothing else, and texts otherwise; they are numbered as `Graph.from_arrow` does and
kept as labels. Every other column of numbers or truth values is a column of the edges, called as in
the file, with ``_`` for what no name has in Python: ``length (km)`` is ``length_km``. Columns of
times and texts are numbers where the caller says how, by ``columns={"since": "days", "kind":
"codes"}``:

* ``days``, ``hours``, ``minutes``, ``seconds``, ``milliseconds``, ``microseconds``,
  ``nanoseconds``: since the beginning of 1970, rounded down;
* ``codes``: the place of each value among the different ones, sorted.

What is left out is said. A second table (``vertices=``) has a row per vertex: ids, in the column
``id``, ``~id``, ``name:ID`` or the first one, and columns by the same rules.

A table of two or three columns of numbers is read by the parser of edge lists.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import ColumnError, GraphError, GraphFormatError, did_you_mean
from emv.graph import frames
from emv.graph.columns import EdgeColumns
from emv.graph.io.edge_list import read_edge_list
from emv.graph.io.format import Format, Hints
from emv.graph.io.header import IDS, ROW, Header, ends_among, header_of, is_table
from emv.graph.io.numerals import NATURAL
from emv.graph.io.source import Source, source_of
from emv.graph.io.table_rows import Rows, read_rows
from emv.graph.io.text import logger
from emv.graph.io.ways import chosen, column_name
from emv.graph.renumber import Coded
from emv.graph.tables import Tables

_ID_OF_NEO4J = re.compile(r"(.*):ID(\(.*\))?", re.IGNORECASE)


@dataclass(frozen=True)
class _Table:
    """A table that has been read: its rows, the columns of ids, and how it began."""

    source: Source
    header: Header
    rows: Rows
    ids: tuple[str, ...]


def read_table(source: Source, hints: Hints) -> Tables:
    """Return the tables of a graph whose edges are the rows of a table.

    Raises
    ------
    GraphFormatError
        If a row has more or fewer columns than the first, a column that was asked for is not
        there or cannot be stored, or an id is missing.
    """
    header = header_of(source, hints.header, hints.separator)
    ends = ends_of(header, hints, source)
    if _is_plain(header, ends, hints):
        with contextlib.suppress(GraphFormatError):  # a row that is not as the first one
            said = replace(hints, header=header.is_named)
            return _renamed(read_edge_list(source.again(), said), header)
    refuse_vertices(header, source)
    edges = _Table(source, header, read_rows(source, header, ()), ends)
    vertices = None if hints.vertices is None else _vertices(source_of(hints.vertices), hints)
    edges, vertices = _with_ids_of_one_kind(edges, vertices)
    columns, absent = chosen(edges.rows, ends, hints.columns, "edges", source.file)
    try:
        tables = frames.frame_tables(
            _frame(edges, columns, ends),
            ends,
            hints.directed is not False,
            list(columns),
            None if vertices is None else _vertex_frame(vertices),
        )
    except (GraphError, ColumnError) as error:
        raise GraphFormatError(error.what, source.file, remedy=error.remedy) from None
    if len(tables.src) == 0 and vertices is None:
        raise GraphFormatError("holds no edge", source.file, remedy="expected a row per edge")
    return replace(tables, absent_edge_columns=absent)


def ends_of(header: Header, hints: Hints, source: Source) -> tuple[str, str]:
    """Return the names of the two columns of ends."""
    is_numbered = header.names[0] == ROW
    if is_numbered and len(header.names) == 2:
        raise GraphFormatError(
            f"has one column, '{header.names[1]}', beside the numbers of its rows",
            source.file,
            remedy="expected a column for each end",
        )
    found = ends_among(header.columns) or ((1, 2) if is_numbered else (0, 1))
    names = [header.names[each] for each in found]
    for place, given in enumerate((hints.source, hints.target)):
        if given is None:
            continue
        names[place] = _column_called(given, header.columns, header.names, source)
    if names[0] == names[1]:
        which = "target" if hints.target is None else "source"
        raise GraphFormatError(
            f"has both ends of its edges in the column '{names[0]}'",
            source.file,
            remedy=f"name the other one by {which}=",
        )
    return names[0], names[1]


def refuse_vertices(header: Header, source: Source) -> None:
    """Refuse a table of vertices in the place of one of edges."""
    names = [each.lower() for each in header.columns]
    is_of_vertices = "~id" in names or any(map(_ID_OF_NEO4J.fullmatch, header.columns))
    if is_of_vertices and ends_among(header.columns) is None:
        raise GraphFormatError(
            "is a table of vertices",
            source.file,
            remedy="read that of the edges and give this one as vertices=",
        )


def _column_called(given: str, columns: Sequence[str], names: Sequence[str], source: Source) -> str:
    """Return the name of a column that is called so, with or without its type."""
    for called in (names, columns):
        if given in called:
            return names[called.index(given)]
    raise GraphFormatError(
        f"has no column {given!r}; it has {', '.join(names)}." + did_you_mean(given, names),
        source.file,
    )


def _is_plain(header: Header, ends: tuple[str, str], hints: Hints) -> bool:
    """Return whether the parser of edge lists can read all of a table, as far as one can see."""
    others = header.names[2:]
    is_asked = hints.columns in (None, dict.fromkeys(others))
    return (
        header.separator in ",\t"
        and header.names[:2] == ends
        and len(others) <= 1
        and header.groups[0] == header.groups[1]
        and all(EdgeColumns.can_be_named(column_name(each)) for each in others)
        and not header.has_quotes
        and is_asked
        and hints.vertices is None
        and bool(header.first_row)
        and len(header.first_row) == len(header.names)
        and all(NATURAL.fullmatch(each.encode()) for each in header.first_row[:2])
        and (header.line == 1 or not header.is_named)
    )


def _renamed(tables: Tables, header: Header) -> Tables:
    """Return the tables of an edge list with its weights called as in the header."""
    if "weight" not in tables.edge_columns:
        return tables
    called = column_name(header.names[2])
    return replace(tables, edge_columns={called: tables.edge_columns["weight"]})


def _vertices(source: Source, hints: Hints) -> _Table:
    """Return the table of the vertices."""
    header = header_of(source, None)
    small = [each.lower() for each in header.names]
    place = next((small.index(each) for each in IDS if each in small), 0)
    for number, column in enumerate(header.columns):
        if _ID_OF_NEO4J.fullmatch(column):
            place = number
    return _Table(source, header, read_rows(source, header, ()), (header.names[place],))


def _with_ids_of_one_kind(edges: _Table, vertices: _Table | None) -> tuple[_Table, _Table | None]:
    """Return the tables; read again, with ids as they stand there, if some are no whole numbers."""
    given = [edges] if vertices is None else [edges, vertices]
    if all(_is_whole(each, name) for each in given for name in each.ids):
        return edges, vertices
    given = [
        replace(each, rows=read_rows(each.source.again(), each.header, each.ids)) for each in given
    ]
    return given[0], None if vertices is None else given[1]


def _is_whole(table: _Table, name: str) -> bool:
    """Return whether a column of ids holds whole numbers, which mean the same in all columns."""
    try:
        values = table.rows.values(name)
    except ColumnError as error:
        raise GraphFormatError(f"column '{name}' of ids {error.what}", table.source.file) from None
    if isinstance(values, Coded) or len(set(_groups(table))) > 1:
        return False
    if values.dtype.kind == "f":
        return bool((values == np.floor(values)).all() and (np.abs(values) < 2.0**53).all())
    return values.dtype.kind in "iu"


def _groups(table: _Table) -> list[str]:
    """Return the groups that the ids of each end are of."""
    return [table.header.groups[table.header.names.index(each)] for each in table.ids]


def _ids_of(table: _Table, name: str) -> NDArray[Any] | Coded:
    """Return ids: whole numbers, or texts, with their groups where the ends have different ones."""
    values = table.rows.values(name)
    if not isinstance(values, Coded):
        return values.astype(np.int64) if values.dtype.kind == "f" else values
    is_empty = np.array([each == "" for each in values.names.tolist()], np.bool_)
    if is_empty.any():
        row = int(np.argmax(is_empty[values.codes]))
        raise GraphError(f"{name} of edge {row} is missing")
    groups = _groups(table)
    if len(set(groups)) == 1:
        return values
    group = groups[table.ids.index(name)]
    names = [f"{group}:{each}" for each in values.names.tolist()]
    return Coded(values.codes, np.array(names, object))


def _frame(table: _Table, columns: Mapping[str, NDArray[Any]], ids: Sequence[str]) -> frames.Frame:
    """Return a table as `frames` has it."""
    return frames.Frame(
        [*ids, *columns],
        table.rows.num_rows,
        lambda name: _ids_of(table, name),
        lambda name, rows: columns[name],
    )


def _vertex_frame(table: _Table) -> frames.Frame:
    """Return the table of the vertices as `frames` has it."""
    columns, absent = chosen(table.rows, table.ids, None, "vertices", table.source.file)
    for reason in absent.values():
        logger.warning("%s: left out: %s", table.source.file, reason)
    made = _frame(table, columns, (frames.ID,))
    return replace(made, ids=lambda name: _ids_of(table, table.ids[0]))


TABLE = Format(
    name="table",
    title="a table with named columns",
    suffixes=(),
    recognises=is_table,
    read=read_table,
    write=None,
    keeps=frozenset({"repeats", "weight", "edge columns", "labels"}),
    has_columns=True,
)
