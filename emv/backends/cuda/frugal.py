"""What numba-cuda's front end does in vain for the functions that emv gives it.

That is what all of numba's front ends do (`emv_kernels.frugal`). And where it looks for NVVM it
asks another process where CUDA's headers are, which nobody here reads. What is left out cannot be
seen in the code that comes out, byte for byte (`tests/unit/backends/test_cuda_frugal.py`).
"""

from __future__ import annotations

import functools
from typing import Any

from numba.cuda import cuda_paths, lowering
from numba.cuda.core import (
    base,
    compiler_machinery,
    event,
    interpreter,
    ir,
    ir_utils,
    postproc,
    ssa,
    transforms,
    typed_passes,
    typeinfer,
    untyped_passes,
)
from numba.cuda.cudadrv import libs
from numba.cuda.np import linalg
from numba.cuda.target import CUDATypingContext
from numba.cuda.typing import context, templates

from emv_kernels import frugal
from emv_kernels.front import Change, FrontEnd
from emv_kernels.lean import linear_algebra

FRONT = FrontEnd(
    context,
    templates,
    base,
    ir,
    postproc,
    ssa,
    transforms,
    CUDATypingContext,
    compiler_machinery,
    typed_passes,
    untyped_passes,
    ir_utils,
    event,
    interpreter,
    lowering,
    typeinfer,
)


def changes() -> list[Change]:
    """Return what to change of numba-cuda while it compiles one program."""
    places = (libs, "get_cuda_paths", compilers_paths)
    return [*frugal.changes(FRONT), *linear_algebra(linalg), frugal.without_ends(FRONT), places]


@functools.cache
def compilers_paths() -> dict[str, Any]:
    """Return where CUDA's compilers are: numba-cuda's ``get_cuda_paths`` without headers."""
    return {
        "nvrtc": cuda_paths._get_nvrtc_path(),
        "nvvm": cuda_paths._get_nvvm_path(),
        "libdevice": cuda_paths._get_libdevice_path(),
    }
