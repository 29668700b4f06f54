"""Philox4x32-10 (Salmon et al., SC 2011), the twin of `emv.lang.draws`: the same bits everywhere.

The functions are written once and compiled for each target.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

_MASK = np.uint64(0xFFFFFFFF)
_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_W0, _W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
_32 = np.uint64(32)


def random_functions(compiled: Callable[..., Any]) -> tuple[Any, Any, Any]:
    """Return ``random_bits``, ``uniform`` and ``below``, compiled by a decorator."""

    @compiled
    def random_bits(seed, superstep, element, code):
        """Return the 64 bits of one draw."""
        key = np.uint64(seed)
        c0, c1 = np.uint64(element) & _MASK, (np.uint64(element) >> _32) & _MASK
        c2, c3 = np.uint64(superstep) & _MASK, np.uint64(code) & _MASK
        k0, k1 = key & _MASK, (key >> _32) & _MASK
        for _ in range(10):
            p0, p1 = _M0 * c0, _M1 * c2
            c0, c1, c2, c3 = (p1 >> _32) ^ c1 ^ k0, p1 & _MASK, (p0 >> _32) ^ c3 ^ k1, p0 & _MASK
            k0, k1 = (k0 + _W0) & _MASK, (k1 + _W1) & _MASK
        return c0 | (c1 << _32)

    @compiled
    def uniform(seed, superstep, element, code):
        """Return a float in [0, 1)."""
        return np.float64(random_bits(seed, superstep, element, code) >> np.uint64(11)) * 2.0**-53

    @compiled
    def below(bound, seed, superstep, element, code):
        """Return an integer in ``range(bound)``."""
        high = random_bits(seed, superstep, element, code) >> _32
        return np.int64((high * np.uint64(bound)) >> _32)

    return random_bits, uniform, below
