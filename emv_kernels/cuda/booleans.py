"""Arrays of truth values behind a bare pointer, for numba's CUDA target.

A truth value is one bit in a register and one byte in memory. numba reads and writes what is behind
a pointer as it is in memory, which is right for numbers only; here is what it takes for truth
values. Importing this module registers it.
"""

from __future__ import annotations

import operator

from numba.cuda import types
from numba.cuda.extending import lower_builtin

TRUTHS = types.CPointer(types.boolean)


@lower_builtin(operator.getitem, TRUTHS, types.Integer)
def read_truth(context, builder, signature, arguments):
    """Read one byte: any but 0 is true."""
    byte = builder.load(builder.gep(arguments[0], [arguments[1]]))
    return builder.icmp_unsigned("!=", byte, byte.type(0))


@lower_builtin(operator.setitem, TRUTHS, types.Integer, types.boolean)
def write_truth(context, builder, signature, arguments):
    """Write one byte, 0 or 1."""
    pointer, index, value = arguments
    place = builder.gep(pointer, [index])
    builder.store(builder.zext(value, place.type.pointee), place)
