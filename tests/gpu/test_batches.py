"""Batches on a real GPU: words of bits, hubs in pieces, many blocks."""

from __future__ import annotations

import numpy as np
import pytest

import emv
from emv import generators
from emv.algorithms import bfs, icm, sssp

pytestmark = pytest.mark.skipif(not emv.cuda_available(), reason="there is no GPU")

SOURCES = [int(each) for each in np.random.default_rng(3).integers(0, 1 << 15, 130)]


@pytest.fixture(scope="module")
def skewed():
    graph = generators.kronecker(15, rng=2)
    graph.edges.weight = np.random.default_rng(1).integers(1, 64, graph.num_edges).astype("f4")
    return graph.on("cuda")


def check(made, graph, values, **named):
    found = made.batch(graph, values, **named)
    for number, value in enumerate(values):
        alone = np.asarray(made(graph, value, **named))
        np.testing.assert_array_equal(np.asarray(found[number]), alone)
    return found


@pytest.mark.parametrize("count", [1, 2, 8, 17, 64, 65, 130])
def test_searches(skewed, count):
    found = check(bfs, skewed, SOURCES[:count])
    rows = [found[number].numpy() for number in range(count)]
    np.testing.assert_array_equal(np.asarray(found), np.stack(rows))


def test_relaxations(skewed):
    check(sssp, skewed, SOURCES[:40])


def test_draws(skewed):
    check(icm, skewed, [[each] for each in SOURCES[:40]], p=0.05, rng=5)


def test_other_libraries_take_the_rows(skewed):
    cupy = pytest.importorskip("cupy")
    found = bfs.batch(skewed, SOURCES[:40])
    np.testing.assert_array_equal(cupy.asarray(found).get(), found.numpy())


def test_long_thin_graphs():
    ends = np.arange(20_000)
    graph = emv.Graph.from_edges(ends, ends + 1, directed=False).on("cuda")
    check(bfs, graph, [0, 20_000, 7, 9_999] * 10)
