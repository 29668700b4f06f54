"""A batch sorted by row, beside numpy's stable sort."""

from __future__ import annotations

import numpy as np
import pytest

from emv_kernels.cpu import build
from emv_kernels.cpu.sorted_rows import LOW_BITS, MOST_BUCKETS, sorted_ends, sorted_rows

U4, U8 = np.dtype(np.uint32), np.dtype(np.uint64)


@pytest.fixture(autouse=True)
def shared(monkeypatch):
    """Share a few entries out, too."""
    monkeypatch.setattr(build, "FIRST_SHARED", 0)


@pytest.mark.parametrize(
    ("num_rows", "size", "dtypes", "number", "num_threads"),
    [
        (1, 5, (U4, U4), 0, 2),
        (3000, 4, (U4, U4), 7, 3),  # fewer entries than rows, and a last bucket that is not full
        (5000, 7000, (U4, U8), 2**32, 2),  # an edge wider than a vertex
        (5000, 7000, (U8, U8), 0, 1),
        ((MOST_BUCKETS << LOW_BITS) + 5, 3000, (U4, U4), None, 2),  # buckets of more rows
    ],
)
def test_rows_come_in_order_and_entries_keep_theirs(num_rows, size, dtypes, number, num_threads):
    draw = np.random.default_rng(size)
    rows = draw.integers(0, num_rows, size).astype(dtypes[0])
    rows[: size // 2] = rows[0]  # one row has half of all
    values = draw.integers(0, 2**31, size).astype(dtypes[0])
    for shift in (0, 3):
        found = sorted_rows(rows, values, num_rows, dtypes[1], num_threads, shift, number)
        order = np.argsort(rows, kind="stable")
        np.testing.assert_array_equal(found.rows, rows[order])
        first = np.searchsorted(rows[order], np.arange(num_rows + 1))
        np.testing.assert_array_equal(found.first, first)
        np.testing.assert_array_equal(found.values, values[order] >> shift)
        assert found.first.dtype == dtypes[1]
        assert found.values.dtype == values.dtype
        if number is None:
            assert found.numbers is None
        else:
            np.testing.assert_array_equal(found.numbers, number + order)
            assert found.numbers.dtype == dtypes[1]


@pytest.mark.parametrize("dtypes", [(U4, U4), (U4, U8), (U8, U8)])
@pytest.mark.parametrize("num_threads", [1, 3])
def test_both_ways_of_edges_come_in_order(dtypes, num_threads):
    src, dst = np.random.default_rng(num_threads).integers(0, 1500, (2, 4000)).astype(U4)
    src[:5] = dst[:5]  # loops
    found = sorted_ends(src, dst, 1500, dtypes, num_threads, 10)
    back = np.flatnonzero(src != dst)
    rows = np.concatenate([2 * src, 2 * dst[back] + 1])
    order = np.argsort(rows, kind="stable")
    np.testing.assert_array_equal(found.rows, rows[order])
    np.testing.assert_array_equal(
        found.first, np.searchsorted(rows[order], np.arange(3001)).astype(dtypes[1])
    )
    np.testing.assert_array_equal(found.values, np.concatenate([dst, src[back]])[order])
    edges = 10 + np.concatenate([np.arange(4000), back])[order]
    np.testing.assert_array_equal(found.numbers, edges)
    assert [each.dtype for each in found] == [dtypes[1], dtypes[0], U4, dtypes[1]]
