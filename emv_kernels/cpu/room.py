"""Memory on the host for large arrays of versions, taken again once nobody holds it.

The system clears every page that it gives, which takes longer than to write it, and more threads
do not help. So the arrays of a version lie where those of one that is gone did. Sizes are few, a
sixteenth apart, as versions of a graph differ little. Only so much is kept, the latest.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

FIRST_BYTES = 2**20  # from which memory is worth being kept
SHARE = 16  # a part of the machine's memory that may lie unused
SIZE_BITS = 4  # sizes of pieces differ in their first bits only
LINE = 64  # bytes of a line of memory, with which every piece begins

KEPT: dict[int, NDArray[np.uint8]] = {}
"""Memory that nobody holds, by its address, the oldest first."""

MOST_BYTES = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // SHARE


class Piece:
    """Memory under an array, which is kept when the last view of that is gone."""

    __slots__ = ("__array_interface__", "memory")

    def __init__(self, memory: NDArray[np.uint8]) -> None:
        self.memory, self.__array_interface__ = memory, memory.__array_interface__

    def __del__(self) -> None:
        try:  # noqa: SIM105  # where Python ends, what is kept may be gone
            _keep(self.memory)
        except Exception:  # the memory ends with its process
            pass


def roomy(size: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return a new array whose entries are unknown; a large one begins with a line of memory.

    Examples
    --------
    >>> first = roomy(2**20, np.dtype("u4"))
    >>> place = first.ctypes.data
    >>> del first
    >>> roomy(2**20 - 5, np.dtype("u4")).ctypes.data == place
    True
    """
    nbytes = size * dtype.itemsize
    if nbytes < FIRST_BYTES:
        return np.empty(size, dtype)
    step = 1 << (nbytes - 1).bit_length() - SIZE_BITS
    whole = -(-nbytes // step) * step
    piece = Piece(_taken(whole))
    return np.asarray(piece)[:nbytes].view(dtype)


def side_by_side(dtypes: Sequence[np.dtype[Any]], size: int) -> tuple[NDArray[Any], ...]:
    """Return new arrays in one piece of memory: large ones come in large pages.

    Examples
    --------
    >>> short, long = side_by_side([np.dtype("u4"), np.dtype("u8")], 3)
    >>> short.dtype, long.dtype, len(short), len(long)
    (dtype('uint32'), dtype('uint64'), 3, 3)
    """
    ends = np.cumsum([0, *(-(-size * each.itemsize // 8) * 8 for each in dtypes)]).tolist()
    piece = roomy(ends[-1], np.dtype(np.uint8))
    pairs = zip(dtypes, ends[:-1], strict=True)
    return tuple(piece[at : at + size * each.itemsize].view(each) for each, at in pairs)


def _taken(nbytes: int) -> NDArray[np.uint8]:
    """Return memory of a size, kept or new."""
    for address, memory in list(KEPT.items()):
        if memory.nbytes == nbytes and KEPT.pop(address, None) is not None:
            return memory
    room = np.empty(nbytes + LINE, np.uint8)
    begin = -room.ctypes.data % LINE
    return room[begin : begin + nbytes]


def _keep(memory: NDArray[np.uint8]) -> None:
    """Keep memory for the next array, and no more than may be; any thread does, at any time."""
    KEPT[memory.ctypes.data] = memory
    while sum(each.nbytes for each in list(KEPT.values())) > MOST_BYTES:
        KEPT.pop(next(iter(list(KEPT)), 0), None)
