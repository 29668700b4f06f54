"""Watts and Strogatz' small world (Nature 393, 1998): a ring of neighbours, some edges moved."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from emv.errors import ArgumentError
from emv.generators.draws import below, happens, words
from emv.generators.finish import Options, checked_seed, device_of, made, number, whole
from emv.graph import Graph
from emv.lang.draws import Rng
from emv.renamed import renamed
from emv.tracebacks import ends_at_caller

MOST_TRIES = 64  # for a free place; then the edge stays in the ring


@ends_at_caller
@renamed("0.2", seed="rng")
def watts_strogatz(n: int, k: int, p: float, rng: Rng = 0, **options: Unpack[Options]) -> Graph:
    """Return a small-world graph.

    Each vertex is joined to the ``k / 2`` next ones on a ring; then the far end of each edge is
    moved, by a chance, to a uniformly drawn vertex that it is not joined to yet.

    Parameters
    ----------
    n : int
        Vertices, at least ``2 * k``.
    k : int
        Neighbours of each vertex on the ring, an even number.
    p : float
        The chance that an edge is moved.
    rng : int, numpy.random.Generator, BitGenerator, SeedSequence or None
        The same number gives the same graph everywhere.
    **options
        `directed` (by default False), `weights`; see `emv.generators`.

    Returns
    -------
    Graph
        With ``n * k / 2`` edges, without loops and repeats.

    Raises
    ------
    ArgumentError
        If a parameter has a value it does not take.

    Notes
    -----
    Of two edges that are moved to the same place the later one is drawn again, up to 64 times.

    Examples
    --------
    >>> watts_strogatz(20, 4, 0.1)
    Graph(20 vertices, 40 edges, undirected)
    """
    k, p, seed = whole("k", k, 0), number("p", p), checked_seed(rng)
    if k % 2:
        raise ArgumentError(f"k is {k}, but half of the k neighbours are on each side: even")
    n = whole("n", n, max(1, 2 * k))
    device_of(options, "watts_strogatz")
    ids = np.arange(n * (k // 2), dtype=np.int64)
    src = ids // max(1, k // 2)
    ring = (src + ids % max(1, k // 2) + 1) % n
    return made((n, src, _moved(n, src, ring, p, seed)), seed, options, False)


def _moved(n: int, src: NDArray[Any], ring: NDArray[Any], p: float, seed: int) -> NDArray[Any]:
    """Return the far ends after some have been moved."""
    moves = happens(words(seed, "kept", len(src)), p)
    dst = ring.copy()
    waiting = np.flatnonzero(moves)
    tries = 0
    while len(waiting):
        tries += 1
        if tries <= MOST_TRIES:
            drawn = below(words(seed, "places", len(src), tries)[waiting], n - 1)
            dst[waiting] = drawn + (drawn >= src[waiting])
        else:  # no place was found: back into the ring, where it comes before those moved there
            dst[waiting], moves[waiting] = ring[waiting], False
        waiting = _repeats(n, src, dst, moves)
    return dst


def _repeats(
    n: int, src: NDArray[Any], dst: NDArray[Any], moves: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return the edges that are where another is, but of each such place the one that may stay.

    That is the one that was not moved, else the first.
    """
    places = np.minimum(src, dst) * n + np.maximum(src, dst)
    order = np.argsort(2 * places + moves, kind="stable")
    ordered = places[order]
    again = np.zeros(len(src), np.bool_)
    again[1:] = ordered[1:] == ordered[:-1]
    repeats: NDArray[np.int64] = order[again]
    return repeats
