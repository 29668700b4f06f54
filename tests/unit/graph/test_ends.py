"""The ends of edges on the host: facts about them, and growth that leaves what was read."""

from __future__ import annotations

import numpy as np
import pytest

from emv.graph import ends
from emv.graph.ends import Ends, GrowingEnds


@pytest.mark.parametrize("looked_at", [1, 2, 3, 4, 100])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 9])
def test_every_step_down_is_seen(monkeypatch, count, looked_at):
    monkeypatch.setattr(ends, "LOOKED_AT", looked_at)
    rising = np.arange(count)
    assert Ends(rising, rising).is_sorted
    assert Ends(rising // 2, rising).is_sorted
    for place in range(1, count):
        broken = rising.copy()
        broken[place] = place - 2
        assert not Ends(broken, rising).is_sorted


def test_counts():
    found = Ends(np.array([0, 1, 1]), np.array([0, 1, 0]))
    assert (found.num_edges, found.num_loops, found.on_device) == (3, 2, None)


def test_growth_leaves_what_was_read():
    src, dst = np.array([4, 2], np.int32), np.array([1, 1], np.int32)
    growing = GrowingEnds(src, dst)
    before = growing.now()
    assert before.src is src
    growing.append(7, 8)
    growing.extend([9], np.array([6]))
    growing.widen(np.dtype(np.int64))
    after = growing.now()
    assert (before.src.tolist(), before.dst.tolist()) == ([4, 2], [1, 1])
    assert (after.src.tolist(), after.dst.tolist()) == ([4, 2, 7, 9], [1, 1, 8, 6])
    assert after.src.dtype == after.dst.dtype == np.int64
    assert GrowingEnds().now().num_edges == 0
