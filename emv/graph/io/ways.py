"""Columns of numbers out of columns of anything: which are taken, their names, what is left out.

A column of numbers or truth values is taken as it is. One of times is the number of a unit since
the beginning of 1970, rounded down, and one of anything the place of each value among the different
ones, sorted, where the caller says so by a word of `WAYS`; otherwise it is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import ColumnError, GraphFormatError, did_you_mean
from emv.graph.columns import EdgeColumns, VertexColumns
from emv.graph.io.table_rows import Rows, Values, strays
from emv.graph.io.text import logger
from emv.graph.renumber import Coded

_MOST_SHOWN = 12  # names of codes
UNITS = {
    "days": "D",
    "hours": "h",
    "minutes": "m",
    "seconds": "s",
    "milliseconds": "ms",
    "microseconds": "us",
    "nanoseconds": "ns",
}
"""Ways to make numbers of times, and numpy's names of the units."""

WAYS = ("codes", *UNITS)
"""All ways to make numbers of columns that are none."""


def chosen(
    rows: Rows,
    ids: Sequence[str],
    asked: Mapping[str, str | None] | None,
    of: str,
    file: str,
) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """Return the columns that were asked for, or all there can be, and why the others are not.

    Parameters
    ----------
    rows : Rows
        The table.
    ids : sequence of str
        The columns that are ids.
    asked : mapping of str to str, or None
        Each column, and which of `WAYS` makes numbers of it; None for all columns.
    of : {"edges", "vertices"}
        What a row is.
    file : str
        The file, for errors.

    Raises
    ------
    GraphFormatError
        If a column that was asked for cannot be had.
    """
    columns: dict[str, NDArray[Any]] = {}
    absent: dict[str, str] = {}
    store = EdgeColumns if of == "edges" else VertexColumns
    for name in rows.names if asked is None else asked:
        if asked is None and name in ids:
            continue
        called = column_name(name)
        try:
            if name not in rows.names:
                there = f"is not there; there are {', '.join(rows.names)}."
                raise ColumnError(there + did_you_mean(name, rows.names))
            if not store.can_be_named(called) or called in columns:
                raise ColumnError(f"cannot be called '{called}'")
            columns[called] = _numbers(rows, (asked or {}).get(name), name, file)
        except ColumnError as error:
            reason = f"column '{name}' of {of} {error.what}"
            if asked is not None:
                raise GraphFormatError(reason, file, remedy=error.remedy) from None
            absent[called] = f"{reason}; {error.remedy}" if error.remedy else reason
    return columns, absent


def column_name(name: str) -> str:
    """Return what a column is called in Python.

    Examples
    --------
    >>> column_name("length (km)"), column_name(":TYPE"), column_name("weight")
    ('length_km', 'TYPE', 'weight')
    """
    return name if name.isidentifier() else re.sub(r"\W+", "_", name).strip("_")


def _numbers(rows: Rows, way: str | None, name: str, file: str) -> NDArray[Any]:
    """Return values as numbers."""
    values = rows.values(name)
    if way == "codes":
        return _codes(values, name, file)
    if isinstance(values, Coded):
        remedy = f'columns={{"{name}": "codes"}} numbers them'
        raise _stray(values, rows, remedy) or ColumnError("is a column of texts", remedy=remedy)
    if values.dtype.kind == "M":
        if way is None:
            raise ColumnError(
                "is a column of times", remedy=f'columns={{"{name}": "seconds"}} makes them numbers'
            )
        return values.astype(f"M8[{UNITS[way]}]").astype(np.int64)
    if way is not None:
        raise ColumnError(f"holds no times, so it has no {way}", remedy="name it without a way")
    return values


def _stray(values: Coded, rows: Rows, remedy: str) -> ColumnError | None:
    """Return which cell of a column of numbers is none, if that is what it looks like."""
    is_stray = strays(values, rows.decimal_point)
    if is_stray is None:
        return None
    found = is_stray[values.codes]
    row, count = int(np.argmax(found)), int(np.count_nonzero(found))
    cell = f"'{values.names[values.codes[row]]}' in {rows.where(row)}"
    more = f" and texts in {count - 1} others" if count > 1 else ""
    return ColumnError(
        f"holds {cell}{more}, and numbers elsewhere",
        remedy=f"write a number there, or, if they are texts, {remedy}",
    )


def _codes(values: Values, name: str, file: str) -> NDArray[Any]:
    """Return the place of each value among the different ones, and say which these are."""
    if isinstance(values, Coded):
        order = np.argsort(values.names)
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        distinct = values.names[order]
        codes: NDArray[Any] = place[values.codes]
    else:
        distinct, codes = np.unique(values, return_inverse=True)
    shown = ", ".join(f"{code} {each}" for code, each in enumerate(distinct[:_MOST_SHOWN].tolist()))
    more = f" and {len(distinct) - _MOST_SHOWN} more" if len(distinct) > _MOST_SHOWN else ""
    logger.info("%s: the codes of column '%s' are %s%s", file, name, shown, more)
    return codes
