"""Random numbers for the cores of the host; see `emv_kernels.random`."""

from __future__ import annotations

from emv_kernels.cpu.jit import inlined
from emv_kernels.random import random_functions

random_bits, uniform, below = random_functions(inlined)
