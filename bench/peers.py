"""What the libraries on the CPU beside which emv is timed have in common; see `bench.libraries`.

Each is a class, `bench.peer_scipy.Peer` and the like, that is made with a graph, in the form that
its problems want; a method named like a problem takes what emv is called with, prepares whatever
the library needs beforehand, and returns a solver. Calling that is what is timed. It returns a
function that gives the answer in emv's form, which is not. What a library lacks is not there.
"""

from __future__ import annotations

import abc
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.graphs import BenchGraph

ALPHA = 0.85
NUM_ITERATIONS, MANY = 20, 100  # of PageRank; without dangling mass
Answer = Callable[[], NDArray[Any]]
Solver = Callable[[], Answer]


def answered(call: Callable[[], Any], shown: Callable[[Any], Any] = lambda found: found) -> Solver:
    """Return a solver that calls, and turns the answer into emv's form afterwards."""

    def solve() -> Answer:
        found = call()
        return lambda: shown(found)

    return solve


class LeftOutError(Exception):
    """A peer has no figure: it is not there, fails, is wrong, or would take far too long."""


class Library(abc.ABC):
    """A library with one graph; what several problems share is made once."""

    def __init__(self, graph: BenchGraph) -> None:
        self.graph, self.size = graph, graph.num_vertices

    @cached_property
    def out_degree(self) -> NDArray[np.int64]:
        """Out-arcs of every vertex."""
        return np.bincount(self.graph.arcs()[0], minlength=self.size)

    def pagerank(self, given: dict[str, Any]) -> Solver:
        """Iterate, with dangling mass spread."""
        return self._ranked(NUM_ITERATIONS, spread=True)

    def pagerank_100(self, given: dict[str, Any]) -> Solver:
        """Iterate without what dangling vertices have."""
        return self._ranked(MANY, spread=False)

    @abc.abstractmethod
    def _ranked(self, iterations: int, spread: bool) -> Solver:
        """Return what iterates so often, with or without what dangling vertices have."""

    def solver(self, problem: str, given: dict[str, Any]) -> Solver | None:
        """Return the library's solver, None where it has none."""
        prepare = getattr(self, problem, None)
        return prepare(given) if prepare else None
