"""Functions of numbers that processors have and numba has not."""

from __future__ import annotations

from numba import types
from numba.extending import intrinsic

from emv_kernels import arithmetic
from emv_kernels.cpu.jit import inlined


@intrinsic
def bit_count(typing_context, value):
    """Return how many bits of an integer are set."""

    def build(context, builder, signature, args):
        wide = context.cast(builder, args[0], signature.args[0], types.uint64)
        return builder.ctpop(wide)

    return types.int64(value), build


@inlined
def float_divided(left, right):
    """Return ``left // right`` of floats."""
    return left // right


@inlined
def float_remainder(left, right):
    """Return ``left % right`` of floats."""
    return left % right


divided, remainder = inlined(arithmetic.divided), inlined(arithmetic.remainder)
shifted_left, shifted_right = inlined(arithmetic.shifted_left), inlined(arithmetic.shifted_right)
shifted_right_u64, power = inlined(arithmetic.shifted_right_u64), inlined(arithmetic.power)
divisor = inlined(arithmetic.divisor)
whole, whole_u64 = inlined(arithmetic.whole), inlined(arithmetic.whole_u64)
smaller, larger = inlined(arithmetic.smaller), inlined(arithmetic.larger)
floored, raised = inlined(arithmetic.floored), inlined(arithmetic.raised)
