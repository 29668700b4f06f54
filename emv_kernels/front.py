"""The modules of numba's front ends, of which some functions are exchanged while they compile."""

from __future__ import annotations

from typing import Any, NamedTuple

Change = tuple[Any, str, Any]
"""An object, the name of an attribute that it has, and the value to set."""


class FrontEnd(NamedTuple):
    """The modules of one of numba's front ends; that for GPUs has its own of each."""

    context: Any
    templates: Any
    base: Any
    ir: Any
    postproc: Any
    ssa: Any
    transforms: Any
    typing_context: type
    """The class of typing contexts that says which types values have."""
    machinery: Any
    typed: Any
    untyped: Any
    ir_utils: Any
    event: Any
    interpreter: Any
    lowering: Any
    typeinfer: Any
