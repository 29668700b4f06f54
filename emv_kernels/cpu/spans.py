"""Arrays as functions for cores hand them to each other: where they begin, and how long they are.

numba hands on seven numbers of an array, of which five are known where it is in one piece, of one
dimension, and where nobody counts references. The launch of a search has twenty arrays, which all
its functions hand on: without these numbers its first call takes an eighth less of the time.

Python's arrays stay arrays: only who is handed one takes it for a span. How spans are compiled says
`emv_kernels.cpu.span_code`, which nobody needs who runs what was kept.
"""

from __future__ import annotations

from typing import Any

from numba import types


class Span(types.Array):
    """The type of an array in one piece, of which no references are counted."""

    def __init__(self, dtype: Any) -> None:
        super().__init__(dtype, 1, "C", name=f"span({dtype})")


def span_of(kind: Any) -> Any:
    """Return the type in which a function is handed what has a type."""
    if type(kind) is types.Array and kind.ndim == 1 and kind.layout == "C":
        return Span(kind.dtype) if kind.mutable and kind.aligned else kind
    return kind
