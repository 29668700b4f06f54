"""Graphs in which every pair of vertices is an edge by a chance of its own.

Erdős and Rényi's G(n, p) (as Gilbert has it, 1959), where all chances are one, and the stochastic
block model (Holland, Laskey and Leinhardt, 1983), where they depend on the vertices' blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emv.config import config
from emv.errors import ArgumentError
from emv.generators.draws import key_of
from emv.generators.finish import (
    MOST_VERTICES,
    Options,
    checked_seed,
    device_of,
    made,
    number,
    whole,
)
from emv.graph import Graph
from emv.graph.widths import public_dtype
from emv.lang.draws import Rng
from emv.renamed import renamed
from emv.tracebacks import ends_at_caller


@ends_at_caller
@renamed("0.2", seed="rng")
def erdos_renyi(n: int, p: float, rng: Rng = 0, **options: Unpack[Options]) -> Graph:
    """Return a graph G(n, p): each pair of vertices is an edge with the same chance.

    Parameters
    ----------
    n : int
        Vertices.
    p : float
        The chance of each pair; with ``directed=True`` of each of the two directions.
    rng : int, numpy.random.Generator, BitGenerator, SeedSequence or None
        The same number gives the same graph, however many threads make it.
    **options
        `directed` (by default False), `weights`; see `emv.generators`.

    Returns
    -------
    Graph
        Without loops and repeats.

    Raises
    ------
    ArgumentError
        If a parameter has a value it does not take.

    Examples
    --------
    >>> erdos_renyi(5, 1.0), erdos_renyi(5, 1.0, directed=True)
    (Graph(5 vertices, 10 edges, undirected), Graph(5 vertices, 20 edges, directed))
    """
    n, seed = whole("n", n, 0), checked_seed(rng)
    device_of(options, "erdos_renyi")
    ends = _pairs([n], np.array([[number("p", p)]]), seed, bool(options.get("directed", False)))
    return made(ends, seed, options, False)


@ends_at_caller
@renamed("0.2", seed="rng")
def stochastic_block(
    sizes: Sequence[int], p: ArrayLike, rng: Rng = 0, **options: Unpack[Options]
) -> Graph:
    """Return a graph of blocks: the chance of a pair depends on the blocks of the two.

    Parameters
    ----------
    sizes : sequence of int
        Vertices of each block; those of a block have ids in a row.
    p : array_like
        ``float[num_blocks, num_blocks]``, the chance of an edge from a block to a block; symmetric
        unless ``directed=True``.
    rng : int, numpy.random.Generator, BitGenerator, SeedSequence or None
        The same number gives the same graph, however many threads make it.
    **options
        `directed` (by default False), `weights`; see `emv.generators`.

    Returns
    -------
    Graph
        With a vertex column ``block``, int32; without loops and repeats.

    Raises
    ------
    ArgumentError
        If a parameter has a value it does not take.

    Examples
    --------
    >>> g = stochastic_block([2, 3], [[1, 0], [0, 1]])
    >>> g.vertices.block, g.num_edges
    (array([0, 0, 1, 1, 1], dtype=int32), 4)
    """
    seed = checked_seed(rng)
    device_of(options, "stochastic_block")
    directed = bool(options.get("directed", False))
    counts = [whole(f"sizes[{i}]", each, 0) for i, each in enumerate(sizes)]
    if sum(counts) > MOST_VERTICES:
        raise ArgumentError(f"the blocks have {sum(counts)} vertices, at most {MOST_VERTICES} fit")
    chances = _checked_chances(p, len(counts), directed)
    block = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    ends = _pairs(counts, chances, seed, directed)
    return made(ends, seed, options, False, {"block": block})


def _checked_chances(p: Any, num_blocks: int, directed: bool) -> NDArray[np.float64]:
    """Return the matrix of chances that a user gave."""
    try:
        chances = np.asarray(p, np.float64)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"p is no matrix of chances: {error}") from None
    if chances.shape != (num_blocks, num_blocks):
        raise ArgumentError(
            f"p has shape {chances.shape}, but {num_blocks} blocks have "
            f"{num_blocks} times {num_blocks} chances"
        )
    for each in chances.ravel().tolist():
        number("p", each)
    if not directed and (chances != chances.T).any():
        raise ArgumentError(
            "p is not symmetric, but an undirected edge has one chance",
            remedy="make p symmetric, or pass directed=True",
        )
    return chances


def _pairs(
    sizes: list[int], chances: NDArray[np.float64], seed: int, directed: bool
) -> tuple[int, NDArray[Any], NDArray[Any]]:
    """Return the number of vertices, and the ends of the edges, sorted."""
    from emv_kernels.cpu import generate_rows  # numba loads only to draw

    starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)
    with np.errstate(divide="ignore"):
        logs = np.log1p(-chances)
    n = sum(sizes)
    key = key_of(seed, "edges")
    src, dst = generate_rows.pairs(starts, logs, key, directed, public_dtype(n), config.num_threads)
    return n, src, dst
