"""What the text of a program reads f32 as: what it says, what a call asks for, or what a column is.

A program whose ``@program(precision=...)`` names a parameter of ``bind`` adds in the type of the
numbers that this parameter supplies, so that nobody's digits are lost and nobody pays for more.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from emv.errors import ArgumentError
from emv.graph.bind import dtype_behind

READ_AS = {"single": "f32", "double": "f64"}
"""What a call can ask for."""


def read_as(program: str, precision: str) -> str:
    """Return the type that f32 is read as when a call asks for a precision.

    Raises
    ------
    ArgumentError
        If it is none.
    """
    if precision not in READ_AS:
        raise ArgumentError(
            f"{program}(): precision={precision!r}",
            remedy="It is 'single' (as the program is written) or 'double' (f32 read as f64).",
        )
    return READ_AS[precision]


def type_behind(graph: Any, field: Any, bound: tuple[Any, bool] | None) -> str:
    """Return the type that holds sums of what a field's values come from; see `type_of_sums`.

    Parameters
    ----------
    bound : (value, is_default) or None
        As `source_of` takes it.
    """
    return type_of_sums(dtype_behind(graph, field, bound))


def type_of_sums(dtype: np.dtype[Any]) -> str:
    """Return the type that holds sums of numbers: f32, f64 or i64.

    Whole numbers of any width count in 64 bits, and floats of at most 32 bits stay that wide.
    A number of Python's is as wide as Python's are.

    Examples
    --------
    >>> type_of_sums(np.dtype("float16")), type_of_sums(np.dtype("uint8"))
    ('f32', 'i64')
    """
    if dtype.kind == "f":
        return "f32" if dtype.itemsize <= np.dtype(np.float32).itemsize else "f64"
    return "i64"
