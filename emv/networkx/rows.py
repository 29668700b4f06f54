"""Searches that meet neighbours in networkx' order, so that they find its very trees.

What a program of emv finds does not depend on the order of neighbours; trees and paths do. Such a
search is serial by what it says: SciPy's compiled one reads the rows as networkx stores them.

Cormen, Leiserson, Rivest, Stein: Introduction to Algorithms, 20.2 and 20.3.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import emv
from emv.graph.of_networkx import Adjacency

Ids = NDArray[np.int64]


@dataclass(eq=False)
class Tree:
    """What a search finds.

    Attributes
    ----------
    order : int64[num_found]
        The vertices in the order in which they are found.
    parents : int64[num_found]
        From which vertex each is found; -1 where the search begins.
    """

    order: Ids
    parents: Ids

    def levels(self) -> Ids:
        """Return where every level of a breadth-first search begins in `order`, and the end."""
        place = np.full(int(self.order.max(initial=-1)) + 1, -1)
        place[self.order] = np.arange(len(self.order))
        found_from = np.where(self.parents < 0, -1, place[self.parents])
        begins, end = [0], int(np.searchsorted(found_from, 0))
        while end > begins[-1]:
            begins.append(end)
            end = int(np.searchsorted(found_from, end))
        return np.array(begins)

    def within(self, depth: float) -> Tree:
        """Return what is found up to a depth."""
        begins = self.levels()
        last = int(np.ceil(min(max(0, depth), len(begins))))  # 0 for nan, as networkx has it
        end = begins[min(last + 1, len(begins) - 1)]
        return Tree(self.order[:end], self.parents[:end])

    def left(self) -> Ids:
        """Return the vertices in the order in which a depth-first search leaves them."""
        path: list[int] = []
        found: list[int] = []
        for vertex, parent in zip(self.order.tolist(), self.parents.tolist(), strict=True):
            while path and path[-1] != parent:
                found.append(path.pop())
            path.append(vertex)
        return np.array(found + path[::-1], np.int64)


@dataclass(eq=False)
class Rows:
    """The neighbours of every vertex in networkx' order, parallel ones once.

    Attributes
    ----------
    starts : int64[num_vertices + 1]
        Where every row begins in `ahead`, and where the last one ends.
    ahead : int64[num_arcs]
        The neighbours.
    edges : int64[num_arcs]
        Which edge every arc is, one of the parallel ones.
    """

    starts: Ids
    ahead: Ids
    edges: Ids

    @property
    def tails(self) -> Ids:
        """Where every arc starts."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def places(self, vertices: Ids) -> Ids:
        """Return where the arcs of some vertices stand in `ahead`, in the order of the vertices."""
        begins = self.starts[vertices]
        counts = self.starts[vertices + 1] - begins
        ends = np.cumsum(counts)
        shift = np.repeat(begins - ends + counts, counts)
        shift += np.arange(len(shift))
        return shift

    @cached_property
    def lists(self) -> list[list[int]]:
        """The rows as lists."""
        ahead, ends = self.ahead.tolist(), self.starts.tolist()
        return [ahead[begin:end] for begin, end in itertools.pairwise(ends)]

    @cached_property
    def matrix(self) -> Any:
        """The rows as SciPy takes them, ``float64[n, n]`` with a 1 for every arc."""
        return matrix_of(self.starts, self.ahead)

    def _rooted(self, sources: Ids) -> Any:
        """Return the matrix with one more row, which leads to the sources."""
        starts = np.append(self.starts, len(self.ahead) + len(sources))
        return matrix_of(starts, np.concatenate([self.ahead, sources]))

    def searched(self, sources: Ids, *, depth_first: bool = False) -> Tree:
        """Return what a search from some vertices finds, from one after the other."""
        from scipy.sparse import csgraph

        search = csgraph.depth_first_order if depth_first else csgraph.breadth_first_order
        if len(sources) == 1:
            order, parents = search(self.matrix, int(sources[0]))
            return Tree(order.astype(np.int64), np.maximum(parents[order].astype(np.int64), -1))
        root = len(self.starts) - 1
        order, parents = search(self._rooted(sources), root)
        order = order[1:].astype(np.int64)
        found_from = parents[order].astype(np.int64)
        return Tree(order, np.where(found_from == root, -1, found_from))


def matrix_of(starts: Ids, ahead: Ids, values: NDArray[Any] | None = None) -> Any:
    """Return rows as SciPy takes them, by default with ones."""
    from scipy.sparse import csr_array

    dtype = np.int32 if max(len(ahead), len(starts)) < 2**31 else np.int64
    values = np.ones(len(ahead)) if values is None else values
    shape = (len(starts) - 1, len(starts) - 1)
    return csr_array((values, ahead.astype(dtype), starts.astype(dtype)), shape=shape)


def rows_read(adjacency: Adjacency, is_behind: bool) -> Rows:
    """Return the rows of a networkx graph; behind are those of ``G.pred``."""
    starts, ahead = adjacency.starts, adjacency.ahead
    if adjacency.is_edge is None:
        if not is_behind:
            return Rows(starts, ahead, np.arange(len(ahead)))
        back = adjacency.behind()
        edges = np.empty(len(ahead), np.int64)
        edges[_by_ends(*back)[1]] = _by_ends(starts, ahead)[0]
        return Rows(*back, edges)
    by_tail, by_head = _by_ends(starts, ahead)
    across = np.empty(len(ahead), np.int64)
    across[by_tail] = by_head
    number = np.cumsum(adjacency.is_edge) - 1
    return Rows(starts, ahead, np.where(adjacency.is_edge, number, number[across]))


def _by_ends(starts: Ids, ahead: Ids) -> tuple[Ids, Ids]:
    """Return the arcs sorted by tail and then head, and by head and then tail."""
    by_head = matrix_of(starts, ahead, np.arange(len(ahead))).tocsc()
    return by_head.tocsr().data, by_head.data


def rows_made(arrays: emv.Graph, is_behind: bool) -> Rows:
    """Return the rows that networkx would have if the edges were added in their order."""
    tails, heads = (np.asarray(each, np.int64) for each in arrays.edges.endpoints())
    if is_behind:
        tails, heads = heads, tails
    edges = np.arange(len(tails))
    if not arrays.directed:
        tails, heads = (np.stack(each, axis=1).ravel() for each in ((tails, heads), (heads, tails)))
        edges = np.repeat(edges, 2)
    count = arrays.num_vertices
    first = np.sort(np.unique(tails * count + heads, return_index=True)[1])
    chosen = first[np.argsort(tails[first], kind="stable")]
    starts = np.searchsorted(tails[chosen], np.arange(count + 1)).astype(np.int64)
    return Rows(starts, heads[chosen], edges[chosen])


def meeting(ahead: Rows, behind: Rows, source: int, target: int) -> list[int] | None:
    """Return the path on which searches from two vertices meet; None if they do not.

    The one with the smaller fringe takes the next step. Pohl: Bi-directional Search, 1971.
    """
    found: tuple[dict[int, int], dict[int, int]] = {source: -1}, {target: -1}
    rows, fringes = (ahead.lists, behind.lists), [[source], [target]]
    where = source if source == target else -1
    while where < 0 and all(fringes):
        side = int(len(fringes[0]) > len(fringes[1]))
        fringes[side], where = _step(rows[side], fringes[side], found[side], found[1 - side])
    if where < 0:
        return None
    path, after = [where], where
    while (before := found[0][path[-1]]) >= 0:
        path.append(before)
    path.reverse()
    while (after := found[1][after]) >= 0:
        path.append(after)
    return path


def _step(
    rows: list[list[int]], fringe: list[int], own: dict[int, int], other: dict[int, int]
) -> tuple[list[int], int]:
    """Return the next fringe of a search, and where it meets the other one, or -1."""
    reached = []
    for v in fringe:
        for w in rows[v]:
            if w not in own:
                own[w] = v
                reached.append(w)
            if w in other:
                return reached, w
    return reached, -1
