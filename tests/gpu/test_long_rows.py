"""Rows of very many links, whose sums warps make and which are cut: what plain Python finds."""

from __future__ import annotations

import numpy as np
import pytest
from backends import long_totals_cases as totals
from backends.long_rows_cases import agree

import emv
from emv.algorithms import leiden, louvain

pytestmark = pytest.mark.skipif(not emv.cuda_available(), reason="there is no GPU")


@pytest.mark.parametrize("directed", [False, True])
def test_sums_are_those_of_one_thread(directed):
    draw, size = np.random.default_rng(3), 3000
    lengths = np.array([9000, 1500, 385, 257, 256, 255, 64])  # of the rows of the first vertices
    src = np.concatenate(
        [np.repeat(np.arange(lengths.size), lengths), draw.integers(0, size, 9000)]
    )
    agree(src, draw.integers(0, size, src.size), size, directed)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("hubs", [0, 1, 3])
def test_every_arc_counts_once(hubs, directed):
    totals.agree(totals.hubs_of(hubs, directed))


@pytest.mark.parametrize("find", [louvain, leiden])
@pytest.mark.parametrize("hubs", [1, 2])
def test_communities_of_hubs_are_those_of_cores(find, hubs):
    graph = totals.hubs_of(hubs, directed=False)
    names, modularity = find(graph.on("cuda"), rng=1)
    expected = find(graph.on("cpu"), rng=1)
    np.testing.assert_array_equal(names, expected[0])
    assert modularity == pytest.approx(expected[1], rel=1e-9)
