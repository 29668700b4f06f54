"""Atomic operations on array elements for numba's CPU target, which has none of its own.

Each is one LLVM ``atomicrmw`` or ``cmpxchg`` with relaxed ordering: kernels only need that no
update is lost; the barrier at the end of a parallel region orders the rest. All return the value
that was there before. The ``*_if`` forms take a flag that says whether other threads work on the
array; when none do, a plain update is several times cheaper.

A plain load in a loop of a parallel region may be moved out of it by numba, so loops here use only
what the atomic operation itself returned.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from emv_kernels.cpu.jit import called, inlined


def _pointer(context, builder, array_type, array, index_type, index):
    index = context.cast(builder, index, index_type, types.intp)
    view = context.make_array(array_type)(context, builder, array)
    return cgutils.get_item_pointer(
        context, builder, array_type, view, [index], wraparound=False, boundscheck=False
    )


def _read_modify_write(name, integer_op, float_op=None, unsigned_op=None):
    """Make the intrinsic for one ``atomicrmw`` operation."""

    def typed(typing_context, array, index, value):
        element = array.dtype
        signature = element(array, index, value)

        def build(context, builder, sig, args):
            pointer = _pointer(context, builder, sig.args[0], args[0], sig.args[1], args[1])
            operand = context.cast(builder, args[2], sig.args[2], element)
            if isinstance(element, types.Float):
                op = float_op
            else:
                op = integer_op if element.signed or unsigned_op is None else unsigned_op
            return builder.atomic_rmw(op, pointer, operand, "monotonic")

        return signature, build

    typed.__name__ = name
    typed.__doc__ = f"Atomically apply {name} to array[index]; return the old value."
    return intrinsic(typed)


fetch_add = _read_modify_write("fetch_add", "add", "fadd")
fetch_min = _read_modify_write("fetch_min", "min", "fmin", "umin")
fetch_max = _read_modify_write("fetch_max", "max", "fmax", "umax")
fetch_and = _read_modify_write("fetch_and", "and")
fetch_or = _read_modify_write("fetch_or", "or")
fetch_xor = _read_modify_write("fetch_xor", "xor")
exchange = _read_modify_write("exchange", "xchg", "xchg")


@intrinsic
def _compare_exchange_bits(typing_context, array, index, expected, desired):
    """Store ``desired`` in array[index] if ``expected`` is there, comparing bits."""
    element = array.dtype
    signature = element(array, index, expected, desired)

    def build(context, builder, sig, args):
        pointer = _pointer(context, builder, sig.args[0], args[0], sig.args[1], args[1])
        old = context.cast(builder, args[2], sig.args[2], element)
        new = context.cast(builder, args[3], sig.args[3], element)
        if isinstance(element, types.Float):
            bits = ir.IntType(element.bitwidth)
            pointer = builder.bitcast(pointer, bits.as_pointer())
            old, new = builder.bitcast(old, bits), builder.bitcast(new, bits)
            found = builder.cmpxchg(pointer, old, new, "monotonic", "monotonic")
            return builder.bitcast(builder.extract_value(found, 0), context.get_value_type(element))
        found = builder.cmpxchg(pointer, old, new, "monotonic", "monotonic")
        return builder.extract_value(found, 0)

    return signature, build


@called
def compare_exchange(array, index, expected, desired):
    """Store ``desired`` if ``expected`` is there; return what was there."""
    return _compare_exchange_bits(array, index, expected, desired)


@inlined
def add_if(shared, array, index, value):
    """Add to an element; return the old value."""
    if shared:
        return fetch_add(array, index, value)
    old = array[index]
    array[index] = old + value
    return old


@inlined
def min_if(shared, array, index, value):
    """Lower an element to ``value`` if that is smaller; return the old value."""
    if shared:
        old = array[index]
        if value < old:
            old = fetch_min(array, index, value)
        return old
    old = array[index]
    if value < old:
        array[index] = value
    return old


@inlined
def max_if(shared, array, index, value):
    """Raise an element to ``value`` if that is larger; return the old value."""
    if shared:
        old = array[index]
        if value > old:
            old = fetch_max(array, index, value)
        return old
    old = array[index]
    if value > old:
        array[index] = value
    return old


@inlined
def and_if(shared, array, index, value):
    """Bitwise-and into an element."""
    if shared:
        return fetch_and(array, index, value)
    old = array[index]
    array[index] = old & value
    return old


@inlined
def or_if(shared, array, index, value):
    """Bitwise-or into an element, which is left alone where it has the bits."""
    old = array[index]
    if (old | value) != old:
        if shared:
            return fetch_or(array, index, value)
        array[index] = old | value
    return old


@inlined
def xor_if(shared, array, index, value):
    """Bitwise-xor into an element."""
    if shared:
        return fetch_xor(array, index, value)
    old = array[index]
    array[index] = old ^ value
    return old


@inlined
def mul_if(shared, array, index, value):
    """Multiply an element; a compare-and-swap loop, as no processor has the instruction."""
    old = array[index]
    if not shared:
        array[index] = old * value
        return old
    while True:
        found = compare_exchange(array, index, old, old * value)
        if found == old or (found != found and old != old):
            return old
        old = found


@inlined
def take_flag(shared, flags, index):
    """Set a flag; return whether this call was the one that set it."""
    if flags[index] != 0:
        return False
    if shared:
        return exchange(flags, index, 1) == 0
    flags[index] = 1
    return True


@inlined
def claim_once(shared, array, index, expected, desired, flags):
    """Replace ``expected`` by ``desired``; return whether this call did it.

    Where the two are the same number, who sets the flag did it.
    """
    if desired == expected:
        return take_flag(shared, flags, index)
    if shared:
        return _compare_exchange_bits(array, index, expected, desired) == expected
    if array[index] != expected:
        return False
    array[index] = desired
    return True
