"""How a launch hears of signals while it runs, and how it is left.

Python runs the handlers of signals in its main thread, between bytecodes, and a launch is one
bytecode. So the main thread asks for them itself, every few blocks of work and not more often than
five times a second: it takes the lock of the interpreter and calls ``PyErr_CheckSignals``, as the
manual of the C API advises for long computations. A handler that returns has interrupted nothing.
One that raises, as Ctrl-C's does, leaves its exception where Python looks for it when the launch
returns; a place of the shared state says so, threads then take no more blocks, and every function
up to the one that Python called is left by the status with which numba hands exceptions on.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from emv_kernels.cpu.jit import inlined
from emv_kernels.sizes import HEARD, LEAVING, LISTENS, LOOKED, WAITS

PAUSE = 200_000_000  # nanoseconds between two times of asking
EVERY = 16  # blocks of work between two looks at the clock, where they are short
SHORT = 5_000_000  # nanoseconds that so many short blocks take at most
NO_BLOCK = 2**62  # the number of a block behind the last
CLOCK = 1  # CLOCK_MONOTONIC
BILLION = 1_000_000_000


@intrinsic
def nanoseconds(typing_context):
    """Return the time by a clock that never goes back."""

    def build(context, builder, sig, args):
        word = ir.IntType(64)
        clock = ir.IntType(32)
        spec = cgutils.alloca_once(builder, ir.LiteralStructType([word, word]))
        kind = ir.FunctionType(clock, [clock, spec.type])
        ask = cgutils.get_or_insert_function(builder.module, kind, "clock_gettime")
        builder.call(ask, [clock(CLOCK), spec])
        found = builder.load(spec)
        seconds = builder.mul(builder.extract_value(found, 0), word(BILLION))
        return builder.add(seconds, builder.extract_value(found, 1))

    return types.int64(), build


@intrinsic
def handle_signals(typing_context):
    """Run the handlers of signals that have arrived; return -1 if one raised, else 0."""

    def build(context, builder, sig, args):
        api = context.get_python_api(builder)
        held = api.gil_ensure()
        kind = ir.FunctionType(ir.IntType(32), [])
        check = cgutils.get_or_insert_function(builder.module, kind, "PyErr_CheckSignals")
        found = builder.call(check, [])
        api.gil_release(held)
        return found

    return types.int32(), build


@intrinsic
def leave_if(typing_context, test):
    """Leave this function and all that called it, as if an exception were raised here."""

    def build(context, builder, sig, args):
        test = context.cast(builder, args[0], sig.args[0], types.boolean)
        with builder.if_then(test, likely=False):
            context.call_conv.return_exc(builder)
        return context.get_dummy_value()

    return types.void(test), build


@intrinsic
def read_now(typing_context, array, index):
    """Return an element as it is now: a plain read may be moved out of a loop."""

    def build(context, builder, sig, args):
        view = context.make_array(sig.args[0])(context, builder, args[0])
        place = context.cast(builder, args[1], sig.args[1], types.intp)
        pointer = cgutils.get_item_pointer(
            context, builder, sig.args[0], view, [place], wraparound=False, boundscheck=False
        )
        return builder.load_atomic(pointer, "monotonic", 8)

    return array.dtype(array, index), build


@inlined
def listen(state):
    """Let the handlers of signals run, unless they could a moment ago."""
    now = nanoseconds()
    if state[HEARD] == 0:
        state[HEARD] = now
    state[WAITS] = EVERY if now - state[LOOKED] < SHORT else 1
    state[LOOKED] = now
    if now - state[HEARD] > PAUSE:
        state[HEARD] = now
        if handle_signals() != 0:
            state[LEAVING] = 1


@inlined
def is_left(thread, state):
    """Return whether the launch is being left; the first thread hears signals meanwhile.

    Whether this is the first thread is asked together with what the state says, 0 or 1: by itself
    it stays as it is in a loop over blocks, and LLVM would write the loop twice.
    """
    if state[LISTENS] > thread:
        state[WAITS] -= 1
        if state[WAITS] <= 0:
            listen(state)
    return read_now(state, LEAVING) != 0


@inlined
def goes_on(state):
    """Return whether the launch is not being left."""
    return read_now(state, LEAVING) == 0


@inlined
def heed(state):
    """Leave the launch, if a handler has raised or another thread says so."""
    leave_if(read_now(state, LEAVING) != 0)
