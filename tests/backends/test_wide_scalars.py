"""Scalars that a program returns, read where kernels leave them: unsigned ones have 64 bits."""

from __future__ import annotations

import numpy as np
import pytest

import emv
from emv import Vertex, generators, i64, program, u64, vertex


class Holder(Vertex):
    large: u64 = 0
    small: i64 = 0


@vertex
def largest(v: Holder):
    return v.large


@vertex
def smallest(v: Holder):
    return v.small


@program(bind={"large": Holder.large, "small": Holder.small})
def both(g, large, small):
    return emv.largest(largest(g)), emv.smallest(smallest(g)), g.vertices.large


@pytest.mark.parametrize("last", [2**64 - 1, 2**63, 5])
def test_they_are_what_plain_python_returns(backend, last):
    g = generators.path(5)
    large, small = np.array([1, 2, 3, 4, last], np.uint64), np.array([3, -(2**63), 1, 0, 2])
    for _ in range(4):  # equal calls, too
        found = both(g, large, small, backend=backend)
        assert found[:2] == (last, -(2**63))
        assert all(type(each) is int for each in found[:2])
        assert np.array_equal(found[2], large)
