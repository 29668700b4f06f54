"""Graphs that are known by name: star, path, cycle, complete graph, tree. Nothing is drawn."""

from __future__ import annotations

from typing import Unpack

import numpy as np

from emv.errors import ArgumentError
from emv.generators.finish import (
    MOST_VERTICES,
    Options,
    checked_seed,
    device_of,
    made,
    refuse_beyond_memory,
    whole,
)
from emv.graph import Graph
from emv.graph.widths import public_dtype
from emv.lang.draws import Rng
from emv.renamed import renamed
from emv.tracebacks import ends_at_caller


@ends_at_caller
@renamed("0.2", seed="rng")
def star(n: int, rng: Rng = 0, **options: Unpack[Options]) -> Graph:
    """Return a star: vertex 0 joined to all others.

    Parameters
    ----------
    n : int
        Vertices, the middle one included.
    rng : int, numpy.random.Generator, BitGenerator, SeedSequence or None
        Of the weights; nothing else is drawn.
    **options
        `directed` (by default False), `weights`; see `emv.generators`.

    Raises
    ------
    ArgumentError
        If a parameter has a value it does not take.

    Examples
    --------
    >>> star(4).out_degrees()
    array([3, 1, 1, 1], dtype=int32)
    """
    n, seed = whole("n", n, 0), checked_seed(rng)
    device_of(options, "star")
    dst = np.arange(1, max(n, 1), dtype=public_dtype(n))
    return made((n, np.zeros_like(dst), dst), seed, options, False)


@ends_at_caller
@renamed("0.2", seed="rng")
def path(n: int, rng: Rng = 0, **options: Unpack[Options]) -> Graph:
    """Return a path: each vertex joined to the next.

    Parameters, options and errors are those of `star`.

    Examples
    --------
    >>> path(4, directed=True).out_degrees()
    array([1, 1, 1, 0], dtype=int32)
    """
    n, seed = whole("n", n, 0), checked_seed(rng)
    device_of(options, "path")
    vertex = np.arange(n, dtype=public_dtype(n))
    return made((n, vertex[:-1], vertex[1:]), seed, options, False)


@ends_at_caller
@renamed("0.2", seed="rng")
def cycle(n: int, rng: Rng = 0, **options: Unpack[Options]) -> Graph:
    """Return a cycle: each vertex joined to the next, the last to the first.

    Parameters, options and errors are those of `star`, but `n` is at least 3.

    Examples
    --------
    >>> cycle(4).out_degrees()
    array([2, 2, 2, 2], dtype=int32)
    """
    n, seed = whole("n", n, 3), checked_seed(rng)
    device_of(options, "cycle")
    vertex = np.arange(n, dtype=public_dtype(n))
    return made((n, vertex, np.roll(vertex, -1)), seed, options, False)


@ends_at_caller
@renamed("0.2", seed="rng")
def complete(n: int, rng: Rng = 0, **options: Unpack[Options]) -> Graph:
    """Return a complete graph: every two vertices joined, by one edge.

    Parameters, options and errors are those of `star`.

    Raises
    ------
    CapacityError
        If the edges do not fit the memory there is.

    Examples
    --------
    >>> complete(5)
    Graph(5 vertices, 10 edges, undirected)
    """
    n, seed = whole("n", n, 0), checked_seed(rng)
    device_of(options, "complete")
    refuse_beyond_memory(n * (n - 1) // 2, f"complete({n})")
    vertex = np.arange(n, dtype=public_dtype(n))
    others = n - 1 - vertex.astype(np.int64)
    src = np.repeat(vertex, others)
    first = np.cumsum(others) - others - vertex - 1  # of a vertex's edges, less their first end
    dst = np.arange(len(src), dtype=np.int64)
    dst -= np.repeat(first, others)
    return made((n, src, dst), seed, options, False)


@ends_at_caller
@renamed("0.2", seed="rng")
def tree(branching: int, height: int, rng: Rng = 0, **options: Unpack[Options]) -> Graph:
    """Return a tree in which every vertex but the leaves has as many children.

    Parameters
    ----------
    branching : int
        Children of a vertex, from 1 on.
    height : int
        Edges from the root, which is vertex 0, to each leaf.
    rng : int, numpy.random.Generator, BitGenerator, SeedSequence or None
        Of the weights; nothing else is drawn.
    **options
        `directed` (by default False; edges lead away from the root), `weights`; see
        `emv.generators`.

    Raises
    ------
    ArgumentError
        If a parameter has a value it does not take.

    Examples
    --------
    >>> tree(2, 3)
    Graph(15 vertices, 14 edges, undirected)
    """
    branching, seed = whole("branching", branching, 1), checked_seed(rng)
    height = whole("height", height, 0)
    device_of(options, "tree")
    n = 1
    for _ in range(height):
        n = n * branching + 1
        if n > MOST_VERTICES:
            raise ArgumentError(
                f"a tree of branching {branching} and height {height} has more than "
                f"{MOST_VERTICES} vertices"
            )
    child = np.arange(1, n, dtype=public_dtype(n))
    return made((n, (child - 1) // branching, child), seed, options, False)
