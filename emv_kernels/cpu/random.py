"""Random numbers for the cores of the host; see `emv_kernels.random`."""

from __future__ import annotations

from numba import njit

from emv_kernels.random import random_functions

random_bits, uniform, below = random_functions(
    njit(error_model="numpy", forceinline=True, _nrt=False, no_cfunc_wrapper=True)
)
