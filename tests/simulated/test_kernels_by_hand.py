"""Kernels written by hand, bound and launched by the real code, in one simulated block."""

from __future__ import annotations

import numpy as np
import pytest
from simulated_gpu import SimulatedDriver, install

from emv.backends.cuda.array import empty, from_host
from emv.backends.cuda.device import device
from emv.backends.cuda.kernels import launch
from emv.backends.cuda.sorting import nonzero


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


@pytest.mark.parametrize("dtype", [np.uint64, np.float32])
def test_entries_that_are_not_0_come_alone_and_in_order(gpu, dtype):
    values = np.zeros(3000, dtype)
    values[[7, 0, 2999, 1024]] = 3, 1, 5, 2**20
    places, entries = nonzero(from_host(gpu, values))
    assert places.tolist() == [0, 7, 1024, 2999]
    assert entries.tolist() == [1, 3, 2**20, 5]
    assert entries.dtype == dtype


def test_a_kernel_is_loaded_once_for_its_types(gpu):
    wide, narrow = from_host(gpu, np.array([7, 2**40])), empty(gpu, 2, np.dtype(np.uint32))
    launch(gpu, "moves.convert", [wide, narrow], [1], blocks=1)
    launch(gpu, "moves.convert", [wide, narrow], [2], blocks=1)
    assert narrow.tolist() == [7, 0]
    assert list(gpu.by_hand) == [("moves.convert", ("int64", "uint32", "=int64"))]
    launch(gpu, "moves.convert", [narrow, wide], [2], blocks=1)
    assert len(gpu.by_hand) == 2
    assert wide.tolist() == [7, 0]
