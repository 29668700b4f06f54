"""A function called by several threads, each with its number, and what else it is told."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from emv_kernels.cpu.jit import called
from emv_kernels.cpu.threads import by_threads, tell


@called
def note(number, phase, weight, found, seen):
    """Add to what there is at the number; phase 1 counts into another array."""
    if phase == 0:
        found[number] += weight * (number + 1)
    else:
        seen[number] += 1


@njit(nogil=True)
def two_phases(count, weight, found, seen):
    """Call it twice: both calls have one function in the module."""
    told = tell(weight, found, seen)
    by_threads(count, note, told, np.int64(0))
    by_threads(count, note, told, np.int64(1))


@pytest.mark.parametrize("count", [0, 1, 2, 7, 100])
def test_each_number_is_told_once(count):
    found, seen = np.zeros(100), np.zeros(100, np.uint32)
    for _ in range(50):
        two_phases(count, 0.5, found, seen)
    numbers = np.arange(100)
    np.testing.assert_array_equal(found, np.where(numbers < count, 25.0 * (numbers + 1), 0))
    np.testing.assert_array_equal(seen, np.where(numbers < count, 50, 0))


@called
def divide(number, by, found):
    """Convert what is told to what is wanted: a whole number to its kind."""
    found[number] = 100 // by


@njit(nogil=True)
def divided(count, by, found):
    """Tell an unsigned number."""
    told = tell(found)
    by_threads(count, divide, told, by)


def test_numbers_of_any_width_are_told():
    found = np.zeros(3, np.int64)
    divided(np.uint32(3), np.uint8(7), found)
    assert found.tolist() == [14, 14, 14]
