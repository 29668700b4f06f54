"""Arrays on a device: to the host, to and from other libraries; on a stand-in for a GPU."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from fake_cuda import FakeDriver

from emv import Graph
from emv.backends.cuda import device as cuda_device
from emv.backends.cuda.array import DeviceArray, WideIds, empty, from_foreign, from_host
from emv.errors import ColumnError


@pytest.fixture
def driver(monkeypatch):
    monkeypatch.setattr(cuda_device, "DEVICES", {})
    driver = FakeDriver()
    cuda_device.DEVICES[0] = cuda_device.Device(driver)
    return driver


@pytest.fixture
def array(driver):
    return from_host(cuda_device.DEVICES[0], np.array([3, 1, 2], np.int32))


class Foreign:
    """An array of another library: its memory, and what it says of it."""

    def __init__(self, driver, values, **facts):
        memory = driver.allocate(max(1, values.base.nbytes if values.base is not None else 64))
        whole = values if values.base is None else values.base
        driver.copy(memory, whole.ctypes.data, whole.nbytes, 0)
        offset = values.ctypes.data - whole.ctypes.data
        strides = None if values.flags.c_contiguous else values.strides
        self.facts = {
            "shape": values.shape,
            "typestr": values.dtype.str,
            "data": (memory + offset, False),
            "strides": strides,
            "version": 3,
            **facts,
        }

    @property
    def __cuda_array_interface__(self):
        return self.facts


def test_what_it_says_of_itself(array):
    assert (len(array), array.shape, array.ndim, array.size) == (3, (3,), 1, 3)
    assert (array.dtype, array.itemsize, array.nbytes) == (np.int32, 4, 12)
    assert array.device.label == "cuda:0"
    assert repr(array) == "array([3, 1, 2], dtype=int32, device=cuda:0)"
    assert str(array) == "[3 1 2]"


def test_to_the_host(array):
    assert array.tolist() == list(array) == [3, 1, 2]
    assert array.numpy().flags.owndata
    np.testing.assert_array_equal(array, [3, 1, 2])
    assert np.asarray(array, np.float64).dtype == np.float64
    with pytest.raises(ValueError, match="without a copy"):
        array.__array__(copy=False)


def test_every_copy_is_of_now(array):
    before = array.numpy()
    before[:] = 0
    assert array.tolist() == [3, 1, 2]


def test_entries_and_slices(array):
    assert (array[0], array[-1]) == (3, 2)
    assert isinstance(array[1], np.int32)
    part = array[1:]
    assert isinstance(part, DeviceArray)
    assert part.address == array.address + 4
    assert part.tolist() == [1, 2]
    assert len(array[3:1]) == 0
    assert array[::2].tolist() == [3, 2]
    assert array[[2, 0]].tolist() == [2, 3]
    assert array[array > 1].tolist() == [3, 2]
    with pytest.raises(IndexError, match="entry 3 of an array of 3"):
        array[3]


def test_arithmetic_is_that_of_numpy(array):
    assert (array == np.array([3, 0, 2])).tolist() == [True, False, True]
    assert (array + array).tolist() == [6, 2, 4]
    assert (10 - array).tolist() == [7, 9, 8]
    assert np.sqrt(array.astype(float) ** 2).tolist() == [3, 1, 2]
    assert (array.sum(), array.max(), array.argmin()) == (6, 3, 1)
    with pytest.raises(AttributeError, match=r"no attribute 'fill'; see \.numpy"):
        _ = array.fill


def test_other_libraries_work_on_their_own_arrays(array, driver):
    theirs = Foreign(driver, np.arange(3))
    assert array.__array_ufunc__(np.add, "__call__", array, theirs) is NotImplemented


def test_copies(array):
    for twin in (array.copy(), copy.copy(array), copy.deepcopy(array)):
        assert twin.address != array.address
        assert twin.tolist() == [3, 1, 2]
    sent = pickle.loads(pickle.dumps(array))
    assert isinstance(sent, np.ndarray)
    assert sent.tolist() == [3, 1, 2]
    assert empty(array.device, 0, np.int8).copy().tolist() == []


@pytest.mark.paper("S21")
def test_the_interface_names_the_memory(array, driver):
    facts = array.__cuda_array_interface__
    assert facts["data"] == (array.address, False)
    assert (facts["shape"], facts["typestr"], facts["version"]) == ((3,), "<i4", 3)
    assert facts["stream"] is None
    assert array.__dlpack_device__() == (2, 0)
    assert array.owner.is_lent
    driver.calls.clear()
    array.wait()
    assert driver.calls == [("synchronize", array.device.stream)]


def test_from_another_library_without_a_copy(driver):
    theirs = Foreign(driver, np.arange(5.0))
    driver.calls.clear()
    ours = from_foreign(theirs)
    assert ours.address == theirs.facts["data"][0]
    assert (ours.dtype, ours.size, ours.owner) == (np.float64, 5, theirs)
    assert driver.calls == []
    assert ours.tolist() == [0, 1, 2, 3, 4]
    assert from_foreign(ours) is ours


def test_its_stream_is_waited_for(driver):
    theirs = Foreign(driver, np.arange(5.0), stream=9)
    driver.calls.clear()
    from_foreign(theirs)
    assert driver.calls == [("record", 9), ("wait", cuda_device.DEVICES[0].stream)]
    driver.calls.clear()
    from_foreign(theirs, stream=33)
    assert driver.calls == [("record", 9), ("wait", 33)]
    driver.calls.clear()
    from_foreign(theirs, stream=9)
    assert driver.calls == []


@pytest.mark.parametrize("step", [2, -1, -3])
def test_gaps_between_entries(driver, step):
    values = np.arange(20, dtype=np.int16)
    assert from_foreign(Foreign(driver, values[::step])).tolist() == values[::step].tolist()


def test_an_empty_array_has_no_address(driver):
    theirs = Foreign(driver, np.empty(0, np.int32), data=(0, False))
    assert from_foreign(theirs).tolist() == []


@pytest.mark.parametrize("facts", [{"shape": (2, 2)}, {"mask": object()}, {"shape": ()}])
def test_what_cannot_be_a_column(driver, facts):
    with pytest.raises(ColumnError, match="one dimension"):
        from_foreign(Foreign(driver, np.arange(4), **facts))


def test_ids_are_wide_on_the_host_without_being_so_on_the_gpu(array, driver):
    ids = WideIds(array)
    driver.calls.clear()
    assert (ids.dtype, ids.nbytes, len(ids)) == (np.int64, 24, 3)
    assert ids.numpy().dtype == np.int64
    assert ids.tolist() == [3, 1, 2]
    assert isinstance(ids.copy(), WideIds)
    assert ids.copy().tolist() == [3, 1, 2]
    assert driver.count("copy apart") == 0


def test_ids_are_wide_where_others_look(array, driver):
    ids = WideIds(array)
    facts = ids.__cuda_array_interface__
    assert (facts["typestr"], facts["data"][0]) == ("<i8", ids.address)
    assert ids.owner.is_lent
    assert driver.count("copy apart") == 1
    assert ids[1:].tolist() == [1, 2]
    assert (ids[0], ids.tolist(), ids.copy().tolist()) == (3, [3, 1, 2], [3, 1, 2])
    assert driver.count("copy apart") == 1
    assert WideIds(empty(array.device, 0, np.uint32)).address


def test_wide_ids_may_be_a_column(array):
    graph = Graph.from_edges([0, 1], [1, 2])
    graph.vertices.group = WideIds(array)
    assert graph.vertices.group.tolist() == [3, 1, 2]
