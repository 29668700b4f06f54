"""What may be a column, or one value of it: a number or a bool of a type that emv stores."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import ColumnError
from emv.graph.growing_array import Scalar
from emv.graph.kinds import refuse_kind
from emv.graph.on_device import check_dtype, check_shape, host_array
from emv.graph.pieces import copied

SCALAR_TYPES = (bool, int, float, np.number, np.bool_)
"""The classes of `Scalar`, for isinstance."""


def checked_column(name: str, values: Any, num_rows: int, rows: str) -> NDArray[Any]:
    """Return `values` as a new column array, or say why they are none.

    Parameters
    ----------
    name : str
        The column's name, for the message.
    values : array_like or scalar
        ``any[num_rows]``; a scalar fills every row.
    num_rows : int
        Rows there are.
    rows : str
        What a row is, ``"vertices"`` or ``"edges"``, for the message.

    Raises
    ------
    ColumnError
        If the values are not numbers or bools (times and categories are none), not 1-D, or not
        `num_rows` long.

    Examples
    --------
    >>> checked_column("weight", 0.5, 3, "edges")
    array([0.5, 0.5, 0.5])
    """
    refuse_kind(name, values, rows)
    if isinstance(values, dict):
        raise ColumnError(
            f"column '{name}' of {rows} is given as a dict",
            remedy="write [values[label] for label in g.labels], one value a row, in their order",
        )
    try:
        array = host_array(values)
    except ValueError as error:
        raise ColumnError(f"column '{name}' of {rows} is no array of numbers: {error}") from None
    check_dtype(name, array, rows)
    native = array.dtype.newbyteorder("=")
    if array.ndim == 0:
        return np.full(num_rows, array, native)
    check_shape(name, array, num_rows, rows)
    return copied(array, native)


def fits(value: Scalar, dtype: np.dtype[Any]) -> bool:
    """Whether a number is small enough for a dtype of its kind."""
    try:
        np.array(value, dtype)
    except OverflowError:
        return False
    return True
