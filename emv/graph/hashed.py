"""The receivers in every row by a hash of 16 bits, four to a word, where all rows are short.

Who counts common neighbours reads half of what the ids take, and of four neighbours at once; the
few that may be shared are then looked for by their ids. Rows stand in the order of their ids'
places among the sorted arcs, and each begins at a word of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.graph import busy
from emv_kernels.sizes import FEW

HASHES = 4  # in a word
COUNT_BITS = 5  # that tell how many words a row has
MOST_WORDS = 2**COUNT_BITS - 1
GOLDEN = np.uint32(2654435769)  # Fibonacci hashing (Knuth 6.4), as `emv_kernels.cuda.search` has it


def pays(longest: int, num_vertices: int, num_arcs: int, arcs_are_edges: bool) -> bool:
    """Return whether neighbours are counted so where the longest row has so many arcs."""
    is_short = FEW <= longest <= HASHES * MOST_WORDS and not busy.pays(longest)
    return is_short and may_pay(num_vertices, num_arcs, arcs_are_edges)


def may_pay(num_vertices: int, num_arcs: int, arcs_are_edges: bool) -> bool:
    """Return whether neighbours may be counted so, whatever the longest row: words have numbers."""
    return arcs_are_edges and num_words(num_vertices, num_arcs) < 2 ** (32 - COUNT_BITS)


def num_words(num_vertices: int, num_arcs: int) -> int:
    """Return how many words there are; some between two rows may be no one's.

    Examples
    --------
    >>> num_words(3, 10)
    5
    """
    return num_arcs // HASHES + num_vertices


@dataclass(frozen=True)
class Hashed:
    """The hashes of all rows; both arrays are empty where they do not pay.

    Attributes
    ----------
    rows : uint64[num_words]
        The row of vertex v from ``first[v] // 4 + v`` on, the first hash in the lowest bits; what
        is left of its last word is 0.
    where : uint32[num_arcs]
        Of every arc where the words of its receiver begin, times 32, and how many they are.
    """

    rows: NDArray[np.uint64]
    where: NDArray[np.uint32]


def hashed_rows(
    first: NDArray[Any], rows: NDArray[Any], receivers: NDArray[Any], arcs_are_edges: bool
) -> Hashed:
    """Return the hashes of a graph's rows.

    Parameters
    ----------
    first : uint32|uint64[num_vertices + 1]
        Where each vertex's row begins.
    rows, receivers : uint32|uint64[num_arcs]
        The receivers of each vertex's arcs, ascending and as the arcs stand.
    arcs_are_edges : bool
        Whether each arc is the edge of its number.

    Examples
    --------
    >>> from emv.graph import Graph
    >>> found = Graph.from_edges([0] * 5 + [3], [*range(1, 6), 4]).layouts.hashed
    >>> len(found.rows), [hex(word) for word in found.rows[:3].tolist()]
    (7, ['0x78dddaa63c6e9e37', '0x1715', '0x0'])
    >>> (found.where >> 5).tolist(), (found.where & 31).tolist()
    ([2, 3, 4, 5, 6, 5], [0, 0, 1, 0, 0, 0])
    """
    size, lengths = len(first) - 1, np.diff(first).astype(np.int64)
    longest = int(lengths.max(initial=0))
    if not pays(longest, size, len(rows), arcs_are_edges):
        return Hashed(np.zeros(0, np.uint64), np.zeros(0, np.uint32))
    begins = first[:-1].astype(np.int64)
    words = begins // HASHES + np.arange(size)
    at = np.arange(len(rows)) + np.repeat(HASHES * words - begins, lengths)
    hashes = np.zeros(HASHES * num_words(size, len(rows)), "<u2")
    hashes[at] = (rows.astype(np.uint32) * GOLDEN) >> 16
    stretches = (words << COUNT_BITS) | -(-lengths // HASHES)
    where = stretches.astype(np.uint32)[receivers]
    return Hashed(hashes.view("<u8").astype(np.uint64, copy=False), where)
