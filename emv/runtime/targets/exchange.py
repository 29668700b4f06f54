"""Which rows parts give and take in an exchange, and whom several of them list.

A stretch of rows in order is a slice: it is copied, and not gathered.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Some = NDArray[Any] | slice
"""Row numbers; of a stretch where it begins and ends."""
Rows = list[Some]
"""Row numbers, for each part."""


class Exchange(NamedTuple):
    """The rows that each part gives, those that it takes, and where they stand among all given."""

    gives: Rows
    takes: Rows
    places: Rows


def rows_of(rows: NDArray[np.int64]) -> Some:
    """Return rows, which stand in no two places: a slice if they are a stretch in order.

    Examples
    --------
    >>> rows_of(np.array([0, 2])), rows_of(np.array([1, 2])), rows_of(np.array([2, 1]))
    (array([0, 2]), slice(1, 3, None), array([2, 1]))
    """
    if len(rows) > 0 and (np.diff(rows) == 1).all():
        return slice(int(rows[0]), int(rows[-1]) + 1)
    return rows


def once(pieces: list[NDArray[Any]], seen: NDArray[np.bool_]) -> NDArray[Any]:
    """Return the elements of several lists, each where it comes first; without a sort.

    No list has one twice. Nobody is ``seen`` before, and nobody is behind it.

    Examples
    --------
    >>> once([np.array([3, 1]), np.array([3, 0, 1])], np.zeros(4, bool))
    array([3, 1, 0])
    """
    lists, places = list(filter(len, pieces)), list[NDArray[np.intp]]()
    for number, listed in enumerate(lists):
        where = listed.astype(np.intp)  # else each of these makes its own
        if number:
            is_known = seen.take(where, mode="clip")
            if is_known.any():
                lists[number], where = listed[~is_known], where[~is_known]
        if number < len(lists) - 1:
            seen[where] = True
            places.append(where)
    for where in places:
        seen[where] = False
    return np.concatenate(lists or pieces)


def size_of(rows: Some) -> int:
    """Return how many rows there are."""
    return rows.stop - rows.start if isinstance(rows, slice) else len(rows)


def of_copies(rows: Some, number: int) -> Some:
    """Return the entries of rows, in each of which all copies of a batch have one.

    Examples
    --------
    >>> of_copies(np.array([0, 2]), 2), of_copies(slice(1, 3), 2)
    (array([0, 1, 4, 5]), slice(2, 6, None))
    """
    if number < 2:
        return rows
    if isinstance(rows, slice):
        return slice(number * rows.start, number * rows.stop)
    found: NDArray[np.int64] = np.add.outer(rows * number, np.arange(number)).ravel()
    return found
