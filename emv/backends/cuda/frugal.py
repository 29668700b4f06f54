"""What numba-cuda's front end does in vain for the functions that emv gives it.

That is what all of numba's front ends do (`emv_kernels.frugal`), and to say where each variable
ends, which is asked by who counts references: here nobody does. What is left out here cannot be
seen in the code that comes out, byte for byte (`tests/unit/backends/test_cuda_frugal.py`). On cores
it could: branches and registers get other names.
"""

from __future__ import annotations

from typing import Any

from numba.cuda.core import (
    base,
    compiler_machinery,
    event,
    ir,
    ir_utils,
    postproc,
    ssa,
    transforms,
    typed_passes,
    untyped_passes,
)
from numba.cuda.np import linalg
from numba.cuda.target import CUDATypingContext
from numba.cuda.typing import context, templates

from emv_kernels import frugal
from emv_kernels.frugal import Change, FrontEnd
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
)


def changes() -> list[Change]:
    """Return what to change of numba-cuda while it compiles one program."""
    ends = (typed_passes, "check_and_legalize_ir", without_ends)
    return [*frugal.changes(FRONT), *linear_algebra(linalg), ends]


def without_ends(func_ir: Any, flags: Any) -> None:
    """Say where each variable ends, in functions that count references alone."""
    if flags.nrt or func_ir.is_generator:
        WITH_ENDS(func_ir, flags=flags)


WITH_ENDS = typed_passes.check_and_legalize_ir
