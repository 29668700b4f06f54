"""How types of numbers are written: short names, tuples of them, and vectors.

Apart from the nodes that have them, as records and functions are declared with types before any
text is read.
"""

from __future__ import annotations

from typing import Any, TypeAlias

Type: TypeAlias = "str | tuple[Any, ...]"


class VectorType(tuple):  # type: ignore[type-arg]
    """The type of a vector: the type of its parts, as often as there are parts."""

    __slots__ = ()
