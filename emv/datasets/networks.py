"""Stand-ins of social, citation and talk networks: by degree sequences and by cliques.

Vertices, arcs and the largest degree are those that the papers print. Where a network is one of
e-mails or talk, ends are drawn by a sequence of expected degrees (F. Chung, L. Lu, PNAS 99, 2002);
where papers are cited or written together, each is a clique (M. Newman, S. Strogatz, D. Watts,
Physical Review E 64, 2001: affiliation networks); one is an R-MAT graph.
"""

from __future__ import annotations

import numpy as np

from emv import generators
from emv.datasets.shaping import (
    Ends,
    Ids,
    cliques,
    drawn,
    ranked_degrees,
    simple,
    sizes_by_power,
    spread_out,
    thinned,
    with_counts,
)
from emv.generators.draws import fractions, happens, words
from emv.graph import Graph

SEED = 20140609


def wiki_talk(n: int, num_arcs: int, max_degree: int) -> Graph:
    """Make few vertices talk to very many: 6 % have out-arcs, the largest degree is one hub's.

    Degrees follow a power of the rank. Every other arc goes to the next vertex of a permutation, so
    that each is reached, the rest to vertices that are the more popular the lower their number.
    """
    num_talking = max(1, round(n * 147_602 / 2_394_385))
    most = min(max_degree, n // 2)
    degrees = ranked_degrees(num_talking, num_arcs, most, 0.8045, 1.088 * n / 2_394_385)
    src = np.repeat(spread_out(np.arange(num_talking), n), degrees)
    arc = np.arange(len(src))
    dst = spread_out((arc // 2 + n // 3) % n, n)
    popular = (fractions(words(SEED, "edges", len(src))) ** 2 * n).astype(np.int64)
    dst[arc % 2 == 1] = spread_out(popular, n)[arc % 2 == 1]
    dst[dst == src] = (dst[dst == src] + 1) % n
    return Graph.from_edges(src, dst, num_vertices=n)


def email(n: int, num_arcs: int, max_degree: int) -> Graph:
    """Join vertices by chance as often as a degree sequence has it (Chung and Lu, 2002)."""
    most = min(max_degree, n // 3)
    degrees = ranked_degrees(n, num_arcs, most * 9 // 10, 1.0, 38.0 * n / 36_692)
    first = np.cumsum(degrees)
    count = int(num_arcs * 0.62)
    ends = tuple(
        np.searchsorted(first, drawn(SEED, "edges", count, each, int(first[-1])), side="right")
        for each in (1, 2)
    )
    src, dst = simple(n, (ends[0], ends[1]))
    src, dst = with_counts(n, (src, dst), num_arcs // 2, most, SEED)
    return _both_ways(n, (spread_out(src, n), spread_out(dst, n)))


def _both_ways(n: int, ends: Ends) -> Graph:
    """Return a directed graph with both arcs of each edge, as SNAP's files have them."""
    src, dst = ends
    return Graph.from_edges(np.concatenate([src, dst]), np.concatenate([dst, src]), num_vertices=n)


def flickr(n: int, num_arcs: int, max_degree: int) -> Graph:
    """Take a R-MAT graph of the size."""
    del max_degree  # none is printed
    return generators.rmat(n, num_arcs, rng=SEED)


def citations(n: int, num_arcs: int, max_degree: int) -> Graph:
    """Unite cliques: papers that one paper cites are joined to each other.

    The vertices are shared out into groups whose sizes follow a power law; the last of each group
    is also in the next one, and a visitor from anywhere in every one.
    """
    most = min(max_degree, n // 4)
    sizes = sizes_by_power(n, 12, max(24, most * 11 // 20), 2.66, SEED)
    starts = np.cumsum(sizes) - sizes
    group, low, high = cliques(sizes + 1)
    visitors = drawn(SEED, "members", len(sizes), 1, n)
    visited = np.repeat(np.arange(len(sizes)), sizes)
    src = np.concatenate([starts[group] + low, visitors[visited]])
    dst = np.concatenate([(starts[group] + high) % n, np.arange(n)])
    src, dst = with_counts(n, simple(n, (src, dst)), num_arcs // 2, most, SEED)
    return Graph.from_edges(src, dst, num_vertices=n, directed=False)


def coauthors(n: int, num_arcs: int, max_degree: int) -> Graph:
    """Draw papers; the authors of each are joined, and edges weigh the papers they stand for.

    Authors come in groups of 40, in which the first write most. A paper is written in one group,
    by up to eight, of whom one in seven is from anywhere else.
    """
    del max_degree  # none is printed
    crew = 40
    count = int(num_arcs * 0.235) + 8
    team = np.array([1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5, 8])[drawn(SEED, "sizes", count, 1, 12)]
    base = drawn(SEED, "places", count, 1, max(1, n // crew)) * crew
    paper = np.repeat(np.arange(count), team)
    first = np.cumsum(team) - team
    within = (fractions(words(SEED, "members", len(paper), 1)) ** 2 * crew).astype(np.int64)
    author = np.minimum(base[paper] + within, n - 1)
    is_guest = happens(words(SEED, "members", len(paper), 2), 1 / 7)
    author[is_guest] = drawn(SEED, "members", len(paper), 3, n)[is_guest]
    group, low, high = cliques(team)
    src, dst, papers = _counted(n, author[first[group] + low], author[first[group] + high])
    ends = np.arange(len(src)), papers
    edge, papers = thinned(ends, num_arcs // 2, SEED)
    return Graph.from_edges(
        src[edge], dst[edge], num_vertices=n, directed=False, weight=papers.astype(np.int32)
    )


def _counted(n: int, src: Ids, dst: Ids) -> tuple[Ids, Ids, Ids]:
    """Return each undirected edge once, and how often it came; no loops."""
    key = np.minimum(src, dst) * n + np.maximum(src, dst)
    key, papers = np.unique(key[src != dst], return_counts=True)
    return key // n, key % n, papers
