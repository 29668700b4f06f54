"""One of two numbers that are both there, without a branch that a processor could guess wrong.

LLVM makes a branch of a choice between floats by what is no comparison of floats, as processors
have no such move, and of a choice of what was just read, as it takes reads for dear. So floats are
chosen by a mask, as parts of vectors are, and of whole numbers it is told that no guess is good.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@intrinsic
def chosen(typing_context, test, one, other):
    """Return one number if a test holds, else the other."""
    kind = typing_context.unify_types(one, other)

    def build(context, builder, sig, args):
        if isinstance(kind, types.Float):
            return _by_mask(builder, *args)
        found = builder.select(*args)
        found.set_metadata("unpredictable", builder.module.add_metadata([]))
        return found

    return kind(types.boolean, kind, kind), build


def _by_mask(builder, test, one, other):
    """Return one of two floats: as the first parts of vectors, of which the others are nothing."""
    bits = ir.IntType(64 if isinstance(one.type, ir.DoubleType) else 32)
    nothing, word = ir.Constant(bits, 0), ir.IntType(32)
    first = [
        builder.insert_element(ir.Constant(ir.VectorType(each.type, 2), None), each, word(0))
        for each in (builder.sext(test, bits), one, other)
    ]
    mask = builder.icmp_signed("<", first[0], ir.Constant(first[0].type, [nothing, nothing]))
    return builder.extract_element(builder.select(mask, *first[1:]), word(0))
