"""What the hand-written kernels share: the size of a grid, and 4 bytes read back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cuda

from emv_kernels.cuda.jit import SIMULATED

THREADS = 256


def bounded(threads: int, blocks: int) -> Any:
    """Return the decorator of a kernel of which so many blocks must fit on a multiprocessor."""
    if SIMULATED:
        return cuda.jit
    return cuda.jit(launch_bounds=(threads, blocks))


def blocks_of(num_threads: int, threads: int = THREADS) -> int:
    """Return the blocks that hold so many threads, at least one."""
    return max(1, -(-num_threads // threads))


def cooperative_blocks(kernel: Any, signature: str, threads: int, per_multiprocessor: int) -> int:
    """Return the blocks of a cooperative launch: so many on every multiprocessor, or what fits.

    In the simulator it is one block, because blocks run one after another there.
    """
    if SIMULATED:
        return 1
    compiled = kernel.compile(signature)
    compiled.cooperative = True  # numba sees it only where its own barrier is called
    kernel.disable_compile()  # other types would be another kernel, launched without that
    most = compiled.max_cooperative_grid_blocks(threads)
    return min(most, per_multiprocessor * cuda.get_current_device().MULTIPROCESSOR_COUNT)


def until_quiet(last: Any, step: Callable[[int], Any]) -> None:
    """Call a step with 1, 2 ... as long as it writes its number to ``last``, int32[1]."""
    on_host, turn, found = np.zeros(1, np.int32), 0, 0
    while found == turn:
        turn += 1
        step(turn)
        found = read_first(last, on_host)


def read_first(array: Any, into: np.ndarray) -> int:
    """Wait for the device and return an array's first entry through a host array of one entry."""
    array.copy_to_host(into)
    return int(into[0])
