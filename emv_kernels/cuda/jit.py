"""How device functions are compiled, and whether the simulator runs them instead."""

from __future__ import annotations

from numba import cuda
from numba.core import config

SIMULATED = bool(config.ENABLE_CUDASIM)

device = cuda.jit(device=True) if SIMULATED else cuda.jit(device=True, forceinline=True)
"""Decorates a function of a phase: always inlined, so that its arrays are no arguments."""

control = cuda.jit(device=True)
"""Decorates a function that one thread runs now and then: the compiler may leave it a call."""
