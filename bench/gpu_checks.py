"""Whether results are right, with arrays of any module, so that large ones are checked on the GPU.

Each ``..._fault`` returns what is wrong, or nothing. They test properties that only the right
result has, or compute it in another way, none of it with emv. Arcs come in pieces, a list of views
of the arrays of ends, which bounds the memory that a check takes: see `pieces`.

Components: hooking to smaller labels and pointer jumping, after Y. Shiloach, U. Vishkin, Journal of
Algorithms 3, 1982. Forests: Kruskal's argument, weight by weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bench.graphs import to_numpy

PIECE_ARCS = 1 << 26
MAX_RANK_ERROR = 1e-4  # of a rank stored in float32, relative to the same in float64
Pieces = Sequence[tuple[Any, ...]]


def pieces(*arrays: Any, size: int = PIECE_ARCS) -> list[tuple[Any, ...]]:
    """Cut arrays of one length into views of at most `size` entries.

    Examples
    --------
    >>> [tuple(map(len, piece)) for piece in pieces("abcde", "fghij", size=3)]
    [(3, 3), (2, 2)]
    """
    starts = range(0, len(arrays[0]), size)
    return [tuple(array[start : start + size] for array in arrays) for start in starts]


def bfs_fault(xp: Any, arcs: Pieces, depth: Any, source: int) -> str:
    """Check the depths of a search: int32[num_vertices], -1 when unreached."""
    if int(depth[source]) != 0 or int((depth == 0).sum()) != 1 or bool((depth < -1).any()):
        return "the source alone has depth 0, and no depth is below -1: not so"
    settled = depth == -1
    settled[source] = True
    for src, dst in arcs:
        near, far = depth[src], depth[dst]
        reached = near >= 0
        skipping = int((reached & ((far < 0) | (far > near + 1))).sum())
        if skipping:
            return f"{skipping} arcs lead further than one level ahead"
        settled[dst[reached & (far == near + 1)]] = True
    orphans = int((~settled).sum())
    return f"{orphans} vertices have no in-neighbour one level less" if orphans else ""


def sssp_fault(xp: Any, arcs: Pieces, dist: Any, source: int) -> str:
    """Check the distances of a search over weights above 0: float32, inf when unreached."""
    if float(dist[source]) != 0 or bool((xp.isnan(dist) | (dist < 0)).any()):
        return "the source has distance 0, and no distance is below it: not so"
    settled = xp.isinf(dist)
    settled[source] = True
    for src, dst, weight in arcs:
        offered, far = dist[src] + weight, dist[dst]
        shorter = int((offered < far).sum())
        if shorter:
            return f"{shorter} arcs shorten a distance"
        settled[dst[xp.isfinite(offered) & (offered == far)]] = True
    orphans = int((~settled).sum())
    return f"no path to {orphans} vertices is as long as they say" if orphans else ""


def power_iteration(
    xp: Any, arcs: Pieces, num_vertices: int, iterations: int, dropped: bool = False
) -> Any:
    """Return networkx's PageRank after some iterations, float64[num_vertices].

    With dangling mass `dropped` it is Medusa's: from 1 on, nothing divided by the vertices.
    """
    out_degree = sum(xp.bincount(src, minlength=num_vertices) for src, _ in arcs)
    count = 1 if dropped else num_vertices
    rank = xp.full(num_vertices, 1 / count)
    for _ in range(iterations):
        share = rank / xp.maximum(out_degree, 1)
        lost = 0.0 if dropped else rank[out_degree == 0].sum()
        received = xp.zeros(num_vertices)
        for src, dst in arcs:
            received += xp.bincount(dst, weights=share[src], minlength=num_vertices)
        rank = 0.15 / count + 0.85 * (received + lost / count)
    return rank


def rank_fault(xp: Any, expected: Any, rank: Any) -> str:
    """Compare ranks with those in float64, each relative to itself."""
    worst = float((xp.abs(rank - expected) / expected).max())
    return "" if worst <= MAX_RANK_ERROR else f"a rank is off by {worst:.1e} of itself"


def join(xp: Any, parent: Any, edges: Pieces) -> Any:
    """Join the components that edges connect.

    Parameters
    ----------
    parent : int32[num_vertices]
        The smallest vertex of the component of each vertex.
    edges : pieces of (src, dst)
        Direction does not matter.

    Returns
    -------
    int32[num_vertices]
        The same with the edges.
    """
    changed = True
    while changed:
        changed = False
        for src, dst in edges:
            one, other = parent[src], parent[dst]
            apart = one != other
            if bool(apart.any()):
                changed = True
                one, other = one[apart], other[apart]
                xp.minimum.at(parent, xp.maximum(one, other), xp.minimum(one, other))
        grand = parent[parent]
        while bool((grand != parent).any()):
            parent, grand = grand, grand[grand]
    return parent


def component_labels(xp: Any, edges: Pieces, num_vertices: int) -> Any:
    """Return the smallest vertex of every vertex's component, int32[num_vertices]."""
    return join(xp, xp.arange(num_vertices, dtype=np.int32), edges)


def components_fault(xp: Any, edges: Pieces, group: Any) -> str:
    """Check labels: each the smallest vertex of its component."""
    wrong = int((component_labels(xp, edges, len(group)) != group).sum())
    return f"{wrong} vertices have another label than the smallest id" if wrong else ""


def lightest_forest(xp: Any, edges: Pieces, num_vertices: int) -> tuple[int, int]:
    """Return the weight and the number of edges of a minimum spanning forest.

    A forest holds as many edges of a weight as that weight's edges join components of the lighter.

    Parameters
    ----------
    edges : pieces of (src, dst, weight)
        With few different weights, all whole numbers.
    """
    parent = xp.arange(num_vertices, dtype=np.int32)
    ids = parent.copy()
    total, num_roots = 0, num_vertices
    levels = np.unique(np.concatenate([to_numpy(xp.unique(piece[2])) for piece in edges]))
    for level in levels.tolist():
        chosen = [(src[weight == level], dst[weight == level]) for src, dst, weight in edges]
        parent = join(xp, parent, chosen)
        left = int((parent == ids).sum())
        total += int(level) * (num_roots - left)
        num_roots = left
    return total, num_vertices - num_roots


def forest_fault(xp: Any, edges: Pieces, in_tree: Any, num_vertices: int) -> str:
    """Check a forest, bool[num_edges]: it spans, has no cycle and the least weight."""
    num_there = sum(len(src) for src, _, _ in edges)
    if len(in_tree) != num_there:
        return f"{len(in_tree)} truth values for {num_there} edges"
    chosen, place, weight = [], 0, 0
    for src, dst, heavy in edges:
        mask = in_tree[place : place + len(src)]
        place += len(src)
        chosen.append((src[mask], dst[mask]))
        weight += int(heavy[mask].sum(dtype=np.float64))
    num_edges = sum(len(src) for src, _ in chosen)
    least, needed = lightest_forest(xp, edges, num_vertices)
    if num_edges != needed or weight != least:
        return f"{num_edges} edges of weight {weight}, the lightest forest: {needed} of {least}"
    labels = component_labels(xp, chosen, num_vertices)
    joined = num_vertices - int((labels == xp.arange(num_vertices)).sum())
    return "" if joined == needed else f"{needed - joined} of its edges close a cycle"
