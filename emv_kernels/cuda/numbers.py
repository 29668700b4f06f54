"""Functions of numbers that numba has on the CPU but not for a GPU."""

from __future__ import annotations

import numpy as np
from numba import cuda

from emv_kernels import arithmetic
from emv_kernels.cuda.jit import SIMULATED, device

if SIMULATED:

    @cuda.jit(device=True)
    def bit_count(value):
        """Return how many bits of an integer are set."""
        return bin(int(value) & 0xFFFFFFFFFFFFFFFF).count("1")

    @cuda.jit(device=True)
    def rint(value):
        """Return the nearest whole number as a float, the even one of two."""
        return np.rint(value)

else:
    from numba.cuda import libdevice

    @device
    def bit_count(value):
        """Return how many bits of an integer are set."""
        return cuda.popc(np.uint64(value))

    @device
    def rint(value):
        """Return the nearest whole number as a float, the even one of two."""
        return libdevice.rint(np.float64(value))


divided, remainder = device(arithmetic.divided), device(arithmetic.remainder)
shifted_left, shifted_right = device(arithmetic.shifted_left), device(arithmetic.shifted_right)
shifted_right_u64, power = device(arithmetic.shifted_right_u64), device(arithmetic.power)
whole, whole_u64 = device(arithmetic.whole), device(arithmetic.whole_u64)
floored, raised = device(arithmetic.floored), device(arithmetic.raised)
