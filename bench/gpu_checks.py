"""Whether results are right, with arrays of any module, so that large ones are checked on the GPU.

Each ``..._fault`` returns what is wrong, or nothing. They test properties that only the right
result has, or compute it in another way, none of it with emv. Arcs come in pieces, a list of views
of the arrays of ends, which bounds the memory that a check takes: see `pieces`.

Components: hooking to smaller labels and pointer jumping, after Y. Shiloach, U. Vishkin, Journal of
Algorithms 3, 1982. Forests: `bench.compiled_checks`.
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


def forest_fault(xp: Any, edges: Pieces, in_tree: Any, num_vertices: int) -> str:
    """Check a forest, bool[num_edges]: it spans, has no cycle and the least weight."""
    from bench.compiled_checks import joining

    src, dst, weight = (xp.concatenate(column) for column in zip(*edges, strict=True))
    if len(in_tree) != len(src):
        return f"{len(in_tree)} truth values for {len(src)} edges"
    order = xp.argsort(weight, kind="stable")
    sorted_ends = to_numpy(src[order]), to_numpy(dst[order])
    lightest = joining(*sorted_ends, num_vertices)
    least = float(to_numpy(weight[order])[lightest].sum(dtype=np.float64))
    found = float(weight[in_tree].sum(dtype=np.float64))
    count, needed = int(in_tree.sum()), int(lightest.sum())
    if count != needed or found != least:
        return f"{count} edges of weight {found:g}, the lightest forest: {needed} of {least:g}"
    chosen = to_numpy(src[in_tree]), to_numpy(dst[in_tree])
    joined = int(joining(*chosen, num_vertices).sum())
    return "" if joined == needed else f"{needed - joined} of its edges close a cycle"
