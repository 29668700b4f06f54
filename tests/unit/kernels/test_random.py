"""The kernels draw what the eager backend draws."""

from __future__ import annotations

import numpy as np
from compiled_call import compiled_call
from hypothesis import given
from hypothesis import strategies as st

from emv.lang import draws
from emv_kernels.cpu import random

seeds = st.integers(-(2**63), 2**63 - 1)
supersteps = st.integers(0, 2**31 - 1)
elements = st.integers(0, 2**40)
codes = st.integers(0, 2**32 - 1)


@given(seeds, supersteps, elements, codes)
def test_same_arguments_same_draw(seed, superstep, element, code):
    drawn = compiled_call(random.uniform, np.int64(seed), superstep, element, code)
    assert drawn == draws.uniform(seed % 2**64, superstep, element, code)
    assert 0 <= drawn < 1


@given(st.integers(1, 2**31), seeds, supersteps, elements, codes)
def test_same_arguments_same_integer(bound, seed, superstep, element, code):
    drawn = compiled_call(random.below, bound, np.int64(seed), superstep, element, code)
    assert drawn == draws.below(bound, seed % 2**64, superstep, element, code)
    assert 0 <= drawn < bound
