"""The libraries on the CPU beside which emv is timed, each imported when it is asked for.

Each is a class, `bench.peer_scipy.Peer` and the like, that is made with a graph, in the form that
its problems want; a method named like a problem takes what emv is called with, prepares whatever
the library needs beforehand, and returns a solver. Calling that is what is timed. It returns a
function that gives the answer in emv's form, which is not. What a library lacks is not there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.graphs import BenchGraph

LIBRARIES = {"scipy": "scipy", "networkit": "networkit", "graphblas": "python-graphblas"}
"""By name, as pip knows them."""

ALPHA = 0.85
NUM_ITERATIONS, MANY = 20, 100  # of PageRank; without dangling mass
NOT_COMPARABLE = {("networkit", "betweenness")}  # it draws its own pivots
Answer = Callable[[], NDArray[Any]]
Solver = Callable[[], Answer]


def answered(call: Callable[[], Any], shown: Callable[[Any], Any] = lambda found: found) -> Solver:
    """Return a solver that calls, and turns the answer into emv's form afterwards."""

    def solve() -> Answer:
        found = call()
        return lambda: shown(found)

    return solve


class LeftOutError(Exception):
    """A library would take far too long for a problem."""


class Library:
    """A library with one graph; what several problems share is made once."""

    def __init__(self, graph: BenchGraph) -> None:
        self.graph, self.size = graph, graph.num_vertices

    @cached_property
    def out_degree(self) -> NDArray[np.int64]:
        """Out-arcs of every vertex."""
        return np.bincount(self.graph.arcs()[0], minlength=self.size)


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
