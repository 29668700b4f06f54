"""Functions of numbers that numba has on the CPU but not for a GPU."""

from __future__ import annotations

import math

import numpy as np
from numba import cuda

from emv_kernels import arithmetic
from emv_kernels.cuda.jit import SIMULATED, device

if SIMULATED:

    @cuda.jit(device=True)
    def bit_count(value):
        """Return how many bits of an integer are set."""
        return bin(int(value) & 0xFFFFFFFFFFFFFFFF).count("1")

    @cuda.jit(device=True)
    def rint(value):
        """Return the nearest whole number as a float, the even one of two."""
        return np.rint(value)

    @cuda.jit(device=True)
    def float_divided(left, right):
        """Return ``left // right`` of floats."""
        return np.floor_divide(left, right)

    @cuda.jit(device=True)
    def float_remainder(left, right):
        """Return ``left % right`` of floats."""
        return np.remainder(left, right)

    @cuda.jit(device=True)
    def as_other(value, other):
        """Return a number as one of another's type."""
        return int(value) if isinstance(other, int | np.integer) else value

else:
    from numba.cuda import libdevice
    from numba.cuda.extending import intrinsic

    @intrinsic
    def as_other(typing_context, value, other):
        """Return a number as one of another's type."""

        def build(context, builder, signature, args):
            return context.cast(builder, args[0], *signature.args)

        return other(value, other), build

    @device
    def bit_count(value):
        """Return how many bits of an integer are set."""
        return cuda.popc(np.uint64(value))

    @device
    def rint(value):
        """Return the nearest whole number as a float, the even one of two."""
        return libdevice.rint(np.float64(value))

    # LLVM writes the remainder of floats as x - trunc(x / y) * y, which is none where x / y is
    # large or y infinite; the library's is exact.

    @device
    def float_divided(left, right):
        """Return ``left // right`` of floats."""
        if right == 0:
            return left / right
        rest = math.fmod(left, right)
        quotient = (left - rest) / right
        if rest != 0 and (rest < 0) != (right < 0):
            quotient -= rest / rest  # 1 of the same type
        if quotient == 0:
            return math.copysign(quotient, left / right)
        floor = math.floor(quotient)
        return floor + rest / rest if quotient - floor > 0.5 else floor

    @device
    def float_remainder(left, right):
        """Return ``left % right`` of floats."""
        rest = math.fmod(left, right)
        if rest == 0:
            return math.copysign(rest, right)
        return rest + right if (rest < 0) != (right < 0) else rest


divided, remainder = device(arithmetic.divided), device(arithmetic.remainder)
shifted_left, shifted_right = device(arithmetic.shifted_left), device(arithmetic.shifted_right)
shifted_right_u64, power = device(arithmetic.shifted_right_u64), device(arithmetic.power)
divisor = device(arithmetic.divisor)
whole, whole_u64 = device(arithmetic.whole), device(arithmetic.whole_u64)
smaller, larger = device(arithmetic.smaller), device(arithmetic.larger)
floored, raised = device(arithmetic.floored), device(arithmetic.raised)
