"""Philox4x32-10 (Salmon et al., SC 2011), the twin of `emv.lang.draws`: the same bits."""

from __future__ import annotations

import numpy as np
from numba import njit

_MASK = np.uint64(0xFFFFFFFF)
_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_W0, _W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
_32 = np.uint64(32)


@njit(error_model="numpy", forceinline=True, _nrt=False)
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


@njit(error_model="numpy", forceinline=True, _nrt=False)
def uniform(seed, superstep, element, code):
    """Return a float in [0, 1)."""
    return np.float64(random_bits(seed, superstep, element, code) >> np.uint64(11)) * 2.0**-53


@njit(error_model="numpy", forceinline=True, _nrt=False)
def below(bound, seed, superstep, element, code):
    """Return an integer in ``range(bound)``."""
    high = random_bits(seed, superstep, element, code) >> _32
    return np.int64((high * np.uint64(bound)) >> _32)
