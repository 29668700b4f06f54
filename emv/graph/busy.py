"""The vertices with the most arcs, and which of them each vertex leads to: as lists and as bits.

Common neighbours of two vertices are counted at once where all neighbours of one of them are busy
and one of them is busy itself: the places of the busy ones that the other leads to are looked up in
a row of bits, or two rows of bits are laid over each other. In skewed graphs that are oriented most
edges lead to few vertices, whose neighbours are among these few: of a Kronecker graph's with 2^22
vertices 2^15 are busy, 51 of 64 million edges lead to them, and these find 99 of 100 triangles.
Matrices for vertices of high degree and lists for the others: Alon, Yuster and Zwick, Algorithmica
17, 1997; bits on a GPU: Bisson and Fatica, IEEE TPDS 28(12), 2017.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.graph.build import first_positions, grouped, spread, stable_order

LONG_ROW = 128  # out-arcs of the longest row from which any are counted so
MOST = 2**15  # vertices that are busy
REPEATED = 2**15  # bit of an entry that is the same as the one before
WORD = 32  # bits


def pays(longest: int) -> bool:
    """Return whether neighbours are counted so where the longest row has so many arcs."""
    return longest >= LONG_ROW


def num_busy(num_vertices: int, num_arcs: int) -> int:
    """Return how many vertices are busy: so many that their bits take no more than all arcs do.

    Examples
    --------
    >>> num_busy(2**22, 2**26), num_busy(2**22, 2**20), num_busy(10, 100)
    (32768, 5792, 10)
    """
    return min(MOST, num_vertices, math.isqrt(WORD * num_arcs))


@dataclass(frozen=True)
class Busy:
    """Which vertices are busy, and what of the rows leads to them.

    Attributes
    ----------
    words : int
        Words of a row of bits; 0 where no row is long, and then all arrays are empty.
    place : uint32[num_vertices]
        Twice the place of a busy vertex plus 2, 0 for others; and 1 where all neighbours are busy.
        The one with the most arcs, in and out, stands first, and of several the highest id.
    first : uint32|uint64[num_vertices + 1]
        Where the row of each vertex begins in `entries`.
    entries : uint16[num_busy_arcs]
        The places that each vertex leads to, ascending; repeats are marked by `REPEATED`.
    bits : uint32[num_busy * words]
        Of the vertex at each place a row with a bit for each place that it leads to.
    """

    words: int
    place: NDArray[np.uint32]
    first: NDArray[Any]
    entries: NDArray[np.uint16]
    bits: NDArray[np.uint32]


def busy_rows(out_first: NDArray[Any], in_first: NDArray[Any], senders: NDArray[Any]) -> Busy:
    """Return what is told of the busy vertices of a graph.

    Parameters
    ----------
    out_first : uint32|uint64[num_vertices + 1]
        Where each vertex's out-arcs begin.
    in_first, senders : uint32|uint64[num_vertices + 1], uint32|uint64[num_arcs]
        The in-arcs.

    Examples
    --------
    >>> from emv.graph import Graph
    >>> found = Graph.from_edges([0] * 200, range(1, 201)).layouts.busy
    >>> found.words, found.place[[0, 1, 199, 200]], found.entries[:3]
    (3, array([2, 1, 7, 5], dtype=uint32), array([1, 2, 3], dtype=uint16))
    """
    lengths, arc_dtype = np.diff(out_first), out_first.dtype
    if not pays(int(lengths.max(initial=0))):
        empty = np.zeros(0, np.uint32)
        return Busy(0, empty, np.zeros(0, arc_dtype), np.zeros(0, np.uint16), empty)
    size, degrees = len(lengths), np.diff(in_first).astype(arc_dtype)
    count = num_busy(size, len(senders))
    order = stable_order(lengths + degrees)[: -count - 1 : -1]
    place = np.zeros(size, np.uint32)
    place[order] = 2 * np.arange(1, count + 1)
    sender, places = _arcs_to(order, in_first, senders)
    first = first_positions(sender, size).astype(arc_dtype)
    places = grouped(sender, places, first)
    sender = spread(first, sender.dtype)
    repeats = np.zeros(len(places), bool)
    repeats[1:] = (places[1:] == places[:-1]) & (sender[1:] == sender[:-1])
    words = -(-count // WORD)
    bits, among = np.zeros(count * words, np.uint32), place[sender] > 0
    row, column = (place[sender[among]] >> 1) - 1, places[among]
    np.bitwise_or.at(bits, row * np.uint32(words) + column // WORD, np.uint32(1) << column % WORD)
    place |= (np.diff(first) == lengths).astype(np.uint32)
    entries = (places | np.where(repeats, REPEATED, 0)).astype(np.uint16)
    return Busy(words, place, first, entries, bits)


def _arcs_to(
    order: NDArray[Any], in_first: NDArray[Any], senders: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """Return the senders of all arcs to the vertices of an order, and the places of these in it."""
    begins = in_first[order].astype(np.int64)
    counts = in_first[order + 1].astype(np.int64) - begins
    shift = np.repeat(begins - (np.cumsum(counts) - counts), counts)
    return senders[np.arange(len(shift)) + shift], np.repeat(
        np.arange(len(order), dtype=np.uint32), counts
    )
