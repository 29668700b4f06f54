"""Arrays are filled word by word, whatever their type and wherever their last word ends."""

from __future__ import annotations

import numpy as np
import pytest

from emv.backends import cpu
from emv.runtime.targets.filling import Filling
from emv.runtime.targets.fills import Words, words_of, words_of_ids
from emv_kernels.cpu.fills import BLOCK

BYTES = 8 * BLOCK

KINDS = [("u1", 7), ("i2", -3), ("f4", np.inf), ("i4", -1), ("f8", 0.1), ("i8", -5), ("?", True)]


@pytest.fixture(scope="module", params=[1, 2], ids="{} threads".format)
def threads(request: pytest.FixtureRequest) -> int:
    return cpu.set_threads(request.param)


def filled(threads: int, *arrays: tuple[np.ndarray, Words]) -> None:
    """Fill some arrays with words."""
    filling = Filling()
    for each in arrays:
        filling.add(*each)
    filling.get_ready()
    filling(threads)


@pytest.mark.parametrize(("kind", "value"), KINDS)
@pytest.mark.parametrize("more", [-1, 0, 1, 3])
def test_an_array_holds_one_number_and_nothing_around_it_changes(
    threads: int, kind: str, value: object, more: int
):
    dtype = np.dtype(kind)
    size = 2 * BYTES // dtype.itemsize + more
    around = np.zeros(size + 2, dtype)
    inside = around[1:-1]
    filled(threads, (inside, words_of(dtype, value)))
    assert (inside == dtype.type(value)).all()
    assert not around[[0, -1]].any()


@pytest.mark.parametrize("kind", ["u4", "u8"])
def test_ids_are_written_and_widened_beside_other_arrays(threads: int, kind: str):
    size = BYTES // 3
    ids, none, flags = np.ones(size, kind), np.zeros(0, "f4"), np.zeros(5, bool)
    told = (none, (9, 9)), (ids, words_of_ids(ids.dtype))
    filled(threads, *told, (flags, words_of(flags.dtype, True)))
    assert ids.tolist() == [*range(size)]
    assert flags.all()
    if kind == "u4":
        ids[0] = 2**32 - 1
        wide = np.zeros(size, np.int64)
        widening = Filling()
        widening.add(wide, (0, 0), ids)
        widening.get_ready()
        widening(threads)
        assert wide.tolist() == ids.tolist()
