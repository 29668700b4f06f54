"""The tables of warps have the room that kernels are launched with."""

import pytest

pytest.importorskip("numba_cuda")

from emv.backends.cuda.device import THREADS
from emv.codegen.cuda.module import SHARED, TABLE_WORDS, WARPS
from emv.runtime.resident import TABLE_ARCS
from emv_kernels.cuda import search


def test_room_is_that_of_the_kernels():
    assert search.TABLE == TABLE_WORDS
    assert WARPS * 32 == THREADS
    assert SHARED["tables"][1] == search.TABLE * 4 * THREADS // 32
    assert search.TABLE_ROOM < search.SLOTS  # so that a search for what is not there ends
    assert search.FILTER == search.SLOTS // 2
    assert search.FEW == TABLE_ARCS
