"""Two real GPUs: their results are those of one, and what fails on one of them is told in time.

Where there is one alone, each part has half of it.
"""

from __future__ import annotations

import dataclasses
import gc
import time

import numpy as np
import pytest
from backends.test_signals import interrupted
from parted_programs import Place, labels, spread, spread_on, take, warm

import emv
from emv import Graph, program, vertex
from emv.backends.cuda import compile as compiler
from emv.backends.cuda.device import device
from emv.backends.cuda.driver import num_devices
from emv.codegen.state import PLACES
from emv.errors import ArgumentError, CapacityError, DeviceError
from emv.generators import rmat

pytestmark = pytest.mark.skipif(not emv.cuda_available(), reason="there is no GPU")
TWO = ["cuda:0", "cuda:1"] if emv.cuda_available() and num_devices() > 1 else ["cuda:0", "cuda:0"]
LATEST = 10.0  # seconds until an error is told
KEPT = 2**20  # bytes: what stays with another program is less
EXCHANGES = ("peer", "host")
LEAVES_BEHIND = "        if running != 1:\n            break\n"


def drawn(n: int = 1 << 14) -> Graph:
    return rmat(n, 16 * n, directed=False, rng=3)


def held() -> list[int]:
    gc.collect()  # what a traceback holds, too
    return [device(each).pool.used_bytes for each in TWO]


@vertex
def look(v: Place, far: int):
    v.mass = Place.at(v.id + far * (v.id // 9000)).heat


@program
def looked(g, far: int):
    look(g.vertices, far)
    return g.vertices.mass


@pytest.mark.parametrize("division", ["ranges", "hash"])
@pytest.mark.parametrize("exchange", EXCHANGES)
@pytest.mark.parametrize("run", [spread, spread_on, labels])
def test_results_are_those_of_one_gpu_to_the_bit(run, exchange, division):
    g = drawn()
    one, two = run(g.on("cuda:0")), run(g.on("cuda", gpus=TWO, by=division, exchange=exchange))
    pairs = zip(one, two, strict=True) if isinstance(one, tuple) else [(one, two)]
    for wanted, found in pairs:
        np.testing.assert_array_equal(np.asarray(found), np.asarray(wanted))


@pytest.mark.parametrize("exchange", EXCHANGES)
def test_what_one_part_finds_wrong_is_told(exchange):
    place = drawn().on("cuda", gpus=TWO, exchange=exchange)
    assert np.array_equal(looked(place, 0), np.ones(1 << 14))
    before, began = held(), time.perf_counter()
    with pytest.raises(ArgumentError, match="was asked for"):
        looked(place, 1 << 14)
    assert time.perf_counter() - began < LATEST
    assert held() == before
    assert np.array_equal(looked(place, 0), np.ones(1 << 14))


@pytest.mark.skipif(TWO[0] == TWO[1], reason="there is no second GPU")
@pytest.mark.alone
@pytest.mark.parametrize("exchange", EXCHANGES)
def test_a_second_gpu_without_room_is_told_and_the_next_run_is_right(exchange):
    g, second = drawn(), device("cuda:1")
    taken = []
    with second.current():
        size = 1 << 36
        while size > 1 << 12:
            try:
                taken.append(second.pool.take(size))
            except CapacityError:
                size //= 2
    began = time.perf_counter()
    with pytest.raises(CapacityError):
        spread(g.on("cuda", gpus=TWO, exchange=exchange))
    assert time.perf_counter() - began < LATEST
    del taken
    with second.current():
        second.pool.free_all()
    wanted = spread(g.on("cuda:0"))
    assert np.array_equal(spread(g.on("cuda", gpus=TWO, exchange=exchange))[0], wanted[0])


@pytest.mark.parametrize("exchange", EXCHANGES)
def test_a_signal_in_the_middle_ends_both(exchange):
    place = drawn().on("cuda", gpus=TWO, exchange=exchange)
    wanted = spread(place, 3)[0]
    spread(place, 30_000 if exchange == "peer" else 30)
    before = held()
    assert interrupted(lambda: spread(place, 10_000_000)) < LATEST
    assert held() == before
    assert np.array_equal(spread(place, 3)[0], wanted)


def test_a_part_that_leaves_its_kernel_is_told_in_time(monkeypatch):
    load = compiler.load
    leaves = "        if state[{SUPERSTEPS}] == 2 and state[{PART}] == 1:\n            return\n"

    def changed(source, dtypes, **named):
        assert LEAVES_BEHIND in source.text
        text = source.text.replace(LEAVES_BEHIND, LEAVES_BEHIND + leaves.format(**PLACES))
        return load(dataclasses.replace(source, text=text), dtypes, **named)

    @program
    def left(g):
        for _ in g.supersteps(6):
            moved = take(g.vertices, emv.sum(warm(g.vertices)))
            most = emv.largest(moved)
        return g.vertices.heat, most

    g = drawn()
    place, wanted = g.on("cuda", gpus=TWO, exchange="peer"), spread(g.on("cuda:0"), 6)
    spread(place, 6)
    before = held()
    with monkeypatch.context() as patch:
        patch.setattr(compiler, "load", changed)
        began = time.perf_counter()
        with pytest.raises(DeviceError, match=f"part 1, on {TWO[1]}, did not come to the meeting"):
            left(place)
        assert time.perf_counter() - began < LATEST + 20  # which compiles
    assert np.abs(np.subtract(held(), before)).max() < KEPT
    assert np.array_equal(spread(place, 6)[0], wanted[0])
