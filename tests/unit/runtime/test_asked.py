"""What a superstep adds, put in order by keys: looked through where dense, else sorted."""

from __future__ import annotations

import numpy as np
import pytest

from emv.config import config
from emv.graph import build
from emv.runtime.drive.asked import order_of_keys


@pytest.mark.parametrize("threads", [0, 1, 3])
@pytest.mark.parametrize("spread", [1, 5, 1000])
def test_entries_with_a_key_come_in_the_order_of_keys(monkeypatch, threads, spread):
    if threads:
        monkeypatch.setattr(build, "FIRST_COMPILED", 0)
        monkeypatch.setattr(config, "num_threads", threads)
    draw = np.random.default_rng(spread)
    for size in (0, 1, 7, 2000):
        keys = draw.permutation(size * spread)[:size]
        keys[draw.random(size) < 0.2] = -1
        expected = [i for i in sorted(range(size), key=keys.__getitem__) if keys[i] >= 0]
        assert order_of_keys(keys).tolist() == expected
