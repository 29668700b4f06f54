"""Lines of memory put together of two arrays without a branch, and written past the caches.

Of 64 entries a word says which come from one array and which from another, both in order. A
processor with AVX-512 spreads a line of each over the places that are theirs in one instruction
(expand), whatever the word is; a loop would guess wrong at every place where the source changes.
What is large is written past the caches: to fetch a line that is overwritten whole is a third of
what memory moves in a copy.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LINE_BITS = 512
WORD = 64  # entries of which a word tells

_I1, _I64 = ir.IntType(1), ir.IntType(64)


def _address(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """Return the address of an element as a number."""
    data = context.make_array(kind)(context, builder, array).data
    size = ir.Constant(_I64, kind.dtype.bitwidth // 8)
    return builder.add(builder.ptrtoint(data, _I64), builder.mul(index, size))


def _has_expand(context: Any, width: int) -> bool:
    """Return whether code is made for processors that spread a line of entries of a width."""
    _, _, features = context.codegen().magic_tuple()
    return width in (32, 64) and "+avx512f" in features.split(",")


@intrinsic
def put_word(typing_context, word, old, i, added, k, result, out, is_large):
    """Write 64 entries from ``out`` on if the processor can, and return whether it did.

    Where a bit of the word is set that is the next of `added` from ``k`` on, else the next of `old`
    from ``i`` on, or, where that is None, ``i`` itself. There must be 64 of both.
    """
    width = result.dtype.bitwidth

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        if not _has_expand(context, width):
            return _I1(0)
        lanes, entry = LINE_BITS // width, ir.IntType(width)
        line = ir.VectorType(entry, lanes)
        word, _, i, _, k, _, _, is_large = args
        goal = _address(context, builder, sig.args[5], args[5], args[6])
        is_even = builder.icmp_unsigned("==", builder.and_(goal, _I64(63)), _I64(0))
        past = builder.and_(is_large, is_even)

        def read(place: int, index: Any) -> Any:
            return _line_at(context, builder, (sig.args[place], args[place]), index, line)

        marks = ir.VectorType(_I1, lanes)
        kind = ir.FunctionType(line, [line, line, marks])
        name = f"llvm.x86.avx512.mask.expand.v{lanes}i{width}"
        expand = cgutils.get_or_insert_function(builder.module, kind, name)
        for number in range(WORD // lanes):
            few = builder.trunc(builder.lshr(word, _I64(lanes * number)), ir.IntType(lanes))
            mask = builder.bitcast(few, marks)
            made = builder.call(
                expand,
                [read(1, i), ir.Constant(line, None), builder.not_(mask)],
            )
            made = builder.call(expand, [read(3, k), made, mask])
            _put(builder, made, builder.add(goal, _I64(LINE_BITS // 8 * number)), past)
            count = builder.zext(builder.ctpop(few), _I64)
            k = builder.add(k, count)
            i = builder.add(i, builder.sub(_I64(lanes), count))
        return _I1(1)

    places = types.uint64
    told = types.uint64, old, places, added, places, result, places, types.boolean
    return types.boolean(*told), generate


def _line_at(context: Any, builder: Any, typed: tuple[Any, Any], index: Any, line: Any) -> Any:
    """Return a line of an array's entries from an index on; of None these are their own places."""
    kind, array = typed
    if not isinstance(kind, types.NoneType):
        at = _address(context, builder, kind, array, index)
        return builder.load(builder.inttoptr(at, line.as_pointer()), align=line.element.width // 8)
    none, places = ir.Constant(line, ir.Undefined), ir.VectorType(ir.IntType(32), line.count)
    first = builder.insert_element(none, _as(builder, index, line.element), ir.IntType(32)(0))
    spread = builder.shuffle_vector(first, none, ir.Constant(places, [0] * line.count))
    return builder.add(spread, ir.Constant(line, list(range(line.count))))


@intrinsic
def copy_line(typing_context, old, i, result, out):
    """Copy as many entries as 64 bytes hold; of None these are their own places."""
    width = result.dtype.bitwidth

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        line = ir.VectorType(ir.IntType(width), LINE_BITS // width)
        made = _line_at(context, builder, (sig.args[0], args[0]), args[1], line)
        goal = _address(context, builder, sig.args[2], args[2], args[3])
        builder.store(made, builder.inttoptr(goal, line.as_pointer()), align=width // 8)
        return context.get_dummy_value()

    return types.void(old, types.uint64, result, types.uint64), generate


def _as(builder: Any, number: Any, kind: Any) -> Any:
    """Return a number of 64 bits as one of a width."""
    return number if number.type == kind else builder.trunc(number, kind)


def _put(builder: Any, line: Any, at: Any, past: Any) -> None:
    """Write a line at an address; past the caches only where it is a whole line of memory."""
    pointer = builder.inttoptr(at, line.type.as_pointer())
    with builder.if_else(past, likely=True) as (then, otherwise):
        with then:
            written = builder.store(line, pointer, align=LINE_BITS // 8)
            once = builder.module.add_metadata([ir.IntType(32)(1)])
            written.set_metadata("nontemporal", once)
        with otherwise:
            builder.store(line, pointer, align=line.type.element.width // 8)


@intrinsic
def settle(typing_context):
    """Let other threads see what was written past the caches before what is written from now on."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), generate


@intrinsic
def none_above(typing_context, array, index, value):
    """Return a word that says which of the 64 entries from an index on are not above a value."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        entry = ir.IntType(array.dtype.bitwidth)
        several = ir.VectorType(entry, WORD)
        at = _address(context, builder, sig.args[0], args[0], args[1])
        found = builder.load(builder.inttoptr(at, several.as_pointer()), align=entry.width // 8)
        first = builder.insert_element(
            ir.Constant(several, ir.Undefined), args[2], ir.IntType(32)(0)
        )
        all_alike = ir.Constant(ir.VectorType(ir.IntType(32), WORD), [0] * WORD)
        wanted = builder.shuffle_vector(first, ir.Constant(several, ir.Undefined), all_alike)
        return builder.bitcast(builder.icmp_unsigned("<=", found, wanted), _I64)

    return types.uint64(array, types.uint64, array.dtype), generate
