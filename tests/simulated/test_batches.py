"""Batches in one simulated block, on shapes whose hubs are cut into pieces."""

from __future__ import annotations

import numpy as np
import pytest
from backends.test_batches import letters, spread
from simulated.test_algorithms import ONE_BLOCK, SHAPES, TWO_BLOCKS, gpu, shaped

from emv import Graph
from emv.algorithms import bfs, sssp
from emv.codegen.cuda import claim_bits

CASES = (
    (bfs, 3, "star in"),
    (bfs, 3, "path"),
    (bfs, 20, "sparse"),
    (bfs, 40, "star in"),
    (bfs, 40, "dense"),
    (bfs, 130, "dense"),
    (sssp, 5, "dense"),
    (sssp, 2, "star out"),
    (spread, 3, "star in"),
    (letters, 3, "loops"),
)


def check(made, count, graph):
    values = [(7 * k) % graph.num_vertices for k in range(count)]
    found = made.batch(graph, values, backend="cuda")
    runs = [made(graph, value, backend="python") for value in values]
    if isinstance(found, tuple):
        found, runs = found[0], [run[0] for run in runs]
    np.testing.assert_array_equal(np.asarray(found), np.stack(runs))


@pytest.mark.parametrize(("made", "count", "shape"), CASES)
def test_results(made, count, shape, small_hubs):
    number = SHAPES.index(shape)
    small_hubs.setattr(claim_bits, "PULL_SHARE", 0 if number % 2 else 1000)
    gpu(small_hubs, *((ONE_BLOCK, 1) if (number + count) % 2 else (TWO_BLOCKS, 64)))
    check(made, count, shaped(shape, number))


@pytest.mark.parametrize(("made", "count"), [(sssp, 2), (bfs, 33)])
def test_rows_that_are_cut(made, count, monkeypatch):
    gpu(monkeypatch, TWO_BLOCKS, 64)
    monkeypatch.setattr(claim_bits, "PULL_SHARE", 0)
    leaves = np.arange(1, 1030)
    check(made, count, Graph.from_edges(np.zeros(1029, np.int64), leaves))
