"""Rows in the order of receivers while a loop of parts runs: results, and what is copied back."""

from __future__ import annotations

import numpy as np
import pytest
from simulated_gpu import SimulatedDriver, install

import emv
from emv import Edge, Graph, Vertex, edge, f64, program, vertex
from emv.passes.follow import PLACED
from emv.runtime.drive import driver

PLACES = ("cuda:0,1", "cuda:0,0", "cuda:0,1,2/hash")


class Page(Vertex):
    rank: f64 = 1.0
    own: f64 = 0.25


@edge
def share(e: Edge[Page]):
    e.send(e.src.rank / e.src.out_degree)


@vertex
def renew(v: Page, received: f64):
    v.rank = v.own + 0.75 * received


@vertex
def seen(v: Page):
    v.own = v.own + 0.0 * v.rank


@program
def ranked(g, steps):
    for _ in g.supersteps(steps):
        renew(g, emv.sum(share(g)))
    return g.vertices.rank, g.vertices.own


@program
def ranked_and_seen(g, steps):
    for _ in g.supersteps(steps):
        renew(g, emv.sum(share(g)))
        seen(g)
    return g.vertices.rank, g.vertices.own


@pytest.fixture(autouse=True)
def drivers(monkeypatch: pytest.MonkeyPatch) -> None:
    for k in range(3):
        install(SimulatedDriver(ordinal=k), monkeypatch)


def hubs(seed: int) -> Graph:
    """Return a graph of which some vertices have many in-arcs, most few, and some none."""
    rng = np.random.default_rng(seed)
    src, dst = rng.integers(0, 40, 300), rng.integers(0, 40, 300) ** 2 // 80
    return Graph.from_edges(src, dst, num_vertices=48)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("steps", [0, 1, 4])
def test_ranks_are_those_of_one_gpu_to_the_bit(place, steps):
    g = hubs(steps)
    one, found = ranked.run(g.on("cuda:0"), steps), ranked.run(g.on(place), steps)
    for mine, wanted in zip(found.result, one.result, strict=True):
        assert np.array_equal(mine, wanted)


@pytest.mark.parametrize("place", ["cuda:0", *PLACES])
def test_a_loop_that_is_left_and_entered_again_gives_the_same_bits(place, monkeypatch):
    g = hubs(7)
    whole = ranked.run(g.on(place), 5)
    monkeypatch.setattr(driver, "FIRST_BUDGET", 2)
    monkeypatch.setattr(driver, "next_budget", lambda budget, seconds: 2)
    told = []
    left = ranked.run(hubs(7).on(place), 5, callback=lambda *_: told.append(1))
    assert len(told) > 1
    for mine, wanted in zip(left.result, whole.result, strict=True):
        assert np.array_equal(mine, wanted)


def test_columns_that_others_in_the_loop_ask_for_stay_where_they_are():
    g = hubs(1).on("cuda:0,1")
    assert PLACED.format("own, rank") in str(ranked.explain(g, 3))
    assert "in the order of receivers" not in str(ranked_and_seen.explain(g, 3))
    wanted = ranked_and_seen.run(hubs(1).on("python"), 3).result
    found = ranked_and_seen.run(g, 3).result
    assert np.allclose(found[0], wanted[0], rtol=1e-12)
