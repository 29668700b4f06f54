"""Several grids meet: each on a GPU of its own, or all on shares of one. Nobody leads.

    order_system()
    say(peers_box, place, number, value)  # for every peer, in as many lanes as it has words
    value, came = heard(own_box, place, number, until)  # for every peer, likewise

Every part has a *box* in its own memory, with two turns of a row for each part. One warp of a
grid, while all other threads wait at the grid's barrier (`emv_kernels.cuda.grid`), orders what this
part's threads wrote before, wherever they wrote it, and stores its row into the box of every peer:
each lane a word of what the part says, beside the number of the meeting, in one store of 16 bytes.
So whoever sees the number has the word, and nobody waits until a peer has got all words before it
signs, which would be the way there and back. Then each lane waits until its place in the row of
every peer has that number. So the warp has what every part said, and can fold it in the order of
the parts, so that all go on with the same. Numbers only rise, so nothing is ever reset. Meeting
``k + 1`` is signed by nobody who has not heard meeting ``k`` of all: two turns suffice.

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

WORDS = 16  # that a part may say, each in a place of a row, beside the number of the meeting
PLACE = 2  # elements of a place: the word, and the number
FAILED = 1 << 62
HEARD, LATE, LEFT = 0, 1, 2  # what came of waiting: in time, nothing, or that a part has failed

if SIMULATED:

    @cuda.jit(device=True)
    def order_system():
        """Order all that was written before in front of what `store_pair` stores, for all GPUs."""

    @cuda.jit(device=True)
    def store_pair(array, index, value, number):
        """Store two elements at once, behind `order_system`."""
        array[index], array[index + 1] = value, number

    @cuda.jit(device=True)
    def load_pair(array, index):
        """Return two elements that were stored at once, and see all that was ordered before."""
        return array[index], array[index + 1]

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

    def _run(builder, result, arguments, text, constraints):
        kind = ir.FunctionType(result, [each.type for each in arguments])
        constraints = ",".join([*constraints, "~{memory}"])
        return builder.call(ir.InlineAsm(kind, text, constraints, side_effect=True), arguments)

    @intrinsic
    def order_system(typing_context):
        """Order all that was written before in front of what `store_pair` stores, for all GPUs."""

        def build(context, builder, signature, args):
            _run(builder, ir.VoidType(), [], "fence.acq_rel.sys;", [])
            return context.get_dummy_value()

        return types.void(), build

    @intrinsic
    def store_pair(typing_context, array, index, value, number):
        """Store two elements at once, behind `order_system`."""

        def build(context, builder, signature, args):
            place = _place(context, builder, signature, args)
            both = [context.cast(builder, args[k], signature.args[k], types.int64) for k in (2, 3)]
            text = (
                "{ .reg .b128 both; mov.b128 both, {$1, $2}; "
                "st.relaxed.sys.global.b128 [$0], both; }"
            )
            _run(builder, ir.VoidType(), [place, *both], text, ["l", "l", "l"])
            return context.get_dummy_value()

        return types.void(array, index, value, number), build

    @intrinsic
    def load_pair(typing_context, array, index):
        """Return two elements that were stored at once, and see all that was ordered before."""
        pair = types.UniTuple(types.int64, 2)

        def build(context, builder, signature, args):
            place = _place(context, builder, signature, args)
            text = (
                "{ .reg .b128 both; ld.acquire.sys.global.b128 both, [$2]; "
                "mov.b128 {$0, $1}, both; }"
            )
            both = _run(
                builder, ir.LiteralStructType([_LONG, _LONG]), [place], text, ["=l", "=l", "l"]
            )
            return context.make_tuple(
                builder, pair, [builder.extract_value(both, k) for k in range(2)]
            )

        return pair(array, index), build

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
            _run(builder, ir.VoidType(), [place, stored], text, ["l", letter])
            return context.get_dummy_value()

        return types.void(array, index, value), build


@device
def box_place(number, part, parts, word):
    """Return where a word of a part stands in every box, for the meeting of a number."""
    return (((number & 1) * parts + part) * WORDS + word) * PLACE


@device
def say(box, place, number, value):
    """Write a word of what a part says into a peer's box, and that it has come to a meeting."""
    store_pair(box, place, value, number)


@device
def heard(box, place, number, until):
    """Wait until a part has said a word in a meeting; return it, and what came of waiting.

    Parameters
    ----------
    until : int
        The time in nanoseconds at which nobody waits any longer.

    Returns
    -------
    tuple of int
        The word, and `HEARD`, `LATE` or `LEFT`.
    """
    value, found = load_pair(box, place)
    came = np.int64(HEARD)
    while found < number and came == HEARD:
        if np.int64(nanoseconds()) > until:
            came = np.int64(LATE)
        else:
            value, found = load_pair(box, place)
    if found >= FAILED:
        came = np.int64(LEFT)
    return value, came


@device
def foremost(came):
    """Return the first lane that has not heard a part, 32 if all have; the warp calls it."""
    lost = cuda.ballot_sync(0xFFFFFFFF, came != HEARD)
    return np.int32(cuda.ffs(lost) - 1) if lost != 0 else np.int32(32)
