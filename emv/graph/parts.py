"""The parts of a graph that is divided among devices, and what it costs to keep them together.

Each vertex is owned by one part, and an arc lies where its receiver is owned; so whatever is
folded, claimed or lowered at a vertex is so in one part. What an arc's source holds is read where
the arc lies: a vertex with arcs into other parts has a replica in each of them (J. Zhong, B. He,
Medusa, IEEE TPDS 2014, section 4.3). A part that keeps replicas of its replicas' sources as well,
and the arcs between, can take two supersteps before it asks the owners again: two hops, and so on.

Where a vertex is held is a set of parts, kept as bits of a word: hop by hop, a vertex is held where
any vertex is that it has an arc to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.graph.layouts import Layouts
from emv.graph.pull import WARP, WARP_HUB_ARCS, WARP_PIECE_ARCS
from emv.graph.supersteps import LEVEL, READY, TERMS, Costs, Superstep

_WORD = 64
"""Parts of one word of bits."""


@dataclass(frozen=True, eq=False)
class Parts:
    """How a graph is divided; its text is a table.

    Attributes
    ----------
    owner : int32[num_vertices]
        The part of each vertex.
    vertices : int64[num_parts]
        Vertices that each part owns.
    arcs : int64[hops, num_parts]
        Arcs that lie in each part: with one hop all that reach its own vertices, with one more also
        those that reach its replicas of the hop before.
    replicas : int64[hops, num_parts]
        Vertices of other parts that the arcs of a hop bring along, beyond those of the hop before.
    stretches : int64[hops, num_parts]
        Arcs that a warp of a GPU walks one behind the other, at most, to fold all rows of a part.
    cut : int
        Arcs whose ends are owned by different parts.

    Examples
    --------
    >>> from emv.graph import Graph
    >>> cycle = Graph.from_edges([0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 0])
    >>> parts = cycle.parts(2, hops=2)
    >>> parts
    2 parts, cut 2 of 6 arcs (33.33 %), largest 1 x the mean in vertices, 1 x in arcs
    part  vertices  arcs  replicas  of 2 hops
    0            3     3         1          1
    1            3     3         1          1
    >>> parts.owner, parts.arcs[1]
    (array([0, 0, 0, 1, 1, 1], dtype=int32), array([4, 4]))
    """

    owner: NDArray[np.int32]
    vertices: NDArray[np.int64]
    arcs: NDArray[np.int64]
    replicas: NDArray[np.int64]
    stretches: NDArray[np.int64]
    cut: int

    @property
    def num_parts(self) -> int:
        """Into how many parts the graph is divided; some may be empty."""
        return len(self.vertices)

    @property
    def hops(self) -> int:
        """How many hops of replicas were counted."""
        return len(self.arcs)

    @property
    def balance(self) -> dict[str, float]:
        """Vertices and arcs of the largest part over the mean of all parts; 1 is the best."""
        return {"vertices": _over_mean(self.vertices), "arcs": _over_mean(self.arcs[0])}

    @property
    def cut_share(self) -> float:
        """Arcs that are cut over all arcs; 0 where there are none."""
        return self.cut / max(1, int(self.arcs[0].sum()))

    def seconds(self, costs: Costs, does: Superstep | None = None) -> NDArray[np.float64]:
        """Return what a superstep takes with 1, 2 ... hops, by a model of its costs.

        With H hops a round has H stages, in which parts compute H - 1, H - 2 ... 0 hops of their
        replicas, and one exchange of all replicas. A stage waits for the part with the most to do;
        what a round takes is shared out among its supersteps. Where nothing is handed on, no round
        ends, and all supersteps compute H - 1 hops.

        Parameters
        ----------
        costs : Costs
            What an arc, a vertex, a call and an exchange cost.
        does : Superstep, optional
            What is done; by default one call along all arcs, of which 8 bytes a vertex go on.

        Returns
        -------
        float64[hops]
            Seconds of a superstep.

        Examples
        --------
        >>> from emv.graph import Graph
        >>> from emv.graph.supersteps import Costs
        >>> path = Graph.from_edges(range(10_000), range(1, 10_001))
        >>> slow_link = Costs(1e-9, 1e-9, 1e-6, 1e-3, 1e9)
        >>> path.parts(2, hops=4).seconds(slow_link).round(6)
        array([0.001011, 0.000511, 0.000344, 0.000261])
        """
        found: NDArray[np.float64] = self.amounts(does) @ costs.each
        return found

    def amounts(self, does: Superstep | None = None) -> NDArray[np.float64]:
        """Return how much there is in a superstep of each of what costs something.

        Parameters
        ----------
        does : Superstep, optional
            As for `seconds`.

        Returns
        -------
        float64[hops, terms]
            For 1, 2 ... hops, in the order of `emv.graph.supersteps.TERMS`.

        Examples
        --------
        >>> from emv.graph import Graph
        >>> from emv.graph.supersteps import TERMS
        >>> path = Graph.from_edges(range(10_000), range(1, 10_001))
        >>> found = path.parts(2, hops=2).amounts()
        >>> dict(zip(TERMS, found[1].tolist()))["latency"]
        0.5
        """
        does = does or Superstep()
        hops = np.arange(1, self.hops + 1)
        stages = self._stages(does)
        if not does.arrays:
            return stages
        found = np.cumsum(stages, axis=0) + self._exchanges(does)
        found[:, LEVEL] += np.where(hops > 1, hops, 0)
        each: NDArray[np.float64] = found / hops[:, None]
        return each

    def amounts_of_run(
        self, supersteps: Sequence[Superstep], hops: int = 1, before: int = 0
    ) -> NDArray[np.float64]:
        """Return how much there is in a run of each of what costs something, but for its start.

        Parameters
        ----------
        supersteps : sequence of Superstep
            What is done in each.
        hops : int
            How many hops of replicas there are.
        before : int
            How many stages of the first round calls in front of the supersteps have taken.

        Returns
        -------
        float64[terms]
            In the order of `emv.graph.supersteps.TERMS`.

        Examples
        --------
        >>> from emv.graph import Graph
        >>> from emv.graph.supersteps import TERMS, Superstep
        >>> path = Graph.from_edges(range(10_000), range(1, 10_001))
        >>> found = path.parts(2, hops=3).amounts_of_run([Superstep()] * 7, hops=3)
        >>> dict(zip(TERMS, found.tolist()))["latency"]
        2.0
        """
        found = np.zeros(len(TERMS))
        levels = [0, *((hops - 1 - stage) % hops for stage in range(before))]
        for number, does in enumerate(supersteps, before):
            levels.append((hops - 1 - number) % hops if does.arrays else hops - 1)
            found += self._stages(does)[levels[-1]]
            if levels[-1] == hops - 1 and number:
                found += self._exchanges(does)[levels[-1]]
        found[LEVEL] += np.count_nonzero(np.diff(levels))
        by_host = [each.arrays + bool(each.joins) for each in supersteps if not each.meets]
        found[READY] = max(by_host, default=0)
        return found

    def _stages(self, does: Superstep) -> NDArray[np.float64]:
        """Return what a superstep has that runs for replicas up to level 0, 1 and so on."""
        held = self.vertices + np.cumsum(self.replicas, axis=0) - self.replicas
        arcs, same = self.arcs.max(axis=1), np.ones(self.hops)
        return self._by_term(
            arc=does.sweeps * arcs,
            walked=does.walks * arcs,
            drawn=does.draws * arcs,
            step=does.stretches * self.stretches.max(axis=1) / WARP,
            crowd=does.crowd * same,
            phase=does.phases * same,
            vertex=(does.visits + does.moved) * held.max(axis=1),
            joined_vertex=does.moved * held.sum(axis=1),
            launch=does.calls * same,
            sum=does.sums * same,
            pull=does.pulls * same,
            active=does.active * same,
            joined=does.joins * same,
        )

    def _exchanges(self, does: Superstep) -> NDArray[np.float64]:
        """Return what an exchange of 1, 2 ... hops of replicas has."""
        replicas = np.cumsum(self.replicas, axis=0).max(axis=1)
        return self._by_term(
            latency=np.full(self.hops, does.arrays), byte=does.row_bytes * replicas
        )

    def _by_term(self, **given: NDArray[Any]) -> NDArray[np.float64]:
        nothing = np.zeros(self.hops)
        return np.stack([given.get(term, nothing) for term in TERMS], axis=1)

    def __repr__(self) -> str:
        balance = self.balance
        head = (
            f"{self.num_parts:,} parts, cut {self.cut:,} of {self.arcs[0].sum():,} arcs "
            f"({100 * self.cut_share:.4g} %), largest {balance['vertices']:.4g} x the mean in "
            f"vertices, {balance['arcs']:.4g} x in arcs"
        )
        names = ["part", "vertices", "arcs", "replicas"]
        names += [f"of {hop} hops" for hop in range(2, self.hops + 1)]
        columns = [np.arange(self.num_parts), self.vertices, self.arcs[0], *self.replicas]
        rows = [names, *([f"{each:,}" for each in row] for row in zip(*columns, strict=True))]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])])
            for row in rows
        ]
        return "\n".join([head, *lines])


def parts_of(layouts: Layouts, owner: NDArray[np.int32], num_parts: int, hops: int) -> Parts:
    """Return what a division comes to.

    Parameters
    ----------
    layouts : Layouts
        Of the graph.
    owner : int32[num_vertices]
        The part of each vertex, below `num_parts`.
    num_parts, hops : int
        Both from 1 on.
    """
    rows, degrees = layouts.out_rows, layouts.degrees("in").astype(np.int64)
    arcs, replicas, stretches = np.zeros((3, hops, num_parts), np.int64)
    for first in range(0, num_parts, _WORD):
        here = range(first, min(first + _WORD, num_parts))
        held = _bits(owner, here)
        for hop in range(hops):
            for part, holds in _members(held, here):
                arcs[hop, part] = degrees[holds].sum()
                stretches[hop, part] = stretch_of(degrees[holds])
            reached = held | _either_of_rows(rows.first, held[rows.other])
            for part, holds in _members(reached & ~held, here):
                replicas[hop, part] = np.count_nonzero(holds)
            held = reached
    vertices = np.bincount(owner, minlength=num_parts)
    cut = int(np.count_nonzero(owner[layouts.src_of_arc] != owner[rows.other]))
    return Parts(owner, vertices, arcs, replicas, stretches, cut)


def stretch_of(degrees: NDArray[np.int64]) -> int:
    """Return how many arcs a warp walks one behind the other, at most, to fold rows so long.

    The longest are cut into pieces, which are folded before (`emv.graph.pull`).

    Examples
    --------
    >>> stretch_of(np.array([5, 700])), stretch_of(np.array([5, 700, 100_000]))
    (700, 1724)
    """
    is_cut = degrees >= WARP_HUB_ARCS
    piece = WARP_PIECE_ARCS if is_cut.any() else 0
    return piece + int(degrees[~is_cut].max(initial=0))


def _bits(owner: NDArray[np.int32], here: range) -> NDArray[np.uint64]:
    """Return for each vertex the set of its owner, or of none that is not among some parts."""
    place = owner - here.start
    inside = (place >= 0) & (place < len(here))
    return np.where(inside, np.uint64(1) << np.where(inside, place, 0).astype(np.uint64), 0).astype(
        np.uint64
    )


def _members(sets: NDArray[np.uint64], here: range) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """Yield each part with whether it is in each of the sets."""
    for part in here:
        yield part, (sets >> np.uint64(part - here.start)) & np.uint64(1) == 1


def _either_of_rows(first: NDArray[Any], of_arc: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the union of the sets of each row's arcs; a row without arcs has the empty set."""
    union = np.zeros(len(first) - 1, np.uint64)
    filled = first[1:] > first[:-1]
    if filled.any():
        union[filled] = np.bitwise_or.reduceat(of_arc, first[:-1][filled].astype(np.int64))
    return union


def _over_mean(counts: NDArray[np.int64]) -> float:
    total = int(counts.sum())
    return float(counts.max()) * len(counts) / total if total else 1.0
