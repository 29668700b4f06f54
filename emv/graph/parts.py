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

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.graph.layouts import Layouts

_WORD = 64
"""Parts of one word of bits."""


@dataclass(frozen=True)
class Costs:
    """Constants of the model of what a superstep of parts costs; see `Parts.seconds`.

    Attributes
    ----------
    arc_s, vertex_s, launch_s : float
        Seconds for an arc, a vertex and a call, in one part.
    latency_s, bytes_per_s : float
        Seconds that an exchange takes at least, and the bytes that a part is given in a second.
    level_s : float
        Seconds in which all parts are told which hops of replicas run, in every superstep of more
        than one.
    joined_s, joined_vertex_s : float
        Seconds that a call takes longer that activates, as what the parts activate is joined, and
        for each vertex that is activated.
    sum_s : float
        Seconds that a call takes longer that adds up what its elements return.
    walked_s : float
        Seconds for an arc where the active alone walk theirs.
    pull_s, active_s : float
        Seconds that a call along all arcs, and one along those of the active, takes longer.
    start_s : float
        Seconds of a run without supersteps.

    Examples
    --------
    >>> Costs(1e-11, 4e-12, 3e-6, 4e-5, 25e9).latency_s
    4e-05
    """

    arc_s: float
    vertex_s: float
    launch_s: float
    latency_s: float
    bytes_per_s: float
    level_s: float = 0.0
    joined_s: float = 0.0
    joined_vertex_s: float = 0.0
    sum_s: float = 0.0
    walked_s: float = 0.0
    pull_s: float = 0.0
    active_s: float = 0.0
    start_s: float = 0.0

    @property
    def each(self) -> NDArray[np.float64]:
        """The seconds of one of each, in the order of `emv.graph.parts.TERMS`."""
        named = {**vars(self), "byte_s": 1 / self.bytes_per_s}
        return np.array([named[f"{term}_s"] for term in TERMS])


TERMS = (
    *("arc", "vertex", "launch", "latency", "byte", "level"),
    *("joined", "joined_vertex", "sum", "walked", "pull", "active"),
)
"""What a superstep costs by number, in the order of the constants of `Costs`."""
_LEVEL = TERMS.index("level")


@dataclass(frozen=True)
class Superstep:
    """What a program does in a superstep, as far as `Parts.seconds` asks for it.

    Attributes
    ----------
    calls, sums, joins : int
        Calls, those of them that add up what their elements return, and those that activate.
    arrays, row_bytes : int
        Arrays of which rows are handed on, and the bytes of a vertex in all of them: columns that
        are written and read through the source.
    pulls, active : int
        Calls along all arcs, and along those of the active.
    visits : float
        How often all vertices are visited.
    sweeps, walks : float
        How often all arcs are walked by all, and by the active: less than once where these are a
        part of all.
    moved : float
        How many vertices are activated, of all.

    Examples
    --------
    >>> Superstep(calls=2, row_bytes=4).joins
    0
    """

    calls: int = 1
    joins: int = 0
    arrays: int = 1
    row_bytes: int = 8
    sweeps: float = 1.0
    sums: int = 0
    pulls: int = 0
    active: int = 0
    visits: float = 1.0
    walks: float = 0.0
    moved: float = 0.0

    def shared_by(self, supersteps: int) -> Superstep:
        """Return what each of so many does, if the active walk all arcs once in all of them.

        Examples
        --------
        >>> Superstep(walks=1.0, moved=1.0).shared_by(4).walks
        0.25
        """
        share = 1 / max(1, supersteps)
        return dataclasses.replace(self, walks=self.walks * share, moved=self.moved * share)


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
        what a round takes is shared out among its supersteps.

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
        >>> from emv.graph.parts import Costs
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
            For 1, 2 ... hops, in the order of `emv.graph.parts.TERMS`.

        Examples
        --------
        >>> from emv.graph import Graph
        >>> from emv.graph.parts import TERMS
        >>> path = Graph.from_edges(range(10_000), range(1, 10_001))
        >>> found = path.parts(2, hops=2).amounts()
        >>> dict(zip(TERMS, found[1].tolist()))["latency"]
        0.5
        """
        does = does or Superstep()
        hops = np.arange(1, self.hops + 1)
        found = np.cumsum(self._stages(does), axis=0) + self._exchanges(does)
        found[:, _LEVEL] += np.where(hops > 1, hops, 0)
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
            In the order of `emv.graph.parts.TERMS`.

        Examples
        --------
        >>> from emv.graph import Graph
        >>> from emv.graph.parts import TERMS, Superstep
        >>> path = Graph.from_edges(range(10_000), range(1, 10_001))
        >>> found = path.parts(2, hops=3).amounts_of_run([Superstep()] * 7, hops=3)
        >>> dict(zip(TERMS, found.tolist()))["latency"]
        2.0
        """
        found = np.zeros(len(TERMS))
        for number, does in enumerate(supersteps):
            level = (hops - 1 - before - number) % hops
            found += self._stages(does)[level]
            if level == hops - 1 and before + number:
                found += self._exchanges(does)[level]
        found[_LEVEL] += len(supersteps) if hops > 1 else 0
        return found

    def _stages(self, does: Superstep) -> NDArray[np.float64]:
        """Return what a superstep has that runs for replicas up to level 0, 1 and so on."""
        held = self.vertices + np.cumsum(self.replicas, axis=0) - self.replicas
        arcs, same = self.arcs.max(axis=1), np.ones(self.hops)
        return self._by_term(
            arc=does.sweeps * arcs,
            walked=does.walks * arcs,
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
    arcs, replicas = np.zeros((2, hops, num_parts), np.int64)
    for first in range(0, num_parts, _WORD):
        here = range(first, min(first + _WORD, num_parts))
        held = _bits(owner, here)
        for hop in range(hops):
            for part, holds in _members(held, here):
                arcs[hop, part] = degrees[holds].sum()
            reached = held | _either_of_rows(rows.first, held[rows.other])
            for part, holds in _members(reached & ~held, here):
                replicas[hop, part] = np.count_nonzero(holds)
            held = reached
    vertices = np.bincount(owner, minlength=num_parts)
    cut = int(np.count_nonzero(owner[layouts.src_of_arc] != owner[rows.other]))
    return Parts(owner, vertices, arcs, replicas, cut)


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
