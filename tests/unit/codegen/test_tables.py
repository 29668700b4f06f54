"""The tables of warps have the room that kernels are launched with."""

import pytest

pytest.importorskip("numba_cuda")

from emv.backends.cuda.device import THREADS
from emv.codegen.cuda.grouping import MOST_OF_WARP
from emv.codegen.cuda.module import ROOM_WORDS, SHARED, TABLE_WORDS, WARPS
from emv.graph import index_arrays
from emv.runtime.resident import TABLE_ARCS
from emv_kernels.cuda import search, sorting


def test_room_is_that_of_the_kernels():
    assert search.TABLE == TABLE_WORDS
    assert WARPS * 32 == THREADS
    assert SHARED["tables"][1] == search.TABLE * 4 * THREADS // 32
    assert search.TABLE_ROOM < search.SLOTS  # so that a search for what is not there ends
    assert search.FILTER == search.SLOTS // 2
    assert search.FEW == TABLE_ARCS
    assert search.LONG_ROW == index_arrays.LONG_ROW


def test_rooms_hold_what_warps_sort_and_the_digits_that_a_block_counts():
    assert sorting.ROOM == ROOM_WORDS
    assert SHARED["rooms"][1] == SHARED["wide_rooms"][1] == ROOM_WORDS * 4 * WARPS
    assert {"uint32": ROOM_WORDS, "uint64": ROOM_WORDS // 2} == MOST_OF_WARP
    for warps in range(1, WARPS + 1):
        assert sorting.DIGITS * (warps + 1) <= ROOM_WORDS * WARPS
