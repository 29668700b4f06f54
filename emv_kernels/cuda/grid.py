"""The barrier of the whole grid, with a moment in which one thread changes the shared state.

    lane = arrive(state, blocks)   # 0 to 31 in one warp of the block that came last, else -1
    if lane == 0:
        <change the state>
        release(state, blocks, generation)
    generation = wait(state, blocks, generation)

A counter of blocks that have arrived, and a number that the last one raises; whoever waits spins on
the number, one thread per block (Xiao and Feng, IPDPS 2010; the ordering is that of the PTX memory
model: a fence and a relaxed update to arrive, an acquiring load to leave). All blocks must be on
the GPU at once, which a cooperative launch guarantees. A single block only needs ``syncthreads``.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import cuda, types

from emv_kernels.cuda.jit import SIMULATED, device
from emv_kernels.sizes import ALONE_AT, ARRIVED, RELEASED

LOOKS = 8  # of one who waits, behind which it is no short wait
WAIT = f"""{{
.reg .pred again;
.reg .u32 looks;
.reg .u64 now;
mov.u32 looks, {LOOKS};
SHORT:
.pragma \\22nounroll\\22;
ld.acquire.gpu.global.u64 now, [$0];
setp.ne.u64 again, now, $1;
@again bra DONE;
sub.u32 looks, looks, 1;
setp.ne.u32 again, looks, 0;
@again bra SHORT;
LONG:
.pragma \\22nounroll\\22;
ld.relaxed.gpu.global.u64 now, [$0];
setp.eq.u64 again, now, $1;
@again bra LONG;
ld.acquire.gpu.global.u64 now, [$0];
setp.eq.u64 again, now, $1;
@again bra LONG;
DONE:
}}"""

if SIMULATED:

    @cuda.jit(device=True)
    def load_acquire(array, index):
        """Return an element and see all that was written before it was stored."""
        return array[index]

    @cuda.jit(device=True)
    def load_now(array, index):
        """Return an element as it is now, ordered with nothing."""
        return array[index]

    @cuda.jit(device=True)
    def wait_while(array, index, value):
        """Wait until an element has another value, and see all that was written before that."""
        while load_acquire(array, index) == value:
            pass

    @cuda.jit(device=True)
    def store_release(array, index, value):
        """Store an element after all that was written before."""
        array[index] = value

    @cuda.jit(device=True)
    def add_acquire_release(array, index, value):
        """Add to an element, ordered both ways; return the old value."""
        return cuda.atomic.add(array, index, value)

    @cuda.jit(device=True)
    def add_release(array, index, value):
        """Add to an element after all that was done before."""
        cuda.atomic.add(array, index, value)

else:
    from numba.cuda.extending import intrinsic

    _LONG = ir.IntType(64)

    def _assembly(builder, result, arguments, text, constraints):
        kind = ir.FunctionType(result, [each.type for each in arguments])
        code = ir.InlineAsm(kind, text, constraints, side_effect=True)
        return builder.call(code, arguments)

    def _address(context, builder, signature, args):
        index = context.cast(builder, args[1], signature.args[1], types.int64)
        return builder.ptrtoint(builder.gep(args[0], [index]), _LONG)

    @intrinsic
    def load_acquire(typing_context, array, index):
        """Return an element and see all that was written before it was stored."""

        def build(context, builder, signature, args):
            place = _address(context, builder, signature, args)
            text = "ld.acquire.gpu.global.u64 $0, [$1];"
            return _assembly(builder, _LONG, [place], text, "=l,l,~{memory}")

        return types.int64(array, index), build

    @intrinsic
    def load_now(typing_context, array, index):
        """Return an element as it is now, ordered with nothing."""

        def build(context, builder, signature, args):
            place = _address(context, builder, signature, args)
            text = "ld.relaxed.gpu.global.u64 $0, [$1];"
            return _assembly(builder, _LONG, [place], text, "=l,l")

        return types.int64(array, index), build

    @intrinsic
    def wait_while(typing_context, array, index, value):
        """Wait until an element has another value, and see all that was written before that.

        Compilers write loops several times over, and this one stands in every barrier.
        """

        def build(context, builder, signature, args):
            place = _address(context, builder, signature, args)
            number = context.cast(builder, args[2], signature.args[2], types.int64)
            _assembly(builder, ir.VoidType(), [place, number], WAIT, "l,l,~{memory}")
            return context.get_dummy_value()

        return types.void(array, index, value), build

    def _releasing(instruction):
        """Return what builds an instruction that changes an element and gives nothing back."""

        def build(context, builder, signature, args):
            place = _address(context, builder, signature, args)
            number = context.cast(builder, args[2], signature.args[2], types.int64)
            text = f"{instruction} [$0], $1;"
            _assembly(builder, ir.VoidType(), [place, number], text, "l,l,~{memory}")
            return context.get_dummy_value()

        return build

    @intrinsic
    def store_release(typing_context, array, index, value):
        """Store an element after all that was written before."""
        return types.void(array, index, value), _releasing("st.release.gpu.global.u64")

    @intrinsic
    def add_acquire_release(typing_context, array, index, value):
        """Add to an element, ordered both ways; return the old value."""

        def build(context, builder, signature, args):
            place = _address(context, builder, signature, args)
            number = context.cast(builder, args[2], signature.args[2], types.int64)
            text = "atom.acq_rel.gpu.global.add.u64 $0, [$1], $2;"
            return _assembly(builder, _LONG, [place, number], text, "=l,l,l,~{memory}")

        return types.int64(array, index, value), build

    @intrinsic
    def add_release(typing_context, array, index, value):
        """Add to an element after all that was done before; nobody waits for the old value."""
        return types.void(array, index, value), _releasing("red.release.gpu.global.add.u64")


@device
def arrive(state, blocks):
    """Wait for the block, then count it as arrived.

    Returns
    -------
    int
        In one warp, of the block that comes last, the lane; -1 everywhere else.
    """
    cuda.syncthreads()
    lane = -1
    thread = cuda.threadIdx.x
    if thread < 32:
        if blocks == 1:
            lane = thread
        else:
            last = 0
            if thread == 0 and add_acquire_release(state, ARRIVED, 1) == blocks - 1:
                last = 1
            if cuda.shfl_sync(0xFFFFFFFF, np.int32(last), 0) != 0:
                cuda.syncwarp()  # all have acquired what the first has: shuffles order no memory
                lane = thread
    return lane


@device
def release(state, blocks, generation):
    """Let all blocks go on; what this thread wrote before is seen by all."""
    if blocks > 1:
        state[ARRIVED] = 0
        store_release(state, RELEASED, generation + 1)


@device
def release_some(state, blocks, generation, alone):
    """Let one block go on alone, or let all go on.

    That one block works alone, the others learn from the number of this barrier, which stays true
    however far it gets before they look. It lets them go on when it need not be alone any more.
    """
    if blocks > 1:
        state[ARRIVED] = 0
        if alone != 0:
            state[ALONE_AT] = generation + 1
    if blocks > 1 or (cuda.gridDim.x > 1 and alone == 0):
        store_release(state, RELEASED, generation + 1)


@device
def wait(state, blocks, generation):
    """Wait until the barrier is released; return the number of barriers passed.

    A load that acquires empties the cache of its multiprocessor, where another block may still be
    at work. So whoever has to wait for long looks without that, and acquires in the end.
    """
    if blocks > 1:
        if cuda.threadIdx.x == 0:
            wait_while(state, RELEASED, generation)
        generation += 1
    cuda.syncthreads()
    return generation


@device
def let_go(state, blocks, generation):
    """Let the others go on if one block works alone, which leaves."""
    if blocks < cuda.gridDim.x and cuda.threadIdx.x == 0:
        store_release(state, RELEASED, generation + 1)


@device
def together():
    """Bring the lanes of a warp together, which wait for nothing that others have done.

    It stands behind loops where a branch around them leads to a barrier, too: ptxas 13.0 does not
    do so at such a barrier, and lanes that are early count for all of their warp.
    """
    cuda.syncwarp()


@device
def cross(state, blocks, generation):
    """Pass a barrier in which nothing is to be changed; return the number of barriers passed."""
    if arrive(state, blocks) == 0:
        release(state, blocks, generation)
    return wait(state, blocks, generation)


@device
def meet(state, generation):
    """Wait for all blocks, where nothing is to be changed; return how often they have met."""
    return cross(state, np.int64(cuda.gridDim.x), generation)
