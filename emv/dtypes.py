"""The number types of columns, messages and parameters, by the short names users write.

At run time ``f32`` is ``numpy.float32`` itself, so ``f32(x)`` rounds and ``dist: f32`` declares a
column. A type checker sees the Python type it stands for, so that ``dist: f32 = inf`` is accepted.

Arithmetic inside user functions follows one rule, the same on every backend: integers count in
64 bits and are narrowed when stored; a float meeting an integer or a plain Python number keeps
its own width; two floats take the wider one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    i8: TypeAlias = int
    i16: TypeAlias = int
    i32: TypeAlias = int
    i64: TypeAlias = int
    u8: TypeAlias = int
    u16: TypeAlias = int
    u32: TypeAlias = int
    u64: TypeAlias = int
    f32: TypeAlias = float
    f64: TypeAlias = float
else:
    i8, i16, i32, i64 = np.int8, np.int16, np.int32, np.int64
    u8, u16, u32, u64 = np.uint8, np.uint16, np.uint32, np.uint64
    f32, f64 = np.float32, np.float64

inf = float("inf")

SHORT_NAMES: dict[str, str] = {
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
    "float32": "f32",
    "float64": "f64",
    "bool": "bool",
}


def dtype_of(annotation: Any) -> np.dtype[Any] | None:
    """Return the numpy dtype an annotation stands for, or None when it is not a number type.

    ``int`` means ``i64``, ``float`` means ``f64`` and ``bool`` means ``bool``.

    Examples
    --------
    >>> dtype_of(f32), dtype_of(int), dtype_of(str)
    (dtype('float32'), dtype('int64'), None)
    """
    plain = {int: np.int64, float: np.float64, bool: np.bool_}
    annotation = plain.get(annotation, annotation)
    if isinstance(annotation, type) and issubclass(annotation, np.generic):
        dtype = np.dtype(annotation)
        return dtype if dtype.name in SHORT_NAMES else None
    return None


def short_name(dtype: np.dtype[Any]) -> str:
    """Return the name users write for a dtype.

    Examples
    --------
    >>> short_name(np.dtype("float32"))
    'f32'
    """
    return SHORT_NAMES[dtype.name]


def dtype_named(name: str) -> np.dtype[Any]:
    """Return the dtype of a short name, the inverse of `short_name`.

    Examples
    --------
    >>> dtype_named("u16")
    dtype('uint16')
    """
    for numpy_name, short in SHORT_NAMES.items():
        if short == name:
            return np.dtype(numpy_name)
    raise KeyError(name)
