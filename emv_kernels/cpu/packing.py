"""Pairs of small numbers as one 64-bit key whose order is the order of the pairs.

A 32-bit float or integer becomes an unsigned number of the same order (a float by flipping its sign
bit, or all bits when negative); the first of a pair goes to the high half. One 64-bit atomic
minimum then compares pairs in order.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

_SIGN = np.uint64(0x80000000)
_ALL = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)


def _bitcast(name, source, target):
    def typed(typing_context, value):
        def build(context, builder, signature, args):
            return builder.bitcast(args[0], context.get_value_type(target))

        return target(source), build

    typed.__name__ = name
    typed.__doc__ = f"Return the bits of a {source} as a {target}."
    return intrinsic(typed)


_bits_of_float = _bitcast("_bits_of_float", types.float32, types.uint32)
_float_of_bits = _bitcast("_float_of_bits", types.uint32, types.float32)


@njit(error_model="numpy", forceinline=True, _nrt=False)
def order_f32(value):
    """Return the ordered 32-bit key of a float; -0.0 counts as 0.0."""
    bits = np.uint64(_bits_of_float(np.float32(value) + np.float32(0.0)))
    return bits ^ _ALL if bits & _SIGN else bits | _SIGN


@njit(error_model="numpy", forceinline=True, _nrt=False)
def unorder_f32(key):
    """Return the float of a key."""
    bits = key ^ _SIGN if key & _SIGN else key ^ _ALL
    return _float_of_bits(np.uint32(bits))


@njit(error_model="numpy", forceinline=True, _nrt=False)
def order_i32(value):
    """Return the ordered 32-bit key of a signed integer."""
    return np.uint64(np.int64(value) + np.int64(0x80000000))


@njit(error_model="numpy", forceinline=True, _nrt=False)
def unorder_i32(key):
    """Return the signed integer of a key."""
    return np.int64(key) - np.int64(0x80000000)


@njit(error_model="numpy", forceinline=True, _nrt=False)
def order_u32(value):
    """Return the key of an unsigned integer: itself."""
    return np.uint64(value)


@njit(error_model="numpy", forceinline=True, _nrt=False)
def unorder_u32(key):
    """Return the unsigned integer of a key."""
    return np.int64(key)


order_i8 = order_i16 = order_i32
unorder_i8 = unorder_i16 = unorder_i32
order_u8 = order_u16 = order_u32
unorder_u8 = unorder_u16 = unorder_u32


@njit(error_model="numpy", forceinline=True, _nrt=False)
def order_bool(value):
    """Return the key of a truth value."""
    return np.uint64(1) if value else np.uint64(0)


@njit(error_model="numpy", forceinline=True, _nrt=False)
def unorder_bool(key):
    """Return the truth value of a key."""
    return key != np.uint64(0)


@njit(error_model="numpy", forceinline=True, _nrt=False)
def pack(first, second):
    """Return the key of a pair."""
    return (first << _32) | second


@njit(error_model="numpy", forceinline=True, _nrt=False)
def high_half(pair):
    """Return the key of the first of a pair."""
    return pair >> _32


@njit(error_model="numpy", forceinline=True, _nrt=False)
def low_half(pair):
    """Return the key of the second of a pair."""
    return pair & _ALL
