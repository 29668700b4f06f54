"""Tools of the stand-ins: ends with given figures, all from counter-based draws.

Ends are pairs ``(src, dst)`` of int64 arrays. What a function does not name it leaves as it is.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.generators.draws import below, fractions, words

Ids = NDArray[np.int64]
Ends = tuple[Ids, Ids]


def simple(n: int, ends: Ends) -> Ends:
    """Return each undirected edge once, the smaller end first, without loops, sorted."""
    low, high = np.minimum(*ends), np.maximum(*ends)
    key = low * n + high
    key.sort()
    fresh = np.ones(len(key), np.bool_)
    fresh[1:] = key[1:] != key[:-1]
    low, high = key[fresh] // n, key[fresh] % n
    return low[low != high], high[low != high]


def with_counts(n: int, ends: Ends, num_edges: int, max_degree: int, seed: int) -> Ends:
    """Return undirected edges of which there are so many, with so many at the busiest vertex.

    Edges are left out at random until there are as many, those of the busiest vertex and of
    vertices with one or two last. The busiest gets new ones to others that it is not joined to.
    """
    degrees = np.bincount(np.concatenate(ends), minlength=n)
    top = int(degrees.argmax())
    missing = max(0, min(max_degree, n - 1) - int(degrees[top]))
    is_few = degrees <= 2
    is_few[top] = True
    src, dst = thinned(ends, num_edges - missing, seed, is_few[ends[0]] | is_few[ends[1]])
    joined = np.concatenate([dst[src == top], src[dst == top], [top]])
    others = np.setdiff1d(below(words(seed, "places", 4 * missing + 64), n), joined)
    order = np.argsort(words(seed, "sizes", len(others)), kind="stable")[:missing]
    new = others[order]
    return np.concatenate([src, np.full(len(new), top)]), np.concatenate([dst, new])


def thinned(ends: Ends, num_edges: int, seed: int, kept: NDArray[np.bool_] | None = None) -> Ends:
    """Return as many of the edges in their order, chosen at random after those to be kept."""
    count = len(ends[0])
    if count <= num_edges:
        return ends
    bits = words(seed, "kept", count) >> np.uint64(1)
    if kept is not None:
        bits[kept] = 0
    chosen = np.sort(np.argpartition(bits, num_edges)[:num_edges])
    return ends[0][chosen], ends[1][chosen]


def ranked_degrees(n: int, total: int, most: int, power: float, shift: float) -> Ids:
    """Return degrees ``most * (1 + rank / shift) ** -power``, at least 1, that add up to a total.

    What is missing or too much is taken from the degrees in the middle, so the largest stays.
    """
    ranks = np.arange(n)
    degrees = np.maximum(1, np.floor(most * (1 + ranks / shift) ** -power)).astype(np.int64)
    degrees = np.minimum(degrees, most)
    while (gap := total - int(degrees.sum())) != 0:
        open_ranks = ranks[max(1, n // 100) :]
        if gap < 0:
            open_ranks = np.flatnonzero(degrees > 1)[max(1, n // 1000) :]
        if not len(open_ranks):
            break
        step = open_ranks[: abs(gap)]
        degrees[step] += 1 if gap > 0 else -1
    return degrees


def spread_out(ids: Ids, n: int) -> Ids:
    """Return the ids under a permutation that parts neighbours: times a number prime to `n`."""
    factor = max(1, int(n * 0.6180339887))
    while math.gcd(factor, n) != 1:
        factor += 1
    return ids * factor % n


def sizes_by_power(total: int, least: int, most: int, power: float, seed: int) -> Ids:
    """Return sizes of groups that add up to a total, distributed as ``size ** -power``."""
    sizes = np.arange(least, most + 1)
    chance = np.cumsum(sizes**-power)
    mean = float((sizes * np.diff(chance, prepend=0)).sum() / chance[-1])
    drawn = fractions(words(seed, "sizes", int(1.2 * total / mean) + 100)) * chance[-1]
    found: Ids = sizes[np.searchsorted(chance, drawn)].astype(np.int64)
    ends = np.cumsum(found)
    last = int(np.searchsorted(ends, total))
    found = found[: last + 1]
    found[last] -= int(ends[last]) - total
    return found


def cliques(sizes: Ids) -> tuple[Ids, Ids, Ids]:
    """Return the pairs of places within groups of these sizes: group, and the two places.

    Examples
    --------
    >>> cliques(np.array([2, 1, 3]))
    (array([0, 2, 2, 2]), array([0, 0, 0, 1]), array([1, 1, 2, 2]))
    """
    counts = sizes * (sizes - 1) // 2
    group = np.repeat(np.arange(len(sizes)), counts)
    pair = np.arange(len(group)) - np.repeat(np.cumsum(counts) - counts, counts)
    high = ((np.sqrt(8.0 * pair + 1) + 1) / 2).astype(np.int64)
    high -= high * (high - 1) // 2 > pair
    return group, pair - high * (high - 1) // 2, high


def drawn(seed: int, stream: str, count: int, number: int, bound: Any) -> Ids:
    """Return `count` draws below a bound, or below one each."""
    return below(words(seed, stream, count, number), bound)
