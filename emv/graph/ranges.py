"""Index arrays out of files that nobody checked: looked at when they are first read.

Kernels do not check what they index with. So ids are compared with what there is of them, and
offsets seen to rise, in one pass at the speed of memory, before anything else reads them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import GraphFormatError
from emv.graph.growing_array import GrowingArray


class LateArray:
    """An array that is checked when it is first read.

    Parameters
    ----------
    values : any[n]
        The array.
    check : callable
        Raises if it is not what it should be.
    """

    __slots__ = ("_check", "_values")

    def __init__(self, values: NDArray[Any], check: Callable[[NDArray[Any]], None]) -> None:
        self._values = values
        self._check: Callable[[NDArray[Any]], None] | None = check

    def __len__(self) -> int:
        return len(self._values)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the values."""
        return self._values.dtype

    def read(self) -> NDArray[Any]:
        """Return the values, having checked them once."""
        if self._check is not None:
            self._check(self._values)
            self._check = None
        return self._values

    def grown(self) -> GrowingArray:
        """Return the values as an array that can grow."""
        return GrowingArray(self.read())


def check_ids(values: NDArray[Any], limit: int, what: str, file: str) -> None:
    """Refuse ids that are not below a limit, and negative ones.

    Parameters
    ----------
    values : int32|int64|uint32|uint64[n]
        The ids.
    limit : int
        How many there are of what they number.
    what, file : str
        What the error calls the array, and where it comes from.

    Raises
    ------
    GraphFormatError
        With the first that is too large.

    Examples
    --------
    >>> check_ids(np.array([0, -1]), 2, "src", "a.emv")
    Traceback (most recent call last):
    emv.errors.GraphFormatError: a.emv: its array src has -1 at 1, expected 0 to 1, fetch the \
graph again, or write it again
    """
    unsigned = values.view(values.dtype.str.replace("i", "u"))  # negative ones are the largest
    if len(values) and int(unsigned.max()) >= limit:
        at = int(np.argmax(unsigned >= limit))
        _refuse(f"its array {what} has {values[at]} at {at}, expected 0 to {limit - 1}", file)


def check_first(values: NDArray[Any], num_entries: int, what: str, file: str) -> None:
    """Refuse offsets that do not rise from 0 to the number of entries.

    Raises
    ------
    GraphFormatError
        If they do not.

    Examples
    --------
    >>> check_first(np.array([0, 2, 2], np.uint32), 2, "index.out_first", "a.emv")
    """
    rises = bool((values[1:] >= values[:-1]).all())
    if not rises or values[0] != 0 or values[-1] != num_entries:
        _refuse(f"its array {what} does not rise from 0 to {num_entries}", file)


def _refuse(what: str, file: str) -> None:
    raise GraphFormatError(what, file, remedy="fetch the graph again, or write it again")
