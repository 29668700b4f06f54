"""`StackedArray`: what the copies of a batch leave on a GPU, one row per copy.

The copies of a vertex lie side by side, so the rows are seen with strides: entry ``(b, v)`` is
``v * size + b`` of the memory. Turning it round would move every byte twice.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.backends.cuda.array import DeviceArray, empty


class StackedArray(DeviceArray):
    """A 2-D array on a GPU, one row per copy of a batch.

    Everything that asks for values copies them to the host, as for a `DeviceArray`; a row
    ``a[3]`` is one on the GPU. Other libraries take it through ``__cuda_array_interface__``.

    Parameters
    ----------
    values : DeviceArray
        Of all copies side by side, or what is the same for all.
    rows : int
        Copies that there are.
    copies : int
        Copies that there is room for, or 0 if all have the same entries.
    """

    __slots__ = ("copies", "rows", "values")

    def __init__(self, values: DeviceArray, rows: int, copies: int) -> None:
        size = rows * (values.size // max(1, copies))
        super().__init__(values.device, values.address, size, values.dtype, values.owner)
        self.values, self.rows, self.copies = values, rows, copies

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]
        """Copies and vertices."""
        return self.rows, self.values.size // max(1, self.copies)

    @property
    def ndim(self) -> int:
        """Dimensions: 2."""
        return 2

    @property
    def strides(self) -> tuple[int, int]:
        """Bytes from copy to copy and from vertex to vertex."""
        return (self.itemsize if self.copies else 0, self.itemsize * max(1, self.copies))

    def __len__(self) -> int:
        return self.rows

    def numpy(self) -> NDArray[Any]:
        """Return a copy on the host, new each time; waits until it is there."""
        values = self.values.numpy()
        if not self.copies:
            return np.broadcast_to(values, self.shape).copy()
        return np.ascontiguousarray(values.reshape(-1, self.copies)[:, : self.rows].T)

    def __getitem__(self, key: Any) -> Any:
        """Return a row, as an array on the GPU, or entries on the host."""
        if not isinstance(key, int | np.integer) or isinstance(key, bool):
            return self.numpy()[key]
        if not -self.rows <= key < self.rows:
            raise IndexError(f"row {key} of an array of {self.rows}")
        return self.row(int(key) % self.rows)

    def row(self, number: int) -> DeviceArray:
        """Return a copy of a row on the same GPU; waits until it is made."""
        if not self.copies:
            return self.values.copy()
        driver, size = self.device.driver, self.shape[1]
        with self.device.current():
            made = empty(self.device, size, self.dtype)
            if size:
                driver.synchronize(self.device.stream)
                width, source = self.itemsize, self.values.address + number * self.itemsize
                driver.copy_apart(made.address, width, source, width, size, self.strides[1])
                driver.synchronize(0)
        return made

    def copy(self) -> StackedArray:  # type: ignore[override]
        """Return a copy on the same GPU; waits until it is made."""
        return StackedArray(self.values.copy(), self.rows, self.copies)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        self.lend()
        strides = {"shape": self.shape, "strides": self.strides}
        return {**self.values.__cuda_array_interface__, **strides}

    def __dlpack__(self, **named: Any) -> Any:
        """Return a DLPack capsule of the same memory; waits for nothing."""
        raise BufferError(
            "the rows of a batch are handed on by __cuda_array_interface__, or row by row: a[k]"
        )
