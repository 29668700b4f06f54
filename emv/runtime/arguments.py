"""Sort the arguments of a program call: numbers, arrays, bound columns, and constants.

Numbers and arrays of ids may change from run to run without a new compilation. Everything else
(text, truth values, None, functions) is a constant of the traced program. A parameter named in
``@program(bind=...)`` supplies a column instead.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import ArgumentError


@dataclass(frozen=True)
class Arguments:
    """The arguments of one call.

    Attributes
    ----------
    values : dict
        All of them, by name, as given.
    numbers : dict
        Those that are numbers.
    arrays : dict
        Those that are lists of ids, as int64 arrays.
    bindings : dict
        ``(kind, column)`` to ``(value, whether it is the parameter's default)``.
    bound : tuple of str
        The parameters that supply columns.
    """

    values: dict[str, Any]
    numbers: dict[str, int | float]
    arrays: dict[str, NDArray[Any]]
    bindings: dict[tuple[str, str], tuple[Any, bool]]
    bound: tuple[str, ...]


def sort_arguments(
    python: Callable[..., Any], bind: dict[str, Any], args: tuple[Any, ...], named: dict[str, Any]
) -> Arguments:
    """Return the sorted arguments of ``python(g, *args, **named)``.

    Raises
    ------
    ArgumentError
        If the call does not fit the signature.
    """
    signature = inspect.signature(python)
    try:
        bound = signature.bind(None, *args, **named)
    except TypeError as error:
        raise ArgumentError(f"{python.__name__}(): {error}; it takes {signature}") from None
    given = set(bound.arguments)
    bound.apply_defaults()
    values = dict(list(bound.arguments.items())[1:])
    numbers: dict[str, int | float] = {}
    arrays: dict[str, NDArray[Any]] = {}
    bindings: dict[tuple[str, str], tuple[Any, bool]] = {}
    for name, value in values.items():
        if name in bind:
            field = bind[name]
            bindings[field.kind, field.name] = (_supply(name, value), name not in given)
        elif _is_number(value):
            numbers[name] = _plain(name, value)
        elif isinstance(value, list | tuple | range | set | np.ndarray):
            arrays[name] = _ids(name, value)
    return Arguments(values, numbers, arrays, bindings, tuple(bind))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def _plain(name: str, value: Any) -> int | float:
    number = float(value) if isinstance(value, float | np.floating) else int(value)
    if isinstance(number, int) and not -(2**63) <= number < 2**63:
        raise ArgumentError(f"{name}={value} does not fit 64 bits")
    if isinstance(number, float) and math.isnan(number):
        raise ArgumentError(f"{name} is NaN")
    return number


def _supply(name: str, value: Any) -> Any:
    if isinstance(value, str) or _is_number(value):
        return value
    array = np.asarray(value)
    if array.dtype.kind not in "iufb":
        raise ArgumentError(f"{name} is a column's name, a number or an array, not {value!r}")
    return array


def _ids(name: str, value: Any) -> NDArray[Any]:
    array = np.asarray(sorted(value) if isinstance(value, set) else value)
    if array.ndim != 1 or (len(array) and array.dtype.kind not in "iu"):
        raise ArgumentError(f"{name} is a vertex id or a list of vertex ids, not {value!r}")
    return array.astype(np.int64)
