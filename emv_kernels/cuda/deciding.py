"""Supersteps behind which every block decides for itself what comes next.

    take_copy(own, size, state, ARRIVED)
    while <own says that it goes on so>:
        <the walk, which counts in ``now``>
        <meet_all, by one thread; it adds up what was counted and decides, on ``own``>
    give_copy(own, size, state, ARRIVED)

Each block has the shared state in a copy of its own, and all change theirs alike. So no thread
decides for all while they wait, nobody waits for it to let them go on, and nobody reads then what
it has decided. What blocks do not know of each other is what they count: that is read behind the
meeting, from one of three arrays by turns, as one is read late and one made empty early.
"""

from __future__ import annotations

from numba import cuda, int64

from emv_kernels.cuda.grid import LOOKS, add_release, load_acquire, load_now
from emv_kernels.cuda.jit import device
from emv_kernels.sizes import BARRIER_END, MET_APART

PLACE = int64  # of the copies


@device
def take_copy(own, size, shared, apart):
    """Copy a shared array into a block's own; a block calls this together.

    What barriers count in the state, from ``apart`` on, stays; of other arrays ``apart`` is the
    size, so that all is copied.
    """
    k = cuda.threadIdx.x
    while k < size:
        if k < apart or k >= BARRIER_END:
            own[k] = shared[k]
        k += cuda.blockDim.x


@device
def give_copy(own, size, shared, apart):
    """Make the own copy the shared one; the first block does."""
    k = cuda.threadIdx.x
    while k < size and cuda.blockIdx.x == 0:
        if k < apart or k >= BARRIER_END:
            shared[k] = own[k]
        k += cuda.blockDim.x


@device
def meet_all(state, blocks, met):
    """Wait until all blocks have met so often; a thread of each calls this, behind its block.

    It looks as `emv_kernels.cuda.grid.wait` does.
    """
    if blocks > 1:
        add_release(state, MET_APART, 1)
        looks = 0
        while load_acquire(state, MET_APART) < met:
            looks += 1
            while looks == LOOKS and load_now(state, MET_APART) < met:
                pass
