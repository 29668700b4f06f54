"""Lattices: grids and tori of any dimension, and the honeycomb.

Vertices are numbered row by row, the last coordinate fastest. A honeycomb is a grid of which every
second link between rows is left out, as bricks lie in a wall.
"""

from __future__ import annotations

import math
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from emv.errors import ArgumentError
from emv.generators.draws import filled_parts
from emv.generators.finish import (
    MOST_VERTICES,
    Options,
    checked_seed,
    device_of,
    made,
    truth,
    whole,
    wide_ids,
)
from emv.graph import Graph
from emv.graph.widths import public_dtype
from emv.lang.draws import Rng
from emv.renamed import renamed
from emv.tracebacks import ends_at_caller


@ends_at_caller
@renamed("0.2", seed="rng")
def grid(*shape: int, periodic: bool = False, rng: Rng = 0, **options: Unpack[Options]) -> Graph:
    """Return a grid of any dimension, or a torus.

    Parameters
    ----------
    *shape : int
        Vertices along each axis, such as ``grid(1400, 1400)`` or ``grid(10, 20, 30)``.
    periodic : bool
        Whether the last vertex along an axis is joined to the first, where there are more than
        two: a torus.
    rng : int, numpy.random.Generator, BitGenerator, SeedSequence or None
        Of the weights; nothing else is drawn.
    **options
        `directed` (by default False), `weights`, `device`; see `emv.generators`.

    Raises
    ------
    ArgumentError
        If a parameter has a value it does not take.

    Examples
    --------
    >>> g = grid(2, 3)
    >>> g.edges.src, g.edges.dst
    (array([0, 1, 2, 0, 1, 3, 4], dtype=int32), array([3, 4, 5, 1, 2, 4, 5], dtype=int32))
    >>> grid(4, 4, 4, periodic=True)
    Graph(64 vertices, 192 edges, undirected)
    """
    sizes, periodic = checked_shape(shape), truth("periodic", periodic)
    seed, device = checked_seed(rng), device_of(options)
    n = math.prod(sizes)
    parts = []
    for axis, length in enumerate(sizes):
        lanes = length if periodic and length > 2 else length - 1
        parts.append((n // length * lanes, [length, math.prod(sizes[axis + 1 :]), lanes]))
    src, dst = filled_parts("along_axis", wide_ids(n), parts, device)
    return made((n, src, dst), seed, options, False)


def checked_shape(shape: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the lengths of the axes that a user gave."""
    if not shape:
        raise ArgumentError("a grid has at least one axis", remedy="write grid(rows, columns)")
    sizes = tuple(whole(f"axis {axis}", each, 1) for axis, each in enumerate(shape))
    if math.prod(sizes) > MOST_VERTICES:
        raise ArgumentError(f"a grid of {sizes} has more than {MOST_VERTICES} vertices")
    return sizes


@ends_at_caller
@renamed("0.2", seed="rng")
def honeycomb(rows: int, columns: int, rng: Rng = 0, **options: Unpack[Options]) -> Graph:
    """Return a honeycomb: hexagons side by side, three edges at every inner vertex.

    Parameters
    ----------
    rows, columns : int
        Vertices: `rows` zigzag lines of `columns` each; every second vertex of a line has an edge
        to the line below.
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
    >>> g = honeycomb(10, 10)
    >>> g, int(g.out_degrees().max())
    (Graph(100 vertices, 135 edges, undirected), 3)
    """
    rows, columns = checked_shape((rows, columns))
    seed, _ = checked_seed(rng), device_of(options, "honeycomb")
    return made((rows * columns, *honeycomb_ends(rows, columns)), seed, options, False)


def honeycomb_ends(rows: int, columns: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the ends of a honeycomb's edges: those along the lines, then those between them."""
    vertex = np.arange(rows * columns, dtype=public_dtype(rows * columns)).reshape(rows, columns)
    starts, ends = [vertex[:, :-1].ravel()], [vertex[:, 1:].ravel()]
    for parity in (0, 1):
        starts.append(vertex[parity:-1:2, parity::2].ravel())
        ends.append(vertex[parity + 1 :: 2, parity::2].ravel())
    return np.concatenate(starts), np.concatenate(ends)
