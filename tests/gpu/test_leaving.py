"""A superstep of a GPU that takes long is left by Ctrl-C, and the next run is right."""

from __future__ import annotations

import time

import pytest
from backends.test_signals import interrupted, points, range_in_helper, while_in_body

import emv
from emv import generators
from emv.algorithms import num_triangles

pytestmark = [
    pytest.mark.skipif(not emv.cuda_available(), reason="there is no GPU"),
    pytest.mark.alone,
]
LATEST = 1.0  # seconds


@pytest.mark.parametrize("count", [10, 3_000_000])
def test_an_endless_while_is_left(count):
    g = points(count)
    assert set(while_in_body(g, 2, backend="cuda").tolist()) == {2}
    assert interrupted(lambda: while_in_body(g, -1, backend="cuda")) < LATEST
    assert set(while_in_body(g, 2, backend="cuda").tolist()) == {2}


def test_a_range_that_counts_far_is_left():
    g = points(100_000)
    right = range_in_helper(g, 50, backend="cuda").tolist()
    assert interrupted(lambda: range_in_helper(g, 10**13, backend="cuda")) < LATEST
    assert range_in_helper(g, 50, backend="cuda").tolist() == right


@pytest.mark.parametrize("size", [4000, 10_000])
def test_triangles_of_a_complete_graph_are_left(size):
    large, small = generators.complete(size), generators.complete(100)
    assert int(num_triangles(small, backend="cuda")) == 161_700
    assert int(num_triangles(large, backend="cuda")) == size * (size - 1) * (size - 2) // 6
    begun = time.perf_counter()
    num_triangles(large, backend="cuda")
    whole = time.perf_counter() - begun
    if whole < 0.6:
        pytest.skip(f"it takes {whole:.3f} s: too short for a signal in between")
    late = interrupted(lambda: num_triangles(large, backend="cuda"))
    assert late < min(LATEST, whole - 0.3), f"a whole run takes {whole:.3f} s"
    assert int(num_triangles(small, backend="cuda")) == 161_700
