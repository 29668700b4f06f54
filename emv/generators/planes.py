"""Graphs of random points in the unit square: who is near whom, and Delaunay's triangles.

Random geometric graphs are Gilbert's (Journal of SIAM 9, 1961); pairs within the radius are found
by scipy's k-d tree, triangles by Qhull (Barber, Dobkin and Huhdanpaa, ACM TOMS 22, 1996).
"""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from emv.generators.draws import filled, key_of
from emv.generators.finish import Options, checked_seed, device_of, made, number, whole
from emv.graph import Graph
from emv.graph.on_device import on_host
from emv.graph.widths import public_dtype
from emv.lang.draws import Rng
from emv.renamed import renamed
from emv.tracebacks import ends_at_caller


@ends_at_caller
@renamed("0.2", seed="rng")
def geometric(n: int, radius: float, rng: Rng = 0, **options: Unpack[Options]) -> Graph:
    """Return a random geometric graph: points are joined that are at most a radius apart.

    Parameters
    ----------
    n : int
        Points, uniform in the unit square.
    radius : float
        The largest distance of neighbours.
    rng : int, numpy.random.Generator, BitGenerator, SeedSequence or None
        The same number gives the same graph everywhere.
    **options
        `directed` (by default False), `weights`, `device` (which makes the points; pairs are
        found on the CPU); see `emv.generators`.

    Returns
    -------
    Graph
        With vertex columns ``x`` and ``y``, float64.

    Raises
    ------
    ArgumentError
        If a parameter has a value it does not take.

    Examples
    --------
    >>> geometric(50, 1.5)
    Graph(50 vertices, 1225 edges, undirected, vertices: x f64, y f64)
    """
    n, seed = whole("n", n, 0), checked_seed(rng)
    radius = number("radius", radius, 0.0, 2.0)
    points = points_of(n, seed, device_of(options))
    from scipy.spatial import cKDTree

    pairs = cKDTree(points).query_pairs(radius, output_type="ndarray") if n else np.empty((0, 2))
    return made((n, *_sorted_ends(pairs, n)), seed, options, False, _columns(points))


@ends_at_caller
@renamed("0.2", seed="rng")
def delaunay(n: int, rng: Rng = 0, **options: Unpack[Options]) -> Graph:
    """Return the Delaunay triangulation of random points.

    Parameters
    ----------
    n : int
        Points, uniform in the unit square; at least 3.
    rng : int, numpy.random.Generator, BitGenerator, SeedSequence or None
        The same number gives the same graph everywhere.
    **options
        `directed` (by default False), `weights`, `device` (which makes the points; qhull
        triangulates on the CPU); see `emv.generators`.

    Returns
    -------
    Graph
        With vertex columns ``x`` and ``y``, float64. About three edges per vertex.

    Raises
    ------
    ArgumentError
        If a parameter has a value it does not take.

    Examples
    --------
    >>> g = delaunay(100)
    >>> g.num_edges <= 3 * g.num_vertices - 6
    True
    """
    n, seed = whole("n", n, 3), checked_seed(rng)
    points = points_of(n, seed, device_of(options))
    from scipy.spatial import Delaunay

    corners = Delaunay(points).simplices
    pairs = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    return made((n, *_sorted_ends(pairs, n)), seed, options, False, _columns(points))


def points_of(n: int, seed: int, device: str | None = None) -> NDArray[np.float64]:
    """Return uniform points in the unit square, ``float64[n, 2]``, on the host."""
    told = [key_of(seed, "points"), 0.0, 1.0]
    points: NDArray[np.float64] = on_host(filled("floats", 2 * n, [np.float64], told, device)[0])
    return points.reshape(n, 2)


def _columns(points: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    return {"x": points[:, 0].copy(), "y": points[:, 1].copy()}


def _sorted_ends(pairs: NDArray[Any], n: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return each pair once, the smaller vertex first, sorted."""
    low, high = pairs.min(axis=1, initial=n), pairs.max(axis=1, initial=0)
    key = np.unique(low.astype(np.int64) * n + high.astype(np.int64))
    dtype = public_dtype(n)
    return (key // max(1, n)).astype(dtype), (key % max(1, n)).astype(dtype)
