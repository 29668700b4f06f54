"""What each superstep of a search does: how much its front walks, and in which form.

A front is those who are active in a superstep, whom the one before has found. Where parts meet in
their kernels, few of them walk their own arcs, and many let all others look at theirs, by the rules
of the kernels. One block of each GPU works alone while few are active; else all blocks wait for
each other between what they do, as for rows that are cut into pieces.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emv.codegen.cuda.calls import PULL_SHARE
from emv.codegen.cuda.claiming import ALPHA, BETA
from emv.codegen.cuda.control import ALONE_ARCS
from emv.codegen.cuda.open_pulls import PAYS
from emv.graph.pull import WARP_HUB_ARCS
from emv.graph.supersteps import Superstep
from emv_kernels.sizes import WIDE

STAGED = 0.25
"""Steps for 32 arcs of a warp that gathers messages, for four arcs of a lane at a time."""


class Front(NamedTuple):
    """How many are active, how many arcs they have, and how many vertices they find and leave.

    And the longest row that leads to one of those whom nobody before has found.
    """

    active: int
    arcs: int
    found: int
    left: int
    longest: int


class Sizes(NamedTuple):
    """Vertices and arcs of a graph, and the longest row of each kind."""

    vertices: int
    arcs: int
    longest_out: int
    longest_in: int


def behind_fronts(does: Superstep, graph: Any, found_in: NDArray[Any]) -> list[Superstep]:
    """Return what each superstep of a search did, told by when each vertex was found.

    Parameters
    ----------
    does : Superstep
        What each does but for that, as `superstep_of` says it.
    graph : Graph
        The graph.
    found_in : int[num_vertices]
        The superstep that found a vertex, below 0 if none did. It is active in the next one.
    """
    out, into = (graph.layouts.degrees(which) for which in ("out", "in"))
    is_found = found_in >= 0
    active = np.bincount(found_in[is_found])
    arcs = np.bincount(found_in[is_found], out[is_found]).astype(np.int64)
    found = np.append(active, 0)[1 : 1 + len(active)]
    left = np.count_nonzero(is_found) - np.cumsum(active)
    rows = longest_rows(found_in, into, len(active))
    fronts = map(Front, *(each.tolist() for each in (active, arcs, found, left, rows)))
    longest = (int(each.max(initial=0)) for each in (out, into))
    sizes = Sizes(graph.num_vertices, graph.num_arcs, *longest)
    rule = claimed if does.claims else heard if does.meets else walked
    return [*rule(does, sizes, fronts)]


def longest_rows(
    found_in: NDArray[Any], degrees: NDArray[Any], supersteps: int
) -> NDArray[np.int64]:
    """Return the longest row of those who are not found before each superstep ends.

    Examples
    --------
    >>> longest_rows(np.array([0, 1, 2, -1]), np.array([9, 7, 8, 2]), 3)
    array([8, 8, 2])
    """
    found = np.zeros(supersteps + 1, np.int64)
    when = np.where(found_in < 0, supersteps, found_in)
    np.maximum.at(found, when, degrees)
    longest: NDArray[np.int64] = np.maximum.accumulate(found[::-1])[::-1][1:]
    return longest


def walked(does: Superstep, sizes: Sizes, fronts: Iterable[Front]) -> Iterator[Superstep]:
    """Yield what supersteps do where the host drives them: what is walked is the least of it."""
    term = "draws" if does.draws else "walks"
    for front in fronts:
        walks, moved = front.arcs / max(1, sizes.arcs), front.found / sizes.vertices
        what: dict[str, Any] = {term: walks, "moved": moved}
        yield replace(does, **what)


def heard(does: Superstep, sizes: Sizes, fronts: Iterable[Front]) -> Iterator[Superstep]:
    """Yield what supersteps do where receivers hear what they are sent, in kernels that meet.

    They do behind what is sent. Bits say who is active where all look at their arcs: these are
    entered before, and left behind.
    """
    for front in fronts:
        is_pulling = front.arcs * PULL_SHARE > sizes.arcs
        share = 1.0 if is_pulling else front.arcs / max(1, sizes.arcs)
        term = "draws" if does.draws else "sweeps" if is_pulling else "walks"
        what: dict[str, Any] = {"moved": front.found / sizes.vertices, term: share}
        if is_pulling:
            longest = front.longest if does.guarded else sizes.longest_in
            rows = min(longest, WARP_HUB_ARCS), max(1, min(sizes.longest_in, WARP_HUB_ARCS))
            each = replace(does, stretches=rows[0] / rows[1], **what)
            yield with_blocks(each, front, 3 if longest >= WARP_HUB_ARCS else 2)
        else:
            yield with_blocks(replace(does, **what), front, 1 + is_cut(sizes, front))


def claimed(does: Superstep, sizes: Sizes, fronts: Iterable[Front]) -> Iterator[Superstep]:
    """Yield what supersteps do where whoever is reached first is claimed, in kernels that meet.

    Whoever looks stops at the first that is active, most at the first arc of all. Bits say who that
    is; parts tell each other theirs behind each look, and enter those whom others found before the
    first one.
    """
    seen, is_pulling, pulls = 0, False, 0
    for front in fronts:
        many = front.arcs * BETA >= sizes.vertices
        is_pulling = many and (is_pulling or front.arcs * ALPHA > sizes.arcs - seen)
        few_left = front.left * PAYS <= front.arcs
        is_pulling |= pulls > 0 and front.arcs > ALONE_ARCS and few_left
        seen, pulls = seen + front.arcs, pulls + 1 if is_pulling else 0
        walked = front.left if is_pulling else front.arcs
        phases = 1 + (pulls == 1) if is_pulling else int(is_cut(sizes, front))
        moved = front.found / sizes.vertices
        each = replace(does, walks=walked / max(1, sizes.arcs), moved=moved)
        yield with_blocks(each, front, phases)


def with_rows(does: Superstep, graph: Any, stretches: float) -> Superstep:
    """Return what a superstep does whose calls along all arcs walk so many stretches of rows.

    They first fold pieces of long rows. Of what the host drives this is nothing.
    """
    if not does.meets:
        return does
    is_cut = graph.layouts.degrees("in").max(initial=0) >= WARP_HUB_ARCS
    return replace(does, stretches=stretches, phases=does.pulls * int(is_cut))


def is_cut(sizes: Sizes, front: Front) -> bool:
    """Return whether rows may be cut into pieces, for which all wait."""
    return sizes.longest_out >= WIDE and front.arcs >= WIDE


def with_blocks(does: Superstep, front: Front, phases: int) -> Superstep:
    """Return what a superstep does with as many blocks as work on a front."""
    if front.active + front.arcs <= ALONE_ARCS:
        return does
    return replace(does, crowd=1, phases=phases)


def search_of(graph: Any) -> NDArray[np.int32]:
    """Return the superstep that finds each vertex, from the one with the most arcs; else -1."""
    layouts = graph.layouts
    if layouts.search is None:
        rows, degrees = layouts.out_rows, layouts.degrees("out").astype(np.int64)
        found = layouts.search = np.full(graph.num_vertices, -1, np.int32)
        front, step = np.flatnonzero(degrees == degrees.max(initial=0))[:1], 0
        while len(front):
            found[front] = step
            counts = degrees[front]
            starts = rows.first[front].astype(np.int64) - np.cumsum(counts) + counts
            others = rows.other[np.repeat(starts, counts) + np.arange(counts.sum())]
            front, step = np.unique(others[found[others] < 0]), step + 1
    kept: NDArray[np.int32] = layouts.search
    return kept
