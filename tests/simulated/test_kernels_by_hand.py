"""Kernels written by hand, bound and launched by the real code, in one simulated block."""

from __future__ import annotations

import numpy as np
import pytest
from simulated_gpu import SimulatedDriver, install

from emv.backends.cuda.array import empty, from_host
from emv.backends.cuda.device import device
from emv.backends.cuda.kernels import Task, launch, launch_together
from emv.backends.cuda.stacked import StackedArray
from emv.graph.on_device import set_bits
from emv_kernels.sizes import AROUND_PLACES, MOST_FILLS, PER_FILL


@pytest.fixture
def gpu(monkeypatch):
    install(SimulatedDriver(), monkeypatch)
    return device()


def test_arrays_and_numbers_arrive(gpu):
    values, places = np.arange(50, 60, dtype=np.float32), np.array([9, 0, 3], np.uint32)
    result = empty(gpu, 3, np.dtype(np.float32))
    arrays = from_host(gpu, values), from_host(gpu, places), result
    launch(gpu, "moves.gather", arrays, [3], blocks=1)
    assert result.tolist() == [59, 50, 53]


def test_several_kernels_are_one_launch(gpu):
    values, places = np.arange(50, 60, dtype=np.float32), np.array([9, 0, 3], np.uint32)
    given = from_host(gpu, values), from_host(gpu, places)
    gathered, numbers = empty(gpu, 3, np.dtype(np.float32)), empty(gpu, 4, np.dtype(np.uint32))
    before = len(gpu.driver.calls)
    gather = Task("moves.gather", [*given, gathered], [3], 1)
    launch_together(gpu, [gather, Task("moves.number", [numbers], [7, 4], 2)])
    launch_together(gpu, [])
    assert [name for name, *_ in gpu.driver.calls[before:]] == ["launch"]
    assert (gathered.tolist(), numbers.tolist()) == ([59, 50, 53], [7, 8, 9, 10])


def test_what_comes_before_a_program_and_behind_it(gpu):
    words = np.array([7] * 86 + [61, 62, 63, 7], np.uint64)  # 20 of control, then arrays
    block = from_host(gpu, words)
    home = from_host(gpu, np.arange(100, 120, dtype=np.uint64))
    began, table = (from_host(gpu, np.zeros(size, np.int64)) for size in (1, AROUND_PLACES))
    orders = [12, 3, 20, 41, -1, 70, 5, 3, 80, -3, 86]
    nothing = [0] * (2 + PER_FILL * MOST_FILLS)
    arrays = block, began, home, table
    launch(gpu, "around.around", arrays, [-1, *orders, *nothing[len(orders) :]], blocks=2)
    found = block.numpy().view(np.int64).tolist()
    begin = [*range(100, 112), *[7] * 8, *[-1] * 41, *[7] * 9, *[3] * 5, *[7] * 5]
    assert found == [*begin, 61, 62, 63, 7, 7, 7, 61, 62, 63, 7]
    assert table.tolist()[:3] == [0, 0, 0]
    launch(
        gpu,
        "around.around",
        (from_host(gpu, np.arange(20, dtype=np.uint64)), *arrays[1:]),
        [5, *nothing],
        blocks=1,
    )
    assert home.tolist() == [*range(5), *range(105, 120)]
    is_done, first, last = table.tolist()
    assert (is_done, first) == (1, began.tolist()[0])
    assert 0 < first <= last


def test_bits_that_are_set_are_listed(gpu):
    words = np.zeros((3000, 4), np.uint64)  # vertices, and copies of which one too many
    words[7, 0], words[0, 2], words[2999, 1], words[5, 3] = 1, 2**63 + 2, 2**40, 1
    words[1024] = 3
    there = StackedArray(from_host(gpu, words.reshape(-1)), 4, 4)
    found = set_bits(there, 3, first=100)
    expected = set_bits(words.T, 3, first=100)
    lists = [
        sorted(zip(*map(np.ndarray.tolist, each), strict=True))
        for each in ([array.numpy() for array in found], expected)
    ]
    assert lists[0] == lists[1]
    listed = {(7, 100), (0, 229), (0, 291), (2999, 204), *((1024, 100 + k) for k in (0, 1))}
    assert {*lists[0]} == listed | {(1024, 164 + k) for k in (0, 1, 64, 65)}
    assert [len(each) for each in set_bits(there, 0)] == [0, 0]


def test_a_kernel_is_loaded_once_for_its_types(gpu):
    wide, narrow = from_host(gpu, np.array([7, 2**40])), empty(gpu, 2, np.dtype(np.uint32))
    launch(gpu, "moves.convert", [wide, narrow], [1], blocks=1)
    launch(gpu, "moves.convert", [wide, narrow], [2], blocks=1)
    assert narrow.tolist() == [7, 0]
    assert list(gpu.by_hand) == [("moves.convert", ("int64", "uint32", "=int64"))]
    launch(gpu, "moves.convert", [narrow, wide], [2], blocks=1)
    assert len(gpu.by_hand) == 2
    assert wide.tolist() == [7, 0]
