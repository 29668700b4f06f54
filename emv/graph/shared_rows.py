"""What loops over common neighbours ask of a graph besides its sorted rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.graph.build import first_positions, grouped

LONG_ROW = 128  # out-arcs from which a row is looked up in wherever it is the longer of two


def edges_by_row(src: NDArray[Any], dst: NDArray[Any], first: NDArray[Any]) -> NDArray[Any]:
    """Return the edges in the order of ends whose rows go into tables.

    Parameters
    ----------
    src, dst : uint32|uint64[num_edges]
        The ends of the edges.
    first : uint32|uint64[num_vertices + 1]
        Where each vertex's out-arcs begin.

    Returns
    -------
    uint32|uint64[num_edges]
        As wide as `first`: by dst where it has `LONG_ROW` out-arcs and no fewer than src, else by
        src; edges of one such end are in the order of their numbers.
    """
    lengths = np.diff(first)
    second = lengths[dst]
    keys = np.where((second >= lengths[src]) & (second >= LONG_ROW), dst, src)
    edges = np.arange(len(src), dtype=first.dtype)
    return grouped(keys, edges, first_positions(keys, len(lengths)))


def row_bits(first: NDArray[Any], receivers: NDArray[Any]) -> NDArray[np.uint32]:
    """Return which ids modulo 32 every vertex's out-neighbours have, one bit each.

    Vertices without a bit in common have no such neighbour in common (Bloom, CACM 13(7), 1970).

    Parameters
    ----------
    first, receivers : uint32|uint64[num_vertices + 1], uint32|uint64[num_arcs]
        The out-arcs.
    """
    bits, each = np.zeros(len(first) - 1, np.uint32), receivers.astype(np.uint32)
    np.left_shift(np.uint32(1), each & np.uint32(31), out=each)
    has_row = first[1:] > first[:-1]
    if len(each):
        bits[has_row] = np.bitwise_or.reduceat(each, first[:-1][has_row].astype(np.int64))
    return bits
