"""`DeviceArray`: a column on a GPU, as programs return it and as other libraries take it.

CuPy and numba see it through ``__cuda_array_interface__``, torch and JAX through DLPack, numpy
through ``__array__``; `from_foreign` is the way in. Nothing is copied between them on the GPU. A
run waits for its last launch, so what it returns is complete: no consumer has to wait. See
https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html and
https://dmlc.github.io/dlpack/latest/python_spec.html.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from emv.backends.cuda.device import DEVICES, Device, device
from emv.backends.cuda.pool import Memory
from emv.errors import ColumnError
from emv.graph.on_device import CUDA_KINDS, lies_on_device
from emv.graph.pieces import put_in
from emv.imports import optional

APART = 256  # bytes: arrays of one block begin at multiples of it
ON_THE_HOST = (
    "all any argmax argmin argsort astype cumsum max mean min nonzero prod round std sum".split()
)


class DeviceArray(NDArrayOperatorsMixin):
    """A 1-D array on a GPU.

    Copying it to the host is explicit (`numpy`, `tolist`, ``np.asarray``) or follows from what
    needs its values: arithmetic, comparisons, printing, an entry ``a[3]``, and the methods ``all``,
    ``any``, ``argmax``, ``argmin``, ``argsort``, ``astype``, ``cumsum``, ``max``, ``mean``,
    ``min``, ``nonzero``, ``prod``, ``round``, ``std`` and ``sum``, whose results are those of
    numpy. Each of these waits for the copy; everything else is immediate.

    Attributes
    ----------
    device : Device
        Where it lies; ``device.label`` is what `Graph.on` calls it.
    address : int
        The device pointer.
    size : int
        Entries.
    dtype : dtype
        Of its entries.
    """

    __slots__ = ("address", "device", "dtype", "owner", "size")
    lies_on_gpu = True  # as others find out by its protocols

    def __init__(
        self, device: Device, address: int, size: int, dtype: np.dtype[Any], owner: Any
    ) -> None:
        self.device = device
        self.address = address
        self.size = size
        self.dtype = dtype
        self.owner = owner  # keeps the memory

    @property
    def shape(self) -> tuple[int]:
        """Its one length."""
        return (self.size,)

    @property
    def ndim(self) -> int:
        """Dimensions: 1."""
        return 1

    @property
    def itemsize(self) -> int:
        """Bytes of an entry."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all entries."""
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        return self.size

    # To the host.

    def numpy(self) -> NDArray[Any]:
        """Return a copy on the host, new each time; waits until it is there."""
        with self.device.current():
            values = self.device.results.array(self.size, self.dtype)
            self.device.download(self.address, values)
        return values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("an array on a GPU cannot become one of numpy without a copy")
        values = self.numpy()
        return values if dtype is None else values.astype(dtype, copy=False)

    def tolist(self) -> list[Any]:
        """Return the entries as a list of numbers; waits until they are there."""
        return self.numpy().tolist()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.numpy())

    def __getitem__(self, key: Any) -> Any:
        """Return an entry, the same memory for a slice without steps, else entries on the host."""
        if isinstance(key, slice) and key.step in (None, 1):
            first, last, _ = key.indices(self.size)
            return self.view(first, max(0, last - first), self.dtype)
        if isinstance(key, int | np.integer) and not isinstance(key, bool):
            if not -self.size <= key < self.size:
                raise IndexError(f"entry {key} of an array of {self.size}")
            return self.view(int(key) % self.size, 1, self.dtype).numpy()[0]
        return self.numpy()[np.asarray(key) if isinstance(key, DeviceArray) else key]

    def __getattr__(self, name: str) -> Any:
        if name not in ON_THE_HOST:
            raise AttributeError(f"an array on a GPU has no attribute {name!r}; see .numpy()")
        return getattr(self.numpy(), name)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        given = [each for each in inputs if not isinstance(each, DeviceArray)]
        if named.get("out") is not None or any(map(lies_on_device, given)):
            return NotImplemented  # to be worked on by the other library, on the GPU
        values = [each.numpy() if isinstance(each, DeviceArray) else each for each in inputs]
        return getattr(ufunc, method)(*values, **named)

    def __repr__(self) -> str:
        return f"{np.array_repr(self.numpy())[:-1]}, device={self.device.label})"

    def __str__(self) -> str:
        return str(self.numpy())

    # On the GPU.

    def view(self, first: int, size: int, dtype: np.dtype[Any]) -> DeviceArray:
        """Return a part of the same memory."""
        address = self.address + first * self.dtype.itemsize
        return DeviceArray(self.device, address, size, dtype, self.owner)

    def copy(self) -> DeviceArray:
        """Return a copy on the same GPU; waits until it is made."""
        driver, stream = self.device.driver, self.device.stream
        with self.device.current():
            twin = empty(self.device, self.size, self.dtype)
            if self.size:
                driver.copy(twin.address, self.address, self.nbytes, stream)
                driver.synchronize(stream)
        return twin

    def __copy__(self) -> DeviceArray:
        return self.copy()

    def __deepcopy__(self, known: Any) -> DeviceArray:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return np.array, (self.numpy(),)  # what travels between processes is a host array

    def wait(self) -> None:
        """Wait for what emv has put on the device's stream; results of runs are complete anyway."""
        with self.device.current():
            self.device.driver.synchronize(self.device.stream)

    # To other libraries.

    def lend(self) -> None:
        """Note that another library may work on the memory, also when this object is gone."""
        memory = getattr(self.owner, "memory", self.owner)  # of a part of it, see `room`
        if isinstance(memory, Memory):
            memory.is_lent = True

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        self.lend()
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.address, False),
            "strides": None,
            "stream": None,  # complete: nothing to wait for
            "version": 3,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        return (CUDA_KINDS[0], self.device.ordinal)

    def __dlpack__(self, **named: Any) -> Any:
        """Return a DLPack capsule of the same memory; waits for nothing."""
        self.lend()
        core = optional("cuda.core")
        views = optional("cuda.core.utils")
        named["stream"] = -1  # complete: the consumer's stream need not wait
        with self.device.current():
            buffer = core.Buffer.from_handle(self.address, max(1, self.nbytes), owner=self)
            view = views.StridedMemoryView.from_buffer(buffer, self.shape, dtype=self.dtype)
            return view.__dlpack__(**named)


class WideIds(DeviceArray):
    """Ids of 64 bits, of which the GPU holds 32 bits each until their address is asked for.

    Kernels work on ids of 32 bits where all fit; results are of 64 on every backend. Copies to the
    host widen there, and move half the bytes; what asks where the ids lie has them widened on the
    GPU, once, which takes memory for them.

    Parameters
    ----------
    ids : DeviceArray
        Of int32 or uint32, below 2**31.
    """

    __slots__ = ("_narrow", "_wide")

    def __init__(self, ids: DeviceArray) -> None:
        self.device, self.size, self.dtype = ids.device, ids.size, np.dtype(np.int64)
        self._narrow: DeviceArray | None = ids
        self._wide: DeviceArray | None = None

    @property
    def wide(self) -> DeviceArray:
        """The ids as 64 bits on the GPU."""
        with _widening:
            if self._wide is None:
                assert self._narrow is not None
                self._wide, self._narrow = widened(self._narrow), None
            return self._wide

    @property
    def narrow(self) -> DeviceArray | None:
        """The ids as 32 bits, unless they were widened."""
        return self._narrow

    @property
    def address(self) -> int:  # type: ignore[override]
        """The device pointer."""
        return self.wide.address

    @property
    def owner(self) -> Any:  # type: ignore[override]
        """What keeps the memory."""
        return self.wide.owner

    def numpy(self) -> NDArray[Any]:
        """Return a copy on the host, new each time; waits until it is there."""
        ids = self._narrow
        if ids is None:
            return self.wide.numpy()
        with self.device.current():
            values = self.device.results.array(self.size, self.dtype)
        put_in(values, ids.numpy())
        return values

    def copy(self) -> DeviceArray:
        """Return a copy on the same GPU; waits until it is made."""
        ids = self._narrow
        return self.wide.copy() if ids is None else WideIds(ids.copy())


_widening = threading.Lock()


def widened(ids: DeviceArray) -> DeviceArray:
    """Return ids of 32 bits as int64, on the same GPU; waits until they are there."""
    driver = ids.device.driver
    with ids.device.current():
        made = empty(ids.device, ids.size, np.dtype(np.int64))
        if made.size:
            driver.synchronize(ids.device.stream)
            driver.fill(made.address, b"\0", made.nbytes, 0)
            driver.copy_apart(made.address, made.itemsize, ids.address, ids.itemsize, ids.size)
            driver.synchronize(0)
    return made


def empty(on: Device, size: int, dtype: np.dtype[Any]) -> DeviceArray:
    """Return a new array whose entries are unknown."""
    dtype = np.dtype(dtype)
    memory = on.pool.take(size * dtype.itemsize)
    memory.used = size * dtype.itemsize  # what is behind may be gone on in
    return DeviceArray(on, memory.address, size, dtype, memory)


def several(on: Device, *wanted: tuple[int, np.dtype[Any]]) -> list[DeviceArray]:
    """Return new arrays of so many entries each, in one block, whose entries are unknown."""
    nbytes = [(size * dtype.itemsize + APART - 1) // APART * APART for size, dtype in wanted]
    memory = on.pool.take(sum(nbytes))
    address, made = memory.address, []
    for (size, dtype), taken in zip(wanted, nbytes, strict=True):
        made.append(DeviceArray(on, address, size, dtype, memory))
        address += taken
    return made


def from_host(on: Device, values: NDArray[Any]) -> DeviceArray:
    """Return a copy of a 1-D host array on a GPU; waits until it is made.

    One value that numpy shows in every place goes up once.
    """
    with on.current():
        made = empty(on, len(values), values.dtype)
        if made.size and values.strides == (0,):
            on.driver.fill(made.address, values[:1].tobytes(), made.size, on.stream)
            on.driver.synchronize(on.stream)
        else:
            on.upload(values, made.owner)
    return made


def from_foreign(value: Any, stream: int | None = None) -> DeviceArray:
    """Return another library's array on a GPU as one of emv: the same memory, not a copy.

    Work on it that is under way is waited for by ``stream``, not by the host, where the other
    library says on which stream that is; torch does not through ``__cuda_array_interface__``, and
    its default stream is one that emv's streams wait for. An array with gaps between its entries
    is copied, through the host.

    Parameters
    ----------
    value : CuPy array, torch tensor, ...
        Anything with ``__cuda_array_interface__``, or with ``__dlpack__`` and on a GPU.
    stream : int, optional
        The stream that will work on it; by default the device's.

    Raises
    ------
    ColumnError
        If it has not one dimension or is masked.
    """
    if isinstance(value, DeviceArray):
        return value
    if not hasattr(value, "__cuda_array_interface__"):
        return _from_dlpack(value, stream)
    facts = value.__cuda_array_interface__
    dtype, shape = np.dtype(facts["typestr"]), tuple(facts["shape"])
    if len(shape) != 1 or facts.get("mask") is not None:
        raise ColumnError(f"a column is an array of one dimension without a mask, not {shape}")
    address = int(facts["data"][0] or 0)
    on = _device_of(address)
    theirs = facts.get("stream")
    if theirs is not None:
        _wait_for(on, int(theirs), on.stream if stream is None else stream)
    stride = (facts.get("strides") or (dtype.itemsize,))[0]
    return _dense(DeviceArray(on, address, shape[0], dtype, value), stride)


def _wait_for(on: Device, theirs: int, ours: int) -> None:
    """Let a stream wait for what is on another until now."""
    if theirs == ours:
        return
    with on.current():
        event = on.driver.new_event()
        on.driver.record(event, theirs)
        on.driver.wait(ours, event)
        on.driver.free_event(event)


def _from_dlpack(value: Any, stream: int | None) -> DeviceArray:
    """Return the array behind a DLPack capsule, which the result keeps."""
    views = optional("cuda.core.utils")
    on = device(f"cuda:{value.__dlpack_device__()[1]}")
    with on.current():
        view = views.StridedMemoryView.from_dlpack(value, on.stream if stream is None else stream)
    if len(view.shape) != 1:
        raise ColumnError(f"a column is an array of one dimension, not {tuple(view.shape)}")
    dtype = np.dtype(view.dtype)
    array = DeviceArray(on, int(view.ptr), view.shape[0], dtype, view)
    return _dense(array, (view.strides or (1,))[0] * dtype.itemsize)


def _device_of(address: int) -> Device:
    """Return the device of an address; an empty array has none and lies anywhere."""
    some = next(iter(DEVICES.values()), None) or device()
    ordinal = some.driver.ordinal_of(address) if address else some.ordinal
    return device(f"cuda:{max(0, ordinal)}")


def _dense(array: DeviceArray, stride: int) -> DeviceArray:
    """Return an array without gaps of entries that are so many bytes apart."""
    size, itemsize = array.size, array.dtype.itemsize
    if stride == itemsize or size <= 1:
        return array
    span = abs(stride) * (size - 1) + itemsize
    lowest = min(array.address, array.address + stride * (size - 1))
    raw = DeviceArray(array.device, lowest, span, np.dtype(np.uint8), array.owner).numpy()
    begin = array.address - lowest
    values = np.ndarray((size,), array.dtype, raw, begin, (stride,))
    return from_host(array.device, np.ascontiguousarray(values))
