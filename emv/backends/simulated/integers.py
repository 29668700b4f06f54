"""numpy as compiled code has it: a cast to a type of integers keeps the bits that fit."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

MADE = 1 << 14  # numbers that are remembered


class Made(dict[Any, Any]):
    """Numbers by what they are cast from, made once: to make one costs 0.3 us.

    Parameters
    ----------
    kind : type
        Of the numbers.
    bounds : type, optional
        A type of integers, whose bits alone are kept.

    Examples
    --------
    >>> Made(np.int64, np.int8)[200]
    np.int64(-56)
    """

    def __init__(self, kind: type, bounds: type | None = None) -> None:
        super().__init__()
        self.kind = kind
        self.least, self.low = least_and_low(bounds) if bounds else (0, 0)

    def __missing__(self, value: Any) -> Any:
        if len(self) == MADE:
            self.clear()
        number = int(value)
        kept = ((number - self.least) & self.low) + self.least if self.low else number
        made = self.kind(kept)
        if number == value:  # which is the same key, of whatever type it comes
            self[number] = made
        return made


@functools.cache
def least_and_low(kind: type) -> tuple[int, int]:
    """Return the least number of a type of integers, and all of its bits."""
    bounds = np.iinfo(kind)
    return int(bounds.min), (1 << bounds.bits) - 1


made_once = functools.cache(Made)


def wrapping(kind: type, computed: type | None = None) -> Callable[[Any], Any]:
    """Return a cast that keeps the low bits, as numba's do, to the type that then computes."""
    return made_once(computed or kind, kind).__getitem__


def as_typed(name: str, function: Callable[..., Any], whole: Callable[[Any], Any]) -> Any:
    """Return a user's function with whole numbers of the types in its name, as numba calls it.

    A constant is such a number, too, and wraps around. Arrays come behind. Other functions are
    returned as they are.

    Examples
    --------
    >>> twice = as_typed("user_twice__i64", lambda x: x << 62 << 2, np.int64)
    >>> int(twice(3)), as_typed("twice", len, np.int64) is len
    (0, True)
    """
    kinds = name.rpartition("__")[2].split("_")
    if not (name.startswith("user_") and {*kinds} <= {"i64", "f32", "f64", "bool"}):
        return function

    def call(*given: Any) -> Any:
        if tuple in map(type, given):  # the name has the types of its parts
            return function(*given)
        told = zip(given, kinds, strict=False)
        numbers = (whole(each) if kind == "i64" else each for each, kind in told)
        return function(*numbers, *given[len(kinds) :])

    return call


def numbers(**casts: Callable[[Any], Any]) -> types.ModuleType:
    """Return what stands in for numpy in device code: casts are those given, all else numpy's.

    It is a module, in which Python finds names faster than in anything else.
    """
    made = types.ModuleType("numpy")
    vars(made).update(vars(np), **casts)
    return made
