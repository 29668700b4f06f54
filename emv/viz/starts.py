"""Where vertices of a picture begin: anywhere, or where their distances to a few pivots put them.

Pivot MDS: breadth-first searches from some pivots, each the vertex farthest from those before it,
give every vertex a row of distances; the rows, squared and centred, are seen from the side from
which they are widest. What no search reaches begins anywhere.

Brandes, Pich: Eigensolver Methods for Progressive Multidimensional Scaling of Large Data, GD 2006.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from emv.algorithms import bfs
from emv.graph import Graph
from emv.graph.on_device import on_host

PIVOTS = 32
PIECE = 1 << 14  # vertices that are looked at together
JITTER = 1e-3  # of the width: vertices of the same distances must not stand on one another


def anywhere(count: int, dim: int, seed: int) -> NDArray[np.float64]:
    """Return places in the unit square or cube, ``float64[count, dim]``.

    Examples
    --------
    >>> anywhere(2, 2, 0).round(2)
    array([[0.64, 0.27],
           [0.04, 0.02]])
    """
    return np.random.default_rng(seed).random((count, dim))


def by_pivots(graph: Graph, dim: int, seed: int, backend: str | None) -> NDArray[np.float64]:
    """Return places in the unit square or cube by Pivot MDS, ``float64[num_vertices, dim]``.

    Examples
    --------
    >>> from emv import Graph
    >>> path = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], directed=False)
    >>> x = by_pivots(path, 2, 0, "python")[:, 0]
    >>> sorted(x) in (list(x), list(x[::-1]))
    True
    """
    places = anywhere(graph.num_vertices, dim, seed)
    distance = distances(graph.both_ways(), backend)
    reached = distance[0] >= 0
    if np.count_nonzero(reached) <= dim:
        return places
    found = projected(distance if reached.all() else distance[:, reached], dim)
    if found.shape[1] < dim:  # fewer pivots than directions
        found = np.pad(found, ((0, 0), (0, dim - found.shape[1])))
    found -= found.min(axis=0)
    found /= max(float(found.max()), np.finfo(float).tiny)
    found += (1 - found.max(axis=0)) / 2
    places[reached] = found + JITTER * (places[reached] - 0.5)
    return places


def projected(distance: NDArray[np.int32], dim: int) -> NDArray[np.float64]:
    """Return rows of distances, squared and centred both ways, from where they are widest.

    They are looked at in pieces that stay in a cache: there may be 32 for each of 10^6 vertices.

    Parameters
    ----------
    distance : int32[num_pivots, n]

    Returns
    -------
    float64[n, dim], or with fewer columns if there are fewer pivots

    Examples
    --------
    >>> np.abs(projected(np.array([[0, 1, 2, 3], [3, 2, 1, 0]], np.int32), 1)[:, 0]).round(2)
    array([6.36, 2.12, 2.12, 6.36])
    """
    pivots, count = distance.shape
    cuts = [slice(begin, begin + PIECE) for begin in range(0, count, PIECE)]
    total = np.zeros(pivots)
    for cut in cuts:
        total += squared(distance[:, cut]).sum(axis=1, dtype=np.float64)
    mean = (total / count).astype(np.float32)[:, None]

    def centred(cut: slice) -> NDArray[np.float32]:
        seen: NDArray[np.float32] = squared(distance[:, cut]) - mean
        seen -= seen.mean(axis=0)
        return seen

    products = np.zeros((pivots, pivots))
    for cut in cuts:
        seen = centred(cut)
        products += seen @ seen.T
    _, axes = np.linalg.eigh(products)
    axes = axes[:, ::-1][:, :dim].T.astype(np.float32)
    return np.concatenate([axes @ centred(cut) for cut in cuts], axis=1).T.astype(np.float64)


def squared(distance: NDArray[np.int32]) -> NDArray[np.float32]:
    """Return the squares of some distances."""
    return distance.astype(np.float32) ** 2


def distances(graph: Graph, backend: str | None) -> NDArray[np.int32]:
    """Return how far vertices are from pivots, ``int32[num_pivots, num_vertices]``; -1: no path."""
    pivot = int(np.argmax(graph.out_degrees()))
    rows: list[NDArray[np.int32]] = []
    nearest = np.full(graph.num_vertices, np.iinfo(np.int32).max, np.int32)
    for _ in range(PIVOTS):
        rows.append(on_host(bfs.run(graph, pivot, backend=backend).result))
        np.minimum(nearest, rows[-1], out=nearest)
        pivot = int(np.argmax(nearest))
        if nearest[pivot] <= 0:
            break
    return np.stack(rows)
