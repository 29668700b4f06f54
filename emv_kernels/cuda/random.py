"""Random numbers for a GPU; see `emv_kernels.random`."""

from __future__ import annotations

from emv_kernels.cuda.jit import device
from emv_kernels.random import random_functions

random_bits, uniform, below = random_functions(device)
