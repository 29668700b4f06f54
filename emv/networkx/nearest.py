"""The tree of shortest paths that Dijkstra's method finds, from the distances that emv finds.

networkx takes nodes by distance, and those at one distance by when they were last brought nearer:
by their parents' places, then by the order of the parents' neighbours. A node's parent is the first
so taken from which a path of its distance leads. Distances of one vertex each settle this at once;
only those of several, or of vertices that several paths reach, are gone through.

Dijkstra: A note on two problems in connexion with graphs, Numerische Mathematik 1, 1959.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.networkx.rows import Ids, Rows, Tree


@dataclass(eq=False)
class Tight:
    """The arcs that end a shortest path, in networkx' order.

    Attributes
    ----------
    tails, heads : int64[num_tight]
        Their ends.
    far : float64[num_vertices]
        The distances.
    is_reached : bool[num_vertices]
        Which vertices a path reaches.
    sources : int64[num_sources]
        Where paths begin, in networkx' order.
    """

    tails: Ids
    heads: Ids
    far: NDArray[np.float64]
    is_reached: NDArray[np.bool_]
    sources: Ids

    @property
    def counts(self) -> Ids:
        """How many of them end at every vertex."""
        return np.bincount(self.heads, minlength=len(self.far))


def tight_arcs(
    rows: Rows,
    length: NDArray[Any] | int,
    far: NDArray[np.float64],
    sources: list[int],
    cutoff: Any = None,
) -> Tight:
    """Return the arcs that end a shortest path.

    Parameters
    ----------
    rows : Rows
        The arcs; of a graph without parallel ones.
    length : any[num_edges] or int
        Of the edges.
    far : float64[num_vertices]
        The distances from the sources; infinite where no path leads.
    sources : list of int
        In networkx' order.
    cutoff : float, optional
        Paths that are longer do not count.
    """
    begin = np.array(list(dict.fromkeys(sources)), np.int64)
    is_reached = np.isfinite(far)
    if cutoff is not None and cutoff == cutoff:
        is_reached &= far <= cutoff
        is_reached[begin] = True
    tails = rows.tails
    cost = length if isinstance(length, int) else length[rows.edges]
    is_tight = is_reached[tails] & is_reached[rows.ahead] & (far[tails] + cost == far[rows.ahead])
    return Tight(tails[is_tight], rows.ahead[is_tight], far, is_reached, begin)


def dijkstra_tree(tight: Tight) -> Tree:
    """Return vertices in the order in which networkx takes them, each with its parent.

    Raises
    ------
    NotImplementedError
        If an arc adds nothing to the distance.
    """
    far, heads, tails = tight.far, tight.heads, tight.tails
    if (far[heads] == far[tails]).any():
        raise NotImplementedError("lengths of 0, or such as vanish beside others")
    others = tight.is_reached.copy()
    others[tight.sources] = False
    later = np.flatnonzero(others)
    order = np.concatenate([tight.sources, later[np.argsort(far[later], kind="stable")]])
    rank = np.empty(len(far), np.int64)
    rank[order] = np.arange(len(order))
    parents = np.full(len(far), -1)
    parents[heads] = tails  # of several the last; those are gone through
    arcs = np.argsort(rank[heads], kind="stable")
    begins, ends = _undecided(tight, order)
    slices = np.searchsorted(rank[heads[arcs]], [begins, ends]).T.tolist()
    for begin, (first, past) in zip(begins.tolist(), slices, strict=True):
        _decide(rank, parents, order, arcs[first:past], (tails, heads), begin)
    return Tree(order, parents[order])


def _undecided(tight: Tight, order: Ids) -> tuple[Ids, Ids]:
    """Return where vertices at one distance begin and end whose order or parents are open."""
    count = len(tight.sources)
    far = tight.far[order]
    begins = np.flatnonzero(np.diff(far, prepend=-1.0) != 0)
    ends = np.append(begins[1:], len(order))
    several = np.add.reduceat(tight.counts[order] > 1, begins) if len(begins) else begins
    is_open = ((ends - begins > 1) | (several > 0)) & (begins >= count)
    return begins[is_open], ends[is_open]


def _decide(
    rank: Ids, parents: Ids, order: Ids, arcs: Ids, ends: tuple[Ids, Ids], begin: int
) -> None:
    """Put the vertices at one distance in order, given the arcs that reach them."""
    tails, heads = ends[0][arcs], ends[1][arcs]
    by_tail = np.lexsort((arcs, rank[tails]))
    chosen = by_tail[np.sort(np.unique(heads[by_tail], return_index=True)[1])]
    parents[heads[chosen]] = tails[chosen]
    order[begin : begin + len(chosen)] = heads[chosen]
    rank[heads[chosen]] = begin + np.arange(len(chosen))


def only_tree(tight: Tight) -> Tree:
    """Return every vertex with its parent, where one path is shorter than all others.

    Raises
    ------
    NotImplementedError
        If several are the shortest.
    """
    counts = tight.counts
    if (counts > 1).any() or counts[tight.sources].any():
        raise NotImplementedError("several shortest paths, of which networkx' queue chooses one")
    parents = np.full(len(tight.far), -1)
    parents[tight.heads] = tight.tails
    starts = np.zeros(len(tight.far) + 1, np.int64)
    np.cumsum(np.bincount(tight.tails, minlength=len(tight.far)), out=starts[1:])
    return Rows(starts, tight.heads, tight.heads).searched(tight.sources)
