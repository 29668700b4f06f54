"""Where fields and lines end, found in 64 bytes at once and before any of them is read.

Each byte becomes a bit of a word, and bits that are set become places without a branch, some more
than there mostly are (Langdale and Lemire, VLDB Journal 2019). What is read then begins at a place
that is known: a processor reads several fields at once where it would otherwise wait for the end of
each to know where the next begins.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from emv_kernels.cpu.entry import entry
from emv_kernels.cpu.jit import called
from emv_kernels.cpu.renumber import _num_set
from emv_kernels.cpu.tokens import _CR, _LF, _ZERO, _byte, _trailing_zeros
from emv_kernels.sizes import TEXT_WIDTH

_AT_ONCE = 12
_ONE = np.uint64(1)
_TOP = np.uint64(63)
_NUM_DIGITS = 10


def _marks(compare: str, begin: int, bound: int) -> Any:
    """Return code that makes a word of the 64 bytes at an address: which, less `begin`, hold."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vector = ir.VectorType(ir.IntType(8), TEXT_WIDTH)
        text = builder.load(builder.inttoptr(args[0], vector.as_pointer()), align=1)
        moved = builder.sub(text, ir.Constant(vector, [begin] * TEXT_WIDTH))
        marks = builder.icmp_unsigned(compare, moved, ir.Constant(vector, [bound] * TEXT_WIDTH))
        return builder.bitcast(marks, ir.IntType(TEXT_WIDTH))

    return generate


@intrinsic
def _no_digits(typing_context, at):
    """Return which of 64 bytes are no decimal digits, the first one's bit lowest."""
    return types.uint64(types.int64), _marks(">=", _ZERO, _NUM_DIGITS)


@intrinsic
def _feeds(typing_context, at):
    """Return which of 64 bytes are line feeds."""
    return types.uint64(types.int64), _marks("==", 0, _LF)


@intrinsic
def _returns(typing_context, at):
    """Return which of 64 bytes are carriage returns."""
    return types.uint64(types.int64), _marks("==", 0, _CR)


@called
def _find_no_digits(at, num_words, places):
    """Write the places of what is no digit among the bytes from `at` on; how many there are."""
    count = 0
    for word in range(num_words):
        base = TEXT_WIDTH * word
        marks = _no_digits(at + base)
        end = count + _num_set(marks)
        for place in range(count, count + _AT_ONCE):
            places[place] = base + _trailing_zeros(marks)
            marks &= marks - _ONE
        for place in range(count + _AT_ONCE, end):
            places[place] = base + _trailing_zeros(marks)
            marks &= marks - _ONE
        count = end
    return count


@entry(types.int64(types.Array(types.uint8, 1, "C", readonly=True)))
def count_line_ends(text):
    """Count the ends of lines, of which CR LF is one.

    Parameters
    ----------
    text : uint8[num_bytes]
        Lines.
    """
    at = np.int64(text.ctypes.data)
    end = at + text.size
    count = np.int64(0)
    is_after_return = np.uint64(0)
    while at + TEXT_WIDTH <= end:
        feeds, returns = _feeds(at), _returns(at)
        seconds = feeds & (returns << _ONE | is_after_return)
        count += _num_set(feeds | returns) - _num_set(seconds)
        is_after_return = returns >> _TOP
        at += TEXT_WIDTH
    while at < end:
        byte = _byte(at)
        is_second = byte == _LF and is_after_return != 0
        count += (byte in (_LF, _CR)) and not is_second
        is_after_return = np.uint64(byte == _CR)
        at += 1
    return count
