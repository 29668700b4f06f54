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
