"""Vertices with very many in-arcs, cut into pieces of a fixed size that threads can share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

HUB_ARCS = 65_536  # in-arcs from which a vertex is a hub
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
