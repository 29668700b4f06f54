"""Sets that edges join: by Python and compiled, on any number of threads, as scipy finds them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from emv.config import config
from emv.graph import sets


@pytest.mark.parametrize("threads", [0, 1, 2, 5])
def test_sets_are_those_of_all_edges(monkeypatch, threads):
    if threads:
        monkeypatch.setattr(sets, "FIRST_COMPILED", 0)
        monkeypatch.setattr(config, "num_threads", threads)
    draw = np.random.default_rng(threads)
    for size in (1, 7, 300, 5000):
        name = np.arange(size)
        ends = np.empty((2, 0), np.int64)
        for count in (0, size // 3, size // 2):
            new = draw.integers(0, size, (2, count)).astype(np.int32)
            name, ends = sets.joined(name, *new), np.concatenate([ends, new], 1)
            ones = np.ones(ends.shape[1])
            label = connected_components(coo_array((ones, ends), (size, size)), False)[1]
            first = np.unique(label, return_index=True)[1]
            assert name.tolist() == first[label].tolist()
