"""What nodes or edges say, as columns of Python's objects.

Dicts are what networkx stores, one for every edge; a part of a graph needs a new dict for each.
Where all of them have the same names, a column for each name says the same in a thirtieth of the
memory, and dicts are made of columns sooner than they are copied.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

Objects = NDArray[np.object_]


@dataclass(frozen=True, eq=False)
class Records:
    """What each of some nodes or edges says.

    Attributes
    ----------
    count : int
        How many there are.
    columns : dict
        What they say under each name, ``object[count]``, if all have the same names.
    uneven : object[count], optional
        A dict for each if they have not.

    Examples
    --------
    >>> said = Records.of([{"km": 3}, {"km": 4}, {"km": 5}])
    >>> said.chosen(np.array([True, False, True])).rows()
    [{'km': 3}, {'km': 5}]
    >>> Records.of([{"km": 3}, {}]).column("km", 1)
    [3, 1]
    """

    count: int
    columns: Mapping[Any, Objects]
    uneven: Objects | None = None

    @classmethod
    def of(cls, rows: Sequence[Mapping[Any, Any]]) -> Records:
        """Return what dicts say now, whatever becomes of them."""
        count = len(rows)
        kinds = set(map(tuple, rows))
        if len(kinds) > 1:
            return cls(count, {}, np.fromiter(map(dict, rows), object, count))
        names = kinds.pop() if kinds else ()
        said = {name: np.fromiter(map(itemgetter(name), rows), object, count) for name in names}
        return cls(count, said)

    def chosen(self, is_kept: NDArray[np.bool_]) -> Records:
        """Return those of some, which share their values with these."""
        columns = {name: column[is_kept] for name, column in self.columns.items()}
        uneven = None if self.uneven is None else self.uneven[is_kept]
        return Records(int(np.count_nonzero(is_kept)), columns, uneven)

    def column(self, name: Any, default: Any) -> list[Any]:
        """Return what all say under a name."""
        if self.uneven is not None:
            return [row.get(name, default) for row in self.uneven]
        if name not in self.columns:
            return [default] * self.count
        listed: list[Any] = self.columns[name].tolist()
        return listed

    def rows(self) -> list[dict[Any, Any]]:
        """Return a new dict for each."""
        if self.uneven is not None:
            return list(map(dict.copy, self.uneven))
        if not self.columns:
            return [{} for _ in range(self.count)]
        (first, column), *others = self.columns.items()
        made = [{first: value} for value in column.tolist()]
        for name, column in others:
            for row, value in zip(made, column.tolist(), strict=True):
                row[name] = value
        return made


def records_of(columns: Mapping[str, Any], count: int) -> list[dict[str, Any]]:
    """Return a dict for each of so many rows of arrays, with values of Python's."""
    listed: Iterable[Any] = zip(*(np.asarray(c).tolist() for c in columns.values()), strict=True)
    found = [dict(zip(columns, row, strict=True)) for row in listed]
    return found if columns else [{} for _ in range(count)]
