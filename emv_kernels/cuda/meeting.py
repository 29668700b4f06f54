"""Several grids meet: each on a GPU of its own, or all on shares of one. Nobody leads.

    say(peers_box, row, word, value)     # for every peer, and every word of what this part says
    sign(peers_box, row, number)         # for every peer
    heard(own_box, row, number, until)   # for every peer

Every part has a *box* in its own memory, with two turns of a row for each part. One thread of a
grid, while the others wait at the grid's barrier (`emv_kernels.cuda.grid`), writes its row into the
box of every peer, and then the number of the meeting, which releases what this part's threads wrote
before, wherever they wrote it; and waits until the rows of its own box have that number. Then it
has what every part said, and can fold it in the order of the parts, so that all go on with the
same. Numbers only rise, so nothing is ever reset. Meeting ``k + 1`` is signed by nobody who has
not heard meeting ``k`` of all: two turns suffice.

All is at system scope, with one writer a word and no updates, so links without atomics will do.
Waits have a deadline by the clock of the GPU: who waits too long, or has failed, signs `FAILED` to
all, which is above every number, and whoever hears that leaves as well.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import cuda, types

from emv_kernels.cuda.jit import SIMULATED, device
from emv_kernels.cuda.tracing import nanoseconds

WORDS = 16  # of a row of a box: the number of the meeting, and 15 of what a part says
FAILED = 1 << 62
HEARD, LATE, LEFT = 0, 1, 2  # what came of waiting: in time, nothing, or that a part has failed

if SIMULATED:

    @cuda.jit(device=True)
    def load_acquire_system(array, index):
        """Return an element and see all that any GPU wrote before it was stored."""
        return array[index]

    @cuda.jit(device=True)
    def store_release_system(array, index, value):
        """Store an element after all that was written before, for every GPU."""
        array[index] = value

    @cuda.jit(device=True)
    def store_system(array, index, value):
        """Store an element that other GPUs read."""
        array[index] = value

    @cuda.jit(device=True)
    def load_system(array, index):
        """Return an element that other GPUs write, past what is cached."""
        return array[index]

    @cuda.jit(device=True)
    def store_meanwhile(array, index, value):
        """Store an element, of any type, that another GPU may be reading."""
        array[index] = value

else:
    from numba.cuda.extending import intrinsic

    _LONG = ir.IntType(64)

    def _place(context, builder, signature, args):
        index = context.cast(builder, args[1], signature.args[1], types.int64)
        return builder.ptrtoint(builder.gep(args[0], [index]), _LONG)

    def _load(text):
        def typed(typing_context, array, index):
            def build(context, builder, signature, args):
                place = _place(context, builder, signature, args)
                kind = ir.FunctionType(_LONG, [_LONG])
                code = ir.InlineAsm(kind, text, "=l,l,~{memory}", side_effect=True)
                return builder.call(code, [place])

            return types.int64(array, index), build

        return typed

    def _store(text):
        def typed(typing_context, array, index, value):
            def build(context, builder, signature, args):
                place = _place(context, builder, signature, args)
                number = context.cast(builder, args[2], signature.args[2], types.int64)
                kind = ir.FunctionType(ir.VoidType(), [_LONG, _LONG])
                code = ir.InlineAsm(kind, text, "l,l,~{memory}", side_effect=True)
                builder.call(code, [place, number])
                return context.get_dummy_value()

            return types.void(array, index, value), build

        return typed

    load_acquire_system = intrinsic(_load("ld.acquire.sys.global.u64 $0, [$1];"))
    load_system = intrinsic(_load("ld.relaxed.sys.global.u64 $0, [$1];"))
    store_release_system = intrinsic(_store("st.release.sys.global.u64 [$0], $1;"))
    store_system = intrinsic(_store("st.relaxed.sys.global.u64 [$0], $1;"))

    @intrinsic
    def store_meanwhile(typing_context, array, index, value):
        """Store an element, of any type, that another GPU may be reading."""

        def build(context, builder, signature, args):
            element, place = signature.args[0].dtype, _place(context, builder, signature, args)
            stored = context.cast(builder, args[2], signature.args[2], element)
            is_float, width = isinstance(element, types.Float), element.bitwidth
            letter = {(True, 32): "f", (True, 64): "d"}.get((is_float, width))
            letter = letter or {8: "h", 16: "h", 32: "r", 64: "l"}[width]
            if not is_float and width == 8:
                stored = builder.zext(stored, ir.IntType(16))
            text = f"st.relaxed.sys.global.{'f' if is_float else 'u'}{width} [$0], $1;"
            kind = ir.FunctionType(ir.VoidType(), [_LONG, stored.type])
            code = ir.InlineAsm(kind, text, f"l,{letter},~{{memory}}", side_effect=True)
            builder.call(code, [place, stored])
            return context.get_dummy_value()

        return types.void(array, index, value), build


@device
def box_row(number, part, parts):
    """Return where the row of a part begins in every box, for the meeting of a number."""
    return ((number & 1) * parts + part) * WORDS


@device
def say(box, row, word, value):
    """Write a word of what a part says, from 0 on, into a peer's box."""
    store_system(box, row + 1 + word, value)


@device
def said(box, row, word):
    """Return a word of what a part has said, once it was heard."""
    return load_system(box, row + 1 + word)


@device
def sign(box, row, number):
    """Say that a part has come to a meeting, after all that it wrote before; or `FAILED`."""
    store_release_system(box, row, number)


@device
def heard(box, row, number, until):
    """Wait until a part has signed; return `HEARD`, `LATE` or `LEFT`.

    Parameters
    ----------
    until : int
        The time in nanoseconds at which nobody waits any longer.
    """
    found = load_acquire_system(box, row)
    while found < number:
        if np.int64(nanoseconds()) > until:
            return LATE
        found = load_acquire_system(box, row)
    return LEFT if found >= FAILED else HEARD
