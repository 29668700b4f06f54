"""The driver on a real GPU: fills of every width, copies, events, streams, memory."""

from __future__ import annotations

import numpy as np
import pytest

import emv
from emv.backends.cuda.array import from_host
from emv.backends.cuda.device import device
from emv.backends.cuda.driver import num_devices
from emv.backends.cuda.pool import Pinned
from emv.errors import BackendUnavailableError, CapacityError

pytestmark = pytest.mark.skipif(not emv.cuda_available(), reason="there is no GPU")


@pytest.fixture(autouse=True)
def current():
    with device().current():
        yield


@pytest.mark.parametrize("dtype", ["u1", "i2", "i4", "f4", "i8", "f8", "u8"])
@pytest.mark.parametrize("value", [0, 1, -1, 3.5, np.inf])
@pytest.mark.parametrize("count", [1, 1000, 3_000_001])
def test_fills(dtype, value, count):
    dtype = np.dtype(dtype)
    if dtype.kind != "f" and value not in (0, 1, -1):
        pytest.skip("no such integer")
    on = device()
    array = from_host(on, np.full(count + 2, 7).astype(dtype))
    pattern = np.array(value).astype(dtype).tobytes()
    on.driver.fill(array.address + dtype.itemsize, pattern, count, on.stream)
    on.driver.synchronize(on.stream)
    found = array.numpy()
    assert found[0] == found[-1] == 7
    assert (found[1:-1] == np.array(value).astype(dtype)).all()


def test_copies_and_pinned_memory():
    on = device()
    values = np.random.default_rng(1).random(100_000)
    array = from_host(on, values)
    np.testing.assert_array_equal(array.copy(), values)
    pinned = Pinned(on.driver, 80)
    on.driver.copy(pinned.address, array.address, 80, on.stream)
    on.driver.synchronize(on.stream)
    np.testing.assert_array_equal(pinned.bytes.view(np.float64), values[:10])


@pytest.mark.alone
def test_events_measure_time():
    on = device()
    array = from_host(on, np.zeros(10**7))
    first, second = on.driver.new_event(), on.driver.new_event()
    on.driver.record(first, on.stream)
    for _ in range(100):
        on.driver.fill(array.address, b"\0", array.nbytes, on.stream)
    on.driver.record(second, on.stream)
    on.driver.synchronize(on.stream)
    assert 1e-4 < on.driver.seconds_between(first, second) < 1


@pytest.mark.alone
def test_memory_of_the_driver():
    on = device()
    free, total = on.driver.memory()
    assert 0 < free <= total
    held = on.pool.take(64 * 2**20)
    assert free - on.driver.memory()[0] in (0, 64 * 2**20)
    assert on.driver.ordinal_of(held.address) == on.ordinal
    assert on.driver.ordinal_of(np.zeros(3).ctypes.data) == -1
    assert held.address % 256 == 0


def test_more_than_there_is():
    on = device()
    with pytest.raises(CapacityError, match="bytes are free"):
        on.pool.take(on.driver.memory()[1] + 1)
    assert on.pool.take(1000).nbytes == 1024


def test_a_gpu_that_is_not_there():
    count = num_devices()
    with pytest.raises(BackendUnavailableError, match=f"no device 'cuda:{count}'"):
        device(f"cuda:{count}")


def test_what_it_says_of_itself():
    on = device()
    assert repr(on) == f"<cuda:0: {on.driver.name}>"
    assert on.driver.num_multiprocessors > 1
