"""What emv is timed beside: libraries on the CPU, each imported when it is asked for, and figures.

The figures, milliseconds of cuGraph, Gunrock, gardenia, the ECL suite, TRUST and GraphMiner on one
H200, on the graphs of `bench.graphs`, stand in peer_figures.json, which says how each was taken.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from bench.graphs import BenchGraph
from bench.peers import Library, Solver

LIBRARIES = {"scipy": "scipy", "networkit": "networkit", "graphblas": "python-graphblas"}
"""By name, as pip knows them."""


class Peers:
    """All libraries with one graph, each made when it is asked for."""

    def __init__(self, graph: BenchGraph) -> None:
        self.graph = graph
        self.library = cache(self._library)

    def _library(self, name: str) -> Library:
        if name == "scipy":
            from bench.peer_scipy import Peer
        elif name == "networkit":
            from bench.peer_networkit import Peer
        else:
            from bench.peer_graphblas import Peer
        made: Library = Peer(self.graph)
        return made

    def solver(self, name: str, problem: str, given: dict[str, Any]) -> Solver | None:
        """Return a library's solver, None where it has none."""
        prepare = getattr(self.library(name), problem, None)
        return prepare(given) if prepare else None


@cache
def figures() -> dict[str, Any]:
    """Return the whole file of figures."""
    file = Path(__file__).with_name("peer_figures.json")
    read: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return read


def gpu_peers(problem: str, graph: str) -> dict[str, float]:
    """Return the milliseconds of every peer that was timed on a GPU, the fastest first.

    Examples
    --------
    >>> gpu_peers("triangles", "road")
    {'Gunrock': 0.43, 'GraphMiner': 0.47, 'TRUST': 0.71, 'cuGraph': 6.8}
    >>> gpu_peers("triangles", "wiki-talk")
    {}
    """
    by_peer = figures()["gpu"]["ms"].get(problem, {})
    there = {peer: float(ms[graph]) for peer, ms in by_peer.items() if graph in ms}
    return dict(sorted(there.items(), key=lambda item: item[1]))
