"""A barrier of all blocks of a cooperative launch, one thread of each block at one counter.

The way of NVIDIA's cooperative groups: every block adds 1 and the first one what is missing to
flip the top bit; who sees it flipped goes on. Nothing is reset between barriers or launches. It is
written out here because a call of the library's makes the compiler spill what lives across it.

The two accesses are PTX with a side effect, ordered as its memory model says: an addition that
releases what the block wrote, loads that acquire what the others did. numba's ``cuda.ldcv`` will
not do: the compiler takes it for a pure function, loads once, and drops the empty loop.
"""

from __future__ import annotations

from llvmlite import ir
from numba import cuda, types, uint32

from emv_kernels.cuda.jit import SIMULATED
from emv_kernels.cuda.jit import device as inlined

TOP_BIT = 0x80000000

if SIMULATED:

    @cuda.jit(device=True)
    def add_acquire_release(array, value):
        """Add to the first entry, ordered both ways; return the old value."""
        return cuda.atomic.add(array, 0, value)

    @cuda.jit(device=True)
    def load_acquire(array):
        """Return the first entry and see all that was written before it was."""
        return array[0]

else:
    from numba.cuda.extending import intrinsic

    def _on_first(text, constraints):
        """Return what puts in an instruction on the first entry of an array of 4-byte integers."""

        def build(context, builder, signature, args):
            word, address = ir.IntType(32), ir.IntType(64)
            data = context.make_array(signature.args[0])(context, builder, value=args[0]).data
            kind = ir.FunctionType(word, [address, *(word for _ in args[1:])])
            code = ir.InlineAsm(kind, text, constraints, side_effect=True)
            return builder.call(code, [builder.ptrtoint(data, address), *args[1:]])

        return build

    @intrinsic
    def add_acquire_release(typing_context, array, value):
        """Add to the first entry, ordered both ways; return the old value."""
        text = "atom.acq_rel.gpu.global.add.u32 $0, [$1], $2;"
        return types.uint32(array, types.uint32), _on_first(text, "=r,l,r,~{memory}")

    @intrinsic
    def load_acquire(typing_context, array):
        """Return the first entry and see all that was written before it was."""
        text = "ld.acquire.gpu.global.u32 $0, [$1];"
        return types.uint32(array), _on_first(text, "=r,l,~{memory}")


@inlined
def wait_for_all(arrived):
    """Return when every thread of the grid is here; arrived is uint32[1], 0 at first."""
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        share = uint32(1)
        if cuda.blockIdx.x == 0:
            share = uint32(TOP_BIT - (cuda.gridDim.x - 1))
        before = add_acquire_release(arrived, share)
        while (load_acquire(arrived) ^ before) & TOP_BIT == 0:
            pass
    cuda.syncthreads()
