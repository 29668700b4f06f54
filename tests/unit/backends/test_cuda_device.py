"""Device memory through the pool, fills, uploads, streams: on a stand-in for a GPU."""

from __future__ import annotations

import gc
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
from fake_cuda import FakeDriver, at

from emv.backends.cuda import answers
from emv.backends.cuda import device as devices
from emv.backends.cuda.device import THREADS, Device
from emv.backends.cuda.pool import Pinned, Pool
from emv.backends.cuda.streams import stream_handle
from emv.errors import ArgumentError, BackendUnavailableError, CapacityError
from emv.runtime.targets.gpu import Gpu

MIB = 2**20


@pytest.fixture
def driver():
    return FakeDriver(total=64 * MIB)


@pytest.fixture
def pool(driver):
    return Pool(driver)


def test_a_freed_block_serves_the_next_request_of_its_size(driver, pool):
    first = pool.take(1000)
    address = first.address
    assert (first.nbytes, pool.used_bytes, driver.allocated_bytes) == (1024, 1024, 1024)
    del first
    assert (pool.used_bytes, pool.kept_bytes()) == (0, 1024)
    again = pool.take(513)
    other = pool.take(1024)
    assert again.address == address != other.address
    assert pool.allocated_bytes == driver.allocated_bytes == 2048


def test_a_hundred_rounds_leave_memory_unchanged(driver, pool):
    for _ in range(100):
        held = [pool.take(nbytes) for nbytes in (10, 5000, 5000, MIB)]
        pool.give_arena(pool.take_arena(2 * MIB))
        del held
    assert driver.allocated_bytes == 512 + 2 * 5120 + MIB + 2 * MIB


def test_what_lies_unused_goes_before_memory_runs_out(driver, pool):
    for nbytes in (30 * MIB, 10 * MIB):
        pool.take(nbytes)
    pool.give_arena(pool.take_arena(10 * MIB))
    large = pool.take(60 * MIB)
    assert driver.allocated_bytes == large.nbytes
    assert pool.arena_bytes() == 0


def test_unused_memory_is_bounded(driver, pool):
    for nbytes in range(MIB, 40 * MIB, MIB):
        pool.take(nbytes)  # dropped at once
        assert pool.kept_bytes() <= max(16 * MIB + nbytes, 17 * MIB)


def test_no_block_is_left(driver, pool):
    held = pool.take(40 * MIB)
    with pytest.raises(CapacityError) as raised:
        pool.take(30 * MIB)
    assert f"{30 * MIB:,}" in str(raised.value)
    assert f"{24 * MIB:,}" in str(raised.value)
    assert pool.used_bytes == held.nbytes
    assert pool.take(MIB).nbytes == MIB


def test_what_another_library_saw_waits_for_the_device(driver, pool):
    lent = pool.take(100)
    lent.is_lent = True
    del lent
    assert driver.count("synchronize all") == 0
    pool.take(100)
    assert driver.count("synchronize all") == 1
    assert driver.allocated_bytes == 512


def test_the_arena_grows_and_serves_all(driver, pool):
    small = pool.take_arena(1000)
    address = small.address
    pool.give_arena(small)
    del small
    assert pool.take_arena(500).address == address  # and is dropped: not given back
    gc.collect()
    pool.give_arena(pool.take_arena(1000))
    pool.give_arena(pool.take_arena(9000))
    assert pool.arena_bytes() == 9216
    nested = [pool.take_arena(9000), pool.take_arena(4000)]
    while nested:
        pool.give_arena(nested.pop())
    assert pool.arena_bytes() == 9216


@pytest.mark.parametrize("dtype", ["u1", "i2", "i4", "f4", "i8", "f8", "u8"])
@pytest.mark.parametrize("value", [0, 1, 7, -1])
def test_fills(driver, dtype, value):
    dtype = np.dtype(dtype)
    pattern = np.array(value).astype(dtype).tobytes()
    address = driver.allocate(64)
    driver.fill(address, pattern, 8, 0)
    np.testing.assert_array_equal(at(address, 8, dtype), np.array(value).astype(dtype))


def test_up_and_down(driver):
    device = Device(driver)
    values = np.arange(10.0)[::3]
    memory = device.upload(values)
    back = np.empty(4)
    device.download(memory.address, back)
    np.testing.assert_array_equal(back, values)
    assert driver.count("synchronize") == 2
    empty = device.upload(np.empty(0))
    device.download(empty.address, np.empty(0))
    assert driver.count("copy") == 2


def test_pinned_memory_is_handed_out_again(driver):
    pinned, other = Pinned(driver, 100), Pinned(driver, 100)
    pinned.bytes[:] = 3
    assert (len(driver.pinned), len(other.bytes)) == (2, 100)
    address = pinned.address
    del pinned
    assert Pinned(driver, 90).address == address
    assert len(driver.pinned) == 2


def test_blocks_of_a_launch(driver):
    device = Device(driver)
    kernel = SimpleNamespace(most_blocks=12)
    assert [device.num_blocks(n, kernel) for n in (0, 1, 2048, 2049, 10**9)] == [1, 1, 1, 2, 12]
    assert device.num_blocks(10**9, None) == 8
    assert THREADS == 512


class Theirs:
    def __init__(self, **named):
        vars(self).update(named)


class Speaking:
    def __cuda_stream__(self):
        return (0, 77)


def test_streams_of_other_libraries():
    assert stream_handle(5) == 5
    assert stream_handle(Speaking()) == 77
    assert stream_handle(Theirs(ptr=6)) == 6
    assert stream_handle(Theirs(cuda_stream=8)) == 8
    with pytest.raises(ArgumentError, match="stream= is a stream of"):
        stream_handle("fast")
    with pytest.raises(ArgumentError, match="stream= is a stream of"):
        stream_handle(True)


def test_a_device_is_made_by_another_thread_and_waited_for(monkeypatch):
    makers, has_begun, may_end = [], threading.Event(), threading.Event()

    def slow_driver(ordinal):
        makers.append(threading.current_thread().name)
        has_begun.set()
        assert may_end.wait(60)
        return FakeDriver(ordinal)

    monkeypatch.setattr(devices, "DEVICES", {})
    monkeypatch.setattr(devices, "CudaDriver", slow_driver)
    devices.begin("cuda:1")
    assert has_begun.wait(60)  # else whoever needs it first makes it
    gpu = Gpu("cuda:1")  # which does not need it yet
    assert devices.made("cuda:1") is None
    threading.Timer(0.05, may_end.set).start()
    assert gpu.device.ordinal == 1
    assert gpu.stream == gpu.device.own_stream
    assert devices.device("cuda:1") is gpu.device is devices.made("cuda:1")
    devices.begin("cuda:1")  # is there already
    assert makers == ["emv-aside"]


class Library:
    """A driver's library whose functions give these numbers, and say that they were called."""

    def __init__(self, **gives):
        self.gives, self.called = gives, []

    def __getattr__(self, name):
        def function(*_):
            self.called.append(name)
            return self.gives.get(name, 0)

        return function


def test_the_driver_begins_before_what_speaks_to_it_is_loaded(monkeypatch):
    woken = []
    monkeypatch.setattr(devices, "DEVICES", {})
    monkeypatch.setattr(devices, "awaken", woken.append)
    monkeypatch.setattr(devices, "CudaDriver", FakeDriver)
    devices.begin("cuda:1")
    assert devices.device("cuda:1").ordinal == 1
    for _ in range(6000):
        if woken:
            break
        time.sleep(0.01)
    assert woken == [1]


def test_to_wake_the_driver_says_nothing_where_there_is_none(monkeypatch):
    awake, missing = Library(), Library(cuInit=100)
    for library in (awake, missing):
        monkeypatch.setattr(answers.ctypes, "CDLL", lambda _, library=library: library)
        answers.awaken(0)
    assert awake.called == ["cuInit", "cuDeviceGet", "cuDevicePrimaryCtxRetain"]
    assert missing.called == ["cuInit"]
    monkeypatch.undo()
    monkeypatch.setattr(answers, "LIBRARY", "no-such-library.so")
    answers.awaken(0)


def test_whoever_needs_a_device_hears_why_there_is_none(monkeypatch):
    def no_driver(ordinal):
        raise BackendUnavailableError("there is no driver")

    monkeypatch.setattr(devices, "DEVICES", {})
    monkeypatch.setattr(devices, "CudaDriver", no_driver)
    devices.begin("cuda")
    gpu = Gpu("cuda")
    for name in ("device", "stream"):
        with pytest.raises(BackendUnavailableError, match="no driver"):
            getattr(gpu, name)
    with pytest.raises(AttributeError):
        _ = gpu.other
