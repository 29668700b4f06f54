"""Long arrays in pieces: the same as numpy does in one go, however many threads there are."""

from __future__ import annotations

import numpy as np
import pytest

from emv import Graph, config
from emv.errors import GraphError
from emv.graph import pieces
from emv.graph.ids import own_ends
from emv_kernels.aside import LONG


@pytest.fixture(params=[1, 3])
def threads(request: pytest.FixtureRequest):
    with config.using(num_threads=request.param):
        yield request.param


@pytest.mark.parametrize("size", [0, 1, pieces.ENTRIES, LONG, LONG + 12345])
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32, ">i8"])
def test_what_is_seen_and_copied_is_what_numpy_sees(threads: int, size: int, dtype: str):
    values = np.random.default_rng(size).integers(0, 2**30, size).astype(dtype)
    assert pieces.highest(values) == (values.max() if size else -1)
    (made, other), most = pieces.taken([values, values[::-1]], np.dtype(np.int32))
    assert most == pieces.highest(values)
    assert (made.tobytes(), made.dtype) == (values.astype(np.int32).tobytes(), np.int32)
    assert (other == values[::-1]).all()
    assert pieces.num_equal(made, other) == np.count_nonzero(values == values[::-1])
    if size:
        assert not np.shares_memory(pieces.copied(values, values.dtype), values)


@pytest.mark.parametrize("size", [0, 1, 2, pieces.ENTRIES + 1, LONG + 12345])
def test_every_fall_is_seen(threads: int, size: int):
    values = np.arange(size) // 2
    assert pieces.ascends(values)
    ends = {1, size // 2, size - 1, pieces.ENTRIES, LONG // 3 // pieces.ENTRIES * pieces.ENTRIES}
    for place in ends & set(range(1, size)):
        kept, values[place] = values[place], values[place - 1] - 1
        assert not pieces.ascends(values)
        values[place] = kept


@pytest.mark.parametrize("place", [0, LONG - 1, LONG + 5])
@pytest.mark.parametrize(("wrong", "number"), [(-1, None), (-1, 99), (99, 99), (2**40, 99)])
def test_the_first_wrong_id_is_named(threads: int, place: int, wrong: int, number: int | None):
    src, dst = np.zeros((2, LONG + 7), np.int64)
    dst[place] = wrong
    with pytest.raises(GraphError, match=rf"edge {place} points to vertex {wrong}, but"):
        Graph.from_edges(src, dst, num_vertices=number)


def test_ids_are_as_wide_as_the_number_of_vertices_asks_for(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("emv.graph.widths.FIRST_WIDE_SIGNED", 100)
    for most, number, dtype in ((98, None, np.int32), (99, None, np.int64), (5, 200, np.int64)):
        src, dst, size = own_ends([0, most], [1, 2], number)
        assert (src.dtype, dst.dtype) == (dtype, dtype)
        assert size == (number or most + 1)
        assert src.tolist() == [0, most]


def test_small_kinds_of_ids_may_be_all_that_they_hold():
    src, dst, size = own_ends(np.array([255], np.uint8), np.array([127], np.int8), None)
    assert (src.tolist(), dst.tolist(), size) == ([255], [127], 256)
