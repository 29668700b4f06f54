"""Group arcs by a vertex, stably, by counting: what every layout is built from.

Counting sort in three steps: count the keys, sum the counts to the first position of each key,
then walk the arcs in order and put each at the next free position of its key. Small inputs are
done with numpy, larger ones with the compiled twins in `emv_kernels.cpu.build`, which split the
walk among threads; importing numba takes longer than a small graph does.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.config import config
from emv.graph.widths import index_dtype

WORD, HALF_BITS = 8, 32  # bytes of a word, bits of half of one

FIRST_COMPILED = 2**18
"""Number of arcs from which on compiled kernels are worth being loaded, once numba is."""

FIRST_LOADED = 2**16
"""And once some of those here are, though the one that is wanted may not be."""

FIRST_DUE = 2**12
"""And from which on they are faster: once numpy has worked as long as it takes to load them."""

WORTH_IMPORT = 4
"""Times `FIRST_COMPILED` from which on they are worth being loaded, numba with them."""

WORTH_LOADING = 2**22
"""Entries that numpy has sorted, 0.1 to 0.2 s, which is as long; numba must have been loaded."""

WORTH_READING = 2**20
"""The same where an earlier process has kept the kernels."""


class ByNumpy:
    """How many entries numpy has sorted in this process.

    Whoever does not know what is to come pays at most twice as much as who does by going on until
    that has cost as much as the other way would (Karlin, Manasse, Rudolph and Sleator, Competitive
    Snoopy Caching, Algorithmica 3, 1988). To load the kernels takes some 10 ms for each type, or
    100 where the cache has none of them.
    """

    entries = 0

    @classmethod
    def is_enough(cls) -> bool:
        """Return whether it has sorted for as long as the kernels take to be loaded."""
        if cls.entries < WORTH_READING or "numba" not in sys.modules:
            return False
        return cls.entries >= WORTH_LOADING or are_kept()


@functools.cache
def are_kept() -> bool:
    """Return whether an earlier process has kept the kernels: one of them speaks for all."""
    from emv_kernels.cache import is_kept

    return is_kept("simple", "_tell_apart")


def is_compiled(num_entries: int) -> bool:
    """Return whether so many entries are left to the compiled kernels."""
    if ByNumpy.is_enough():
        return num_entries >= min(FIRST_DUE, FIRST_COMPILED)
    if "emv_kernels.cpu.build" in sys.modules:
        return num_entries >= min(FIRST_LOADED, FIRST_COMPILED)
    return num_entries >= FIRST_COMPILED * WORTH_IMPORT


def first_positions(keys: NDArray[Any], num_keys: int) -> NDArray[Any]:
    """Return where the group of each key starts when the keys are sorted.

    Parameters
    ----------
    keys : uint32|uint64[n]
        Keys in ``range(num_keys)``.
    num_keys : int
        Groups, also those that stay empty.

    Returns
    -------
    uint32|uint64[num_keys + 1]
        ``first[k]`` is the number of keys below ``k``.

    Examples
    --------
    >>> first_positions(np.array([2, 0, 2], np.uint32), 3)
    array([0, 1, 1, 3], dtype=uint32)
    """
    dtype = index_dtype(len(keys))
    if is_compiled(len(keys)):
        from emv_kernels.cpu import build

        result: NDArray[Any] = build.first_positions(keys, num_keys, dtype, config.num_threads)
        return result
    first = np.zeros(num_keys + 1, dtype)
    np.cumsum(np.bincount(_signed(keys), minlength=num_keys), out=first[1:])
    return first


def stable_order(keys: NDArray[Any]) -> NDArray[np.int64]:
    """Return the places of keys in the order of these; those of one key keep their order.

    Keys of 32 bits are sorted as one word with their places, so that no two are equal and numpy may
    sort them by vector instructions: 2^18 in 11 ms, where its stable sort took 65.

    Parameters
    ----------
    keys : int[n]
        None below 0.

    Examples
    --------
    >>> stable_order(np.array([2, 0, 2], np.uint32))
    array([1, 0, 2])
    """
    ByNumpy.entries += len(keys)
    if keys.dtype.itemsize > WORD // 2 or len(keys) >> HALF_BITS:
        return np.argsort(keys, kind="stable")
    words = keys.astype(np.uint64)
    words <<= np.uint64(HALF_BITS)
    words |= np.arange(len(keys), dtype=np.uint64)
    words.sort()
    words &= np.uint64(2**HALF_BITS - 1)
    return words.view(np.int64)


def grouped(keys: NDArray[Any], values: NDArray[Any], first: NDArray[Any]) -> NDArray[Any]:
    """Return the values sorted by their key; those of one key keep their order.

    Parameters
    ----------
    keys : uint32|uint64[n]
        Keys in ``range(num_keys)``.
    values : any[n]
        What to sort.
    first : uint32|uint64[num_keys + 1]
        What `first_positions` gave for these keys.

    Examples
    --------
    >>> keys = np.array([2, 0, 2], np.uint32)
    >>> grouped(keys, np.array([0.5, 1.5, 2.5]), first_positions(keys, 3))
    array([1.5, 0.5, 2.5])
    """
    if is_compiled(len(keys)):
        from emv_kernels.cpu import build

        result: NDArray[Any] = build.grouped(keys, values, first, config.num_threads)
        return result
    return values[stable_order(keys)]


def grouped_pair(
    keys: NDArray[Any], values: tuple[NDArray[Any], NDArray[Any]], first: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return two arrays of values sorted by their key, as `grouped` does with one.

    Examples
    --------
    >>> keys, values = np.array([2, 0, 2], np.uint32), np.array([5, 6, 7])
    >>> grouped_pair(keys, (values, -values), first_positions(keys, 3))
    (array([6, 5, 7]), array([-6, -5, -7]))
    """
    if is_compiled(len(keys)):
        from emv_kernels.cpu import build

        return build.grouped_pair(keys, values, first, config.num_threads)
    order = stable_order(keys)
    return values[0][order], values[1][order]


def sorted_rows(
    rows: NDArray[Any],
    values: NDArray[Any],
    num_rows: int,
    dtype: np.dtype[Any],
    shift: int = 0,
    number: int | None = None,
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any] | None]:
    """Return entries by row: where those of each row begin, their rows, values, and numbers.

    What `first_positions` and `grouped` do, for a batch that is short beside the number of rows.

    Parameters
    ----------
    shift : int
        By how many bits values are shifted to the right.
    number : int, optional
        The first entry's number, if numbers are asked for.

    Examples
    --------
    >>> rows, values = np.array([2, 0, 2], np.uint32), np.array([5, 6, 7], np.uint32)
    >>> sorted_rows(rows, values, 3, np.dtype("uint32"), number=4)[1:]
    (array([0, 2, 2], dtype=uint32), array([6, 5, 7], dtype=uint32), array([5, 4, 6], dtype=uint32))
    """
    if is_compiled(len(rows)):
        from emv_kernels.cpu.sorted_rows import sorted_rows

        return sorted_rows(rows, values, num_rows, dtype, config.num_threads, shift, number)
    order = stable_order(rows)
    first = first_positions(rows, num_rows).astype(dtype, copy=False)
    numbers = None if number is None else (order + number).astype(dtype)
    return first, rows[order], values[order] >> values.dtype.type(shift), numbers


def sorted_ends(
    src: NDArray[Any], dst: NDArray[Any], num_vertices: int, dtype: np.dtype[Any], number: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any] | None]:
    """Return both ways of edges, of a loop one, as `sorted_rows` does: of which a vertex has two.

    Its first row has the edges that begin there, the second the ways back of those that end there.

    Examples
    --------
    >>> ends = np.array([1, 0], np.uint32), np.array([0, 0], np.uint32)
    >>> first, rows, others, edges = sorted_ends(*ends, 2, np.dtype("uint32"), 5)
    >>> first, rows
    (array([0, 1, 2, 3, 3], dtype=uint32), array([0, 1, 2], dtype=uint32))
    >>> others, edges
    (array([0, 1, 0], dtype=uint32), array([6, 5, 5], dtype=uint32))
    """
    wide = index_dtype(2 * num_vertices)
    if is_compiled(2 * len(src)):
        from emv_kernels.cpu.sorted_rows import sorted_ends

        return sorted_ends(src, dst, num_vertices, (wide, dtype), config.num_threads, number)
    back = np.flatnonzero(src != dst)
    rows = 2 * np.concatenate([src, dst[back]]).astype(wide)
    rows[len(src) :] += wide.type(1)
    edges = np.concatenate([np.arange(len(src)), back])
    places = np.arange(len(edges), dtype=dtype)
    first, rows, order, _ = sorted_rows(rows, places, 2 * num_vertices, dtype)
    others = np.concatenate([dst, src[back]])[order]
    return first, rows, others, (edges[order] + number).astype(dtype)


def rows_in_order(
    first: NDArray[Any],
    order: NDArray[Any],
    new_first: NDArray[Any],
    values: NDArray[Any],
    ranks: NDArray[Any],
) -> NDArray[Any]:
    """Return ``ranks[values]`` with the rows in another order.

    Parameters
    ----------
    first : uint32|uint64[num_rows + 1]
        Where each row begins.
    order : uint32|uint64[num_rows]
        The rows in the new order.
    new_first : uint32|uint64[num_rows + 1]
        Where each begins then.
    values : uint32|uint64[n]
        What stands in the rows: indices of `ranks`.
    ranks : any[m]
        What becomes of each value.

    Examples
    --------
    >>> first, order = np.array([0, 2, 3], np.uint32), np.array([1, 0], np.uint32)
    >>> new_first = np.array([0, 1, 3], np.uint32)
    >>> rows_in_order(first, order, new_first, np.array([0, 1, 2]), np.array([5, 6, 7]))
    array([7, 5, 6])
    """
    if is_compiled(len(values)):
        from emv_kernels.cpu import build

        result: NDArray[Any] = build.rows_in_order(
            first, order, new_first, values, ranks, config.num_threads
        )
        return result
    lengths = np.diff(_signed(new_first))
    shifts = np.repeat(_signed(first)[order] - _signed(new_first)[:-1], lengths)
    moved: NDArray[Any] = ranks[values[np.arange(len(values)) + shifts]]
    return moved


def ranked(keys: NDArray[Any], first: NDArray[Any]) -> NDArray[Any]:
    """Return the position that `grouped` moves each entry to, uint32|uint64[n].

    Examples
    --------
    >>> keys = np.array([2, 0, 2], np.uint32)
    >>> ranked(keys, first_positions(keys, 3))
    array([1, 0, 2], dtype=uint32)
    """
    if is_compiled(len(keys)):
        from emv_kernels.cpu import build

        result: NDArray[Any] = build.ranked(keys, first, config.num_threads)
        return result
    positions = np.empty(len(keys), first.dtype)
    positions[stable_order(keys)] = np.arange(len(keys), dtype=first.dtype)
    return positions


def ascends(first: NDArray[Any], values: NDArray[Any]) -> bool:
    """Return whether the values of every row come in increasing order; equal ones may repeat.

    Parameters
    ----------
    first : uint32|uint64[num_rows + 1]
        Where each row begins.
    values : uint32|uint64[n]
        What stands in the rows.

    Examples
    --------
    >>> first = np.array([0, 2, 3], np.uint32)
    >>> ascends(first, np.array([5, 6, 1])), ascends(first, np.array([6, 5, 7]))
    (True, False)
    """
    begins = _signed(first)
    for low in range(1, len(values), FIRST_COMPILED):  # in blocks that stay in a cache
        high = min(low + FIRST_COMPILED, len(values))
        is_fine = values[low:high] >= values[low - 1 : high - 1]
        inside = begins[np.searchsorted(begins, low) : np.searchsorted(begins, high)]
        is_fine[inside - low] = True
        if not is_fine.all():
            return False
    return True


def spread(first: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the key of each position, sorted: the inverse of `first_positions`.

    Examples
    --------
    >>> spread(np.array([0, 1, 1, 3], np.uint32), np.dtype("uint32"))
    array([0, 2, 2], dtype=uint32)
    """
    if is_compiled(int(first[-1])):
        from emv_kernels.cpu import build

        result: NDArray[Any] = build.spread(first, dtype, config.num_threads)
        return result
    return np.repeat(np.arange(len(first) - 1, dtype=dtype), np.diff(_signed(first)))


def _signed(values: NDArray[Any]) -> NDArray[Any]:
    """Return unsigned values as signed, which `bincount` and `repeat` take without a check."""
    return values.astype(np.int64)
