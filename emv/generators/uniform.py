"""Edges between uniformly drawn vertices: GTgraph's random graph G(n, m), and its bipartite kin."""

from __future__ import annotations

from typing import Unpack

import numpy as np

from emv.errors import ArgumentError
from emv.generators.draws import ends_of, key_of
from emv.generators.finish import (
    MOST_VERTICES,
    Options,
    checked_seed,
    count_of,
    device_of,
    held_of,
    made,
    truth,
    whole,
)
from emv.graph import Graph
from emv.lang.draws import Rng
from emv.renamed import renamed
from emv.tracebacks import ends_at_caller


@ends_at_caller
@renamed("0.2", seed="rng")
def random(n: int, m: int, loops: bool = False, rng: Rng = 0, **options: Unpack[Options]) -> Graph:
    """Return a graph of edges between uniformly drawn vertices, as GTgraph's G(n, m).

    Parameters
    ----------
    n : int
        Vertices, at least 2 (1 with loops).
    m : int
        Edges; repeats are kept.
    loops : bool
        Whether loops are kept; otherwise such an edge is drawn again.
    rng : int, numpy.random.Generator, BitGenerator, SeedSequence or None
        The same number gives the same graph everywhere.
    **options
        `directed` (by default True), `weights`, `device`, `held`; see `emv.generators`.

    Raises
    ------
    ArgumentError
        If a parameter has a value it does not take.

    Examples
    --------
    >>> random(100, 400, rng=3)
    Graph(100 vertices, 400 edges, directed)
    """
    loops = truth("loops", loops)
    held = held_of(options)
    n, m = whole("n", n, 1 if loops else 2), count_of("m", m, held=held)
    seed = checked_seed(rng)
    told = [key_of(seed, "edges"), n, 0, n, loops]
    return made(ends_of("uniform", n, m, told, device_of(options), held), seed, options, True)


@ends_at_caller
@renamed("0.2", seed="rng")
def bipartite(n_left: int, n_right: int, m: int, rng: Rng = 0, **options: Unpack[Options]) -> Graph:
    """Return a bipartite graph: every edge joins a uniform vertex of each side.

    Parameters
    ----------
    n_left, n_right : int
        Vertices of the sides. Those on the left come first.
    m : int
        Edges, from left to right; repeats are kept.
    rng : int, numpy.random.Generator, BitGenerator, SeedSequence or None
        The same number gives the same graph everywhere.
    **options
        `directed` (by default False), `weights`, `device`, `held`; see `emv.generators`.

    Returns
    -------
    Graph
        With a vertex column ``side``, uint8: 0 on the left, 1 on the right.

    Raises
    ------
    ArgumentError
        If a parameter has a value it does not take.

    Examples
    --------
    >>> g = bipartite(2, 3, 4)
    >>> g, g.vertices.side
    (Graph(5 vertices, 4 edges, undirected, vertices: side u8), \
array([0, 0, 1, 1, 1], dtype=uint8))
    """
    held = held_of(options)
    m, seed = count_of("m", m, held=held), checked_seed(rng)
    n_left, n_right = (
        whole(name, each, 1 if m else 0)
        for name, each in (("n_left", n_left), ("n_right", n_right))
    )
    n = n_left + n_right
    if n > MOST_VERTICES:
        raise ArgumentError(f"n_left + n_right is {n}, but a graph has at most {MOST_VERTICES}")
    told = [key_of(seed, "edges"), n_left, n_left, n_right, True]
    ends = ends_of("uniform", n, m, told, device_of(options), held)
    side = np.repeat(np.array([0, 1], np.uint8), [n_left, n_right])
    return made(ends, seed, options, False, {"side": side})
