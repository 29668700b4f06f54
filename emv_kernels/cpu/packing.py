"""Packed pairs for the cores of the host; see `emv_kernels.packing`."""

from __future__ import annotations

from numba import types
from numba.extending import intrinsic

from emv_kernels.cpu.jit import inlined
from emv_kernels.packing import pair_functions, wide_functions


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
_bits_of_double = _bitcast("_bits_of_double", types.float64, types.uint64)
_double_of_bits = _bitcast("_double_of_bits", types.uint64, types.float64)

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
) = pair_functions(
    inlined,
    _bits_of_float,
    _float_of_bits,
)
order_f64, unorder_f64, order_i64, unorder_i64, order_u64, unorder_u64 = wide_functions(
    inlined,
    _bits_of_double,
    _double_of_bits,
)
order_i8 = order_i16 = order_i32
unorder_i8 = unorder_i16 = unorder_i32
order_u8 = order_u16 = order_u32
unorder_u8 = unorder_u16 = unorder_u32
