"""The time of day on a GPU, in nanoseconds, the same on all of its multiprocessors.

``%globaltimer`` is the one clock that threads on different multiprocessors can compare. How often
it moves is up to the GPU: about every 32 ns on an H100 or H200, about every microsecond on others
or under a virtual machine. A profile finds it in its own records and says it.
"""

from __future__ import annotations

import time

from llvmlite import ir
from numba import cuda, types

from emv_kernels.cuda.jit import SIMULATED

if SIMULATED:

    @cuda.jit(device=True)
    def nanoseconds():
        """Return the time in nanoseconds, from a start that is the same for all threads."""
        return time.perf_counter_ns()

else:
    from numba.cuda.extending import intrinsic

    @intrinsic
    def nanoseconds(typing_context):
        """Return the time in nanoseconds, from a start that is the same for all threads."""

        def build(context, builder, signature, args):
            kind = ir.FunctionType(ir.IntType(64), [])
            text = "mov.u64 $0, %globaltimer;"
            code = ir.InlineAsm(kind, text, "=l,~{memory}", side_effect=True)
            return builder.call(code, [])

        return types.int64(), build
