"""Parts that take the edges of a program in turn, as nothing but sums is left of them."""

from __future__ import annotations

import numpy as np
import pytest
from simulated_gpu import SimulatedDriver, install

import emv
from emv import Edge, Graph, Vertex, edge, f64, program, vertex
from emv.algorithms import num_triangles
from emv_kernels.cuda import turns


@pytest.fixture(autouse=True)
def drivers(monkeypatch: pytest.MonkeyPatch) -> None:
    for k in range(3):
        install(SimulatedDriver(ordinal=k), monkeypatch)


@pytest.mark.parametrize("parts", [1, 2, 3])
@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 64, 65, 200])
def test_every_element_is_taken_once(count, parts):
    number, place = turns.number_in_turn.fn, turns.in_turn.fn
    own = [(k, part) for part in range(parts) for k in range(number(count, part, parts))]
    taken = [int(place(k, part, parts)) for k, part in own]
    assert sorted(taken) == list(range(count))
    assert all(int(place(k, 0, parts)) == k for k in range(min(count, 32)))


class Place(Vertex):
    height: f64 = 1.0


@vertex
def lift(v: Place):
    v.height = 1.0 + v.id


@edge
def weigh(e: Edge[Place]) -> f64:
    found = 0.0
    for left, _right in emv.common(e.src, e.dst):
        found += left.dst.height
    return found * e.src.height


@program
def weighed(g):
    lift(g.vertices)
    return emv.total(weigh(g.edges))


@pytest.mark.parametrize("place", ["cuda:0,0/ranges/peer", "cuda:0,1,2/hash/peer"])
def test_triangles_are_counted_once(place):
    rng = np.random.default_rng(2)
    ends = np.argwhere(np.triu(rng.random((24, 24)) < 0.5, 1)).T
    g = Graph.from_edges(*ends, directed=False)
    said = num_triangles.explain(g.on(place))
    assert "each part takes as many edges as every other, of which only sums are left" in said
    assert num_triangles(g.on(place)) == num_triangles(g.on("python"))
    assert weighed(g.on(place)) == weighed(g.on("python"))  # whole numbers
