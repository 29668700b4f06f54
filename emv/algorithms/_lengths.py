"""Lengths along paths, as pages add them: in which type, and what stands where no path leads."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.algorithms._checks import demand


def no_path(dtype: np.dtype[Any]) -> Any:
    """Return the distance where no path leads: inf, or the largest whole number.

    Examples
    --------
    >>> no_path(np.dtype("float32")), no_path(np.dtype("int64"))
    (inf, 9223372036854775807)
    """
    return np.inf if dtype.kind == "f" else np.iinfo(dtype).max


def held_as(dist: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return distances in the type that lengths are added in; raise where one does not fit it.

    Raises
    ------
    WrongResultError
        If a distance is none of that type; the message names the first vertex.
    """
    if dist.dtype == dtype:
        return dist
    is_path = dist != no_path(dist.dtype)
    with np.errstate(invalid="ignore"):
        held = np.where(is_path, dist, 0).astype(dtype)
        is_same = held.astype(dist.dtype) == np.where(is_path, dist, 0)
    demand(is_same, lambda v: f"vertex {v} has distance {dist[v]}, which is no {dtype}")
    held[~is_path] = no_path(dtype)
    return held


def whole_sum(numbers: NDArray[Any]) -> float | int:
    """Return a sum that does not wrap, and of floats rounds as little as double precision does.

    Examples
    --------
    >>> whole_sum(np.array([2**62, 2**62])), whole_sum(np.array([2**24, 1], np.float32))
    (9223372036854775808, 16777217.0)
    >>> whole_sum(np.array([200, 200], np.uint8)), whole_sum(np.array([-1, -2], np.int32))
    (400, -3)
    """
    if numbers.dtype.kind == "f":
        return float(numbers.sum(dtype=np.float64))
    wide = numbers if numbers.dtype.itemsize == 8 else numbers.astype(np.int64)
    return (int((wide >> 32).sum()) << 32) + int((wide & 0xFFFFFFFF).sum())
