"""Places in the order of keys, beside numpy's stable sort."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from emv.graph import build
from emv.graph.build import stable_order


@pytest.mark.parametrize("dtype", ["uint8", "uint32", "int32", "uint64", "int64"])
@pytest.mark.parametrize(("count", "most"), [(0, 1), (1, 1), (1000, 3), (5000, 120), (5000, 2**31)])
def test_keys_are_ordered_stably(dtype, count, most):
    most = min(most, np.iinfo(dtype).max)
    keys = np.random.default_rng(count + most).integers(0, most, count).astype(dtype)
    order = stable_order(keys)
    np.testing.assert_array_equal(order, np.argsort(keys, kind="stable"))
    assert order.dtype == np.int64


NUMBA, BOTH = ("numba",), ("numba", "emv_kernels.cpu.build")


@pytest.mark.parametrize(
    ("loaded", "are_kept", "sorted_before", "least"),
    [
        ((), True, build.WORTH_LOADING, 2**20),  # and numba would have to be loaded, too
        (NUMBA, False, build.WORTH_LOADING - 1, 2**20),
        (NUMBA, False, build.WORTH_LOADING, 2**12),
        (NUMBA, True, build.WORTH_READING - 1, 2**20),
        (NUMBA, True, build.WORTH_READING, 2**12),
        (BOTH, False, build.WORTH_LOADING - 1, 2**16),
        (BOTH, False, build.WORTH_LOADING, 2**12),
    ],
)
def test_kernels_are_loaded_where_that_pays(monkeypatch, loaded, are_kept, sorted_before, least):
    for name in BOTH:
        monkeypatch.delitem(sys.modules, name, raising=False)
    for name in loaded:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(build, "are_kept", lambda: are_kept)
    monkeypatch.setattr(build.ByNumpy, "entries", sorted_before)
    assert [build.is_compiled(count) for count in (least - 1, least)] == [False, True]
    stable_order(np.zeros(3, np.uint32))
    assert build.ByNumpy.entries == sorted_before + 3
