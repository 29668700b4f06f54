"""Functions of numbers that processors have and numba has not."""

from __future__ import annotations

from numba import types
from numba.extending import intrinsic


@intrinsic
def bit_count(typing_context, value):
    """Return how many bits of an integer are set."""

    def build(context, builder, signature, args):
        wide = context.cast(builder, args[0], signature.args[0], types.uint64)
        return builder.ctpop(wide)

    return types.int64(value), build
