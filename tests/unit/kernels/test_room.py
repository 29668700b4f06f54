"""Memory of arrays that are gone is taken again, and no more than some is kept."""

from __future__ import annotations

import numpy as np
import pytest

from emv_kernels.cpu import room

F8, U1 = np.dtype(np.float64), np.dtype(np.uint8)


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch):
    monkeypatch.setattr(room, "KEPT", {})


def test_memory_is_taken_again_when_the_last_view_is_gone():
    first = room.roomy(2**18, F8)
    address, part = first.ctypes.data, first[5:9]
    del first
    other = room.roomy(2**18, F8)
    assert other.ctypes.data != address
    del part
    assert room.roomy(2**18 - 100, F8).ctypes.data == address  # of nearly the same size


@pytest.mark.parametrize("size", [0, 1, 2**20 - 1, 2**20, 2**20 + 1, 5 * 2**20 + 3, 2**24 - 1])
def test_an_array_has_the_size_that_was_asked_for(size):
    for dtype in (U1, F8):
        made = room.roomy(size, dtype)
        made[:] = 1
        assert (len(made), made.dtype) == (size, dtype)
        assert made.flags.writeable
        assert made.flags.c_contiguous


def test_the_latest_is_kept_and_no_more_than_may_be(monkeypatch):
    monkeypatch.setattr(room, "MOST_BYTES", 5 * 2**20)
    held = [room.roomy(2**20, U1) for _ in range(9)]
    places = [each.ctypes.data for each in held]
    for k in range(9):
        held[k] = None
    assert list(room.KEPT) == places[-5:]


def test_small_arrays_are_not_kept():
    room.roomy(room.FIRST_BYTES - 1, U1)
    assert not room.KEPT
