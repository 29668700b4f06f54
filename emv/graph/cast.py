"""Convert a column to the dtype a program declares, and refuse what would change its meaning.

A float may become a shorter float, and an integer may become a float: both round, as declaring
``f32`` says. Everything that goes to an integer or to bool must arrive unchanged.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.dtypes import short_name
from emv.errors import ColumnError
from emv.graph.pieces import copied


def cast_column(
    name: str, values: NDArray[Any], dtype: np.dtype[Any], rows: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Return `values` as `dtype`: the same array where it has that dtype, else a copy.

    Parameters
    ----------
    name : str
        The column's name, for the message.
    values : any[n]
        The column.
    dtype : dtype
        What it is to be.
    rows : int[n], optional
        Which rows of the graph's these are, where they are not all, for the message.

    Raises
    ------
    ColumnError
        If `dtype` is an integer type or bool and a value does not fit; the first is named.

    Examples
    --------
    >>> cast_column("weight", np.array([0.5, 2.0]), np.dtype("float32"))
    array([0.5, 2. ], dtype=float32)
    """
    if values.dtype == dtype:
        return values
    if dtype.kind == "f" or np.can_cast(values.dtype, dtype, "safe"):
        return copied(values, dtype)
    with np.errstate(invalid="ignore"):
        converted = values.astype(dtype)
        same = _unchanged(values, converted)
    if not same.all():
        row = int(np.argmin(same))
        raise ColumnError(
            f"column '{name}' is {short_name(values.dtype)} and is used as {short_name(dtype)}, "
            f"but {values[row]} in row {row if rows is None else rows[row]} does not fit",
            remedy=f"declare '{name}' as {short_name(values.dtype)}, or convert the column",
        )
    return converted


def _unchanged(values: NDArray[Any], converted: NDArray[Any]) -> NDArray[Any]:
    """Return where a conversion to integers or bool kept the number, sign included."""
    same: NDArray[Any] = converted.astype(values.dtype) == values
    if values.dtype.kind == "f" and converted.dtype.kind in "iu":
        # 2.0**64 saturates at 2**64 - 1, which rounds back to 2.0**64
        same &= values < 2.0 ** (8 * converted.itemsize - (converted.dtype.kind == "i"))
    if values.dtype.kind == "i" and converted.dtype.kind == "u":
        same &= values >= 0
    if values.dtype.kind == "u" and converted.dtype.kind == "i":
        same &= converted >= 0
    return same
