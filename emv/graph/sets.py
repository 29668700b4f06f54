"""Sets of vertices, each called after its first one, that edges join: small ones by Python."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.config import config
from emv.graph.build import FIRST_COMPILED


def joined(name: NDArray[np.int64], src: NDArray[Any], dst: NDArray[Any]) -> NDArray[np.int64]:
    """Return what each vertex is called when the sets of the ends of all edges have been joined.

    Parameters
    ----------
    name : int64[num_vertices]
        The first vertex of each vertex's set; it is overwritten.
    src, dst : int[num_edges]
        The ends of the edges.

    Examples
    --------
    >>> joined(np.array([0, 0, 2, 3]), np.array([2]), np.array([1]))
    array([0, 0, 0, 3])
    """
    if max(len(src), len(name)) >= FIRST_COMPILED:
        from emv_kernels.cpu import join_sets

        join_sets.join_edges(name, src, dst, config.num_threads)
        return name
    for u, v in zip(src.tolist(), dst.tolist(), strict=True):
        a, b = sorted((_root_of(name, u), _root_of(name, v)))
        name[b] = a
    while not np.array_equal(above := name[name], name):
        name = above
    return name


def _root_of(name: NDArray[np.int64], vertex: int) -> int:
    while (above := int(name[vertex])) != vertex:
        vertex = above
    return vertex
