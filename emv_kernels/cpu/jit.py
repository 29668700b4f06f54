"""How functions are compiled that only compiled functions call.

They have no form that takes Python's objects: to make one for each was a sixth of the time that a
program took to compile. Python must not call them, as nothing is there to be called.
"""

from __future__ import annotations

from typing import Any

from numba import njit, types
from numba.extending import intrinsic

OPTIONS = {
    "error_model": "numpy",
    "_nrt": False,
    "no_cfunc_wrapper": True,
    "no_cpython_wrapper": True,
}

called = njit(forceinline=False, **OPTIONS)  # else as who calls it first has it
"""Decorates a function of which there may be one copy that all call."""

inlined = njit(forceinline=True, **OPTIONS)
"""Decorates a function that is copied to where it is called."""


@intrinsic
def stay_apart(typing_context):
    """Keep the function that calls this out of those that call it.

    It runs now and then, and is not worth a copy in each of them, which LLVM would optimise anew.
    What is wanted in a loop stays in registers where a call of it is, as LLVM takes it for rare.
    """

    def build(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        for each in ("noinline", "cold"):
            builder.function.attributes.add(each)
        return context.get_dummy_value()

    return types.void(), build
