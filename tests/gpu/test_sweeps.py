"""Sweeps on a GPU at sizes at which its warps wait for each other: hubs, long chains, ties."""

from __future__ import annotations

import numpy as np
import pytest
from backends.test_kept_arcs import ranked
from backends.test_rounds import by_those_done, by_those_waiting

import emv
from emv import Graph
from emv.algorithms import greedy_color, maximal_independent_set

pytestmark = pytest.mark.skipif(not emv.cuda_available(), reason="there is no GPU")

NUM_HUBS, SPOKES = 5, 20_000


def with_hubs() -> Graph:
    """Return hubs of 20,000 arcs that are neighbours of each other, and a mesh of their spokes."""
    hubs = np.arange(NUM_HUBS)
    spokes = NUM_HUBS + np.arange(SPOKES)
    ends = [
        np.stack(np.triu_indices(NUM_HUBS, 1)),
        np.stack([np.repeat(hubs, SPOKES), np.tile(spokes, NUM_HUBS)]),
        np.stack([spokes[:-1], spokes[1:]]),
        np.stack([spokes[:-150], spokes[150:]]),
    ]
    src, dst = np.concatenate(ends, axis=1)
    return Graph.from_edges(src, dst, directed=False)


def skewed(num_vertices: int = 1 << 17) -> Graph:
    """Return a graph whose degrees fall from thousands to one, with repeated edges and loops."""
    draw = np.random.default_rng(3)
    ends = (num_vertices * draw.random((2, 8 * num_vertices)) ** 4).astype(np.int64)
    return Graph.from_edges(*ends, num_vertices=num_vertices, directed=False)


def chain(length: int = 300_000) -> Graph:
    """Return a path along which ranks fall, so that each waits for the one before it."""
    ids = np.arange(length)
    return Graph.from_edges(ids[:-1], ids[1:], directed=False)


@pytest.mark.parametrize("make", [with_hubs, skewed, chain])
@pytest.mark.parametrize("page", [greedy_color, maximal_independent_set])
def test_pages_end_as_on_cores(page, make):
    g = make()
    for seed in range(3):
        found = np.asarray(page(g, backend="cuda", rng=seed))
        np.testing.assert_array_equal(found, page(g, backend="cpu", rng=seed))


@pytest.mark.parametrize("make", [with_hubs, skewed])
@pytest.mark.parametrize("made", [by_those_done, by_those_waiting])
def test_who_votes_does_not_matter(made, make):
    g = ranked(make())
    np.testing.assert_array_equal(np.asarray(made(g, backend="cuda")), made(g, backend="cpu"))


def test_a_chain_of_waiting_receivers():
    g = chain()
    g.vertices.rank = np.zeros(g.num_vertices, np.int32)  # ties: the smaller id goes first
    found = np.asarray(by_those_done(g, backend="cuda"))
    np.testing.assert_array_equal(found, np.arange(g.num_vertices))
