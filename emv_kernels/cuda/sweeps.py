"""What a thread needs to go over its own elements again and again while others change theirs.

A thread keeps a bit for each of up to 64 elements that still wait for others. What those write is
seen by loads that ask the second-level cache, as the first level may hold what was there before.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import cuda, types

from emv_kernels.cuda.jit import SIMULATED, device

SHARE = 64  # elements of a thread that it goes over together
TRIES = 512  # times that it does so, before the loop looks whether all are done or called off
WINDOW = 2  # tasks of a warp that are open at once, as long as some of them are done with
AT_ONCE = 4  # more looks of receivers that have all their few arcs at hand, before others' turn

if SIMULATED:

    @cuda.jit(device=True)
    def fresh(array, index):
        """Return an element as it is now."""
        return array[index]

    @cuda.jit(device=True)
    def early(array, index):
        """Return an element as it is now or was before."""
        return array[index]

else:
    from numba.cuda.extending import intrinsic

    def _loaded(context, builder, signature, args, scope):
        """Return an element as the threads within a scope see it."""
        element = signature.args[0].dtype
        place = context.cast(builder, args[1], signature.args[1], types.int64)
        pointer = builder.gep(args[0], [place])
        kind = pointer.type.pointee
        is_float = isinstance(element, types.Float)
        width = element.bitwidth
        letter = {(True, 32): "f", (True, 64): "d"}.get((is_float, width))
        letter = letter or {8: "h", 16: "h", 32: "r", 64: "l"}[width]
        loaded = kind if is_float or width > 8 else ir.IntType(16)
        text = f"ld.relaxed.{scope}.global.{'f' if is_float else 'u'}{width} $0, [$1];"
        load = ir.InlineAsm(
            ir.FunctionType(loaded, [ir.IntType(64)]),
            text,
            f"={letter},l,~{{memory}}",
            side_effect=True,
        )
        value = builder.call(load, [builder.ptrtoint(pointer, ir.IntType(64))])
        return value if loaded == kind else builder.trunc(value, kind)

    @intrinsic
    def fresh(typing_context, array, index):
        """Return an element as it is now, whatever this multiprocessor has cached."""

        def build(context, builder, signature, args):
            return _loaded(context, builder, signature, args, "gpu")

        return array.dtype(array, index), build

    @intrinsic
    def early(typing_context, array, index):
        """Return an element as it is now, or as it was when this multiprocessor cached it."""

        def build(context, builder, signature, args):
            return _loaded(context, builder, signature, args, "cta")

        return array.dtype(array, index), build


@device
def share_of(base, stride, size):
    """Return a bit for each of the next elements of a thread, from the lowest on."""
    left = (size - base + stride - np.uint64(1)) // stride
    if left >= np.uint64(SHARE):
        return ~np.uint64(0)
    return (np.uint64(1) << left) - np.uint64(1)


@device
def tries_of(stride, size):
    """Return how often a thread goes over them: once where others wait for its next share."""
    return TRIES if size <= stride * np.uint64(SHARE) else 1


@device
def lowest_of(waiting):
    """Return the number of the lowest bit that is set."""
    return np.uint64(cuda.ffs(waiting)) - np.uint64(1)
