"""What numba-cuda's front end does in vain for the functions that emv gives it.

That is what all of numba's front ends do (`emv_kernels.frugal`), and what no kernel for a GPU has:
closures and lists, and words, are looked for by two passes. What is left out here cannot be seen in
the code that comes out, byte for byte (`tests/unit/backends/test_cuda_frugal.py`).
"""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.cuda.core import base, ir, postproc, ssa, transforms, typed_passes, untyped_passes
from numba.cuda.core.ir_utils import fixup_var_define_in_scope
from numba.cuda.target import CUDATypingContext
from numba.cuda.typing import context, templates

from emv_kernels import frugal
from emv_kernels.frugal import Change, FrontEnd

FRONT = FrontEnd(context, templates, base, ir, postproc, ssa, transforms, CUDATypingContext)

LISTS = ("build_list", "make_function")
"""The operations without which a text has neither closures nor arrays of entries in a row."""

WORDS = (types.StringLiteral, types.List)
"""The types without which nothing is looked up by a word, and no list becomes an array."""


def changes() -> list[Change]:
    """Return what to change of numba-cuda while it compiles one program."""
    return [
        *frugal.changes(FRONT),
        (untyped_passes.InlineClosureLikes, "run_pass", without_lists),
        (typed_passes.NopythonRewrites, "run_pass", without_words),
    ]


def without_lists(self: Any, state: Any) -> bool:
    """Inline closures and arrays of lists, where a function may have any."""
    if has_lists(state):
        return bool(INLINE(self, state))
    postproc.PostProcessor(state.func_ir).run()
    fixup_var_define_in_scope(state.func_ir.blocks)
    return True


def without_words(self: Any, state: Any) -> bool:
    """Look up words and make arrays of lists, where a function may have any."""
    has_any = any(isinstance(each, WORDS) for each in state.typemap.values())
    return bool(REWRITE(self, state)) if has_any else True


def has_lists(state: Any) -> bool:
    """Return whether a function may have closures, or arrays that are written as lists."""
    return any(
        isinstance(each, ir.Assign) and getattr(each.value, "op", "") in LISTS
        for block in state.func_ir.blocks.values()
        for each in block.body
    )


INLINE = vars(untyped_passes.InlineClosureLikes)["run_pass"]
REWRITE = vars(typed_passes.NopythonRewrites)["run_pass"]
