"""numpy as compiled code has it: a cast to a type of integers keeps the bits that fit."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np


MADE = 1 << 14  # numbers that are remembered


class Made(dict[int, Any]):
    """The numbers of a type by what they are, made once: to make one costs 0.3 us.

    Examples
    --------
    >>> made_once(np.int64)[3]
    np.int64(3)
    """

    def __init__(self, kind: type) -> None:
        super().__init__()
        self.kind = kind

    def __missing__(self, number: int) -> Any:
        if len(self) == MADE:
            self.clear()
        made = self[number] = self.kind(number)
        return made


@functools.cache
def least_and_low(kind: type) -> tuple[int, int]:
    """Return the least number of a type of integers, and all of its bits."""
    bounds = np.iinfo(kind)
    return int(bounds.min), (1 << bounds.bits) - 1


made_once = functools.cache(Made)


def wrapping(kind: type, computed: type | None = None) -> Callable[[Any], Any]:
    """Return a cast that keeps the low bits, as numba's do, to the type that then computes."""
    bits, least, most = np.iinfo(kind).bits, int(np.iinfo(kind).min), int(np.iinfo(kind).max)
    low, made = (1 << bits) - 1, made_once(computed or kind)
    same = kind if computed is None else None  # what needs no cast

    def cast(value: Any) -> Any:
        if type(value) is same:
            return value
        number = int(value)
        if least <= number <= most:
            return made[number]
        number &= low
        return made[number if number <= most else number - low - 1]

    return cast


class Numbers(types.SimpleNamespace):
    """Stand in for numpy in device code: casts are those given, all else is numpy's."""

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)
