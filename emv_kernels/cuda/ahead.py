"""What is asked for before anybody needs it, so that it is in the second cache by then."""

from __future__ import annotations

from numba import cuda

from emv_kernels.cuda.jit import SIMULATED

if SIMULATED:

    @cuda.jit(device=True)
    def bring(array, index):
        """Bring the line of an element nearer, which must be there; nobody waits for it."""

else:
    from llvmlite import ir
    from numba import types
    from numba.cuda.extending import intrinsic

    @intrinsic
    def bring(typing_context, array, index):
        """Bring the line of an element nearer, which must be there; nobody waits for it."""

        def build(context, builder, signature, args):
            place = context.cast(builder, args[1], signature.args[1], types.int64)
            address = builder.ptrtoint(builder.gep(args[0], [place]), ir.IntType(64))
            kind = ir.FunctionType(ir.VoidType(), [ir.IntType(64)])
            text = ir.InlineAsm(kind, "prefetch.global.L2 [$0];", "l", side_effect=True)
            builder.call(text, [address])
            return context.get_dummy_value()

        return types.void(array, index), build
