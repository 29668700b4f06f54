"""What pages that move vertices between communities share: their arguments, and contracting."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emv.algorithms._arguments import a_number, refuse_weights
from emv.algorithms._checks import edge_numbers
from emv.device import device_named
from emv.errors import ArgumentError
from emv.graph import Graph
from emv.graph.demands import demand_undirected
from emv.graph.on_device import gathered, moved_to, on_host
from emv.lang.draws import Rng
from emv.runtime.arguments import check_call

FIRST_ON_DEVICE = 2**14
"""Edges from which on a graph that runs on a GPU is contracted there."""

DIGITS = 51
"""Binary digits of the sum of all weights: f64 has two more."""


class Asked(NamedTuple):
    """What the caller asks for."""

    resolution: float
    threshold: float
    seed: int


def asked_of(name: str, graph: Graph, resolution: float, threshold: float, rng: Rng) -> Asked:
    """Return what a call asks for, or refuse what it cannot.

    Raises
    ------
    ArgumentError, GraphError
        If the threshold is below 0 or nan, or the graph is directed.
    """
    seed = check_call(name.removesuffix("()"), graph, rng)
    a_number(f"{name}: threshold", threshold, graph)
    if not threshold >= 0:
        raise ArgumentError(f"{name}: threshold={threshold!r}", remedy="Give 0 or more.")
    demand_undirected(graph, name)
    return Asked(resolution, threshold, seed)


def scaled_weights(name: str, graph: Graph, weight: str | ArrayLike) -> NDArray[np.float64]:
    """Return the weights of the edges near 1, and such that sums of them are exact.

    They are rounded to f32, and all to multiples of one power of two: so small that it is 2**-51 of
    their sum at least. Then no sum of them in f64 is rounded, nor one of such sums rounded to f32,
    and results do not depend on the order in which threads add.

    Raises
    ------
    ArgumentError
        If one of them has no share in modularity.
    """
    weights = edge_numbers(graph, weight, 1.0, np.float64)
    refuse_weights(name, weights)
    scaled = np.ldexp(weights, -np.frexp(weights.max(initial=0))[1]).astype(np.float32)
    digit = np.frexp(scaled.sum(dtype=np.float64))[1] - DIGITS
    rounded: NDArray[np.float64] = np.ldexp(np.rint(np.ldexp(scaled, -digit)), digit)
    return rounded.astype(np.float64)


class Level(NamedTuple):
    """A graph whose vertices may be communities of another."""

    graph: Graph
    weights: Any  # of its edges

    @classmethod
    def base(cls, graph: Graph, weights: NDArray[np.float64]) -> Level:
        """Return a graph as the first level: its weights go where it runs, once."""
        if not graph.device.startswith("cuda"):
            return cls(graph, weights)
        return cls(graph, moved_to(device_named(graph.device), weights))

    @property
    def size(self) -> int:
        """Vertices."""
        return self.graph.num_vertices

    def contracted(self, number: Any, count: int) -> Level:
        """Return the graph of so many communities; weights of edges between two are added.

        Where there are many edges on a GPU, everything stays there.

        Parameters
        ----------
        number : int[size]
            The community of every vertex, numbered from 0.
        """
        graph, ends = self.graph, self.graph.edges.ends()
        src: Any
        dst: Any
        weight: Any
        if graph.device.startswith("cuda") and graph.num_edges >= FIRST_ON_DEVICE:
            on = device_named(graph.device)
            number, weight = moved_to(on, number), moved_to(on, self.weights)
            src, dst = ends.on(on)
        else:
            number, weight = on_host(number), on_host(self.weights)
            src, dst = ends.src, ends.dst
        joined = gathered(number, src), gathered(number, dst)
        many = Graph.from_edges(*joined, num_vertices=count, directed=False, weight=weight)
        few = many.prepared(dedup="sum").on(graph.device)
        return Level(few, few.edges.weight)


def smallest_members(community: NDArray[Any]) -> NDArray[np.int32]:
    """Return the communities named by the smallest ids of their members.

    Examples
    --------
    >>> smallest_members(np.array([7, 3, 7]))
    array([0, 1, 0], dtype=int32)
    """
    _, first, number = np.unique(community, return_index=True, return_inverse=True)
    return first.astype(np.int32)[number]
