"""Disjoint sets: joined in any order by any number of threads, named by their smallest member."""

from __future__ import annotations

import numpy as np
import pytest
from compiled_call import compiled_call
from hypothesis import given
from hypothesis import strategies as st
from numba import njit, prange, set_num_threads
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from emv_kernels.cpu.sets import flatten, join, root_of


@njit(parallel=True)
def join_all(parent, first, second):
    for k in prange(len(first)):
        join(1, parent, first[k], second[k])
    flatten(parent, 0, len(parent))


@njit
def join_alone(parent, first, second):
    for k in range(len(first)):
        join(0, parent, first[k], second[k])
    flatten(parent, 0, len(parent))


def smallest_members(num_members, first, second):
    """Return the smallest member of everybody's set, by scipy."""
    shape = (num_members, num_members)
    matrix = coo_array((np.ones(len(first)), (first, second)), shape=shape)
    _, labels = connected_components(matrix, directed=False)
    smallest = np.full(labels.max(initial=-1) + 1, num_members)
    np.minimum.at(smallest, labels, np.arange(num_members))
    return smallest[labels]


@pytest.mark.parametrize("together", [join_all, join_alone], ids=["threads", "alone"])
@pytest.mark.parametrize("dtype", ["uint32", "uint64", "int64"])
@pytest.mark.parametrize("num_joins", [0, 500, 20_000, 200_000])
def test_random_joins(together, dtype, num_joins):
    set_num_threads(2)
    random = np.random.default_rng(num_joins)
    first, second = random.integers(0, 20_000, (2, num_joins)).astype(dtype)
    parent = np.arange(20_000, dtype=dtype)
    together(parent, first, second)
    np.testing.assert_array_equal(parent, smallest_members(20_000, first, second))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=20))
def test_few_joins(pairs):
    first, second = np.array(pairs, np.uint32).reshape(-1, 2).T
    parent = np.arange(10, dtype=np.uint32)
    join_alone(parent, first, second)
    np.testing.assert_array_equal(parent, smallest_members(10, first, second))


def test_path_that_is_joined_from_its_end():
    ids = np.arange(50_000, dtype=np.uint32)
    parent = ids.copy()
    join_alone(parent, ids[:0:-1].copy(), ids[-2::-1].copy())
    assert (parent == 0).all()


def test_root_shortens_the_way():
    parent = np.array([0, 0, 1, 2, 3], np.uint32)
    assert compiled_call(root_of, parent, 4) == 0
    assert parent[4] < 3
