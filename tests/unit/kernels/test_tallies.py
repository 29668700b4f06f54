"""Amounts added up by kind, one list after the other, whatever kinds there are."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from emv_kernels.cpu.tallies import amount_of, begin_tally, leave_tally, tally, tally_few
from emv_kernels.sizes import FEW_KINDS, KIND_COUNTS, LISTED_KINDS, NEAR_KINDS, SMALL_KINDS

THREADS = 2


@njit
def tally_all(arrays, thread, first, sent, num_vertices, found):
    """Fill ``found`` with the rows, kinds and amounts; return how many there are."""
    (counts, sums, kinds, places, amounts), (kinds_sent, amounts_sent) = arrays, sent
    count = 0
    for row in range(len(first) - 1):
        table = begin_tally(
            counts, sums, kinds, thread, THREADS, first[row], first[row + 1], num_vertices
        )
        num_kinds = 0
        for k in range(first[row], first[row + 1]):
            kind, amount = np.int64(kinds_sent[k]), amounts_sent[k]
            if table[4] <= FEW_KINDS:
                num_kinds = tally_few(kinds, amounts, table, num_kinds, kind, amount)
            else:
                told = (counts, sums, kinds, places, amounts)
                num_kinds = tally(*told, table, num_kinds, kind, amount)
        for place in range(table[3], table[3] + num_kinds):
            found[count, 0], found[count, 1] = row, kinds[place]
            found[count, 2] = amount_of(sums, kinds, amounts, table, place)
            count += 1
    leave_tally(counts, sums, kinds, thread)
    return count


def room(count, dtype):
    """Return the arrays in which threads add up so many messages."""
    return (
        np.full(THREADS * KIND_COUNTS, -1, np.int64),
        np.zeros(THREADS * SMALL_KINDS, dtype),
        np.zeros(THREADS * LISTED_KINDS + count, np.int64),
        np.zeros(2 * (THREADS * LISTED_KINDS + count), np.int32),
        np.zeros(THREADS * LISTED_KINDS + count, dtype),
    )


def check(rows, amount, num_vertices, thread, arrays=None):
    """Compare with Python's own counters."""
    dtype, count = type(amount(1)), sum(map(len, rows))
    arrays = arrays or room(count, dtype)
    first = np.cumsum([0, *map(len, rows)])
    sent = [each for row in rows for each in row]
    kinds = np.array([kind for kind, _ in sent], np.int64)
    amounts = np.array([amount(each) for _, each in sent], dtype)
    found = np.zeros((count, 3), np.float64)
    number = tally_all(arrays, thread, first, (kinds, amounts), num_vertices, found)
    expected = [Counter() for _ in rows]
    for row, counter in zip(rows, expected, strict=True):
        for kind, each in row:
            counter[kind] += amount(each)
    listed = [
        (row, kind, total) for row, each in enumerate(expected) for kind, total in each.items()
    ]
    assert found[:number].tolist() == [list(map(float, each)) for each in listed]


KINDS = st.sampled_from([0, 1, 2, 7, 90, SMALL_KINDS - 1, SMALL_KINDS, -1, -5, 2**40])
ROWS = st.lists(st.lists(st.tuples(KINDS, st.integers(-2, 2)), max_size=12), min_size=1, max_size=5)


@given(rows=ROWS, num_vertices=st.sampled_from([1, 8, 2**20]), thread=st.integers(0, 1))
@pytest.mark.parametrize("amount", [np.int64, np.float64])
def test_amounts_by_kind(amount, rows, num_vertices, thread):
    check(rows, amount, num_vertices, thread)


@pytest.mark.parametrize("most", [50, 10**9])
def test_lists_that_are_long(most):
    draw = np.random.default_rng(most)
    lengths = (NEAR_KINDS + 1, 5, NEAR_KINDS, 3 * NEAR_KINDS)
    rows = [[(int(each), 1) for each in draw.integers(-most, most, size)] for size in lengths]
    check(rows, np.int64, 30, 1)


def test_threads_that_take_turns():
    """Of one long list, whose kinds stand in the same place whoever adds them up."""
    size = NEAR_KINDS + 9
    arrays = room(size, np.int64)
    for turn, kinds in enumerate((range(size), [7] * size, range(size), [3, 4] * size)):
        row = [(kind, 1) for kind in kinds][:size]
        check([row], np.int64, 2 * size, turn % THREADS, arrays)


def test_vertices_that_are_added():
    """Between two lists: there are more sums, of kinds that there were not before."""
    size = NEAR_KINDS + 9
    arrays = room(size, np.int64)
    for first, num_vertices in ((0, 10), (size, 2 * size)):
        row = [(first + k, 1) for k in range(size)]
        check([row], np.int64, num_vertices, 0, arrays)
