"""Edges that only join their ends, on simulated GPUs: most of one large component are left out."""

from __future__ import annotations

import numpy as np
import pytest
from simulated_gpu import SimulatedDriver, install

import emv
from emv import DisjointSet, Edge, Graph, Vertex, edge, program, vertex
from emv.algorithms import components
from emv.codegen.cuda import joining


class Member(Vertex):
    group: DisjointSet
    degree: int = 0


@edge
def unite(e: Edge[Member]):
    emv.union(e.src.group, e.dst.group)


@edge
def one(e: Edge[Member]):
    e.send(1)


@vertex
def count(v: Member, ones: int):
    v.degree = ones


@vertex
def step(v: Member):
    v.degree += 1


@program
def united_and_counted(g):
    unite(g.edges)
    ones = one(g.edges)
    count(ones.receivers, emv.sum(ones))
    return g.vertices.group


@program
def united_again_and_again(g):
    for _ in g.supersteps(3):
        unite(g.edges)
        step(g.vertices)
    return g.vertices.group


@pytest.fixture(autouse=True)
def drivers(monkeypatch: pytest.MonkeyPatch) -> None:
    for ordinal in range(2):
        install(SimulatedDriver(ordinal=ordinal, seed=3, stops=0.05), monkeypatch)
    monkeypatch.setattr(joining, "MANY", 1)
    monkeypatch.setattr(joining, "OUT_OF_CACHE", 1)


@pytest.mark.parametrize("place", ["cuda:0", "cuda:0,1"])
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("sizes", [(60, 9, 1, 20), (25, 25, 25), (4, 1, 140)])
def test_sets_are_those_of_all_edges(place, directed, sizes):
    graph = made(sizes, directed)
    assert graph.num_arcs >= 2 * joining.DENSE * graph.num_vertices  # so in each part
    assert "most by two arcs of each vertex" in components.explain(graph.on(place))
    assert np.array_equal(components(graph.on(place)), components(graph.on("python")))


@pytest.mark.parametrize("place", ["cuda:0", "cuda:0,1"])
def test_sets_that_are_joined_already_stay_so(place):
    graph = made((60, 9, 1, 20), directed=False)
    found = united_again_and_again(graph.on(place))
    assert np.array_equal(found, components(graph.on("python")))


@pytest.mark.parametrize("directed", [True, False])
def test_parts_that_hold_arcs_by_their_owners_look_at_all(directed):
    graph = made((60, 9, 1, 20), directed)
    several = graph.on("cuda:0,1")
    assert "most by two arcs" in united_and_counted.explain(graph.on("cuda:0"))
    assert "most by two arcs" not in united_and_counted.explain(several)
    assert np.array_equal(united_and_counted(several), components(graph.on("python")))


def made(sizes: tuple[int, ...], directed: bool) -> Graph:
    """Return random edges inside groups of vertices; the first of each lead to its partner."""
    rng = np.random.default_rng(len(sizes))
    starts = np.cumsum([0, *sizes[:-1]])
    made = [low + rng.integers(0, n, (2, 10 * n)) for low, n in zip(starts, sizes, strict=True)]
    src, dst = rng.permutation(sum(sizes))[np.concatenate(made, axis=1)]
    mates = np.arange(sum(sizes) - 1)[::2]
    src = np.concatenate([mates, mates, src, np.full(sizes[0], src[0])])  # and a long row
    dst = np.concatenate([mates + 1, mates + 1, dst, dst[: sizes[0]]])
    return Graph.from_edges(src, dst, num_vertices=sum(sizes) + 3, directed=directed)
