"""Edges that only join their ends: most of one large component are left out, and nobody is lost."""

from __future__ import annotations

import numpy as np
import pytest
from scheduled import launches
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import emv
from emv import DisjointSet, Edge, Graph, Vertex, edge, f32, program
from emv.algorithms import components
from emv.config import config
from emv.ir.shortcuts import JoinAll


class Member(Vertex):
    group: DisjointSet


class Road(Edge[Member]):
    length: f32


@edge
def unite(e: Edge[Member]):
    emv.union(e.src.group, e.dst.group)


@edge
def unite_short(e: Road):
    if e.length < 1:
        emv.union(e.src.group, e.dst.group)


@program
def united(g):
    unite(g.edges)
    return g.vertices.group


@program
def united_by_short(g):
    unite_short(g.edges)
    return g.vertices.group


def test_only_what_joins_every_edge_leaves_edges_out():
    (plain,), (asked,) = launches(united), launches(united_by_short)
    assert isinstance(plain.shortcut, JoinAll)
    assert asked.shortcut is None


def clusters(rng: np.random.Generator, sizes: list[int]) -> tuple[np.ndarray, np.ndarray, int]:
    """Return random edges inside groups of consecutive vertices, with shuffled ids."""
    count = sum(sizes)
    ends, low = [], 0
    for size in sizes:
        ends.append(low + rng.integers(0, size, (2, 6 * size)))
        low += size
    src, dst = rng.permutation(count)[np.concatenate(ends, axis=1)]
    return src, dst, count


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "sizes",
    [
        [20_000, 1, 1, 300, 40, 2],  # one large component
        [3_000, 3_000, 3_000],  # none is most frequent
        [1] * 20 + [9_000],
    ],
)
def test_dense_graphs_of_several_components(sizes, threads, directed):
    src, dst, count = clusters(np.random.default_rng(len(sizes)), sizes)
    src, dst = np.concatenate([src, src]), np.concatenate([dst, dst])
    graph = Graph.from_edges(src, dst, num_vertices=count, directed=directed)
    assert graph.num_arcs >= 8 * count  # else every edge is looked at
    with config.using(num_threads=threads):
        found = components(graph)
    arcs = coo_array((np.ones(len(src)), (src, dst)), (count, count))
    _, labels = connected_components(arcs, directed=False)
    smallest = np.full(labels.max() + 1, count)
    np.minimum.at(smallest, labels, np.arange(count))
    assert np.array_equal(found, smallest[labels])
