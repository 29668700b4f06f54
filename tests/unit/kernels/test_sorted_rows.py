"""A batch sorted by row, beside numpy's stable sort."""

from __future__ import annotations

import numpy as np
import pytest

from emv_kernels.cpu.sorted_rows import LOW_BITS, MOST_BUCKETS, sorted_rows

U4, U8 = np.dtype(np.uint32), np.dtype(np.uint64)


@pytest.mark.parametrize(
    ("num_rows", "size", "dtypes", "num_threads"),
    [
        (1, 5, (U4, U4), 2),
        (3000, 4, (U4, U4), 3),  # fewer entries than rows, and a last bucket that is not full
        (5000, 7000, (U4, U8), 2),  # an edge wider than a vertex
        (5000, 7000, (U8, U8), 1),
        ((MOST_BUCKETS << LOW_BITS) + 5, 3000, (U4,), 2),  # so many rows that buckets are wider
    ],
)
def test_rows_come_in_order_and_entries_keep_theirs(num_rows, size, dtypes, num_threads):
    draw = np.random.default_rng(size)
    rows = draw.integers(0, num_rows, size).astype(dtypes[0])
    rows[: size // 2] = rows[0]  # one row has half of all
    values = tuple(draw.integers(0, 2**31, size).astype(each) for each in dtypes)
    found = sorted_rows(rows, values, num_rows, U4, num_threads)
    order = np.argsort(rows, kind="stable")
    np.testing.assert_array_equal(found.rows, rows[order])
    np.testing.assert_array_equal(
        found.first, np.searchsorted(rows[order], np.arange(num_rows + 1))
    )
    assert found.first.dtype == U4
    for each, given in zip(found.values, values, strict=True):
        assert each.dtype == given.dtype
        np.testing.assert_array_equal(each, given[order])
