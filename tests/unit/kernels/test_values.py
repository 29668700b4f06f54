"""The vertices of each value of a column, sorted by several threads, each with a share of them."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from emv_kernels.cpu.values import LEAST, index_values


@njit(nogil=True)
def sorted_by(column, count, first, order, num_threads):
    """Sort; Python cannot call what only compiled functions call."""
    index_values(column, count, first, order, num_threads)


@pytest.mark.parametrize("num_threads", [1, 2, 3])
@pytest.mark.parametrize(
    ("count", "most"),
    [(0, 0), (5, 3), (4 * LEAST, 900), (4 * LEAST, 0), (4 * LEAST, LEAST), (4 * LEAST, 5 * LEAST)],
)
def test_ids_stand_by_value_in_their_order(count: int, most: int, num_threads: int) -> None:
    column = np.random.default_rng(most).integers(-1, most + 1, count).astype(np.int32)
    first, order = np.full(count + 2, -7, np.int64), np.full(count, -7, np.int32)
    sorted_by(column, count, first, order, num_threads)
    ids = np.flatnonzero((column >= 0) & (column < count))
    wanted = ids[np.argsort(column[ids], kind="stable")]
    num_values = column[ids].max() + 1 if len(ids) else 0
    assert first[count + 1] == num_values
    np.testing.assert_array_equal(order[: len(ids)], wanted)
    behind = np.searchsorted(column[wanted], np.arange(num_values + 1))
    np.testing.assert_array_equal(first[: num_values + 1], behind)
