"""What each draw of a random graph is: the same bits on every target, in whatever order.

A draw is a function of (seed, stream, index, number) and nothing else, so threads and GPUs share
out the indices as they like. `place` starts a sequence for one index (an edge, a vertex), `word` is
its n-th 64-bit number: both are SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), a Weyl sequence
whose terms are mixed by two multiplications. It is a third of the work of Philox, and its words
pass BigCrush.

All probabilities are fixed-point integers, so no rounding can differ between a CPU and a GPU.

The functions are written once and compiled for each target.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

GAMMA = np.uint64(0x9E3779B97F4A7C15)
_M1, _M2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31, _32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_ONE = np.uint64(1)
_ZERO = np.uint64(0)

SHARE_BITS = 31
"""Bits behind the point of the factors by which R-MAT's shares are perturbed."""
_FIELD, _TEN, _TWENTY, _THIRTY = np.uint64(1023), np.uint64(10), np.uint64(20), np.uint64(30)
_FORTY, _24 = np.uint64(40), np.uint64(24)


def draw_functions(compiled: Callable[..., Any]) -> tuple[Any, Any, Any, Any]:
    """Return ``mix``, ``place``, ``word`` and ``below``, compiled by a decorator."""

    @compiled
    def mix(state):
        """Return 64 bits that depend on all 64 bits of a state, one to one."""
        state = (state ^ (state >> _30)) * _M1
        state = (state ^ (state >> _27)) * _M2
        return state ^ (state >> _31)

    @compiled
    def place(key, index):
        """Return where the sequence of an index starts; key and index have 64 bits."""
        return mix(np.uint64(key) + np.uint64(index) * GAMMA)

    @compiled
    def word(start, number):
        """Return the n-th 64 bits of a sequence, from 1 on."""
        return mix(start + np.uint64(number) * GAMMA)

    @compiled
    def below(bits, bound):
        """Return ``bits * bound >> 64``: a number below a bound of at most 32 bits."""
        bound = np.uint64(bound)
        return ((bits >> _32) * bound + (((bits & _LOW) * bound) >> _32)) >> _32

    return mix, place, word, below


def rmat_functions(compiled: Callable[..., Any], word: Any) -> tuple[Any, Any]:
    """Return ``rmat_level`` and ``rmat_edge``, compiled by a decorator.

    The shares a, b, c, d of the quadrants are 32-bit integers; only their ratios matter, so they
    are never made to add up to one again: the draw is scaled by their sum instead.
    """

    @compiled
    def rmat_level(bits, a, b, c, d, spread):
        """Choose a quadrant and perturb the shares, as GTgraph does.

        24 bits choose, ten perturb each share: by a factor in ``1 -+ spread``, of b in
        ``1 .. 1 + spread``. The factors have `SHARE_BITS` behind the point, and so has `spread`.

        Returns
        -------
        a, b, c, d : uint32
            The shares on the next level.
        down, right : uint64
            1 where the source, and where the target, lies in the second half.
        """
        wide_a, wide_b = np.uint64(a), np.uint64(b)
        wide_c, wide_d = np.uint64(c), np.uint64(d)
        upper = wide_a + wide_b
        drawn = ((bits >> _FORTY) * np.uint64(np.uint32(upper + wide_c + wide_d))) >> _24
        down = np.uint64(drawn >= upper)
        right = np.uint64(drawn >= wide_a) - down + np.uint64(drawn >= upper + wide_c)
        one = _ONE << _31
        least = one - spread + (spread >> _TEN)
        step = spread >> np.uint64(9)
        factor_a = np.uint32(least + step * (bits & _FIELD))
        factor_c = np.uint32(least + step * ((bits >> _TWENTY) & _FIELD))
        factor_d = np.uint32(least + step * ((bits >> _THIRTY) & _FIELD))
        factor_b = np.uint32(
            one + (spread >> np.uint64(11)) + (spread >> _TEN) * ((bits >> _TEN) & _FIELD)
        )
        return (
            np.uint32((wide_a * np.uint64(factor_a)) >> _31),
            np.uint32((wide_b * np.uint64(factor_b)) >> _31),
            np.uint32((wide_c * np.uint64(factor_c)) >> _31),
            np.uint32((wide_d * np.uint64(factor_d)) >> _31),
            down,
            right,
        )

    @compiled
    def rmat_edge(start, number, num_ids, a, b, c, d, spread):
        """Return source, target and the number of words used so far of one try of an edge."""
        src, dst = _ZERO, _ZERO
        step = np.uint64(num_ids) >> _ONE
        share_a, share_b, share_c, share_d = np.uint32(a), np.uint32(b), np.uint32(c), np.uint32(d)
        while step != _ZERO:
            number += _ONE
            share_a, share_b, share_c, share_d, down, right = rmat_level(
                word(start, number), share_a, share_b, share_c, share_d, spread
            )
            src += step * down
            dst += step * right
            step >>= _ONE
        return src, dst, number

    return rmat_level, rmat_edge


def scramble_function(compiled: Callable[..., Any]) -> Any:
    """Return ``scrambled``, compiled by a decorator."""

    @compiled
    def scrambled(vertex, scale, key):
        """Return another id of `scale` bits for each: a permutation that hides which are busy.

        Multiplying by an odd number and folding the upper half into the lower are both one to one.
        """
        mask = (_ONE << scale) - _ONE
        half = (scale + _ONE) >> _ONE
        odd = (key << _ONE) | _ONE
        vertex = (vertex * odd + (key >> _32)) & mask
        vertex ^= vertex >> half
        vertex = (vertex * GAMMA + key) & mask
        vertex ^= vertex >> half
        vertex = (vertex * (_M1 ^ (key << _ONE))) & mask
        return vertex ^ (vertex >> half)

    return scrambled


def lattice_function(compiled: Callable[..., Any]) -> Any:
    """Return ``along_axis``, compiled by a decorator."""

    @compiled
    def along_axis(edge, length, after, lanes):
        """Return the ends of an edge along one axis of a lattice.

        The axis has `length` places and the axes behind it `after` vertices in all; `lanes` is the
        number of edges in a row of it: one less than places, or as many when the row is a ring.
        """
        row, within = edge // after, edge % after
        across, at = row // lanes, row % lanes
        src = (across * length + at) * after + within
        dst = src + after
        if at == length - 1:
            dst -= length * after
        return src, dst

    return along_axis
