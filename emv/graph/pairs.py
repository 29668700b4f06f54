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
    """Pairs in a dictionary."""

    def __init__(self, src: NDArray[np.int64], dst: NDArray[np.int64], directed: bool) -> None:
        self._pairs = list(zip(src.tolist(), dst.tolist(), strict=True))
        self._is_found = dict.fromkeys(self._pairs, False)
        self._directed = directed

    def joined_by(
        self, src: NDArray[Any], dst: NDArray[Any], num_threads: int
    ) -> NDArray[np.bool_]:
        """Return which edges join one of the pairs, bool[num_edges]."""
        if not self._directed:
            src, dst = np.minimum(src, dst), np.maximum(src, dst)
        is_found = self._is_found
        ends = list(zip(src.tolist(), dst.tolist(), strict=True))
        joined = np.fromiter((pair in is_found for pair in ends), np.bool_, len(ends))
        is_found.update(dict.fromkeys((ends[row] for row in np.flatnonzero(joined)), True))
        return joined

    def found(self) -> NDArray[np.bool_]:
        """Return which pairs were joined by an edge so far, bool[num_pairs]."""
        return np.array([self._is_found[pair] for pair in self._pairs], np.bool_)
