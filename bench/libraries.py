"""What emv is timed beside: libraries on the CPU, each imported when it is asked for, and figures.

The figures, milliseconds of cuGraph, Gunrock, gardenia, the ECL suite, TRUST and GraphMiner on one
H200, on the graphs of `bench.graphs`, stand in peer_figures.json, which says how each was taken.
Answers of libraries are compared with emv's, which `tests.oracles.checks` checks without them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench.graphs import BenchGraph
from bench.peers import Library
from emv.cli.bench_peers import MAX_APART, difference, first_members

LIBRARIES = {"scipy": "scipy", "networkit": "networkit", "graphblas": "python-graphblas"}
"""By name, as pip knows them."""
FIGURES = Path(__file__).with_name("peer_figures.json")


def peer(name: str, graph: BenchGraph) -> Library:
    """Return a library with a graph."""
    if name == "scipy":
        from bench.peer_scipy import Peer
    elif name == "networkit":
        from bench.peer_networkit import Peer
    else:
        from bench.peer_graphblas import Peer
    return Peer(graph)


def gpu_peers(problem: str, graph: str) -> dict[str, float]:
    """Return the milliseconds of every peer that was timed on a GPU, the fastest first.

    Examples
    --------
    >>> gpu_peers("triangles", "road")
    {'Gunrock': 0.43, 'GraphMiner': 0.47, 'TRUST': 0.71, 'cuGraph': 6.8}
    >>> gpu_peers("triangles", "wiki-talk")
    {}
    """
    by_peer = json.loads(FIGURES.read_text(encoding="utf-8"))["gpu"]["ms"].get(problem, {})
    there = {peer: float(ms[graph]) for peer, ms in by_peer.items() if graph in ms}
    return dict(sorted(there.items(), key=lambda item: item[1]))


def alike(found: Any, right: Any, graph: BenchGraph) -> str:
    """Compare vertex by vertex."""
    return difference(found, right)


def grouped(found: Any, right: Any, graph: BenchGraph) -> str:
    """Compare partitions, whatever their labels are."""
    return difference(first_members(found), first_members(right))


def scaled(found: Any, right: Any, graph: BenchGraph) -> str:
    """Compare ranks by the sum of what they are apart once both sum to 1."""
    distance = float(np.abs(right / right.sum() - found / found.sum()).sum())
    return f"L1 distance {distance:.1e}" if not distance < MAX_APART else ""


def same_triangles(found: Any, right: Any, graph: BenchGraph) -> str:
    """Compare the number of triangles."""
    count = int(right.sum())
    return "" if int(found[0]) == count else f"{int(found[0])} triangles, not {count}"


def same_weight(found: Any, right: Any, graph: BenchGraph) -> str:
    """Compare the weight of forests; emv's answer says which edges are chosen."""
    weight = float(graph.weight[right.astype(bool)].sum(dtype=np.float64))
    return "" if abs(float(found[0]) - weight) < 0.5 else f"weight {found[0]:.0f}, not {weight:.0f}"


AGREEMENT: dict[str, Callable[[Any, Any, BenchGraph], str]] = {
    **dict.fromkeys(("bfs", "sssp", "core_numbers", "clustering", "betweenness"), alike),
    **dict.fromkeys(("components", "strong_components"), grouped),
    **dict.fromkeys(("pagerank", "pagerank_100"), scaled),
    "triangles": same_triangles,
    "forest": same_weight,
}


def disagreement(problem: str, found: Any, right: Any, graph: BenchGraph) -> str:
    """Say how a library's answer differs from emv's, nothing where it does not."""
    if found is None:
        return ""
    return AGREEMENT[problem](np.asarray(found), np.asarray(right), graph)
