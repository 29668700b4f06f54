"""Say no to columns of times, of categories and of masked values, in the words of who made them.

Both are stored as numbers by numpy, pandas, Arrow and polars, and would pass for them: a time as a
count of some unit since some day, a category as the place of its name in a list. Only their owner
knows which number is meant. Under a mask of numpy lies a number, too, which is not to be looked at.
"""

from __future__ import annotations

import datetime
import re
import sys
from typing import Any

import numpy as np

from emv.errors import ColumnError

_TIME = re.compile(r"(datetime|timedelta|timestamp|duration|date|time|period|month_)")
_CATEGORY = re.compile(r"(category|categorical|dictionary|enum)")
_TIMES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
_TIMES_OF_PANDAS = ("Timestamp", "Timedelta", "Period", "NaTType")

REMEDIES = {
    "temporal": (
        "convert it to numbers of a unit that you choose, such as seconds: "
        "values.astype('datetime64[s]').astype('int64')"
    ),
    "categorical": (
        "convert it to numbers: the codes of its categories (values.cat.codes in pandas), or a "
        "column of bools for each"
    ),
}


def refused_kind(values: Any) -> tuple[str, str] | None:
    """Return ``temporal`` or ``categorical`` and the dtype of such values, else None.

    Parameters
    ----------
    values : Any
        An array of numpy, pandas, Arrow or polars, a sequence, or one value.

    Examples
    --------
    >>> refused_kind(np.array(["2026-11-22"], "M8[D]"))
    ('temporal', 'datetime64[D]')
    >>> refused_kind(np.array([1.5])) is None
    True
    """
    dtype = getattr(values, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind in "biuf":
        return None
    dtype = getattr(values, "type", None) if dtype is None else dtype
    said = "" if dtype is None else str(dtype)
    for kind, pattern in (("temporal", _TIME), ("categorical", _CATEGORY)):
        if pattern.match(said.lower()):
            return kind, said
    first = _first(values)
    if isinstance(first, _TIMES) or type(first).__name__ in _TIMES_OF_PANDAS:
        return "temporal", type(first).__name__
    return None


def refuse_kind(name: str, values: Any, rows: str) -> None:
    """Refuse a column of times or of categories, and one that masks a value.

    Parameters
    ----------
    name : str
        The column's name.
    values : Any
        What `refused_kind` takes.
    rows : str
        What a row is, ``"vertices"`` or ``"edges"``.

    Raises
    ------
    ColumnError
        With what to do instead.

    Examples
    --------
    >>> try:
    ...     refuse_kind("since", np.array(["2026-11-22"], "M8[D]"), "edges")
    ... except ColumnError as error:
    ...     print(error.what)
    column 'since' of edges is temporal (datetime64[D]), which emv does not store
    """
    refused = refused_kind(values)
    if refused is not None:
        kind, dtype = refused
        raise ColumnError(
            f"column '{name}' of {rows} is {kind} ({dtype}), which emv does not store",
            remedy=REMEDIES[kind],
        )
    row = first_masked(values)
    if row is not None:
        raise ColumnError(
            f"column '{name}' of {rows} is masked in row {row}",
            remedy="give a value there, values.filled(...), or leave such rows out",
        )


def first_masked(values: Any) -> int | None:
    """Return where a masked array of numpy masks its first value; None if it masks none.

    Examples
    --------
    >>> first_masked(np.ma.array([3, 4, 5], mask=[False, True, True])), first_masked([3, 4])
    (1, None)
    """
    if "numpy.ma" not in sys.modules:  # then there are none, and loading it takes long
        return None
    is_masked = np.ma.getmask(values)
    return int(np.argmax(is_masked)) if np.any(is_masked) else None


def _first(values: Any) -> Any:
    """Return the first of values, or the value itself."""
    if isinstance(values, str | bytes | dict | set) or not hasattr(values, "__getitem__"):
        return values
    try:
        return next(iter(values), None)
    except TypeError:
        return values
