"""Orders of the vertices for folding in-arcs on many lanes at once.

On a GPU a warp of 32 lanes folds the messages of one vertex with many in-arcs, or of several with
few: vertices of one width stand together, as in degree-binned traversals (Merrill, Garland and
Grimshaw, PPoPP 2012). Vertices with very many in-arcs are cut into pieces of a fixed size, whose
partial results are folded in order, so that float sums come out the same in every run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

WARP_HUB_ARCS = 8192  # in-arcs from which a vertex is cut into pieces
WARP_PIECE_ARCS = 1024  # in-arcs of a piece
LANES = (32, 16, 8, 4, 2, 1)
LIMITS = (128, 64, 32, 16, 8)  # more in-arcs than these take 32, 16, 8, 4, 2 lanes
WARP = 32


@dataclass(frozen=True)
class PullOrder:
    """The vertices by how many lanes fold their in-arcs.

    Attributes
    ----------
    order : uint32|uint64[num_vertices]
        Those with the most in-arcs first: hubs, then those of 32 lanes, 16, 8, 4, 2, 1; neighbours
        have equally many, so that the lanes of a warp are done together.
    bins : int64[24]
        Eight rows of three: the first position in `order`, the lanes, and the first warp task of
        hubs (0 lanes, no tasks) and of each width; the last row is the end of all. A warp task is
        as many vertices as fill a warp.
    piece_vertex : uint32|uint64[num_pieces]
        The hub of each piece.
    piece_begin, piece_end : uint32|uint64[num_pieces]
        Its slots.
    hub_piece : int64[num_hubs + 1]
        The first piece of each hub, in the order of `order`.
    is_even : bool
        Whether all vertices have so few in-arcs that one lane folds each: they stay in the order of
        their ids, in which neighbours are often close.
    """

    order: NDArray[Any]
    bins: NDArray[np.int64]
    piece_vertex: NDArray[Any]
    piece_begin: NDArray[Any]
    piece_end: NDArray[Any]
    hub_piece: NDArray[np.int64]
    is_even: bool = False


def pull_order(
    first: NDArray[Any],
    id_dtype: np.dtype[Any],
    hub_arcs: int = WARP_HUB_ARCS,
    piece_arcs: int = WARP_PIECE_ARCS,
    *,
    held: NDArray[np.bool_] | None = None,
) -> PullOrder:
    """Return the vertices by the lanes that fold their in-arcs.

    Parameters
    ----------
    first : uint32|uint64[num_vertices + 1]
        Where each vertex's in-arcs begin.
    id_dtype : dtype
        Of ids.
    hub_arcs, piece_arcs : int
        In-arcs from which a vertex is a hub, and of a piece of one.
    held : bool[num_vertices] or None
        Which vertices fold, where others have no in-arcs and stand behind them, in no bin.

    Examples
    --------
    >>> found = pull_order(np.array([0, 2, 11, 81, 81], np.uint32), np.dtype("uint32"), 65, 32)
    >>> found.order
    array([2, 1, 0, 3], dtype=uint32)
    >>> found.bins.reshape(8, 3)[[0, 5, 6, 7]]
    array([[0, 0, 0],
           [1, 2, 0],
           [2, 1, 1],
           [4, 0, 2]])
    >>> found.piece_begin, found.piece_end, found.hub_piece
    (array([11, 43, 75], dtype=uint32), array([43, 75, 81], dtype=uint32), array([0, 3]))
    """
    degrees = np.diff(first)
    is_even = int(degrees.max(initial=0)) <= LIMITS[-1]
    count = len(degrees)
    if is_even:
        order = np.arange(count)
    elif held is None:
        order = by_degree(degrees)
    else:
        order, count = by_degree(np.where(held, degrees + 1, 0)), int(np.count_nonzero(held))
    steps = np.array([hub_arcs - 1, *LIMITS])
    ends = [int(np.count_nonzero(degrees > step)) for step in steps]
    counts = np.diff([0, *ends, count])
    order = order.astype(id_dtype)
    hubs = order[: counts[0]]
    pieces = pieces_of(hubs, first[hubs], first[hubs + 1], piece_arcs)
    return PullOrder(order, bins_of(counts), *pieces, is_even)


def by_degree(degrees: NDArray[Any]) -> NDArray[Any]:
    """Return the vertices with the largest degree first, those of one degree by their ids.

    Examples
    --------
    >>> by_degree(np.array([1, 3, 1, 4], np.uint32))
    array([3, 1, 0, 2])
    """
    most = np.iinfo(np.uint16).max  # numpy sorts 16 bits by radix; the few larger ones come after
    few = np.minimum(degrees, degrees.dtype.type(most)).astype(np.uint16)
    order: NDArray[Any] = np.argsort(most - few, kind="stable")
    num_large = int(np.count_nonzero(few == most))
    large = order[:num_large]
    order[:num_large] = large[np.argsort(-degrees[large].astype(np.int64), kind="stable")]
    return order


def bins_of(counts: NDArray[Any]) -> NDArray[np.int64]:
    """Return the table of the widths, given how many vertices there are of each, hubs first."""
    rows, position, task = [(0, 0, 0)], int(counts[0]), 0
    for lanes, count in zip(LANES, counts[1:].tolist(), strict=True):
        rows.append((position, lanes, task))
        position += count
        task += -(-count * lanes // WARP)
    return np.array([*rows, (position, 0, task)], np.int64).ravel()


def pieces_of(
    hubs: NDArray[Any], first: NDArray[Any], last: NDArray[Any], piece_arcs: int = WARP_PIECE_ARCS
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[np.int64]]:
    """Return vertex, first and last slot of every piece, and the first piece of every hub.

    Parameters
    ----------
    hubs : uint32|uint64[num_hubs]
        The vertices.
    first, last : uint32|uint64[num_hubs]
        Where their slots begin and end.
    piece_arcs : int
        Slots of a piece.
    """
    begins, ends = first.astype(np.int64), last.astype(np.int64)
    counts = -(-(ends - begins) // piece_arcs)
    hub_piece = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    number = np.arange(hub_piece[-1]) - np.repeat(hub_piece[:-1], counts)
    begin = np.repeat(begins, counts) + piece_arcs * number
    end = np.minimum(begin + piece_arcs, np.repeat(ends, counts))
    vertex = np.repeat(hubs, counts)
    return vertex, begin.astype(first.dtype), end.astype(first.dtype), hub_piece
