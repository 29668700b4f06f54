"""Ids of vertices as a file has them, turned into ``0..n-1`` in increasing order, in place.

Few ids are counted by numpy; many by the compiled twins in `emv_kernels.cpu.renumber`, by several
threads. Memory follows the number of ids and not their size.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.config import config
from emv_kernels.aside import all_at_once, leavable

FIRST_COMPILED = 1 << 17  # edges; below it numpy does the same sooner than kernels are loaded
MOST_BITS_PER_ID = 16
_BLOCK = 1 << 18


def largest_id(src: NDArray[Any], dst: NDArray[Any]) -> int:
    """Return the largest of some ids, of which there must be one."""
    if len(src) < FIRST_COMPILED:
        return max(int(src.max()), int(dst.max()))
    return int(max(all_at_once(np.max, _blocks(src, dst), num_threads=config.num_threads)))


def renumbered(
    src: NDArray[Any], dst: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64] | None]:
    """Return the ids by their places among those that occur, and which occur.

    Parameters
    ----------
    src, dst : int32|int64[n]
        Ids from 0 on, at least one; they may be overwritten.

    Returns
    -------
    src, dst : int32|int64[n]
        The places.
    ids : int64[m] or None
        The ids that occur, increasing; None when they are ``0..m-1``, their own places.

    Examples
    --------
    >>> renumbered(np.array([30, 10]), np.array([10, 20]))
    (array([2, 0]), array([0, 1]), array([10, 20, 30]))
    """
    largest = largest_id(src, dst)
    if largest >= MOST_BITS_PER_ID * len(src) + 1024:
        return _by_hash(src, dst) if len(src) >= FIRST_COMPILED else _by_search(src, dst)
    if len(src) >= FIRST_COMPILED:
        return _by_bits(src, dst, largest)
    occurs = np.zeros(largest + 1, np.bool_)
    occurs[src] = occurs[dst] = True
    if occurs.all():
        return src, dst, None
    ids = np.flatnonzero(occurs).astype(np.int64)
    place = np.cumsum(occurs, dtype=src.dtype) - 1
    return place[src], place[dst], ids


def num_different(src: NDArray[Any], dst: NDArray[Any]) -> int:
    """Return how many different ids occur.

    Examples
    --------
    >>> num_different(np.array([30, 10]), np.array([10, 20]))
    3
    """
    ids = renumbered(src.copy(), dst.copy())[2]
    return largest_id(src, dst) + 1 if ids is None else len(ids)


def _by_search(
    src: NDArray[Any], dst: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64]]:
    ids = np.unique(np.concatenate([src, dst])).astype(np.int64)
    return np.searchsorted(ids, src), np.searchsorted(ids, dst), ids


def _by_bits(
    src: NDArray[Any], dst: NDArray[Any], largest: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64] | None]:
    """Renumber ids that are bits of a table."""
    from emv_kernels.cpu import renumber

    num_words = largest // 64 + 1
    num_tables = max(1, min(config.num_threads, 2 * len(src) // num_words))
    tables = [np.zeros(num_words, np.uint64) for _ in range(num_tables)]
    blocks = list(_blocks(src, dst))

    def mark(number: int) -> None:
        for block in blocks[number::num_tables]:
            renumber.mark(block, tables[number])

    _at_once(mark, iter(range(num_tables)))
    words = tables[0]
    for table in tables[1:]:
        words |= table
    before = np.empty(num_words, np.int64)
    num_ids = renumber.count_before(words, before)
    if num_ids == largest + 1:
        return src, dst, None
    ids = np.empty(num_ids, np.int64)
    renumber.list_marked(words, ids)
    _at_once(lambda block: renumber.rank(block, words, before, block), _blocks(src, dst))
    return src, dst, ids


class _Found:
    """Ids that one thread numbers in the order of finding them.

    Parameters
    ----------
    blocks : list of int32|int64[n]
        The ids, which are overwritten.
    key : uint64
        Of the hash.
    """

    def __init__(self, blocks: list[NDArray[Any]], key: np.uint64) -> None:
        self.blocks = blocks
        self.ids = np.empty(1 << 15, np.int64)
        self.num_found = 0
        self._key = key

    def number(self, most: int) -> bool:
        """Replace the ids by numbers; False, with the ids as they were, for more than `most`."""
        from emv_kernels.cpu import renumber

        table = self._table()
        for place, block in enumerate(self.blocks):
            end = 0
            while end < len(block):
                end, self.num_found = renumber.number_as_found(
                    block, end, table, self._key, self.ids, self.num_found
                )
                if self.num_found > most:
                    self.blocks = [*self.blocks[:place], block[:end]]
                    self.restore()
                    return False
                if self.num_found == len(self.ids):
                    self.ids = np.concatenate([self.ids, np.empty_like(self.ids)])
                    table = self._table()
        return True

    def renumber(self, ids: NDArray[np.int64]) -> None:
        """Replace the numbers by places among all ids, which are sorted."""
        from emv_kernels.cpu import renumber

        found = self.ids[: self.num_found]
        order = np.argsort(found)
        places = np.empty(len(found), np.int64)
        places[order] = np.searchsorted(ids, found[order])  # in order, which the cache rewards
        for block in self.blocks:
            renumber.replace(block, places)

    def restore(self) -> None:
        """Put the ids back in the place of their numbers."""
        for block in self.blocks:
            block[:] = self.ids[block]

    def _table(self) -> NDArray[np.int64]:
        """Return a table of the ids found so far, with room for as many as `ids` has."""
        from emv_kernels.cpu import renumber

        table = np.full((2 * len(self.ids), 2), renumber.EMPTY, np.int64)
        renumber.fill(self.ids, self.num_found, table, self._key)
        return table


def _by_hash(
    src: NDArray[Any], dst: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64]]:
    """Renumber ids that are found by tables of hashes, unless these outgrow the edges."""
    from emv_kernels.cpu import renumber

    num_threads = config.num_threads
    blocks = list(_blocks(src, dst))
    key = np.uint64(int.from_bytes(os.urandom(8), "little"))
    tables = [_Found(blocks[each::num_threads], key) for each in range(num_threads)]
    most = len(src) // (4 * num_threads)
    are_numbered = all_at_once(lambda table: table.number(most), tables)
    if all(are_numbered):
        ids = _different([each.ids[: each.num_found] for each in tables])
        all_at_once(lambda table: table.renumber(ids), tables)
        return src, dst, ids
    for table in itertools.compress(tables, are_numbered):
        table.restore()
    ids = _different([src, dst]).astype(np.int64)
    first, shift = _ranges(ids)
    _at_once(lambda block: renumber.place_among(block, ids, first, shift), iter(blocks))
    return src, dst, ids


def _ranges(ids: NDArray[np.int64]) -> tuple[NDArray[np.int64], np.uint64]:
    """Return where ranges of sorted ids begin, about as many as there are ids, and their bits.

    Examples
    --------
    >>> _ranges(np.array([1, 5, 6, 30]))
    (array([0, 3, 3, 3, 4]), np.uint64(3))
    """
    shift = max(0, int(ids[-1]).bit_length() - max(1, (len(ids) - 1).bit_length()))
    begins = np.arange((int(ids[-1]) >> shift) + 1, dtype=np.int64) << shift
    first = np.append(np.searchsorted(ids, begins), len(ids))
    return first, np.uint64(shift)


def _different(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """Return the different ids of some arrays, increasing; numpy's `unique` takes far longer."""
    ids = np.concatenate(parts)
    leavable(ids.sort, len(ids))
    is_new = np.ones(len(ids), np.bool_)
    is_new[1:] = ids[1:] != ids[:-1]
    different: NDArray[Any] = ids[is_new]
    return different


def _at_once(task: Callable[[Any], None], items: Iterator[Any]) -> None:
    all_at_once(task, items, num_threads=config.num_threads)


def _blocks(src: NDArray[Any], dst: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Yield the arrays in pieces."""
    for array in (src, dst):
        for begin in range(0, len(array), _BLOCK):
            yield array[begin : begin + _BLOCK]
