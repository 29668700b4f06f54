"""Values as messages and columns hold them: integers cut to their width, floats rounded."""

from __future__ import annotations

from typing import Any

import numpy as np

from emv.dtypes import dtype_named


def bare(value: Any) -> Any:
    """Return a message record as its values, and anything else as it is.

    Its class is asked, since the record may have a field ``as_tuple``.

    Examples
    --------
    >>> bare((2, 3.5))
    (2, 3.5)
    """
    as_tuple = getattr(type(value), "as_tuple", None)
    return value if as_tuple is None else as_tuple(value)


def narrow(value: Any, kind: Any) -> Any:
    """Return a value as a message or column of a type holds it, in its Python form.

    Integers keep their low bits, in two's complement; floats are rounded.

    Examples
    --------
    >>> narrow(200, "i8"), narrow((3, -1), ("f64", "u8"))
    (-56, (np.float64(3.0), 255))
    """
    value = bare(value)
    if isinstance(kind, tuple):
        return tuple(narrow(each, inner) for each, inner in zip(value, kind, strict=True))
    if kind == "bool":
        return bool(value)
    if kind in ("f32", "f64"):
        return dtype_named(kind).type(value)
    dtype = dtype_named("i64" if kind == "id" else kind)
    low_bits = int(value) & ((1 << 8 * dtype.itemsize) - 1)
    return low_bits - (1 << 8 * dtype.itemsize) if low_bits > np.iinfo(dtype).max else low_bits
