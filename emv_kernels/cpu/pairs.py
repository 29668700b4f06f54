"""Edges that join one of many pairs of vertices: a table of the pairs, probed by every edge.

The table has open addressing with linear probing (Knuth, TAOCP 3, 6.4); it is at most half full.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv_kernels.aside import all_at_once
from emv_kernels.cpu.entry import entry

_SPREAD, _MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


@entry()
def _place(u, v, mask):
    mixed = (np.uint64(u) * _SPREAD) ^ (np.uint64(v) * _MIX)
    mixed = (mixed ^ (mixed >> np.uint64(31))) * _SPREAD
    return (mixed >> np.uint64(20)) & mask


@entry()
def _enter(src, dst, table, mask, first):
    """Put each pair into the table once; note for each the first that equals it."""
    for k in range(len(src)):
        place = _place(src[k], dst[k], mask)
        while table[place] >= 0:
            other = table[place]
            if src[other] == src[k] and dst[other] == dst[k]:
                break
            place = (place + np.uint64(1)) & mask
        if table[place] < 0:
            table[place] = k
        first[k] = table[place]


@entry()
def _probe(src, dst, directed, pair_src, pair_dst, table, mask, begin, end, hit, found):
    """Tell which edges join a pair, and which pairs are joined."""
    for i in range(begin, end):
        u, v = src[i], dst[i]
        if not directed and u > v:
            u, v = v, u
        place = _place(u, v, mask)
        while table[place] >= 0:
            k = table[place]
            if pair_src[k] == u and pair_dst[k] == v:
                hit[i] = True
                found[k] = True
                break
            place = (place + np.uint64(1)) & mask


class PairTable:
    """Pairs of vertices that edges are compared with.

    Parameters
    ----------
    src, dst : int64[num_pairs]
        The pairs; if not `directed`, the smaller end is the first.
    directed : bool
        Whether the order of the ends counts.
    """

    def __init__(self, src: NDArray[np.int64], dst: NDArray[np.int64], directed: bool) -> None:
        self._src, self._dst, self._directed = src, dst, directed
        size = 1 << (2 * len(src)).bit_length()
        self._table, self._mask = np.full(size, -1, np.int64), np.uint64(size - 1)
        self._first = np.empty(len(src), np.int64)
        self._found = np.zeros(len(src), np.bool_)
        _enter(src, dst, self._table, self._mask, self._first)

    def joined_by(
        self, src: NDArray[Any], dst: NDArray[Any], num_threads: int
    ) -> NDArray[np.bool_]:
        """Return which edges join one of the pairs, bool[num_edges]."""
        hit = np.zeros(len(src), np.bool_)
        bounds = [len(src) * each // num_threads for each in range(num_threads + 1)]

        def probe(begin: int, end: int) -> None:
            _probe(
                src, dst, self._directed, self._src, self._dst, self._table, self._mask,
                begin, end, hit, self._found,
            )  # fmt: skip

        all_at_once(probe, bounds[:-1], bounds[1:])
        return hit

    def found(self) -> NDArray[np.bool_]:
        """Return which pairs were joined by an edge so far, bool[num_pairs]."""
        return self._found[self._first]
