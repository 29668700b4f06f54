"""Queues that threads append to, and blocks of work that they share."""

from __future__ import annotations

import numpy as np
import pytest
from compiled_call import compiled_call
from numba import njit, prange, set_num_threads

from emv_kernels.cpu.queues import (
    ROW,
    append,
    checked,
    clear_flags,
    flush,
    measure,
    next_block,
    row_of,
    turn,
)

CURSOR, LENGTH = 0, 16
NUM_THREADS, BLOCK = 2, 100


@njit(parallel=True)
def collect(queue, state, rows, num_ids):
    for thread in prange(NUM_THREADS):
        row, count = rows[thread], 0
        while True:
            block = next_block(thread, 1, state, CURSOR)
            if block * BLOCK >= num_ids:
                break
            for value in range(block * BLOCK, min((block + 1) * BLOCK, num_ids)):
                count = append(queue, state, LENGTH, row, count, value)
        flush(queue, state, LENGTH, row, count)


@pytest.mark.paper("S35", "S38")
@pytest.mark.parametrize("num_ids", [0, 1, ROW - 1, ROW, ROW + 1, 100_000])
def test_every_id_is_in_the_queue_once(num_ids):
    set_num_threads(NUM_THREADS)
    queue, state = np.zeros(num_ids + 1, np.uint32), np.zeros(192, np.int64)
    collect(queue, state, np.zeros((NUM_THREADS, ROW), np.uint32), num_ids)
    assert state[LENGTH] == num_ids
    np.testing.assert_array_equal(np.sort(queue[:num_ids]), np.arange(num_ids))


def test_one_thread_keeps_the_order():
    queue, state = np.zeros(3 * ROW, np.uint32), np.zeros(192, np.int64)
    row, count = np.zeros(ROW, np.uint32), 0
    for value in range(2 * ROW + 5):
        count = compiled_call(append, queue, state, LENGTH, row, count, value)
    assert (count, state[LENGTH]) == (5, 2 * ROW)
    compiled_call(flush, queue, state, LENGTH, row, count)
    np.testing.assert_array_equal(queue[: state[LENGTH]], np.arange(2 * ROW + 5))


@pytest.mark.parametrize("shared", [0, 1])
def test_blocks_are_numbered_from_zero(shared):
    state = np.zeros(192, np.int64)
    assert [compiled_call(next_block, 0, shared, state, 0) for _ in range(4)] == [0, 1, 2, 3]


@pytest.mark.parametrize("first", [[0, 5], [0, 2, 2, 2, 7], [0, 0, 0, 3], [0, 1, 2, 3, 4]])
def test_row_of_a_position_is_the_one_that_holds_it(first):
    first = np.array(first, np.uint32)
    owner = np.repeat(np.arange(len(first) - 1), np.diff(first))
    rows = [compiled_call(row_of, first, arc, 0, len(first) - 1) for arc in range(int(first[-1]))]
    np.testing.assert_array_equal(rows, owner)


@pytest.mark.paper("S35")
def test_arcs_of_queued_vertices_are_laid_end_to_end():
    first = np.array([0, 3, 3, 7, 8], np.uint32)
    queue = np.array([2, 1, 3], np.uint32)
    offsets, starts = np.zeros(5, np.int64), np.zeros(4, np.int64)
    assert compiled_call(measure, queue, 3, first, offsets, starts) == 5
    assert offsets[:4].tolist() == [0, 4, 4, 5]
    assert starts[:3].tolist() == [3, 3, 7]
    assert compiled_call(measure, queue, 0, first, offsets, starts) == 0
    assert offsets[0] == 0


def test_only_queued_flags_are_cleared():
    flags = np.ones(5, np.uint8)
    compiled_call(clear_flags, flags, np.array([1, 4, 2], np.uint32), 2)
    assert flags.tolist() == [1, 0, 1, 1, 0]


@pytest.mark.parametrize(("flagged", "left"), [(True, [0, 1, 0]), (False, [1, 1, 1])])
def test_pending_set_becomes_the_active_one(flagged, left):
    state, flags = np.array([1, 0, 9, 2], np.int64), np.ones(3, np.uint8)
    compiled_call(turn, state, 0, 1, 2, 3, np.array([0, 2], np.uint32), flags, flagged)
    assert state.tolist() == [0, 1, 2, 0]
    assert flags.tolist() == left


def test_ids_out_of_range_are_noted():
    state = np.zeros(4, np.int64)
    assert [compiled_call(checked, k, 3, state, 2) for k in (0, 2)] == [0, 2]
    assert state.tolist() == [0, 0, 0, 0]
    assert compiled_call(checked, 3, 3, state, 2) == 0
    assert state.tolist() == [0, 0, 1, 3]
    assert compiled_call(checked, -1, 3, state, 2) == 0
    assert state[3] == -1
