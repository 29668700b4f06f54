"""Asking for memory before it is needed, on a GPU: what comes later finds it in a cache."""

from __future__ import annotations

from llvmlite import ir
from numba import cuda, types

from emv_kernels.cuda.jit import SIMULATED

if SIMULATED:

    @cuda.jit(device=True)
    def ask_ahead(array, index):
        """Let an element come near, and wait for nothing; nobody reads what does not come."""

else:
    from numba.cuda.extending import intrinsic

    @intrinsic
    def ask_ahead(typing_context, array, index):
        """Let an element come near, and wait for nothing; nobody reads what does not come."""

        def build(context, builder, signature, args):
            index = context.cast(builder, args[1], signature.args[1], types.int64)
            place = builder.ptrtoint(builder.gep(args[0], [index]), ir.IntType(64))
            kind = ir.FunctionType(ir.VoidType(), [place.type])
            code = ir.InlineAsm(kind, "prefetch.global.L1 [$0];", "l", side_effect=True)
            builder.call(code, [place])
            return context.get_dummy_value()

        return types.void(array, index), build
