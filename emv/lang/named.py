"""What a program function speaks of: its user functions, and the records of their elements."""

from __future__ import annotations

import inspect
from typing import Any

from emv.lang.fits import elements_of
from emv.lang.functions import Function


def functions_named(python: Any) -> list[Function]:
    """Return the user functions that a program function names."""
    around = inspect.getclosurevars(python)
    found = [space[name] for space in (around.globals, around.nonlocals) for name in space]
    return [each for each in found if isinstance(each, Function)]


def records_of(function: Function) -> list[Any]:
    """Return the vertex and edge records that a function speaks of."""
    own = [function.record] if function.kind != "message" else []
    listed = function.analysis.edge_record
    found = [each.record for each in elements_of(function.body)]
    return [*own, *([listed] if listed is not None else []), *found]
