"""One of two numbers, with its bits as they are."""

from __future__ import annotations

import math
import platform
import re

import numpy as np
import pytest
from numba import njit

from emv_kernels.cpu.chosen import chosen

EXTREMES = {
    "float32": [0.0, -0.0, math.inf, -math.inf, math.nan, 1e-45, 3.4e38],
    "float64": [0.0, -0.0, math.inf, -math.inf, math.nan, 5e-324, 1.7e308],
    "int32": [0, -1, 2**31 - 1, -(2**31)],
    "uint32": [0, 1, 2**32 - 1],
    "int64": [0, -1, 2**63 - 1, -(2**63)],
    "uint64": [0, 1, 2**64 - 1],
}


@njit
def all_chosen(tests, ones, others, found):
    for k in range(len(found)):
        found[k] = chosen(tests[k], ones[k], others[k])


@njit
def sum_of_some(places, values, limit):
    total = 0.0
    for k in range(len(places)):
        total = chosen(places[k] < limit, total + values[places[k]], total)
    return total


@pytest.mark.parametrize("dtype", EXTREMES)
def test_bits_stay_as_they_are(dtype):
    values = np.array(EXTREMES[dtype], dtype)
    ones, others = (each.ravel() for each in np.meshgrid(values, values))
    for tests in (
        np.ones(len(ones), bool),
        np.zeros(len(ones), bool),
        np.arange(len(ones)) % 2 > 0,
    ):
        found = np.empty(len(ones), dtype)
        all_chosen(tests, ones, others, found)
        assert found.tobytes() == np.where(tests, ones, others).tobytes()


def test_two_types_become_one():
    call = njit(lambda test, one, other: chosen(test, one, other))
    assert [call(each, 3, 0.5) for each in (True, False)] == [3.0, 0.5]
    assert call(False, np.float32(2.5), np.int64(7)) == 7
    assert call(np.int64(2), np.int32(1), 2**40) == 1  # whatever is not 0 holds


def test_a_sum_of_some_has_no_branch_but_that_of_its_loop():
    places = np.array([4, 0, 3, 1, 2, 0])
    assert sum_of_some(places, np.arange(5) + 0.5, 3) == 0.5 + 1.5 + 2.5 + 0.5
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return  # others have a move for it, which is called otherwise
    (text,) = sum_of_some.inspect_asm().values()
    assert re.search(r"^\s+v?(blendv|pblendv|andn?p|orp)|\{%k\d\}$", text, re.MULTILINE)
