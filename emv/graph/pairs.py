"""Which edges join one of many pairs of vertices; small graphs by numpy, others compiled."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from emv.config import config
from emv.graph.build import FIRST_COMPILED


class Pairs(Protocol):
    """Pairs of vertices that edges are compared with."""

    def joined_by(
        self, src: NDArray[Any], dst: NDArray[Any], num_threads: int
    ) -> NDArray[np.bool_]:
        """Return which edges join one of the pairs, bool[num_edges]."""
        ...

    def found(self) -> NDArray[np.bool_]:
        """Return which pairs were joined by an edge so far, bool[num_pairs]."""
        ...


def pairs_of(
    src: NDArray[np.int64], dst: NDArray[np.int64], directed: bool, num_edges: int
) -> Pairs:
    """Return pairs to compare so many edges with.

    Parameters
    ----------
    src, dst : int64[num_pairs]
        The ends of each pair.
    directed : bool
        Whether the order of the ends counts.
    num_edges : int
        How many edges will be compared with them.

    Examples
    --------
    >>> pairs = pairs_of(np.array([0, 2]), np.array([1, 2]), False, 3)
    >>> pairs.joined_by(np.array([1, 0, 2]), np.array([0, 2, 1]), 1), pairs.found()
    (array([ True, False, False]), array([ True, False]))
    """
    if not directed:
        src, dst = np.minimum(src, dst), np.maximum(src, dst)
    if num_edges >= FIRST_COMPILED:
        from emv_kernels.cpu.pairs import PairTable

        table: Pairs = PairTable(src, dst, directed)
        return table
    return _FewPairs(src, dst, directed)


def joined_by(pairs: Pairs, src: NDArray[Any], dst: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which edges join one of the pairs, bool[num_edges]."""
    return pairs.joined_by(src, dst, config.num_threads)


class _FewPairs:
    """Pairs as numbers, ascending, among which the edges are looked up."""

    def __init__(self, src: NDArray[Any], dst: NDArray[Any], directed: bool) -> None:
        self._ids = np.unique(np.concatenate([src, dst]))
        self._directed = directed
        numbers = self._numbers(src, dst)[0] if len(src) else np.empty(0, np.int64)
        self._pairs, self._place = np.unique(numbers, return_inverse=True)
        self._is_found = np.zeros(len(self._pairs), np.bool_)

    def _numbers(self, src: NDArray[Any], dst: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return a number for each two vertices, and whether both are ends of pairs."""
        last = len(self._ids) - 1
        at = [np.minimum(np.searchsorted(self._ids, each), last) for each in (src, dst)]
        is_end = (self._ids[at[0]] == src) & (self._ids[at[1]] == dst)
        return at[0] * (last + 1) + at[1], is_end

    def joined_by(
        self, src: NDArray[Any], dst: NDArray[Any], num_threads: int
    ) -> NDArray[np.bool_]:
        """Return which edges join one of the pairs, bool[num_edges]."""
        if not len(self._pairs):
            return np.zeros(len(src), np.bool_)
        if not self._directed:
            src, dst = np.minimum(src, dst), np.maximum(src, dst)
        numbers, joined = self._numbers(src, dst)
        at = np.minimum(np.searchsorted(self._pairs, numbers), len(self._pairs) - 1)
        joined &= self._pairs[at] == numbers
        self._is_found[at[joined]] = True
        return joined

    def found(self) -> NDArray[np.bool_]:
        """Return which pairs were joined by an edge so far, bool[num_pairs]."""
        return self._is_found[self._place]
