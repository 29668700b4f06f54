"""Whether results on a graph are right whose edges are drawn block by block and held nowhere.

Searches by Graph500's rules (version 3.0, section 8), ranks by one more step of the power method;
both against the edges as they are drawn. Arrays are of any module, so that a GPU checks large ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

UNSEEN = -1
Blocks = Iterable[tuple[Any, Any]]
"""Both ends of edges, some at a time."""


def tree_faults(xp: Any, blocks: Blocks, parent: Any, depth: Any, source: int) -> tuple[str, int]:
    """Return what is wrong with a tree by Graph500's rules, and how many arcs were reached.

    The source is the root; who has a parent is one deeper, so there are no circles; edges join
    vertices that are both reached, with depths that differ by one at most, or neither; every parent
    is joined to its child by an edge.
    """
    parent, depth = xp.asarray(parent), xp.asarray(depth)
    if int(depth[source]) or int(parent[source]) != UNSEEN:
        return "the source is no root", 0
    child = xp.flatnonzero(parent != UNSEEN)
    if bool((depth[parent[child]] + 1 != depth[child]).any()):
        return "a parent is not one nearer", 0
    if int((depth != UNSEEN).sum()) != len(child) + 1:
        return "somebody is reached without a parent, or has one and is not", 0
    has_arc, facts = xp.zeros(len(parent), xp.bool_), xp.zeros(3, np.int64)
    for src, dst in blocks:
        near, far = depth[src], depth[dst]
        facts[0] += ((near < 0) != (far < 0)).sum()
        facts[1] += (abs(near - far) > 1).sum()
        facts[2] += (near >= 0).sum() + ((near >= 0) & (src != dst)).sum()
        has_arc[dst[parent[dst] == src]] = True
        has_arc[src[parent[src] == dst]] = True
    half, skips, arcs = (int(each) for each in facts)
    if half or skips:
        return f"{half:,} edges leave what is reached, {skips:,} skip a level", arcs
    lost = int((~has_arc[child]).sum())
    return f"{lost:,} have a parent to which no edge leads" if lost else "", arcs


def rank_fault(xp: Any, blocks: Blocks, rank: Any, first: Any, change: float) -> str:
    """Return what is wrong with ranks: one more step in f64 must change less than the last did.

    ``first`` says where the arcs of each vertex begin.
    """
    alpha = 0.85
    rank, degrees = xp.asarray(rank), xp.diff(xp.asarray(first))
    total = float(rank.sum(dtype=np.float64))
    share = xp.where(degrees > 0, rank / xp.maximum(degrees, 1), 0).astype(np.float64)
    received = xp.zeros(len(rank), np.float64)
    for src, dst in blocks:
        xp.add.at(received, dst, share[src])
        other = src != dst
        xp.add.at(received, src[other], share[dst[other]])
    lost = float(rank[degrees == 0].sum(dtype=np.float64))
    received += lost / len(rank)
    more = float(abs((1 - alpha) / len(rank) + alpha * received - rank).sum())
    if abs(total - 1) > 1e-4:
        return f"ranks sum to {total}"
    bound = alpha * change + 1e-6
    return f"one more step changes {more:.3g}, the last {change:.3g}" if more > bound else ""
