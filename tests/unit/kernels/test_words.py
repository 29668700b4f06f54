"""Rows that are marked in bits: who is in them, and where."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from emv_kernels.cpu.words import has_bit, mark_places, mark_row, place_in

VERTICES = 300
ROWS = st.lists(
    st.lists(st.integers(0, VERTICES - 1), max_size=70).map(sorted), min_size=1, max_size=4
)


@njit
def find(words, base, rows, order, found):
    first, others = rows
    starts, before = np.full(len(words), -7), np.int64(-1)
    for k, row in enumerate(order):
        before = mark_places(words, starts, base, first, others, row, before)
        for v in range(found.shape[1]):
            found[k, v] = -1
            if has_bit(words, base + np.uint64(v)):
                found[k, v] = place_in(words, starts, base, others, np.uint32(v))
    mark_row(words, base, first, others, np.int64(-1), before)


@given(rows=ROWS, block=st.integers(0, 2))
def test_where_neighbours_stand(rows, block):
    """Entries may be repeated; then the first of them is found."""
    others = np.array([each for row in rows for each in row], np.uint32)
    first = np.cumsum([0, *map(len, rows)])
    words = np.zeros(3 * 13, np.uint64)
    order = np.array([*range(len(rows)), 0])
    found = np.empty((len(order), VERTICES), np.int64)
    find(words, np.uint64(block * 13 * 64), (first, others), order, found)
    for k, row in enumerate(order):
        expected = np.full(VERTICES, -1)
        for v in set(rows[row]):
            expected[v] = first[row] + rows[row].index(v)
        assert (found[k] == expected).all()
    assert not words.any()
