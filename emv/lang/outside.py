"""What functions of the user's name from outside: it is looked up as Python would."""

from __future__ import annotations

import builtins
import dataclasses
import enum
import functools
import types
from typing import Any

import numpy as np

from emv.dtypes import SHORT_NAMES
from emv.lang import words

MISSING = object()
_LIBRARIES = (words.__name__, "numpy")


def outside(function: types.FunctionType, name: str) -> Any:
    """Return what a name means in a function's module, or `MISSING`."""
    spaces = (function.__globals__, vars(builtins))
    return next((space[name] for space in spaces if name in space), MISSING)


def seen(function: types.FunctionType, name: str) -> Any:
    """Return what a name means outside a function, around it or in its module, or `MISSING`."""
    code = function.__code__
    if name in code.co_freevars and function.__closure__ is not None:
        try:
            return function.__closure__[code.co_freevars.index(name)].cell_contents
        except ValueError:
            return MISSING
    return outside(function, name)


def meaning(function: types.FunctionType, dotted: str) -> Any:
    """Return what a dotted name means in a function's module, or `MISSING`."""
    first, *rest = dotted.split(".")
    return functools.reduce(
        lambda whole, name: getattr(whole, name, MISSING), rest, outside(function, first)
    )


def same(now: Any, before: Any) -> bool:
    """Return whether a name means the same: the same object, or an equal number of its type."""
    if now is before:
        return True
    is_number = isinstance(now, bool | int | float | str | np.generic)
    # of equal texts: nan is nan, and -0.0 is not 0.0
    return is_number and type(now) is type(before) and repr(now) == repr(before)


def is_constant(value: Any) -> bool:
    """Return whether a global can be frozen into a body: a number or truth value."""
    if isinstance(value, np.generic):
        return value.dtype.name in SHORT_NAMES
    return isinstance(value, bool | int | float)


def plain_number(value: Any) -> Any:
    """Return a constant without the name that an enumeration gives it."""
    return int(value) if isinstance(value, enum.IntEnum | enum.IntFlag) else value


def is_holder(value: Any) -> bool:
    """Return whether numbers may be read off something: a module, an enumeration, a set of options.

    Examples
    --------
    >>> is_holder(types.SimpleNamespace(gain=0.5)), is_holder(enum), is_holder([0.5])
    (True, True, False)
    """
    if isinstance(value, types.ModuleType | types.SimpleNamespace | enum.EnumMeta):
        return True
    if isinstance(value, tuple):
        return hasattr(value, "_fields")
    kind = value if isinstance(value, type) else type(value)
    if kind.__module__.partition(".")[0] in ("builtins", "numpy", "emv"):
        return False  # such as the combiners of emv, which are called
    return type(value) is type or (dataclasses.is_dataclass(value) and kind is not value)


def is_plain(value: Any) -> bool:
    """Return whether a value is a plain function of the user's."""
    return isinstance(value, types.FunctionType) and value.__module__ not in _LIBRARIES


def spelled_value(value: Any) -> str:
    """Return what a value is, for errors."""
    if isinstance(value, types.ModuleType):
        return "a module"
    if isinstance(value, type):
        return "a class"
    is_function = isinstance(value, types.FunctionType | types.BuiltinFunctionType | np.ufunc)
    return "a function" if is_function else f"a {type(value).__name__}"
