"""Vertices with very many in-arcs, cut into pieces of a fixed size that threads can share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

HUB_ARCS = 65_536  # in-arcs from which threads share a vertex; warps do earlier, see `pull`
PIECE_ARCS = 32_768  # in-arcs of a piece


def hub_pieces(first: NDArray[Any], hub_arcs: int, piece_arcs: int) -> NDArray[np.int64]:
    """Return vertex, first and last slot of every piece of every hub, ``int64[3, num_pieces]``.

    Parameters
    ----------
    first : uint32|uint64[num_vertices + 1]
        Where each vertex's in-arcs begin.
    hub_arcs : int
        In-arcs from which a vertex is a hub.
    piece_arcs : int
        In-arcs of a piece, except the last of a hub.

    Examples
    --------
    >>> hub_pieces(np.array([0, 2, 9, 9], np.uint32), hub_arcs=5, piece_arcs=4)
    array([[1, 1],
           [2, 6],
           [6, 9]])
    """
    hubs = np.flatnonzero(np.diff(first) >= hub_arcs)
    parts = [
        (hub, begin, min(begin + piece_arcs, int(first[hub + 1])))
        for hub in hubs
        for begin in range(int(first[hub]), int(first[hub + 1]), piece_arcs)
    ]
    return np.array(parts, np.int64).reshape(-1, 3).T.copy()


def arc_blocks(first: NDArray[Any], size: int) -> NDArray[np.int64]:
    """Return boundaries of runs of rows that hold about ``size`` arcs each, ``int64[blocks + 1]``.

    Examples
    --------
    >>> arc_blocks(np.array([0, 5, 6, 6, 40], np.uint32), size=10)
    array([0, 3, 4])
    """
    rows = len(first) - 1
    marks = np.arange(0, int(first[-1]) + size, size)
    marks = np.minimum(marks, first[-1]).astype(first.dtype)  # of one type, or `first` is copied
    cuts = np.searchsorted(first[1:-1], marks, side="left") if rows > 1 else np.zeros(1, int)
    limits = np.arange(0, rows + 4 * size, 4 * size)
    bounds = np.unique(np.concatenate([[0], cuts, limits, [rows]]))
    bounds = bounds[bounds <= rows].astype(np.int64)
    return bounds if rows else np.zeros(1, np.int64)
