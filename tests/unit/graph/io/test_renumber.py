"""Ids with gaps, few and many, against numpy's unique."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emv.config import config
from emv.graph.io import renumber


def check(src: np.ndarray, dst: np.ndarray) -> None:
    ids, places = np.unique(np.concatenate([src, dst]), return_inverse=True)
    new_src, new_dst, found = renumber.renumbered(src.copy(), dst.copy())
    if found is None:
        assert np.array_equal(ids, np.arange(len(ids)))
    else:
        assert np.array_equal(found, ids)
        assert found.dtype == np.int64
    assert np.array_equal(np.concatenate([new_src, new_dst]), places)
    assert renumber.num_different(src, dst) == len(ids)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.one_of(st.integers(0, 9), st.integers(0, 300), st.integers(0, 2**63 - 1)),
        min_size=2,
    ),
    st.booleans(),
    st.sampled_from([1, 2, 5]),
)
def test_few_ids(ids: list[int], compiled: bool, num_threads: int) -> None:
    half = len(ids) // 2
    src, dst = np.array(ids[:half]), np.array(ids[half : 2 * half])
    before = renumber.FIRST_COMPILED, renumber._BLOCK
    try:
        renumber.FIRST_COMPILED, renumber._BLOCK = (0, 3) if compiled else before
        with config.using(num_threads=num_threads):
            check(src, dst)
    finally:
        renumber.FIRST_COMPILED, renumber._BLOCK = before


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize(
    ("num_ids", "step"),
    [
        (5_000, 1),  # without gaps: their own places
        (5_000, 3),  # bits of a table
        (5_000, 100_000),  # hashes
        (200_000, 5_000),  # too many different ones for a table of hashes
    ],
)
def test_many_ids(dtype: type, num_ids: int, step: int) -> None:
    rng = np.random.default_rng(7)
    ids = np.arange(num_ids) * step
    src, dst = rng.choice(ids, (2, 150_000)).astype(dtype)
    check(src, dst)


def test_the_largest_ids_of_63_bits() -> None:
    ids = 2**63 - 1 - np.arange(1000) ** 2
    check(*np.random.default_rng(8).choice(ids, (2, 150_000)))
