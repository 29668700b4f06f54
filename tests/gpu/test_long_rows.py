"""Rows of very many links whose sums warps make: bit for bit those of plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from backends.long_rows_cases import agree

import emv

pytestmark = pytest.mark.skipif(not emv.cuda_available(), reason="there is no GPU")


@pytest.mark.parametrize("directed", [False, True])
def test_sums_are_those_of_one_thread(directed):
    draw, size = np.random.default_rng(3), 3000
    lengths = np.array([9000, 1500, 385, 257, 256, 255, 64])  # of the rows of the first vertices
    src = np.concatenate(
        [np.repeat(np.arange(lengths.size), lengths), draw.integers(0, size, 9000)]
    )
    agree(src, draw.integers(0, size, src.size), size, directed)
