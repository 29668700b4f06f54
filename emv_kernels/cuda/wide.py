"""Copies of entries of 4 bytes, four at a time, to places that are a multiple of 16 bytes apart.

Where they come from may be any number of entries off: every lane loads four that are aligned, and
takes what is missing from the next lane.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import cuda, types

from emv_kernels.cuda.jit import SIMULATED, device

ALL = 0xFFFFFFFF
FOUR = 4
ROW = 32 * FOUR  # entries of a warp

if SIMULATED:

    @cuda.jit(device=True)
    def are_words(array):
        """Return whether entries have 4 bytes."""
        return array.array.itemsize == 4

    @cuda.jit(device=True)
    def words_off(array):
        """Return how many words an array begins behind a multiple of 16 bytes."""
        return np.int64(array.array.ctypes.data >> 2 & 3)

    @cuda.jit(device=True)
    def load_four(array, index):
        """Return four entries, the first of which is at a multiple of 16 bytes."""
        assert (array.array.ctypes.data + 4 * index) % 16 == 0
        return array[index], array[index + 1], array[index + 2], array[index + 3]

    @cuda.jit(device=True)
    def store_four(array, index, one, two, three, four):
        """Store four entries, the first of which is at a multiple of 16 bytes."""
        assert (array.array.ctypes.data + 4 * index) % 16 == 0
        array[index], array[index + 1], array[index + 2], array[index + 3] = one, two, three, four

else:
    from numba.cuda.extending import intrinsic

    _LONG, _WORD = ir.IntType(64), ir.IntType(32)

    def _address(context, builder, signature, args):
        index = context.cast(builder, args[1], signature.args[1], types.int64)
        return builder.ptrtoint(builder.gep(args[0], [index]), _LONG)

    @intrinsic
    def are_words(typing_context, array):
        """Return whether entries have 4 bytes."""
        is_so = array.dtype.bitwidth == 32

        def build(context, builder, signature, args):
            return context.get_constant(types.boolean, is_so)

        return types.boolean(array), build

    @intrinsic
    def words_off(typing_context, array):
        """Return how many words an array begins behind a multiple of 16 bytes."""

        def build(context, builder, signature, args):
            words = builder.lshr(builder.ptrtoint(args[0], _LONG), _LONG(2))
            return builder.and_(words, _LONG(3))

        return types.int64(array), build

    @intrinsic
    def load_four(typing_context, array, index):
        """Return four entries, the first of which is at a multiple of 16 bytes."""

        def build(context, builder, signature, args):
            place = _address(context, builder, signature, args)
            kind = ir.FunctionType(ir.LiteralStructType([_WORD] * FOUR), [_LONG])
            text = "ld.global.v4.u32 {$0, $1, $2, $3}, [$4];"
            code = ir.InlineAsm(kind, text, "=r,=r,=r,=r,l", side_effect=False)
            found = builder.call(code, [place])
            words = [builder.extract_value(found, k) for k in range(FOUR)]
            return context.make_tuple(builder, signature.return_type, words)

        return types.UniTuple(types.uint32, FOUR)(array, index), build

    @intrinsic
    def store_four(typing_context, array, index, one, two, three, four):
        """Store four entries, the first of which is at a multiple of 16 bytes."""

        def build(context, builder, signature, args):
            place = _address(context, builder, signature, args)
            kind = ir.FunctionType(ir.VoidType(), [_LONG, *[_WORD] * FOUR])
            text = "st.global.v4.u32 [$0], {$1, $2, $3, $4};"
            code = ir.InlineAsm(kind, text, "l,r,r,r,r,~{memory}", side_effect=True)
            builder.call(code, [place, *args[2:]])
            return context.get_dummy_value()

        words = (types.uint32,) * FOUR
        return types.void(array, index, *words), build


@device
def _from_next(own, behind):
    """Return a word of the next lane; of the last one, of the first lane of what is behind."""
    lane = np.int32(cuda.laneid)
    word = np.int32(behind if lane == 0 else own)
    return np.uint32(cuda.shfl_sync(ALL, word, np.int32((lane + 1) & 31)))


@device
def _store_moved(result, i, off, own, behind):
    """Store four entries, ``off`` behind a lane's own; those of the next row are ``behind``."""
    one, two, three, four = own
    if off == 1:
        one, two, three, four = two, three, four, _from_next(one, behind[0])
    elif off == 2:
        five, six = _from_next(one, behind[0]), _from_next(two, behind[1])
        one, two, three, four = three, four, five, six
    elif off == 3:
        five, six = _from_next(one, behind[0]), _from_next(two, behind[1])
        one, two, three, four = four, five, six, _from_next(three, behind[2])
    store_four(result, i, one, two, three, four)


@device
def copy_rows(old, result, begin, rows, source, off):
    """Copy rows of entries, four of them at a time, from ``source + off`` of old to ``begin``.

    Both ``begin`` of the result and ``source`` are at multiples of 16 bytes; a warp copies.
    """
    lane = FOUR * np.int64(cuda.laneid)
    i, k, row = begin + lane, source + lane, 0
    while row < rows:
        one, two = load_four(old, k), load_four(old, k + ROW)
        three, four = load_four(old, k + 2 * ROW), load_four(old, k + 3 * ROW)
        behind = four
        if off > 0:
            behind = load_four(old, k - lane + 4 * ROW)
        _store_moved(result, i, off, one, two)
        _store_moved(result, i + ROW, off, two, three)
        _store_moved(result, i + 2 * ROW, off, three, four)
        _store_moved(result, i + 3 * ROW, off, four, behind)
        i, k, row = i + 4 * ROW, k + 4 * ROW, row + 4
