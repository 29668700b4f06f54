"""Atomic operations on elements behind a pointer; all return the value that was there before.

Each is one instruction where the GPU has one. The others: a minimum of floats compares their bits
as integers (ascending where the sign bit is clear, descending where it is set); elements of 1 or 2
bytes are changed inside their 4-byte word by compare-and-swap. Ordering is relaxed, as the barrier
between phases orders all else.

The ``*_if`` forms have the twins' first argument, which says whether threads share the array; here
they always do. They test before they update: a load is cheaper than an atomic that changes nothing.
"""

from __future__ import annotations

from llvmlite import ir
from numba import cuda, types
from numba.core import cgutils

from emv_kernels.cuda.jit import SIMULATED, device

if SIMULATED:

    def _locked(name):
        @cuda.jit(device=True)
        def change(array, index, value):
            return getattr(cuda.atomic, name)(array, index, value)

        return change

    fetch_add, fetch_min, fetch_max = _locked("add"), _locked("min"), _locked("max")
    fetch_and, fetch_or, fetch_xor = _locked("and_"), _locked("or_"), _locked("xor")
    exchange = _locked("exch")

    @cuda.jit(device=True)
    def fetch(array, index):
        """Return an element as it is now."""
        return cuda.atomic.add(array, index, 0)

    @cuda.jit(device=True)
    def compare_exchange(array, index, expected, desired):
        """Store ``desired`` if ``expected`` is there; return what was there."""
        return cuda.atomic.cas(array, index, expected, desired)

else:
    from numba.cuda.extending import intrinsic

    def _pointer(context, builder, signature, args):
        index = context.cast(builder, args[1], signature.args[1], types.int64)
        return builder.gep(args[0], [index])

    def _narrow(builder, pointer, change):
        """Change 1 or 2 bytes inside their word; ``change`` maps the old bytes to the new."""
        word_type, size = ir.IntType(32), ir.IntType(64)
        element = pointer.type.pointee
        address = builder.ptrtoint(pointer, size)
        word = builder.inttoptr(builder.and_(address, size(-4)), word_type.as_pointer())
        shift = builder.trunc(builder.shl(builder.and_(address, size(3)), size(3)), word_type)
        mask = builder.shl(word_type((1 << element.width) - 1), shift)
        start = builder.load(word)
        before, loop = builder.block, builder.append_basic_block("narrow")
        after = builder.append_basic_block("narrow.done")
        builder.branch(loop)
        builder.position_at_end(loop)
        seen = builder.phi(word_type)
        old = builder.trunc(builder.lshr(seen, shift), element)
        new = builder.shl(builder.zext(change(old), word_type), shift)
        wanted = builder.or_(builder.and_(seen, builder.not_(mask)), new)
        found = builder.cmpxchg(word, seen, wanted, "monotonic", "monotonic")
        value = builder.extract_value(found, 0)
        seen.add_incoming(start, before)
        seen.add_incoming(value, builder.block)
        builder.cbranch(builder.extract_value(found, 1), after, loop)
        builder.position_at_end(after)
        return old

    def _apply(builder, op, old, value):
        """Return the result of an operation on integers of any width."""
        if op in ("min", "max", "umin", "umax"):
            sign = "<" if op.endswith("min") else ">"
            compare = builder.icmp_unsigned if op[0] == "u" else builder.icmp_signed
            return builder.select(compare(sign, old, value), old, value)
        if op == "xchg":
            return value
        return {"add": builder.add, "and": builder.and_, "or": builder.or_, "xor": builder.xor}[op](
            old, value
        )

    def _float_extreme(builder, op, pointer, value):
        """Lower or raise a float: by its bits, which order like integers of one sign."""
        bits = ir.IntType(32 if isinstance(value.type, ir.FloatType) else 64)
        place, number = builder.bitcast(pointer, bits.as_pointer()), builder.bitcast(value, bits)
        negative = builder.icmp_signed("<", number, bits(0))
        with builder.if_else(negative) as (then, otherwise):
            with then:
                opposite = "umax" if op == "min" else "umin"
                first = builder.atomic_rmw(opposite, place, number, "monotonic")
                first_block = builder.block
            with otherwise:
                second = builder.atomic_rmw(op, place, number, "monotonic")
                second_block = builder.block
        old = builder.phi(bits)
        old.add_incoming(first, first_block)
        old.add_incoming(second, second_block)
        return builder.bitcast(old, value.type)

    def _float_add(builder, pointer, value):
        """Add to a float: NVVM's LLVM has no such update, but a function of its own."""
        letter = "f32" if isinstance(value.type, ir.FloatType) else "f64"
        kind = ir.FunctionType(value.type, [pointer.type, value.type])
        name = f"llvm.nvvm.atomic.load.add.{letter}.p0{letter}"
        function = cgutils.get_or_insert_function(builder.module, kind, name)
        return builder.call(function, [pointer, value])

    def _read_modify_write(name, op, unsigned=None):
        def typed(typing_context, array, index, value):
            element = array.dtype

            def build(context, builder, signature, args):
                pointer = _pointer(context, builder, signature, args)
                operand = context.cast(builder, args[2], signature.args[2], element)
                if isinstance(element, types.Float):
                    if op in ("min", "max"):
                        return _float_extreme(builder, op, pointer, operand)
                    if op == "xchg":
                        return _exchange_float(builder, pointer, operand)
                    return _float_add(builder, pointer, operand)
                kind = op if element.signed or unsigned is None else unsigned
                if element.bitwidth < 32:
                    return _narrow(
                        builder, pointer, lambda old: _apply(builder, kind, old, operand)
                    )
                return builder.atomic_rmw(kind, pointer, operand, "monotonic")

            return element(array, index, value), build

        typed.__name__ = name
        typed.__doc__ = f"Atomically apply {name} to array[index]; return the old value."
        return intrinsic(typed)

    def _exchange_float(builder, pointer, value):
        bits = ir.IntType(32 if isinstance(value.type, ir.FloatType) else 64)
        place = builder.bitcast(pointer, bits.as_pointer())
        number = builder.bitcast(value, bits)
        return builder.bitcast(builder.atomic_rmw("xchg", place, number, "monotonic"), value.type)

    fetch_add = _read_modify_write("fetch_add", "add")
    fetch_min = _read_modify_write("fetch_min", "min", "umin")
    fetch_max = _read_modify_write("fetch_max", "max", "umax")
    fetch_and = _read_modify_write("fetch_and", "and")
    fetch_or = _read_modify_write("fetch_or", "or")
    fetch_xor = _read_modify_write("fetch_xor", "xor")
    exchange = _read_modify_write("exchange", "xchg")

    @intrinsic
    def fetch(typing_context, array, index):
        """Return an element of 4 or 8 bytes as it is now, by a load."""
        element = array.dtype

        def build(context, builder, signature, args):
            place = builder.ptrtoint(_pointer(context, builder, signature, args), ir.IntType(64))
            bits = element.bitwidth
            kind = ir.FunctionType(ir.IntType(bits), [place.type])
            text, letter = f"ld.relaxed.gpu.global.u{bits} $0, [$1];", "l" if bits == 64 else "r"
            code = ir.InlineAsm(kind, text, f"={letter},l", side_effect=True)
            return builder.bitcast(builder.call(code, [place]), context.get_value_type(element))

        return element(array, index), build

    @intrinsic
    def compare_exchange(typing_context, array, index, expected, desired):
        """Store ``desired`` if ``expected`` is there, bit for bit; return what was there."""
        element = array.dtype

        def build(context, builder, signature, args):
            pointer = _pointer(context, builder, signature, args)
            old = context.cast(builder, args[2], signature.args[2], element)
            new = context.cast(builder, args[3], signature.args[3], element)
            if isinstance(element, types.Float):
                bits = ir.IntType(element.bitwidth)
                pointer = builder.bitcast(pointer, bits.as_pointer())
                old, new = builder.bitcast(old, bits), builder.bitcast(new, bits)
            elif element.bitwidth < 32:
                return _narrow(
                    builder,
                    pointer,
                    lambda found: builder.select(
                        builder.icmp_unsigned("==", found, old), new, found
                    ),
                )
            found = builder.cmpxchg(pointer, old, new, "monotonic", "monotonic")
            value = builder.extract_value(found, 0)
            if isinstance(element, types.Float):
                return builder.bitcast(value, context.get_value_type(element))
            return value

        return element(array, index, expected, desired), build


@device
def add_if(shared, array, index, value):
    """Add to an element; return the old value."""
    return fetch_add(array, index, value)


@device
def min_if(shared, array, index, value):
    """Lower an element to ``value`` if that is smaller; return the old value."""
    old = array[index]
    if value < old:
        old = fetch_min(array, index, value)
    return old


@device
def max_if(shared, array, index, value):
    """Raise an element to ``value`` if that is larger; return the old value."""
    old = array[index]
    if value > old:
        old = fetch_max(array, index, value)
    return old


@device
def and_if(shared, array, index, value):
    """Bitwise-and into an element."""
    return fetch_and(array, index, value)


@device
def or_if(shared, array, index, value):
    """Bitwise-or into an element, which is left alone where it has the bits."""
    old = array[index]
    if (old | value) != old:
        old = fetch_or(array, index, value)
    return old


@device
def xor_if(shared, array, index, value):
    """Bitwise-xor into an element."""
    return fetch_xor(array, index, value)


@device
def mul_if(shared, array, index, value):
    """Multiply an element; a compare-and-swap loop, as no processor has the instruction."""
    old = array[index]
    while True:
        found = compare_exchange(array, index, old, old * value)
        if found == old or (found != found and old != old):
            return old
        old = found


@device
def take_flag(shared, flags, index):
    """Set a flag; return whether this call was the one that set it."""
    if flags[index] != 0:
        return False
    return exchange(flags, index, 1) == 0


@device
def take_stamp(flags, index, stamp):
    """Mark an element with a number; return whether this call was the first with that number."""
    if flags[index] == stamp:
        return False
    return exchange(flags, index, stamp) != stamp


@device
def claim_once(array, index, expected, desired, flags, stamp):
    """Replace ``expected`` by ``desired``; return whether this call did it.

    Where the two are the same number, who marks the element first did it.
    """
    if desired == expected:
        return array[index] == expected and take_stamp(flags, index, stamp)
    return compare_exchange(array, index, expected, desired) == expected
