"""The libraries on the CPU beside which emv is timed, each imported when it is asked for."""

from __future__ import annotations

from typing import Any

from bench.graphs import BenchGraph
from bench.peers import Library, Solver

LIBRARIES = {"scipy": "scipy", "networkit": "networkit", "graphblas": "python-graphblas"}
"""By name, as pip knows them."""


def peer(name: str) -> type[Library]:
    """Import a library."""
    if name == "scipy":
        from bench.peer_scipy import Peer
    elif name == "networkit":
        from bench.peer_networkit import Peer
    else:
        from bench.peer_graphblas import Peer
    return Peer


class Peers:
    """All libraries with one graph, each made when it is asked for."""

    def __init__(self, graph: BenchGraph) -> None:
        self.graph = graph
        self._made: dict[str, Library] = {}

    def library(self, name: str) -> Library:
        """Return a library with the graph."""
        if name not in self._made:
            self._made[name] = peer(name)(self.graph)
        return self._made[name]

    def solver(self, name: str, problem: str, given: dict[str, Any]) -> Solver | None:
        """Return a library's solver, None where it has none."""
        prepare = getattr(self.library(name), problem, None)
        return prepare(given) if prepare else None
