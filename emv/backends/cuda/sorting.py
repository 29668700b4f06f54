"""Sort, permute and convert arrays on a GPU: what index arrays are built of there.

Everything is put on the device's stream and not waited for; arrays that are dropped meanwhile are
only used again by what comes later on the same stream. The kernels are those of
`emv_kernels.cuda.sort`, `sort_few` and `moves`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from emv.backends.cuda.array import DeviceArray, empty, from_host
from emv.backends.cuda.device import THREADS, Device
from emv.backends.cuda.kernels import Task, launch
from emv_kernels.sizes import ALONE_AT, RANKED, RANKERS

DIGIT_BITS = 8
DIGITS = 2**DIGIT_BITS
CHUNKS_PER_MULTIPROCESSOR = 2  # as many blocks as a multiprocessor holds
LEAST_CHUNK = 4096  # entries that are worth a block
PER_THREAD = 4  # entries of a thread in kernels that do one thing per entry
COUNT_BYTES = 8
FEW_KEYS = 1 << 21  # up to which one launch sorts
FEWEST_CHUNKS = 32  # up to which it ranks chunks instead of walking over digits


def entry_wise(on: Device, function: str, arrays: list[DeviceArray], *numbers: int | float) -> None:
    """Launch a kernel that walks over so many entries as its last number says."""
    count = int(numbers[-1])
    if count:
        blocks = -(-count // (PER_THREAD * THREADS))
        launch(on, function, arrays, numbers, blocks=blocks)


def put_off(
    tasks: list[Task], function: str, arrays: list[DeviceArray], *numbers: int | float
) -> None:
    """Add what `entry_wise` would launch to what is launched together."""
    count = int(numbers[-1])
    if count:
        tasks.append(Task(function, arrays, numbers, -(-count // (PER_THREAD * THREADS))))


def chunks_of(on: Device, count: int) -> tuple[int, int]:
    """Return the entries of a chunk and the number of chunks that a sort works in."""
    most = CHUNKS_PER_MULTIPROCESSOR * on.driver.num_multiprocessors
    wanted = max(1, min(most, -(-count // LEAST_CHUNK)))
    chunk = max(32, -(-count // wanted + 31) // 32 * 32)
    return chunk, max(1, -(-count // chunk))


class Cut(NamedTuple):
    """How one launch sorts: by chunks of so many entries, in so many passes, or by ranks in 0."""

    chunk: int
    num_chunks: int
    passes: int

    @property
    def blocks(self) -> int:
        """How many blocks it is worth."""
        threads = RANKERS * self.chunk * self.num_chunks
        return self.num_chunks if self.passes else threads // THREADS

    @property
    def num_counts(self) -> int:
        """How many counts it takes."""
        return DIGITS * (self.num_chunks + 1)

    @property
    def told(self) -> tuple[int, int, int]:
        """What the kernel is told of chunks and digits."""
        return self.chunk, self.num_chunks, DIGIT_BITS


def cut_of(on: Device, count: int, num_keys: int) -> Cut:
    """Return how one launch sorts so many entries with keys below a number."""
    if count <= FEWEST_CHUNKS * RANKED:
        return Cut(RANKED, -(-count // RANKED), 0)
    return Cut(*chunks_of(on, count), num_passes(num_keys))


def num_passes(num_keys: int) -> int:
    """Return how many digits the keys below a number have, at least one.

    Examples
    --------
    >>> [num_passes(each) for each in (0, 1, 256, 257, 2**20)]
    [1, 1, 1, 2, 3]
    """
    return max(1, -(-max(0, num_keys - 1).bit_length() // DIGIT_BITS))


def sorted_places(
    keys: DeviceArray, num_keys: int, dtype: np.dtype[Any], keeps_keys: bool = True
) -> tuple[DeviceArray, DeviceArray | None]:
    """Return where each entry of the sorted keys stood before, and the sorted keys.

    Stable: equal keys keep their order.

    Parameters
    ----------
    keys : DeviceArray
        ``uint32|uint64[n]`` below `num_keys`; not changed.
    num_keys : int
        How many different keys there may be; it decides how many passes there are.
    dtype : dtype
        Of places.
    keeps_keys : bool
        Whether the sorted keys are wanted; without them the second result is None.
    """
    on = keys.device
    if keys.size <= FEW_KEYS:
        last = _sorted_at_once(keys, num_keys, dtype)
        return last.places, last.keys if keeps_keys else None
    passes, (chunk, num_chunks) = num_passes(num_keys), chunks_of(on, keys.size)
    num_counts = DIGITS * (num_chunks + 1)
    counts = empty(on, num_counts, np.dtype(np.int64))[: DIGITS * num_chunks]
    now = Pairs(keys, None)
    spare: list[Pairs] = []
    for number in range(passes):
        cut = (keys.size, chunk, num_chunks, DIGIT_BITS * number)
        writes_keys = keeps_keys or number < passes - 1
        then = spare.pop() if spare else new_pairs(keys, dtype, writes_keys)
        launch(on, "sort.count_digits", [now.keys, counts], cut, blocks=num_chunks)
        add_up(counts)
        places = then.places if now.places is None else now.places
        arrays = [now.keys, places, counts, then.keys, then.places]
        flags = int(now.places is not None), int(writes_keys)
        launch(on, "sort.scatter", arrays, (*cut, *flags), blocks=num_chunks)
        if number:
            spare.append(now)
        now = then
    return now.places, now.keys if keeps_keys else None


def _sorted_at_once(keys: DeviceArray, num_keys: int, dtype: np.dtype[Any]) -> Pairs:
    """Return sorted keys and where they stood before, which one launch finds."""
    on = keys.device
    cut = cut_of(on, keys.size, num_keys)
    room = empty(on, ALONE_AT + 1 + cut.num_counts, np.dtype(np.int64))
    on.driver.fill(room.address, b"\0", (ALONE_AT + 1) * room.itemsize, on.stream)
    made = [new_pairs(keys, dtype, has_keys=True) for _ in range(1 if cut.passes == 1 else 2)]
    arrays = [keys, room[: ALONE_AT + 1], room[ALONE_AT + 1 :], *made[0], *made[-1]]
    numbers = (keys.size, *cut.told, cut.passes)
    launch(on, "sort_few.sort", arrays, numbers, blocks=cut.blocks)
    return made[0] if cut.passes & 1 else made[-1]


class Pairs(NamedTuple):
    """Keys and their places; the places are their own if there are none."""

    keys: DeviceArray
    places: DeviceArray | None


def new_pairs(keys: DeviceArray, dtype: np.dtype[Any], has_keys: bool) -> Pairs:
    """Return room for pairs; where no keys are written, the given ones stand in for them."""
    room = empty(keys.device, keys.size, keys.dtype) if has_keys else keys
    return Pairs(room, empty(keys.device, keys.size, dtype))


def sorting_bytes(on: Device, count: int, num_keys: int, pair_bytes: int) -> int:
    """Return how many bytes `sorted_places` takes at most, results included."""
    pairs = min(2, num_passes(num_keys)) if count > FEWEST_CHUNKS * RANKED else 2
    return pairs * count * pair_bytes + COUNT_BYTES * DIGITS * (chunks_of(on, count)[1] + 1)


def add_up(counts: DeviceArray) -> None:
    """Replace every entry, int64, by the sum of those before it."""
    launch(counts.device, "sort.add_up", [counts], [counts.size], blocks=1)


def row_bounds(keys: DeviceArray, num_keys: int, dtype: np.dtype[Any]) -> DeviceArray:
    """Return where the entries of each key begin, ``dtype[num_keys + 1]``, of sorted keys."""
    first = empty(keys.device, num_keys + 1, dtype)
    blocks = -(-(num_keys + 1) // THREADS)
    launch(keys.device, "sort.bounds", [keys, first], [keys.size, num_keys], blocks=blocks)
    return first


def spread(first: DeviceArray, count: int, dtype: np.dtype[Any]) -> DeviceArray:
    """Return the key of each of so many entries: the inverse of `row_bounds`."""
    keys = empty(first.device, count, dtype)
    entry_wise(first.device, "sort.spread", [first, keys], first.size - 1, count)
    return keys


def gathered(values: DeviceArray, places: DeviceArray) -> DeviceArray:
    """Return ``values[places]``."""
    result = empty(places.device, places.size, values.dtype)
    arrays = [bits(values), places, bits(result)]
    entry_wise(places.device, "moves.gather", arrays, places.size)
    return result


def inverted(places: DeviceArray) -> DeviceArray:
    """Return where each entry of a permutation stands."""
    result = empty(places.device, places.size, places.dtype)
    entry_wise(places.device, "moves.invert", [places, result], places.size)
    return result


def numbered(on: Device, count: int, dtype: np.dtype[Any], first: int = 0) -> DeviceArray:
    """Return 0, 1, 2, ..., or so many numbers from another on."""
    result = empty(on, count, dtype)
    entry_wise(on, "moves.number", [result], first, count)
    return result


def converted(values: DeviceArray, dtype: np.dtype[Any]) -> DeviceArray:
    """Return values in another type: the same memory where only the sign differs."""
    if values.dtype == dtype:
        return values
    if values.dtype.kind in "iu" and values.itemsize == dtype.itemsize:
        return values.view(0, values.size, dtype)
    result = empty(values.device, values.size, dtype)
    entry_wise(values.device, "moves.convert", [values, result], values.size)
    return result


def set_bits(
    words: DeviceArray, copies: int, rows: int, first: int, dtype: np.dtype[Any]
) -> tuple[DeviceArray, DeviceArray]:
    """Return what `emv.graph.on_device.set_bits` does, of words of which so many stand together."""
    on, shift = words.device, copies.bit_length() - 1
    total = from_host(on, np.zeros(2, np.int64))
    entry_wise(on, "moves.count_bits", [words, total], shift, rows, words.size)
    count = int(total.numpy()[0])
    columns, numbers = (empty(on, count, dtype) for _ in range(2))
    arrays = [words, columns, numbers, total[1:]]
    entry_wise(on, "moves.list_bits", arrays, shift, rows, first, words.size if count else 0)
    return columns, numbers


def compared(values: DeviceArray, before: DeviceArray) -> tuple[int, int]:
    """Return how many first values are not as before, and how many of all are below 0; waits."""
    on, facts = values.device, from_host(values.device, np.zeros(2, np.int64))
    arrays = [values, before, facts]
    entry_wise(on, "moves.compare", arrays, min(before.size, values.size), values.size)
    unlike, negative = facts.tolist()
    return unlike + max(0, before.size - values.size), negative


def summed_up(values: DeviceArray) -> tuple[float, float]:
    """Return the least and the mean entry, of at least one; waits. What is none makes both nan."""
    on = values.device
    blocks = min(-(-values.size // (PER_THREAD * THREADS)), 4 * on.driver.num_multiprocessors)
    warps = blocks * THREADS // 32
    lowest, totals = (empty(on, warps, np.dtype(np.float64)) for _ in range(2))
    for each, value in ((lowest, np.inf), (totals, 0.0)):  # of warps that are not launched
        on.driver.fill(each.address, np.float64(value).tobytes(), warps, on.stream)
    launch(on, "moves.sum_up", [values, lowest, totals], [values.size], blocks=blocks)
    mean = float(totals.numpy().sum()) / values.size
    return float("nan") if np.isnan(mean) else float(lowest.numpy().min()), mean


def bits(values: DeviceArray) -> DeviceArray:
    """Return values as the unsigned numbers of their bits, so that kernels are shared."""
    if values.dtype.kind == "u":
        return values
    return values.view(0, values.size, np.dtype(f"u{values.itemsize}"))
