"""Rows to which others are added: no place is looked up, everything is read in order.

Where nothing is removed, the rows of a later version are those there were, each with its new
entries behind, or, where a row ascends, with both merged. Each thread writes the rows of one
stretch, cut so that all have about as much to write. It first marks, bit by bit, the places where
new entries will stand, each of which is known by itself: how many new ones come before it, and how
many old ones. Then every array is filled by the marks, 64 entries at once (`lines`): rows are
short, and a loop for each, whose end is guessed wrong, takes longer than to copy it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv_kernels.aside import all_at_once
from emv_kernels.cpu.entry import entry
from emv_kernels.cpu.jit import inlined
from emv_kernels.cpu.lines import LINE_BITS, WORD, copy_line, none_above, put_word, settle
from emv_kernels.cpu.renumber import _num_set
from emv_kernels.cpu.room import roomy
from emv_kernels.cpu.tokens import _trailing_zeros

LARGE = 2**24  # bytes; to write a smaller array past the caches costs who reads it next as much
NO_END = 2**62


@inlined
def _mark(words, place):
    """Set the bit of a place."""
    bit = np.uint64(1) << (np.uint64(place) & np.uint64(WORD - 1))
    words[np.uintp(place) // np.uintp(WORD)] |= bit


@entry()
def _mark_ends(first, rows, stretch, words):
    """Mark the places of new entries, each behind the old ones of its row."""
    i, _, begin, end = stretch
    base = np.uintp(i + begin) & ~np.uintp(WORD - 1)
    for k in range(np.uintp(begin), np.uintp(end)):
        _mark(words, np.uintp(first[np.uintp(rows[k]) + np.uintp(1)]) + k - base)


@entry()
def _mark_among(first, old, rows, added, stretch, words):
    """Mark the places of new entries in rows that ascend, behind old ones that are equal."""
    i, _, begin, end = stretch
    base = np.uintp(i + begin) & ~np.uintp(WORD - 1)
    for k in range(np.uintp(begin), np.uintp(end)):
        row = np.uintp(rows[k])
        low = np.uintp(first[row])
        at = _behind(old, low, np.uintp(first[row + np.uintp(1)]) - low, added[k])
        _mark(words, at + k - base)


@inlined
def _behind(old, low, size, value):
    """Return the first place of an ascending stretch whose entry is above a value."""
    while size >= np.uintp(WORD):
        half = (size + np.uintp(1)) >> np.uintp(1)
        low = low + half if old[low + half - np.uintp(1)] <= value else low
        size = size - half
    if low + np.uintp(WORD) <= np.uintp(len(old)):  # counted, without a branch that is guessed
        mine = (np.uint64(1) << np.uint64(size)) - np.uint64(1)
        return low + np.uintp(_num_set(none_above(old, low, value) & mine))
    end = low + size
    while low < end and old[low] <= value:
        low += np.uintp(1)
    return low


@entry()
def _fill(words, old, added, stretch, result):
    """Write a stretch: new entries where there are marks, else the old ones, or their places."""
    i, k = np.uintp(stretch[0]), np.uintp(stretch[2])
    out, end, word = i + k, np.uintp(stretch[1] + stretch[3]), np.uintp(0)
    num_old = np.uintp(NO_END) if old is None else np.uintp(len(old))
    is_large = result.nbytes >= LARGE
    while out < end:
        first = out & np.uintp(WORD - 1)
        marks = words[word] >> np.uint64(first)
        size = min(np.uintp(WORD) - first, end - out)
        is_inside = i + np.uintp(2 * WORD) <= num_old and out + np.uintp(2 * WORD) <= end
        if first == 0 and is_inside and k + np.uintp(WORD) <= np.uintp(len(added)):
            if not put_word(marks, old, i, added, k, result, out, is_large):
                _put_runs(marks, old, i, added, k, result, out)
        else:
            _put_each(marks, size, old, i, added, k, result, out)
        new = np.uintp(_num_set(marks))
        i, k, out, word = i + (size - new), k + new, out + size, word + np.uintp(1)
    settle()


@inlined
def _put_runs(marks, old, i, added, k, result, out):
    """Write 64 entries, the old ones line by line; the last may write up to a line too much."""
    end = out + np.uintp(WORD)
    while marks != 0:
        run = np.uintp(_trailing_zeros(marks))
        _copy(old, i, run, result, out)
        result[out + run] = added[k]
        i, k, out = i + run, k + np.uintp(1), out + run + np.uintp(1)
        marks = marks >> np.uint64(run) >> np.uint64(1)
    _copy(old, i, end - out, result, out)


@inlined
def _copy(old, i, size, result, out):
    """Copy some entries, and up to a line more."""
    line = np.uintp(LINE_BITS // 8) // np.uintp(result.itemsize)
    for done in range(np.uintp(0), size, line):
        copy_line(old, i + done, result, out + done)


@inlined
def _put_each(marks, size, old, i, added, k, result, out):
    """Write up to 64 entries, one by one."""
    for place in range(out, out + size):
        is_new = np.uintp(marks & np.uint64(1))
        result[place] = added[k] if is_new else _entry(old, i, result)
        i, k, marks = i + (np.uintp(1) - is_new), k + is_new, marks >> np.uint64(1)


@inlined
def _entry(old, i, like):
    """Return an old entry, of the dtype of an array; those that are left out are their places."""
    if old is None:
        return like.dtype.type(i)
    return old[i]


def appended(
    first: NDArray[Any],
    old: Sequence[NDArray[Any]],
    new_first: NDArray[Any],
    rows: NDArray[Any],
    added: Sequence[NDArray[Any]],
    num_threads: int,
) -> list[NDArray[Any]]:
    """Return rows with new entries behind the old ones, of arrays in the same order.

    Parameters
    ----------
    first, new_first : uint32|uint64[n + 1]
        Where old rows and rows of new entries begin.
    rows : uint32|uint64[num_added]
        The row of every new entry.
    old, added : sequence of any
        The entries, of one dtype in each place; the last array's old ones are left out where
        they are their own places.
    """
    made = [roomy(int(first[-1]) + len(each), each.dtype) for each in added]
    arrays = list(itertools.zip_longest(_bits(old), _bits(added), _bits(made)))

    def write(stretch: tuple[int, ...]) -> None:
        words = _words(stretch)
        _mark_ends(first, rows, stretch, words)
        for was, new, result in arrays:
            _fill(words, was, new, stretch, result)

    _all_rows(write, first, new_first, num_threads)
    return made


def _bits(arrays: Sequence[NDArray[Any]]) -> tuple[NDArray[Any], ...]:
    """Return arrays as the unsigned numbers of their bits, so that kernels are shared."""
    return tuple(each.view(f"u{each.dtype.itemsize}") for each in arrays)


def merged(
    first: NDArray[Any],
    old: NDArray[Any],
    new_first: NDArray[Any],
    rows: NDArray[Any],
    added: NDArray[Any],
    num_threads: int,
) -> NDArray[Any]:
    """Return ascending rows with new entries merged in, behind old ones that are equal."""
    result = roomy(len(old) + len(added), old.dtype)

    def write(stretch: tuple[int, ...]) -> None:
        words = _words(stretch)
        _mark_among(first, old, rows, added, stretch, words)
        _fill(words, old, added, stretch, result)

    _all_rows(write, first, new_first, num_threads)
    return result


def _words(stretch: tuple[int, ...]) -> NDArray[np.uint64]:
    """Return a bit for every entry of a stretch, none set; words begin with whole lines."""
    i, i_end, k, k_end = stretch
    return np.zeros((i_end + k_end) // WORD - (i + k) // WORD + 1, np.uint64)


def _all_rows(
    write: Callable[[tuple[int, ...]], None],
    first: NDArray[Any],
    new_first: NDArray[Any],
    num_threads: int,
) -> None:
    """Call `write` for stretches of rows with about as many old entries, all at once.

    A stretch is where its old entries begin and end, and where its new ones do.
    """
    marks = [int(first[-1]) * each // num_threads for each in range(num_threads + 1)]
    bounds = np.searchsorted(first[:-1], np.array(marks, first.dtype))
    bounds[0], bounds[-1] = 0, len(new_first) - 1
    places = (first[bounds].tolist(), new_first[bounds].tolist())
    ends = zip(places[0][:-1], places[0][1:], places[1][:-1], places[1][1:], strict=True)
    all_at_once(write, list(ends))
