"""Single precision as a GPU does it best: four numbers in one load, and quick forms.

Results differ from those of cores in the last bits; use them where that changes no decision.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import cuda, types

from emv_kernels.cuda.jit import SIMULATED, device

if SIMULATED:

    @cuda.jit(device=True)
    def four(array, row):
        """Return the four float32 of a row; the array begins at a multiple of 16 bytes."""
        at = 4 * int(row)
        return array[at], array[at + 1], array[at + 2], array[at + 3]

    @cuda.jit(device=True)
    def inverse(value):
        """Return 1 over a normal number, to the last bit but one."""
        return np.float32(1.0) / value

    @cuda.jit(device=True)
    def fused(factor, other, term):
        """Return ``factor * other + term``, rounded once."""
        return np.float32(np.float64(factor) * np.float64(other) + np.float64(term))

else:
    from numba.cuda.extending import intrinsic

    @intrinsic
    def four(typing_context, array, row):
        """Return the four float32 of a row; the array begins at a multiple of 16 bytes."""
        result = types.UniTuple(types.float32, 4)

        def build(context, builder, signature, args):
            index = context.cast(builder, args[1], signature.args[1], types.int64)
            rows = builder.bitcast(args[0], ir.VectorType(ir.FloatType(), 4).as_pointer())
            loaded = builder.load(builder.gep(rows, [index]), align=16)
            parts = [builder.extract_element(loaded, ir.IntType(32)(k)) for k in range(4)]
            return context.make_tuple(builder, result, parts)

        return result(array, row), build

    @intrinsic
    def inverse(typing_context, value):
        """Return 1 over a normal number, to the last bit but one."""

        def build(context, builder, signature, args):
            kind = ir.FunctionType(ir.FloatType(), [ir.FloatType()])
            asked = ir.InlineAsm(kind, "rcp.approx.ftz.f32 $0, $1;", "=f,f", side_effect=False)
            return builder.call(asked, args)

        return types.float32(types.float32), build

    @device
    def fused(factor, other, term):
        """Return ``factor * other + term``, rounded once."""
        return cuda.fma(factor, other, term)
