"""Packed pairs for a GPU; see `emv_kernels.packing`."""

from __future__ import annotations

import numpy as np
from numba import cuda, types

from emv_kernels.cuda.jit import SIMULATED, device
from emv_kernels.packing import pair_functions, wide_functions

if SIMULATED:

    @cuda.jit(device=True)
    def _bits_of_float(value):
        return np.float32(value).view(np.uint32)

    @cuda.jit(device=True)
    def _float_of_bits(bits):
        return np.uint32(bits).view(np.float32)

    @cuda.jit(device=True)
    def _bits_of_double(value):
        return np.float64(value).view(np.uint64)

    @cuda.jit(device=True)
    def _double_of_bits(bits):
        return np.uint64(bits).view(np.float64)

else:
    from numba.cuda.extending import intrinsic

    def _bitcast(source, target):
        def typed(typing_context, value):
            def build(context, builder, signature, args):
                return builder.bitcast(args[0], context.get_value_type(target))

            return target(source), build

        return intrinsic(typed)

    _bits_of_float = _bitcast(types.float32, types.uint32)
    _float_of_bits = _bitcast(types.uint32, types.float32)
    _bits_of_double = _bitcast(types.float64, types.uint64)
    _double_of_bits = _bitcast(types.uint64, types.float64)

(
    order_f32,
    unorder_f32,
    order_i32,
    unorder_i32,
    order_u32,
    unorder_u32,
    order_bool,
    unorder_bool,
    pack,
    high_half,
    low_half,
) = pair_functions(device, _bits_of_float, _float_of_bits)
order_f64, unorder_f64, order_i64, unorder_i64, order_u64, unorder_u64 = wide_functions(
    device, _bits_of_double, _double_of_bits
)
order_i8 = order_i16 = order_i32
unorder_i8 = unorder_i16 = unorder_i32
order_u8 = order_u16 = order_u32
unorder_u8 = unorder_u16 = unorder_u32
