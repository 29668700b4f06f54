"""The tables of warps have the room that kernels are launched with."""

import pytest

pytest.importorskip("numba_cuda")

from emv.backends.cuda.device import THREADS
from emv.codegen.cuda.kernel import ROOM_WORDS, SHARED, TABLE_WORDS, WARPS
from emv.codegen.cuda.sorts import MOST_OF_WARP
from emv.graph import hashed as host_hashed
from emv.graph import shared_rows
from emv_kernels.cuda import hashed, hashed_words, search, short_rows, sorting


def test_room_is_that_of_the_kernels():
    assert search.TABLE == TABLE_WORDS
    assert WARPS * 32 == THREADS
    assert SHARED["tables"][1] == search.TABLE * 4 * THREADS // 32
    assert search.TABLE_ROOM < search.SLOTS  # so that a search for what is not there ends
    assert search.FILTER == search.SLOTS // 2
    assert search.LONG_ROW == shared_rows.LONG_ROW


def test_tables_hold_what_is_known_of_short_rows():
    most = 32 * (search.LONG_ROW - 1)  # entries of the rows of a warp
    taken = 32 * search.AHEAD  # places at a time
    assert -(-most // taken) * taken <= 32 * (short_rows.ROWS - short_rows.MARKS)
    assert most <= short_rows.PLACES
    assert WARPS * search.TABLE <= 1 << 16  # the bits of an entry of the list that tell its row
    assert short_rows.OWNER + 32 <= short_rows.LIST - short_rows.ROWS
    assert short_rows.LIST_ROOM >= 32 * search.AHEAD
    assert short_rows.LIST + short_rows.LIST_ROOM <= search.TABLE


def test_tables_hold_what_hashes_are_counted_by():
    assert hashed_words.HASHES == host_hashed.HASHES
    assert hashed_words.COUNT_BITS == host_hashed.COUNT_BITS
    assert hashed_words.HASHES * hashed_words.MOST_WORDS < search.LONG_ROW
    assert 32 * hashed_words.MOST_WORDS <= 32 * (hashed.ROWS - hashed.STARTS - search.AHEAD)
    assert hashed.ROWS % 4 == hashed.STARTS % 4 == hashed.REST % 4 == 0  # words are read together
    assert hashed.LIST_ROOM >= 2 * 32 * search.AHEAD  # as a list of one is searched with room left
    assert hashed.LIST + hashed.LIST_ROOM <= search.TABLE - hashed_words.FILTER
    assert WARPS * search.TABLE <= 1 << 16


def test_rooms_hold_what_warps_sort_and_the_digits_that_a_block_counts():
    assert sorting.ROOM == ROOM_WORDS
    assert SHARED["rooms"][1] == SHARED["wide_rooms"][1] == ROOM_WORDS * 4 * WARPS
    assert {"uint32": ROOM_WORDS, "uint64": ROOM_WORDS // 2} == MOST_OF_WARP
    for warps in range(1, WARPS + 1):
        assert sorting.DIGITS * (warps + 1) <= ROOM_WORDS * WARPS
