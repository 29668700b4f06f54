"""How the threads of a GPU hear that a launch is being left.

The host writes a place of the shared state while the kernel runs. What asks for it again and again
must load it from the cache that all multiprocessors share, where the host's copy arrives: a plain
load may be taken out of a loop, or answered by a multiprocessor's own cache.
"""

from __future__ import annotations

from numba import cuda

from emv_kernels.cuda.grid import load_now
from emv_kernels.cuda.jit import device
from emv_kernels.cuda.warps import ALL


@device
def goes_on(state, place):
    """Return whether the launch is not being left."""
    return load_now(state, place) == 0


@device
def warp_goes_on(state, place):
    """Return whether the launch is not being left, the same for all lanes; the whole warp asks."""
    return cuda.ballot_sync(ALL, load_now(state, place) != 0) == 0
