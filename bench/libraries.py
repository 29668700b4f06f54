"""The libraries on the CPU beside which emv is timed, each imported when it is asked for."""

from __future__ import annotations

from typing import Any

from bench.graphs import BenchGraph
from bench.peers import Library, Solver

LIBRARIES = {"scipy": "scipy", "networkit": "networkit", "graphblas": "python-graphblas"}
"""By name, as pip knows them."""


class Peers:
    """All libraries with one graph, each made when it is asked for."""

    def __init__(self, graph: BenchGraph) -> None:
        self.graph = graph
        self._made: dict[str, Library] = {}

    def library(self, name: str) -> Library:
        """Return a library with the graph."""
        if name not in self._made:
            self._made[name] = made(name, self.graph)
        return self._made[name]

    def solver(self, name: str, problem: str, given: dict[str, Any]) -> Solver | None:
        """Return a library's solver, None where it has none."""
        prepare = getattr(self.library(name), problem, None)
        return prepare(given) if prepare else None


def made(name: str, graph: BenchGraph) -> Library:
    """Import a library and return it with a graph."""
    match name:
        case "scipy":
            from bench import peer_scipy

            return peer_scipy.Peer(graph)
        case "networkit":
            from bench import peer_networkit

            return peer_networkit.Peer(graph)
        case _:
            from bench import peer_graphblas

            return peer_graphblas.Peer(graph)
