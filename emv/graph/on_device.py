"""Arrays of other libraries on a GPU, as columns: kept where they are, copied down when asked for.

An array counts as one on a GPU by its protocols, ``__cuda_array_interface__`` or DLPack, so that no
GPU library is imported to ask. What reads it, `emv.device` hands out when there is one.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.device import Device, DeviceArray, Gone, adopted, device_of
from emv.dtypes import SHORT_NAMES
from emv.errors import ColumnError
from emv.graph.growing_array import GrowingArray
from emv.graph.widths import public_dtype

BITS = 64  # of a word
CUDA_KINDS = (2, 13)  # of memory in DLPack: of a GPU, and managed
FIRST_ON_DEVICE = 2**20
"""Number of edges from which on what a graph on a GPU is run over is built there."""

PLAIN = (np.ndarray, np.generic, int, float, str, list, tuple, range, set, type(None))


def lies_on_device(value: Any) -> bool:
    """Return whether a value is an array on a GPU, of this library or another.

    Examples
    --------
    >>> lies_on_device(np.zeros(3)), lies_on_device([1, 2])
    (False, False)
    """
    if getattr(type(value), "lies_on_gpu", False):
        return True
    if isinstance(value, PLAIN):
        return False
    if hasattr(value, "__cuda_array_interface__"):
        return True
    ask = getattr(value, "__dlpack_device__", None)
    return ask is not None and ask()[0] in CUDA_KINDS


def device_array(value: Any, stream: int | None = None) -> DeviceArray:
    """Return an array on a GPU as one of emv, the same memory; see `emv.device.Devices.adopt`."""
    if getattr(type(value), "lies_on_gpu", False):
        array: DeviceArray = value  # it is one of emv already
        return array
    return adopted("cuda", value, stream)


def on_host(values: Any) -> NDArray[Any]:
    """Return values as a host array; those on a GPU are copied, which waits for the GPU."""
    if lies_on_device(values):
        return device_array(values).numpy()
    return host_array(values)


def set_bits(words: Any, rows: int, first: int = 0) -> tuple[Any, Any]:
    """Return which bits are set in the first rows of a stack of words, in no certain order.

    Parameters
    ----------
    words : uint64[:, n]
        What a batch returns, on the host or a GPU.
    rows : int
        How many of its rows count.
    first : int
        The number of the first bit of the first row; a row has 64 of them.

    Returns
    -------
    columns, bits : int32[:] or int64[:]
        The column that each stands in, and its number, where the words are.

    Examples
    --------
    >>> set_bits(np.array([[0b1, 0b11], [0, 0b1]], np.uint64), 2)
    (array([0, 1, 1, 1], dtype=int32), array([ 0,  0,  1, 64], dtype=int32))
    """
    largest = max(words.shape[1], first + BITS * rows)
    dtype = np.dtype(np.int32 if largest < 2**31 else np.int64)
    if lies_on_device(words):
        return device_of(words).set_bits(words, rows, first, dtype)
    flat = words.T.reshape(-1)  # as a batch lies
    there = np.flatnonzero(flat)
    column, row = there // len(words), there % len(words)
    if rows < len(words):
        there, column, row = (each[row < rows] for each in (there, column, row))
    found = flat[there].astype("<u8").view(np.uint8)
    is_set = np.unpackbits(found, bitorder="little").view(bool)
    place = np.flatnonzero(is_set)
    entry, bit = place // BITS, place % BITS
    return column.astype(dtype)[entry], (first + BITS * row).astype(dtype)[entry] + bit.astype(
        dtype
    )


def lowest_and_mean(values: Any) -> tuple[float, float]:
    """Return the least and the mean entry of an array, of at least one; of many where they lie.

    Examples
    --------
    >>> lowest_and_mean(np.array([3, 1]))
    (1.0, 2.0)
    """
    if lies_on_device(values):
        held = device_array(values)
        if len(held) >= FIRST_ON_DEVICE:
            return device_of(held).summed_up(held)
        values = held.numpy()
    with np.errstate(over="ignore"):
        return float(values.min()), float(values.mean(dtype=float))


def gathered(values: Any, places: Any) -> Any:
    """Return ``values[places]``, where both lie.

    Examples
    --------
    >>> gathered(np.array([5, 7]), np.array([1, 1, 0]))
    array([7, 7, 5])
    """
    if lies_on_device(values):
        return device_of(values).gathered(values, places)
    return values[places]


def numbered(values: Any, size: int) -> tuple[Any, Any]:
    """Return the different ones of some ids, ascending, and where among them every id stands.

    Parameters
    ----------
    values : int[n]
        Ids in ``range(size)``, on the host or a GPU.
    size : int
        How many ids there are.

    Returns
    -------
    names : int32[:] or int64[:]
    number : int32[n] or int64[n]
        ``names[number]`` are the ids; both lie where these do.

    Examples
    --------
    >>> numbered(np.array([7, 3, 7]), 9)
    (array([3, 7], dtype=int32), array([1, 0, 1], dtype=int32))
    """
    dtype = public_dtype(size)
    if lies_on_device(values):
        on = device_of(values)
        found = on.rows_gone(size, [values])
        assert found is not None, "all are ids"
        number = on.rows_of_keys(found.entries, values)
        return on.convert(found.entries, dtype), on.convert(number, dtype)
    is_there = np.zeros(size, np.bool_)
    is_there[values] = True
    places = np.cumsum(is_there, dtype=dtype)
    return np.flatnonzero(is_there).astype(dtype), places[values] - dtype.type(1)


def joined(parts: Sequence[Any]) -> Any:
    """Return arrays of one type behind one another, where the first lies.

    Examples
    --------
    >>> joined([np.array([3]), np.array([1, 2])])
    array([3, 1, 2])
    """
    first = parts[0]
    if not lies_on_device(first):
        return np.concatenate(parts)
    return functools.reduce(device_of(first).extended, parts)


def host_array(values: Any) -> NDArray[Any]:
    """Return values as an array, also those of a library that hands them on by DLPack only.

    Examples
    --------
    >>> class Tensor:
    ...     def __dlpack__(self, **asked):
    ...         return np.arange(3).__dlpack__(**asked)
    ...
    ...     def __dlpack_device__(self):
    ...         return (1, 0)
    >>> host_array(Tensor())
    array([0, 1, 2])
    """
    if not isinstance(values, PLAIN) and hasattr(values, "__dlpack__"):
        by_numpy = ("__array__", "__array_interface__")
        if not any(hasattr(values, name) for name in by_numpy):
            return np.from_dlpack(values)
    return np.asarray(values)


def moved_to(device: Device, values: Any) -> DeviceArray:
    """Return values as an array of emv on a GPU: the same memory if they lie there already."""
    if getattr(type(values), "lies_on_gpu", False) and values.device.label == device.label:
        held: DeviceArray = values
        return held
    if lies_on_device(values) and (array := device_array(values)).device.label == device.label:
        return array
    return device.upload(on_host(values))


class DeviceColumn:
    """A column that lies on a GPU: the given array itself, or if it is constant the same elsewhere.

    Parameters
    ----------
    given : array
        What `lies_on_device`.
    is_constant : bool
        Whether nobody may change it, so that its copy on the host is made once.

    Attributes
    ----------
    before : int
        Where it lay before it got room behind it; 0 if it did not lie anywhere else.
    """

    __slots__ = ("_copy", "before", "given", "is_constant")

    def __init__(self, given: Any, is_constant: bool) -> None:
        self.given = given
        self.is_constant = is_constant
        self.before = 0
        self._copy: NDArray[Any] | None = None

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the given array."""
        given = self.given if isinstance(self.given, np.ndarray) else device_array(self.given)
        return given.dtype

    def extended(self, added: Any) -> DeviceColumn:
        """Return the column of more rows, on the same GPU; `added` may lie anywhere.

        A wider kind of number widens the column, as numpy promotes it.
        """
        return extended([self], [added])[0]

    def _in_room(self, roomy: DeviceArray, whole: DeviceArray) -> DeviceColumn:
        """Return the column of more rows, and lie where there is room: nobody sees that."""
        held = device_array(self.given)
        if roomy is not held:
            self.given = roomy
            self.before = self.before if held.address == roomy.address else held.address
        return DeviceColumn(whole, True)

    def moved(self, array: Any) -> Any:
        """Return an array, or the column itself if that is where it lay before: it has room now."""
        return self.given if self.before == device_array(array).address else array

    def without(self, gone: Gone) -> DeviceColumn:
        """Return the column of the rows that are left, on the same GPU."""
        return DeviceColumn(gone.left_of(device_array(self.given))[0], self.is_constant)

    def grown(self) -> GrowingArray:
        """Return the column as one on the host, which can grow."""
        return GrowingArray(self.read())

    def read(self) -> NDArray[Any]:
        """Return the values on the host; waits for the GPU unless they are there."""
        if self._copy is None or not self.is_constant:
            self._copy = on_host(self.given)
        return self._copy


def extended(columns: Sequence[DeviceColumn], added: Sequence[Any]) -> list[DeviceColumn]:
    """Return columns of more rows, all on the GPU that the first lies on; see the method."""
    device, pairs = device_of(device_array(columns[0].given)), []
    made: list[DeviceColumn | None] = []
    for column, new in zip(columns, added, strict=True):
        held, more = device_array(column.given), moved_to(device, new)
        dtype = held.dtype if held.dtype == more.dtype else np.result_type(held.dtype, more.dtype)
        more = more if more.dtype == dtype else device.convert(more, dtype)
        if column.is_constant and held.dtype == dtype:
            pairs.append((held, more))
            made.append(None)
        else:
            whole = device.extended(device.convert(held, dtype), more)
            made.append(DeviceColumn(whole, column.is_constant))
    grown = iter(device.grown(pairs))
    return [
        column._in_room(*next(grown)) if each is None else each
        for column, each in zip(columns, made, strict=True)
    ]


def checked_device_column(name: str, values: Any, num_rows: int, rows: str) -> Any:
    """Return an array on a GPU that can be a column, or say why it cannot.

    Raises
    ------
    ColumnError
        If it has not one entry per row, or a dtype that emv does not store.
    """
    array = device_array(values)
    check_dtype(name, array, rows)
    check_shape(name, array, num_rows, rows)
    return values


def check_dtype(name: str, array: Any, rows: str) -> None:
    """Refuse a column of a dtype that emv does not store."""
    if array.dtype.name not in SHORT_NAMES:
        raise ColumnError(
            f"column '{name}' of {rows} has dtype {array.dtype}, which emv does not store",
            remedy=f"convert it to one of {', '.join(SHORT_NAMES.values())}",
        )


def check_shape(name: str, array: Any, num_rows: int, rows: str) -> None:
    """Refuse a column that has not one entry per row."""
    if array.shape != (num_rows,):
        raise ColumnError(
            f"column '{name}' has shape {array.shape}, but the graph has {num_rows} {rows}",
            remedy=f"give one value for each of the {rows}, in the order of their ids",
        )


def here_and_there(columns: Mapping[str, Any]) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the arrays of columns by their names: those with the host, and those on a GPU."""
    here: dict[str, NDArray[Any]] = {}
    there: dict[str, Any] = {}
    for name, column in columns.items():
        if isinstance(column, DeviceColumn):
            there[name] = column.given
        else:
            here[name] = column.read()
    return here, there
