"""What a superstep adds, put in order by rows, calls and keys: counted where dense, else sorted."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from emv.config import config
from emv.errors import ArgumentError
from emv.runtime.drive import asked
from emv.runtime.drive.asked import Heard, largest_key, rows_in_order


@pytest.fixture(params=[0, 1, 2, 3])
def threads(request, monkeypatch):
    """Sort with numpy, or count on some threads."""
    if request.param:
        monkeypatch.setattr(asked, "FIRST_COUNTED", 0)
        monkeypatch.setattr(asked, "FIRST_SHARED", 0)
        monkeypatch.setattr(config, "num_threads", request.param)
    return request.param


@pytest.mark.parametrize("spread", [1, 5, 1000])
@pytest.mark.parametrize("sizes", [(0,), (1,), (7,), (2000,), (300, 0, 500)])
def test_entries_come_by_row_call_and_key(threads, spread, sizes):
    draw = np.random.default_rng(spread)
    keys = [draw.permutation(size * spread)[:size] for size in sizes]
    for each in keys:
        each[draw.random(len(each)) < 0.2] = -1
    rows = draw.integers(0, 60, sum(sizes))
    told = [(call, key) for call, some in enumerate(keys) for key in some.tolist()]
    places = [place for place, (_, key) in enumerate(told) if key >= 0]
    expected = sorted(places, key=lambda place: (rows[place], *told[place]))
    ends = [int(each.max(initial=-1)) + 1 for each in keys]
    src, source = rows_in_order(keys, ends, rows, 60)
    assert source.tolist() == expected
    assert src.tolist() == rows[expected].tolist()
    assert src.dtype == np.int32


def heard(keys, *ends):
    """Return what a call without a line of its own adds."""
    pieces = SimpleNamespace(sites=())
    told = asked.Asked("edge", 1, pieces)
    return Heard(told, np.array(keys), [np.array(each) for each in ends], {})


def test_ends_are_looked_at_where_there_is_a_key(threads):
    assert largest_key(heard([4, -1, 2], [0, 99, 1], [2, -5, 0]), 3) == 4
    assert largest_key(heard([-1], [7], [7]), 3) == -1
    for wrong in (3, -1, 2**40):
        with pytest.raises(ArgumentError, match=str(wrong)):
            largest_key(heard([4, 2], [0, 1], [wrong, 0]), 3)
        with pytest.raises(ArgumentError, match=str(wrong)):
            largest_key(heard([4, 2], [0, wrong], [1, 0]), 3)
