"""Sums at given places: of any length, the same bits whatever instructions a processor has."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from emv_kernels.cpu import gathered
from emv_kernels.cpu.gathered import sum_at as sum_of

OF_IDS = ("int32", "uint32", "int64")


def gathers(context):
    return "+avx512vl" in context.codegen().magic_tuple()[2]


@pytest.mark.parametrize(
    ("processor", "features", "found"),
    [
        ("sapphirerapids", "+avx512f,+avx512vl", True),
        ("znver4", "+avx512f,+avx512vl", False),
        ("haswell", "+avx2", False),
    ],
)
def test_gathers_are_taken_where_they_are_fast(processor, features, found):
    codegen = SimpleNamespace(magic_tuple=lambda: ("x86_64", processor, features))
    assert gathered.has_gather(SimpleNamespace(codegen=lambda: codegen)) is found


def side_by_side(numbers):
    """Return the sum of numbers as eight sums, of every eighth each."""
    sums = np.full(8, -0.0)
    for k, number in enumerate(numbers):
        sums[k % 8] += float(number)
    while len(sums) > 1:
        half = len(sums) // 2
        sums = sums[:half] + sums[half:]
    return float(sums[0])


@pytest.fixture(scope="module", params=["with gathers, where there are", "without gathers"])
def sum_at(request):
    with pytest.MonkeyPatch.context() as patch:
        without = request.param == "without gathers"
        patch.setattr(gathered, "has_gather", lambda context: not without and gathers(context))
        call = njit(lambda values, places, begin, end: sum_of(values, places, begin, end))
        for kind in OF_IDS:  # compiled while the instructions are as asked for
            call(np.zeros(1, "f4"), np.zeros(1, kind), np.uint64(0), np.uint64(1))
        yield call


def same_bits(one, other):
    return one == other and math.copysign(1, one) == math.copysign(1, other)


@given(data=st.data(), kind=st.sampled_from(OF_IDS), size=st.integers(0, 90))
def test_every_stretch(sum_at, data, kind, size):
    draw = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    values = (draw.standard_normal(50) * 10.0 ** draw.integers(-9, 9, 50)).astype(np.float32)
    places = draw.integers(0, 50, size).astype(kind)
    begin, end = sorted(draw.integers(0, size + 1, 2))
    found = sum_at(values, places, np.uint64(begin), np.uint64(end))
    assert same_bits(found, side_by_side(values[places[begin:end]]))
    assert math.isclose(found, math.fsum(values[places[begin:end]]), rel_tol=1e-9, abs_tol=1e-3)


def test_of_nothing(sum_at):
    assert same_bits(sum_at(np.ones(3, "f4"), np.zeros(0, "i4"), np.uint64(0), np.uint64(0)), -0.0)


def test_what_is_not_finite_stays_out_of_other_rows(sum_at):
    values = np.array([1, np.nan, np.inf, 2], np.float32)
    places = np.array([0, 3, 1, 2, 0], np.uint32)
    assert sum_at(values, places, np.uint64(0), np.uint64(2)) == 3
    assert math.isnan(sum_at(values, places, np.uint64(0), np.uint64(3)))
    assert sum_at(values, places, np.uint64(3), np.uint64(5)) == math.inf
