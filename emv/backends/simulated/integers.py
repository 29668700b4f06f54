"""numpy as compiled code has it: a cast to a type of integers keeps the bits that fit."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np


def wrapping(kind: type) -> Callable[[Any], Any]:
    """Return a cast that keeps the low bits, as numba's do."""
    bits, least, most = np.iinfo(kind).bits, int(np.iinfo(kind).min), int(np.iinfo(kind).max)
    unsigned = np.dtype(f"u{bits // 8}").type

    def cast(value: Any) -> Any:
        number = int(value)
        if least <= number <= most:
            return kind(number)
        return unsigned(number & ((1 << bits) - 1)).view(kind)

    return cast


class Numbers(types.SimpleNamespace):
    """Stand in for numpy in device code: casts are those given, all else is numpy's."""

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)
