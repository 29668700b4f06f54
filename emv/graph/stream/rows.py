"""Changes that Python gives, one by one or in tables: a generator, a queue, chunks of a frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import ArgumentError, ColumnError
from emv.graph.stream.block import ADDS, REMOVES, SIGN_NAMES, Block


def blocks_of_rows(changes: Iterable[Any], size: int) -> Iterator[Block]:
    """Yield changes that Python gives: rows, or tables of many.

    Parameters
    ----------
    changes : iterable
        Of ``(sign, src, dst)`` or ``(sign, src, dst, columns)``, with ``"+"`` or ``"-"`` and a
        dictionary; or of mappings of arrays (frames, too) with ``src``, ``dst``, mostly ``sign``,
        and edge columns.
    size : int
        How many rows are made one block.

    Raises
    ------
    ArgumentError
        If something else comes; with its number.

    Examples
    --------
    >>> [block] = blocks_of_rows([("+", 3, 4, {"weight": 2.5}), ("-", 3, 4)], 10)
    >>> block.src, block.is_removed, block.columns
    (array([3, 3]), array([False,  True]), {'weight': array([2.5, 0. ])})
    """
    waiting: list[tuple[Any, ...]] = []
    for number, each in enumerate(changes):
        if isinstance(each, tuple | list):
            waiting.append(_checked_row(each, number))
            if len(waiting) < size:
                continue
        if waiting:
            yield _of_rows(waiting)
            waiting = []
        if not isinstance(each, tuple | list):
            yield _of_mapping(each, number)
    if waiting:
        yield _of_rows(waiting)


def _checked_row(row: Any, number: int) -> tuple[Any, ...]:
    is_right = len(row) in (3, 4) and row[0] in ("+", "-")
    if not is_right or (len(row) == 4 and not isinstance(row[3], Mapping)):
        raise ArgumentError(
            f"change {number} is {row!r}",
            remedy='expected ("+", src, dst), ("-", src, dst) or ("+", src, dst, {"weight": 2.5})',
        )
    return tuple(row)


def _of_rows(rows: list[tuple[Any, ...]]) -> Block:
    fields_of = [dict(row[3]) if len(row) == 4 else {} for row in rows]
    names = next(
        (list(each) for row, each in zip(rows, fields_of, strict=True) if row[0] == "+"), ()
    )
    removed = np.array([row[0] == "-" for row in rows], np.bool_)
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for place, given in enumerate(fields_of):
        if not removed[place] and given.keys() != columns.keys():
            name = min(given.keys() ^ columns.keys())
            raise ColumnError(
                f"some edges come with a column '{name}' and others without",
                remedy=f"give {name} for all of them",
            )
        for name, values in columns.items():
            values.append(given.get(name, 0))
    arrays = {name: np.array(values) for name, values in columns.items()}
    return Block(
        _names([row[1] for row in rows]), _names([row[2] for row in rows]), removed, arrays
    )


def _of_mapping(given: Any, number: int) -> Block:
    names = list(given.keys()) if hasattr(given, "keys") else []
    if "src" not in names or "dst" not in names:
        raise ArgumentError(
            f"change {number} is a {type(given).__name__} without src and dst",
            remedy='expected rows ("+", src, dst), or tables with columns src, dst and sign',
        )
    src, dst = (_names(np.asarray(given[name]).tolist()) for name in ("src", "dst"))
    sign = next((name for name in names if str(name).lower() in SIGN_NAMES), None)
    removed = np.zeros(len(src), np.bool_)
    if sign is not None:
        words = [str(each).lower() for each in np.asarray(given[sign]).tolist()]
        if unknown := next((each for each in words if each not in (*ADDS, *REMOVES)), None):
            raise ArgumentError(f"{sign} says {unknown!r}", remedy="expected + or -")
        removed = np.array([each in REMOVES for each in words], np.bool_)
    columns = {
        str(name): np.asarray(given[name]) for name in names if name not in ("src", "dst", sign)
    }
    if any(len(each) != len(src) for each in (dst, removed, *columns.values())):
        raise ArgumentError(f"the columns of change {number} are not all as long as src")
    return Block(src, dst, removed, columns)


def _names(values: list[Any]) -> NDArray[Any]:
    """Return what vertices are called: whole numbers, or anything that can be looked up."""
    if all(type(each) is int for each in values):
        made = np.array(values, np.int64 if values else None)
        return made.astype(np.int64)
    return np.fromiter(values, dtype=object, count=len(values))
