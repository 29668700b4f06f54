"""Rows with others added, beside a stable sort of all entries by row, or by row and value."""

from __future__ import annotations

import numpy as np
import pytest

from emv_kernels.cpu import row_merge

U4 = np.dtype(np.uint32)


def drawn(seed, num_rows, num_old, num_new, top=2**31):
    """Return rows of old and of new entries, both ascending, and where they begin."""
    draw = np.random.default_rng(seed)
    rows = [np.sort(draw.integers(0, num_rows, size)).astype(U4) for size in (num_old, num_new)]
    if num_old:
        rows[0][num_old // 3 : num_old // 2] = rows[0][num_old // 3]  # a row that is long
    first = [np.searchsorted(each, np.arange(num_rows + 1)).astype(U4) for each in rows]
    return draw, rows, first, [draw.integers(0, top, len(each)) for each in rows]


SIZES = [(1, 0, 5), (7, 5, 3), (50, 3000, 1), (400, 3000, 700), (90, 64, 2000), (5, 2**21, 300)]


@pytest.mark.parametrize("num_threads", [1, 3])
@pytest.mark.parametrize(("num_rows", "num_old", "num_new"), SIZES)
@pytest.mark.parametrize("dtype", ["bool", "i2", "f4", "u4", "i8"])
def test_new_entries_stand_behind_those_of_their_row(
    num_rows, num_old, num_new, dtype, num_threads
):
    _, rows, first, (old, added) = drawn(num_new, num_rows, num_old, num_new)
    old, added = old.astype(dtype), added.astype(dtype)
    numbers = np.arange(num_old).astype(dtype)
    news = (added, added[::-1].copy())
    both = row_merge.appended(first[0], (old, numbers), first[1], rows[1], news, num_threads)
    order = np.argsort(np.concatenate(rows), kind="stable")
    for found, was, new in zip(both, (old, numbers), news, strict=True):
        np.testing.assert_array_equal(found, np.concatenate([was, new])[order])
    if dtype in ("u4", "i8"):  # as wide as places are
        found = row_merge.appended(first[0], (old,), first[1], rows[1], news, num_threads)
        np.testing.assert_array_equal(found, both)


@pytest.mark.parametrize("num_threads", [1, 3])
@pytest.mark.parametrize(("num_rows", "num_old", "num_new"), SIZES)
@pytest.mark.parametrize("top", [3, 2**32 - 1])
@pytest.mark.parametrize("dtype", ["u4", "u8"])
def test_rows_that_ascend_are_merged(num_rows, num_old, num_new, top, dtype, num_threads):
    _, rows, first, values = drawn(num_new, num_rows, num_old, num_new, top)
    sorts = [np.lexsort((value, row)) for value, row in zip(values, rows, strict=True)]
    old, added = (value[sort].astype(dtype) for value, sort in zip(values, sorts, strict=True))
    found = row_merge.merged(first[0], old, first[1], rows[1], added, num_threads)
    both, all_rows = np.concatenate([old, added]), np.concatenate(rows)
    np.testing.assert_array_equal(found, both[np.lexsort((both, all_rows))])
