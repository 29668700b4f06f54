"""Whether a library's answer is emv's: by what a problem's right answers have in common.

Exact answers are compared vertex by vertex, partitions whatever their labels are, ranks by the sum
of what they are apart once both sum to 1, triangles and forests by their total. emv's own answer
is checked without the libraries, see `bench.suite_checks`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bench.checks import smallest_members
from bench.graphs import BenchGraph

MAX_APART = 1e-4


def apart_after_scaling(found: Any, right: Any, graph: BenchGraph) -> str:
    """Compare ranks that may be scaled."""
    distance = float(np.abs(right / right.sum() - found / found.sum()).sum())
    return f"L1 distance {distance:.1e}" if not distance < MAX_APART else ""  # float32's at most


def same_triangles(found: Any, right: Any, graph: BenchGraph) -> str:
    """Compare the number of triangles."""
    count = int(right.sum())
    return "" if int(found[0]) == count else f"{int(found[0])} triangles, not {count}"


def same_weight(found: Any, right: Any, graph: BenchGraph) -> str:
    """Compare the weight of forests; emv's answer says which edges are chosen."""
    weight = float(graph.weight[right.astype(bool)].sum(dtype=np.float64))
    return "" if abs(float(found[0]) - weight) < 0.5 else f"weight {found[0]:.0f}, not {weight:.0f}"


def close(found: Any, right: Any, graph: BenchGraph) -> str:
    """Compare floats, each relative to the largest."""
    apart = float(np.abs(found - right).max(initial=0)) / max(float(np.abs(right).max()), 1e-30)
    return "" if apart < MAX_APART else f"off by {apart:.1e} of the largest"


def exactly(found: Any, right: Any, graph: BenchGraph) -> str:
    """Compare vertex by vertex."""
    wrong = int((right != found).sum())
    return f"{wrong} vertices differ" if wrong else ""


def grouped(found: Any, right: Any, graph: BenchGraph) -> str:
    """Compare partitions."""
    return exactly(smallest_members(np, found), smallest_members(np, right), graph)


AGREEMENT: dict[str, Callable[[Any, Any, BenchGraph], str]] = {
    "bfs": exactly,
    "sssp": exactly,
    "pagerank": apart_after_scaling,
    "pagerank_100": apart_after_scaling,
    "components": grouped,
    "strong_components": grouped,
    "triangles": same_triangles,
    "forest": same_weight,
    "clustering": close,
    "betweenness": close,
    "core_numbers": exactly,
}


def disagreement(problem: str, found: Any, right: Any, graph: BenchGraph) -> str:
    """Say how a library's answer differs from emv's, nothing where it does not."""
    if found is None:
        return ""
    return AGREEMENT[problem](np.asarray(found), np.asarray(right), graph)
