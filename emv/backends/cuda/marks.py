"""Sets of rows, arcs or slots on a GPU: which ones go when a version of a graph is made."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from emv.backends.cuda.array import DeviceArray, empty, from_host
from emv.backends.cuda.device import Device
from emv.backends.cuda.kernels import launch
from emv.backends.cuda.sorting import add_up, bits, entry_wise
from emv.backends.cuda.splice import Splice
from emv.graph.widths import index_dtype

WORD = 32  # entries
CHUNK = 512  # words that a warp counts


class Marks:
    """A set of some of the entries ``0..size - 1``, which is complete when it is first asked.

    Parameters
    ----------
    on : Device
        Where; it must be the current one in all calls.
    size : int
        Entries there are.
    put : callable
        Puts on the stream what sets the bits of entries in ``uint32[...]`` words.
    count : int, optional
        How many entries will be in the set; counted, and waited for, unless it is given.

    Attributes
    ----------
    size, count : int
        Entries there are, and in the set.
    entries : DeviceArray
        The set, ascending; ids of `size` entries.
    words, before : DeviceArray
        A bit for each entry, and how many are set before each word.
    """

    def __init__(
        self, on: Device, size: int, put: Callable[[DeviceArray], None], count: int | None = None
    ) -> None:
        self.on, self.size = on, size
        num_words = max(1, -(-size // WORD))
        num_chunks = -(-num_words // CHUNK)
        self.words = zeros(on, num_words, np.dtype(np.uint32))
        put(self.words)
        sums = zeros(on, num_chunks + 1, np.dtype(np.int64))
        cut = (CHUNK, num_chunks, num_words)
        _warp_wise(on, "marks.count_marks", [self.words, sums], *cut)
        add_up(sums)
        self.count = int(sums[num_chunks]) if count is None else count
        self.before = empty(on, num_words, np.dtype(np.uint32))
        self.entries = empty(on, self.count, index_dtype(size))
        arrays = [self.words, sums, self.before, self.entries]
        _warp_wise(on, "marks.rank_marks", arrays, *cut)

    def __len__(self) -> int:
        return self.count

    def numpy(self) -> np.ndarray:
        """Return the set on the host, int64[count], ascending; waits until it is there."""
        return self.entries.numpy().astype(np.int64)

    def left_of(self, values: DeviceArray) -> DeviceArray:
        """Return values of all entries without those of the set."""
        return Splice(self.on, self.size, None, self).of(values, None)


def rows_gone(on: Device, size: int, given: Sequence[DeviceArray]) -> Marks | None:
    """Return the set of rows that arrays name, ids or truth values; None if one names no row."""
    facts = zeros(on, 1, np.dtype(np.int64))

    def put(words: DeviceArray) -> None:
        for each in given:
            if each.dtype.kind == "b":
                entry_wise(on, "marks.mark_true", [bits(each), words], each.size)
            else:
                entry_wise(on, "marks.mark", [each, words, facts], size, each.size)

    made = Marks(on, size, put)
    is_wrong = any(each.dtype.kind != "b" for each in given) and int(facts[0])
    return None if is_wrong else made


def rows_of_keys(known: DeviceArray, keys: DeviceArray) -> DeviceArray:
    """Return where keys stand among ascending ones, int64[n]; -1 of those that are not there."""
    rows = empty(known.device, keys.size, np.dtype(np.int64))
    entry_wise(known.device, "marks.rows_of_keys", [known, keys, rows], known.size, keys.size)
    return rows


def zeros(on: Device, size: int, dtype: np.dtype) -> DeviceArray:
    """Return a new array of zeros."""
    made = empty(on, size, dtype)
    on.driver.fill(made.address, b"\0", made.nbytes, on.stream)
    return made


def _warp_wise(on: Device, function: str, arrays: list[DeviceArray], *numbers: int) -> None:
    """Launch a kernel whose warps take chunks; see `Marks`."""
    launch(on, function, arrays, numbers, blocks=-(-numbers[1] * WORD // 512))


def nothing(on: Device) -> DeviceArray:
    """Return an array of no entries, to be named where kernels want one."""
    return from_host(on, np.zeros(1, np.uint32)).view(0, 0, np.dtype(np.uint32))
