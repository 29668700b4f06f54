"""Building a graph from arrays takes at most twice what it keeps, beside what it is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import build


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="only Linux tells the peak")
def test_peak_of_building():
    (weighed,) = build.side_by_side([(build.weigh, "small")], 1)  # in a process of its own
    row = weighed.result()
    assert row["kept_bytes"] > 20 * 2**20
    assert 0.8 * row["kept_bytes"] < row["peak_bytes"] < 2 * row["kept_bytes"]
