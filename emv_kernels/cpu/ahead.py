"""What is asked for before it is wanted, so that nobody waits for it out of the memory.

A processor looks ahead by itself, but not beyond a test that it guesses wrong: where that test
waits for what comes from far, everything behind it waits, too.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic
def ask_ahead(typing_context, array, index):
    """Ask for an element, which may be one behind the last; nothing waits for it."""

    def build(context, builder, sig, args):
        view = context.make_array(sig.args[0])(context, builder, args[0])
        place = context.cast(builder, args[1], sig.args[1], types.intp)
        found = cgutils.get_item_pointer(
            context, builder, sig.args[0], view, [place], wraparound=False, boundscheck=False
        )
        word, byte = ir.IntType(32), ir.IntType(8).as_pointer()
        told = [builder.bitcast(found, byte), word(0), word(3), word(1)]  # to read, to keep, data
        kind = ir.FunctionType(ir.VoidType(), [each.type for each in told])
        builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0"), told)
        return context.get_dummy_value()

    return types.void(array, index), build
