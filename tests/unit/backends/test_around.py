"""What is around a program on a GPU: what its kernels are told, in their parameters."""

from __future__ import annotations

import types

import numpy as np
import pytest

from emv.backends.cuda.around import KINDS, Around, copy_of, fill_of
from emv.backends.simulated.memory import MemoryDriver
from emv_kernels.sizes import MOST_FILLS

CONTROL, HOME, BEGAN = 4096, 512, 8192


@pytest.fixture
def around():
    device = types.SimpleNamespace(driver=MemoryDriver())
    parameters = np.zeros(1, np.uint64), 64
    return Around(device, None, 4, parameters, (CONTROL, HOME, BEGAN), (80, 2**20))


def test_the_kernel_before_is_told_what_to_fill_in_words_from_the_control_block(around):
    fills = [fill_of(CONTROL + 800, b"\xff", 20), copy_of(1024, CONTROL + 80, 16)]
    around.order(7, fills)
    given = [CONTROL, BEGAN, HOME, around.pinned.address]
    told = [-1, 7, 2, 100, 3, -1, (1024 - CONTROL) // 8, -2, 10]
    assert around.before.tolist()[: len(given) + len(told)] == [*given, *told]
    assert around.behind.tolist()[:6] == [*given, 10, 0]
    assert len(around.before) == len(around.behind) == len(KINDS)


def test_it_can_be_told_as_much_as_is_ever_filled(around):
    around.order(0, [fill_of(CONTROL, b"\0", 8)] * MOST_FILLS)
    assert around.before.tolist()[-3:] == [0, 1, 0]


def test_what_is_started_is_told_to_the_driver_in_words(around):
    went: list[tuple] = []
    around.device.driver.round = lambda it: lambda *given: went.append(given)
    around.table[0] = 1
    fills = [fill_of(CONTROL, b"\1", 8)]
    around.start(fills, 50, 3)
    assert went == [(3, 7, fills)]
    assert not around.is_done()
