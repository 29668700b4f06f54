"""What a version of a graph has that the one before has not, and its new arcs in rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.config import config
from emv.graph.build import FIRST_COMPILED


@dataclass(frozen=True)
class Difference:
    """What a version has that the one before has not, and the other way round.

    Attributes
    ----------
    vertices_gone, edges_gone : int64[n]
        Ids of the version before, ascending.
    num_new_vertices : int
        Vertices behind those that are left.
    src, dst : int32|int64[num_added]
        The ends of the new edges, as ids of the version.
    vertex_table : int32|int64[num_vertices] or None
        The id in the version of each vertex before; None where ids stay.
    """

    vertices_gone: NDArray[np.int64]
    num_new_vertices: int
    edges_gone: NDArray[np.int64]
    src: NDArray[Any]
    dst: NDArray[Any]
    vertex_table: NDArray[Any] | None


@dataclass(frozen=True)
class NewRows:
    """The arcs of new edges in rows: where these begin, receivers, edges, and ways back or not."""

    first: NDArray[Any]
    other: NDArray[Any]
    edge: NDArray[Any]
    is_back: NDArray[np.bool_]


def new_rows(src: NDArray[Any], dst: NDArray[Any], directed: bool, first: NDArray[Any]) -> NewRows:
    """Return the arcs of new edges in rows.

    Parameters
    ----------
    src, dst : uint32|uint64[num_edges]
        The ends of the edges.
    directed : bool
        Whether every edge has one arc.
    first : uint32|uint64[num_vertices + 1]
        Zeros, which are overwritten.

    Examples
    --------
    >>> rows = new_rows(np.array([1, 0]), np.array([0, 0]), False, np.zeros(3, np.uint32))
    >>> rows.first, rows.other, rows.edge
    (array([0, 2, 3], dtype=uint32), array([0, 1, 0]), array([1, 0, 0], dtype=uint32))
    """
    if len(src) >= FIRST_COMPILED:
        from emv_kernels.cpu import merge

        return NewRows(first, *merge.rows_of(src, dst, directed, first, config.num_threads))
    edges = np.arange(len(src), dtype=first.dtype)
    back = np.zeros(len(src), np.bool_) if directed else src != dst
    senders = np.concatenate([src, dst[back]])
    order = np.argsort(senders, kind="stable")
    counts = np.bincount(senders.astype(np.int64), minlength=len(first) - 1)
    np.cumsum(counts, out=first[1:])
    other = np.concatenate([dst, src[back]])[order]
    return NewRows(first, other, np.concatenate([edges, edges[back]])[order], order >= len(src))
