"""Blocks that threads take from both ends, and the rows of ids that they leave."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numba import njit, prange, set_num_threads

from emv.codegen.state import PLACES
from emv_kernels.cpu.queues import append, append_new, flush, gather_rows, leave_row, next_block
from emv_kernels.sizes import ROW, ROW_PLACES

CURSOR, LENGTH = PLACES["CURSOR"], PLACES["NUM_PENDING"]


@njit(parallel=True)
def take_all(num_threads, num_blocks, state, taken, order):
    for thread in prange(num_threads):
        count = 0
        while True:
            block = next_block(thread, 1, state, CURSOR, num_blocks)
            if block >= num_blocks:
                break
            taken[block] += 1
            order[thread, count] = block
            count += 1


@njit
def append_all(shared, ids, flags, queue, state, rows):
    for thread in range(len(ids)):
        count = 0
        for each in ids[thread]:
            if len(flags) == 0:
                count = append(queue, state, LENGTH, rows[thread], count, each)
            else:
                inside = (queue, state, LENGTH, rows[thread], count, each)
                count = append_new(shared, flags, *inside)
        leave_row(shared, queue, state, LENGTH, rows[thread], count)


@njit
def gather(queue, state, rows):
    gather_rows(queue, state, LENGTH, rows, len(rows))
    flush(queue, state, LENGTH, rows[0], 0)


@pytest.mark.parametrize("num_blocks", [0, 1, 2, 7, 5000])
def test_threads_take_every_block_once_and_from_both_ends(num_blocks):
    set_num_threads(2)
    state, taken = np.zeros(192, np.int64), np.zeros(num_blocks, np.int64)
    order = np.full((3, num_blocks + 1), -1)
    take_all(3, num_blocks, state, taken, order)
    assert (taken == 1).all()
    for thread, row in enumerate(order):
        steps = np.diff(row[row >= 0])
        assert (steps < 0).all() if thread % 2 else (steps > 0).all()
        if thread % 2 and len(steps):
            assert row[0] == num_blocks - 1


@pytest.mark.parametrize("sizes", [(3, 0, 5), (0, 0, 0), (ROW - 1, 1, ROW - 1), (ROW, 2 * ROW, 7)])
def test_rows_that_are_left_stand_in_the_order_of_threads(sizes):
    bounds = np.cumsum([0, *sizes])
    ids = tuple(np.arange(a, b) for a, b in itertools.pairwise(bounds))
    queue, state = np.zeros(sum(sizes), np.int32), np.zeros(192, np.int64)
    rows = np.zeros((3, ROW_PLACES), np.int32)
    append_all(1, ids, np.zeros(0, np.uint8), queue, state, rows)
    gather(queue, state, rows)
    assert state[LENGTH] == sum(sizes)
    assert np.sort(queue).tolist() == list(range(sum(sizes)))
    if max(sizes) < ROW:
        assert (np.diff(queue) > 0).all()


@pytest.mark.parametrize("shared", [0, 1])
def test_what_is_flagged_is_appended_once(shared):
    ids = (np.random.default_rng(5).integers(0, 3000, 9000),)
    queue, state = np.zeros(3000, np.int32), np.zeros(192, np.int64)
    flags, rows = np.zeros(3000, np.uint8), np.zeros((1, ROW_PLACES), np.int32)
    flags[:10] = 1
    append_all(shared, ids, flags, queue, state, rows)
    if shared:
        gather(queue, state, rows)
    found = queue[: state[LENGTH]]
    wanted = np.unique(ids[0])
    assert sorted(found) == wanted[wanted >= 10].tolist()
    assert (np.flatnonzero(flags) == np.union1d(wanted, np.arange(10))).all()
