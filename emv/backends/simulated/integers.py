"""numpy as compiled code has it: a cast to a type of integers keeps the bits that fit."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np


@functools.cache
def made_once(kind: type) -> Callable[[int], Any]:
    """Return what makes numbers of a type, which remembers the last ones: each costs 0.3 us."""
    return functools.lru_cache(1 << 14)(kind)


def wrapping(kind: type, computed: type | None = None) -> Callable[[Any], Any]:
    """Return a cast that keeps the low bits, as numba's do, to the type that then computes."""
    bits, least, most = np.iinfo(kind).bits, int(np.iinfo(kind).min), int(np.iinfo(kind).max)
    low, make = (1 << bits) - 1, made_once(computed or kind)

    def cast(value: Any) -> Any:
        number = int(value)
        if least <= number <= most:
            return make(number)
        number &= low
        return make(number if number <= most else number - low - 1)

    return cast


class Numbers(types.SimpleNamespace):
    """Stand in for numpy in device code: casts are those given, all else is numpy's."""

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)
