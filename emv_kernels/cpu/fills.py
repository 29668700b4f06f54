"""What large arrays hold when a run on cores begins, written by several threads.

One thread fills 4 MB in as long as two take for a superstep of a small search. An array is told by
where it lies, and as words of 64 bits, so that one form of the kernel serves every type: what fills
an array is the same word over and over, and the ids from 0 on, two of 32 bits in a word, are words
that grow by one number. Ids of 32 bits are widened on the way to a result, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from emv_kernels.cpu.entry import entry
from emv_kernels.cpu.jit import called
from emv_kernels.cpu.threads import by_threads, tell

ADDRESS, BYTES, FIRST, STEP, SOURCE, ROW = range(6)  # what is told of an array, and how much
BLOCK = 2**13  # words that a thread writes at a time


@entry("void(uint64[::1], int64, int64)")
def fill_all(told, count, num_threads):
    """Write the words of arrays.

    Parameters
    ----------
    told : uint64[ROW * n]
        Of each array: where it begins, its bytes, the first word and by how much the next is more;
        where ids of 32 bits begin that become its words instead, else 0.
    count : int
        The blocks of all.
    num_threads : int
        One asks for no threads, which a process made by fork may lack.
    """
    if num_threads == 1:
        for number in range(count):
            fill_block(number, told)
    else:
        by_threads(count, fill_block, tell(told))


@called
def fill_block(number, told):
    """Write one of the blocks of all arrays, which stand one behind the other."""
    k, low, nbytes = 0, number * BLOCK, np.int64(told[BYTES])
    while 8 * low >= nbytes:
        low -= (nbytes + (8 * BLOCK - 1)) // (8 * BLOCK) * BLOCK
        k += ROW
        nbytes = np.int64(told[k + BYTES])
    address, source, step = told[k + ADDRESS], told[k + SOURCE], told[k + STEP]
    high = min(low + BLOCK, nbytes >> 3)
    if source:
        for place in range(low, high):
            put_word(address, place, id_at(source, place))
        return
    word = told[k + FIRST] + np.uint64(low) * step
    for place in range(low, high):
        put_word(address, place, word)
        word += step
    for place in range(8 * high, min(8 * low + 8 * BLOCK, nbytes)):  # behind the last whole word
        put_byte(address, place, word >> np.uint64(8 * (place & 7)))


def _put(bits: int) -> Any:
    """Return code that writes a number behind an address, as many such numbers further."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.IntType(bits)
        place = builder.gep(builder.inttoptr(args[0], kind.as_pointer()), [args[1]])
        builder.store(args[2] if bits == 64 else builder.trunc(args[2], kind), place, align=1)
        return context.get_dummy_value()

    return types.void(types.uint64, types.int64, types.uint64), generate


@intrinsic
def put_word(typing_context, address, place, word):
    """Write a word behind an address."""
    return _put(64)


@intrinsic
def put_byte(typing_context, address, place, word):
    """Write the low byte of a word behind an address."""
    return _put(8)


@intrinsic
def id_at(typing_context, address, place):
    """Return an id of 32 bits behind an address."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.IntType(32)
        found = builder.gep(builder.inttoptr(args[0], kind.as_pointer()), [args[1]])
        return builder.zext(builder.load(found, align=1), ir.IntType(64))

    return types.uint64(types.uint64, types.int64), generate
