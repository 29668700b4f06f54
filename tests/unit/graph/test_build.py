"""Places in the order of keys, beside numpy's stable sort."""

from __future__ import annotations

import numpy as np
import pytest

from emv.graph.build import stable_order


@pytest.mark.parametrize("dtype", ["uint8", "uint32", "int32", "uint64", "int64"])
@pytest.mark.parametrize(("count", "most"), [(0, 1), (1, 1), (1000, 3), (5000, 120), (5000, 2**31)])
def test_keys_are_ordered_stably(dtype, count, most):
    most = min(most, np.iinfo(dtype).max)
    keys = np.random.default_rng(count + most).integers(0, most, count).astype(dtype)
    order = stable_order(keys)
    np.testing.assert_array_equal(order, np.argsort(keys, kind="stable"))
    assert order.dtype == np.int64
