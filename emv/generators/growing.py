"""Barabási and Albert's growing graph (Science 286, 1999): who has many edges gets more."""

from __future__ import annotations

from typing import Unpack

import numpy as np

from emv.errors import ArgumentError
from emv.generators.draws import key_of
from emv.generators.finish import Options, checked_seed, device_of, made, whole
from emv.graph import Graph
from emv.graph.widths import public_dtype
from emv.lang.draws import Rng
from emv.renamed import renamed
from emv.tracebacks import ends_at_caller


@ends_at_caller
@renamed("0.2", seed="rng")
def barabasi_albert(n: int, k: int, rng: Rng = 0, **options: Unpack[Options]) -> Graph:
    """Return a graph that grew vertex by vertex, each attached to `k` different ones.

    Parameters
    ----------
    n : int
        Vertices, more than `k`.
    k : int
        Edges that each new vertex comes with, from 1 on. The first k vertices come with none, and
        the next is joined to all of them.
    rng : int, numpy.random.Generator, BitGenerator, SeedSequence or None
        The same number gives the same graph everywhere.
    **options
        `directed` (by default False; edges lead from the newer vertex), `weights`; see
        `emv.generators`.

    Returns
    -------
    Graph
        With ``(n - k) * k`` edges, connected, without loops and repeats.

    Raises
    ------
    ArgumentError
        If a parameter has a value it does not take.

    Examples
    --------
    >>> barabasi_albert(100, 3)
    Graph(100 vertices, 291 edges, undirected)
    """
    k, seed = whole("k", k, 1), checked_seed(rng)
    n = whole("n", n, k + 1)
    device_of(options, "barabasi_albert")
    num_edges = (n - k) * k
    if 2 * num_edges >= 2**32:
        raise ArgumentError(f"n and k make {num_edges} edges, but it is less than 2**31")
    dtype = public_dtype(n)
    src, dst = np.empty(num_edges, dtype), np.empty(num_edges, dtype)
    from emv_kernels.cpu import generate_rows  # numba loads only to draw

    generate_rows.attach(src, dst, k, key_of(seed, "edges"))
    return made((n, src, dst), seed, options, False)
