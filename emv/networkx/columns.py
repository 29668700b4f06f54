"""Attributes of edges as columns, where numbers of emv say the same as networkx' own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.graph.of_networkx import packed

EXACT = 2**53
"""Whole numbers below it are exact in f64."""


WHOLE = (int, np.integer)


def numbers(name: str, listed: list[Any]) -> NDArray[Any]:
    """Return what edges say under a name as i64[num_edges] if all are whole, else as f64.

    Raises
    ------
    NotImplementedError
        If one is no number, or does not fit.
    """
    try:
        column = packed(listed if listed else [1])
    except (ValueError, OverflowError):
        column = np.array(None)
    if column.ndim != 1 or column.dtype.kind not in "biuf" or column.dtype.itemsize > 8:
        raise NotImplementedError(f"the edge attribute {name!r} is not all numbers{_other(listed)}")
    if column.dtype.kind == "f" and not set(map(type, listed)) <= {float}:
        # whole numbers among others have become f64
        demand_exact(name, sum(abs(each) for each in listed if isinstance(each, WHOLE)))
    return checked(name, column[: len(listed)])


def _other(listed: list[Any]) -> str:
    """Return what else than numbers there is, for errors."""
    kinds = (bool, np.bool_, int, float, np.number)
    other = [each for each in listed if not isinstance(each, kinds)]
    return f": {other[0]!r} is among them" if other else ""


def checked(name: str, column: NDArray[Any]) -> NDArray[Any]:
    """Return a column as i64 if it holds whole numbers, else as f64.

    Raises
    ------
    NotImplementedError
        If sums of whole numbers would round.
    """
    if column.dtype.kind == "f":
        return column.astype(np.float64, copy=False)
    demand_exact(name, np.abs(column.astype(np.float64)).sum())
    return column.astype(np.int64, copy=False)


def demand_exact(name: str, total: Any) -> None:
    """Refuse whole numbers whose sums f64 would round."""
    if total >= EXACT:
        raise NotImplementedError(f"the edge attribute {name!r} has sums of 2**53 and more")
