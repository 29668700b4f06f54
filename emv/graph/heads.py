"""The in-neighbour that a pull asks first: the one with the most out-arcs.

Who looks for an active in-neighbour mostly finds it at once where graphs are skewed: those with
many out-arcs are reached before others. On R-MAT 2^20 by Graph500's chances 98 of 100 vertices that
are found in a pull are found by the first question, of which all in a warp read one stretch.
Vertices are told by their places in the order of `emv.graph.pull`, so that bits of those who have
most to say lie together. Beamer, Asanovic and Patterson (SC 2012) ask in the order of rows; that
rows are best sorted by degree is in Yasui, Fujisawa and Goto (BigData 2013).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class PullHeads:
    """Whom each vertex asks first.

    Attributes
    ----------
    place : uint32|uint64[num_vertices]
        Where each vertex stands in the order.
    head : uint32|uint64[num_vertices]
        Of the vertex at each place: where that of its in-neighbours stands that has the most
        out-arcs, the first of several in its row; the number of vertices where there is none, and
        for hubs, which are looked at in pieces.
    arcs : uint32|uint64[num_vertices]
        Of the vertex at each place: its out-arcs.
    """

    place: NDArray[Any]
    head: NDArray[Any]
    arcs: NDArray[Any]


def pull_heads(
    order: NDArray[Any],
    num_hubs: int,
    in_first: NDArray[Any],
    senders: NDArray[Any],
    out_first: NDArray[Any],
) -> PullHeads:
    """Return whom each vertex asks first.

    Parameters
    ----------
    order : uint32|uint64[num_vertices]
        Of `emv.graph.pull.pull_order`.
    num_hubs : int
        How many stand first in it that are cut into pieces.
    in_first, senders : uint32|uint64[num_vertices + 1], uint32|uint64[num_arcs]
        The in-arcs.
    out_first : uint32|uint64[num_vertices + 1]
        Where each vertex's out-arcs begin.

    Examples
    --------
    >>> first, senders = np.array([0, 0, 2, 3], np.uint32), np.array([0, 2, 1], np.uint32)
    >>> order, out_first = np.array([1, 2, 0]), np.array([0, 1, 2, 3], np.uint32)
    >>> found = pull_heads(order, 0, first, senders, out_first)
    >>> found.place, found.head, found.arcs
    (array([2, 0, 1]), array([2, 0, 3]), array([1, 1, 1], dtype=uint32))
    """
    count = len(order)
    place = np.empty_like(order)
    place[order] = np.arange(count)
    degrees, lengths = np.diff(out_first), np.diff(in_first).astype(np.int64)
    head = np.full_like(order, count)
    asks = np.flatnonzero((lengths > 0) & (place >= num_hubs))
    rows = np.repeat(np.arange(count), lengths)
    most = np.zeros(count, degrees.dtype)
    np.maximum.at(most, rows, degrees[senders])
    best = np.flatnonzero(degrees[senders] == most[rows])
    first_best = best[np.searchsorted(rows[best], asks)]
    head[place[asks]] = place[senders[first_best]]
    return PullHeads(place, head, degrees[order])
