"""Pairs of small numbers as one 64-bit key whose order is the order of the pairs.

A 32-bit float or integer becomes an unsigned number of the same order (a float by flipping its sign
bit, or all bits when negative); the first of a pair goes to the high half. One 64-bit atomic
minimum then compares pairs in order. Numbers of 64 bits have keys, too, to be sorted by.

The functions are written once, in groups, and compiled for each target, which supplies the two
casts of bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

_SIGN = np.uint64(0x80000000)
_ALL = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
_SIGN_64 = np.uint64(1 << 63)
_ALL_64 = np.uint64((1 << 64) - 1)

NAMES = (
    "order_f32",
    "unorder_f32",
    "order_i32",
    "unorder_i32",
    "order_u32",
    "unorder_u32",
    "order_bool",
    "unorder_bool",
    "pack",
    "high_half",
    "low_half",
)
WIDE_NAMES = (
    "order_f64",
    "unorder_f64",
    "order_i64",
    "unorder_i64",
    "order_u64",
    "unorder_u64",
)


def pair_functions(
    compiled: Callable[..., Any], bits_of_float: Any, float_of_bits: Any
) -> tuple[Any, ...]:
    """Return the functions called `NAMES`, compiled by a decorator."""
    return (
        *float_functions(compiled, bits_of_float, float_of_bits),
        *integer_functions(compiled),
        *halves_functions(compiled),
    )


def float_functions(compiled: Callable[..., Any], bits_of_float: Any, float_of_bits: Any) -> Any:
    """Return ``order_f32, unorder_f32``, compiled by a decorator."""

    @compiled
    def order_f32(value):
        """Return the ordered 32-bit key of a float; -0.0 counts as 0.0."""
        bits = np.uint64(bits_of_float(np.float32(value) + np.float32(0.0)))
        return bits ^ _ALL if bits & _SIGN else bits | _SIGN

    @compiled
    def unorder_f32(key):
        """Return the float of a key."""
        bits = key ^ _SIGN if key & _SIGN else key ^ _ALL
        return float_of_bits(np.uint32(bits))

    return order_f32, unorder_f32


def integer_functions(compiled: Callable[..., Any]) -> Any:
    """Return ``order_i32, unorder_i32, order_u32, unorder_u32, order_bool, unorder_bool``."""

    @compiled
    def order_i32(value):
        """Return the ordered 32-bit key of a signed integer."""
        return np.uint64(np.int64(value) + np.int64(0x80000000))

    @compiled
    def unorder_i32(key):
        """Return the signed integer of a key."""
        return np.int64(key) - np.int64(0x80000000)

    @compiled
    def order_u32(value):
        """Return the key of an unsigned integer: itself."""
        return np.uint64(value)

    @compiled
    def unorder_u32(key):
        """Return the unsigned integer of a key."""
        return np.int64(key)

    @compiled
    def order_bool(value):
        """Return the key of a truth value."""
        return np.uint64(1) if value else np.uint64(0)

    @compiled
    def unorder_bool(key):
        """Return the truth value of a key."""
        return key != np.uint64(0)

    return order_i32, unorder_i32, order_u32, unorder_u32, order_bool, unorder_bool


def halves_functions(compiled: Callable[..., Any]) -> Any:
    """Return ``pack, high_half, low_half``: a pair of keys as one, and its halves."""

    @compiled
    def pack(first, second):
        """Return the key of a pair."""
        return (first << _32) | second

    @compiled
    def high_half(pair):
        """Return the key of the first of a pair."""
        return pair >> _32

    @compiled
    def low_half(pair):
        """Return the key of the second of a pair."""
        return pair & _ALL

    return pack, high_half, low_half


def wide_functions(
    compiled: Callable[..., Any], bits_of_double: Any, double_of_bits: Any
) -> tuple[Any, ...]:
    """Return the functions called `WIDE_NAMES`, compiled by a decorator."""

    @compiled
    def order_f64(value):
        """Return the ordered 64-bit key of a float; -0.0 counts as 0.0."""
        bits = bits_of_double(np.float64(value) + np.float64(0.0))
        return bits ^ _ALL_64 if bits & _SIGN_64 else bits | _SIGN_64

    @compiled
    def unorder_f64(key):
        """Return the float of a key."""
        return double_of_bits(key ^ _SIGN_64 if key & _SIGN_64 else key ^ _ALL_64)

    @compiled
    def order_i64(value):
        """Return the ordered 64-bit key of a signed integer."""
        return np.uint64(value) ^ _SIGN_64

    @compiled
    def unorder_i64(key):
        """Return the signed integer of a key."""
        return np.int64(key ^ _SIGN_64)

    @compiled
    def order_u64(value):
        """Return the key of an unsigned integer: itself."""
        return np.uint64(value)

    @compiled
    def unorder_u64(key):
        """Return the unsigned integer of a key."""
        return key

    return order_f64, unorder_f64, order_i64, unorder_i64, order_u64, unorder_u64
