"""Messages that stand by groups of out-degrees on cores: the same results to the bit, hubs too."""

from __future__ import annotations

import numpy as np
import pytest

import emv
from emv import Edge, Graph, Vertex, edge, f64, i64, program, vertex
from emv.algorithms import pagerank
from emv.graph import message_places
from emv.graph.hubs import HUB_ARCS


class Page(Vertex):
    rank: f64 = 1.0
    number: i64 = 0


@edge
def share(e: Edge[Page]):
    e.send(e.src.rank / e.src.out_degree)


@edge
def tell(e: Edge[Page]):
    e.send(e.src.number * 7 % 31)


@vertex
def renew(v: Page, received: f64):
    v.rank = 0.25 + 0.5 * received


@vertex
def lower(v: Page, number: i64):
    v.number = emv.min(v.number, number)


@program
def both(g, steps):
    g.vertices.number[:] = g.vertices.id
    for _ in g.supersteps(steps):
        renew(g, emv.sum(share(g)))
        told = tell(g)
        lower(told.receivers, emv.min(told))
    return g.vertices.rank, g.vertices.number


def some_graph(directed):
    draw = np.random.default_rng(7)
    src = draw.zipf(1.5, HUB_ARCS + 5000) % 60
    dst = np.full(len(src), 5)  # a hub, which threads share
    dst[::50] = draw.integers(0, 60, len(dst[::50]))
    dst[:500] = draw.integers(0, 60, 500)
    return Graph.from_edges(src, dst, num_vertices=64, directed=directed)


@pytest.mark.parametrize("directed", [False, True])
def test_places_change_no_result(monkeypatch, directed):
    plain = some_graph(directed)
    before = [*both(plain, 2, backend="cpu"), pagerank(plain, tol=0, max_iter=2, backend="cpu")]
    monkeypatch.setattr(message_places, "MANY", 1)
    monkeypatch.setattr(message_places, "DENSE", 0)
    moved = some_graph(directed)
    after = [*both(moved, 2, backend="cpu"), pagerank(moved, tol=0, max_iter=2, backend="cpu")]
    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(one, other)
    assert not np.array_equal(moved.layouts.message_places, np.arange(64))
    assert "message_place[" in both.source(moved, 2)
