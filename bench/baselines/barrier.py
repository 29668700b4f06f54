"""A barrier of all blocks of a cooperative launch, one thread of each block at one counter.

The way of NVIDIA's cooperative groups: every block adds 1 and the first one what is missing to
flip the top bit; who sees it flipped goes on. Nothing is reset between barriers or launches. It is
written out here because a call of the library's makes the compiler spill what lives across it.
"""

from __future__ import annotations

from numba import cuda, uint32

from bench.baselines.launch import inlined

TOP_BIT = 0x80000000


@inlined
def wait_for_all(arrived):
    """Return when every thread of the grid is here; arrived is uint32[1], 0 at first."""
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        cuda.threadfence()
        share = uint32(1)
        if cuda.blockIdx.x == 0:
            share = uint32(TOP_BIT - (cuda.gridDim.x - 1))
        before = cuda.atomic.add(arrived, 0, share)
        while (cuda.ldcv(arrived, 0) ^ before) & TOP_BIT == 0:
            pass
        cuda.threadfence()
    cuda.syncthreads()
