"""Read and set the variables of a function that is running.

What a debugger does where its user assigns to a variable. Since Python 3.13 the mapping
``frame.f_locals`` writes through to the function (PEP 667); before it is a copy, which a function
of Python's C interface puts back.
"""

from __future__ import annotations

import ctypes
import sys
import types
from typing import Any

WRITES_THROUGH = sys.version_info >= (3, 13)


def variables_of(frame: types.FrameType) -> dict[str, Any]:
    """Return the variables that have a value now, those of enclosing functions too."""
    return dict(frame.f_locals)


def assign(frame: types.FrameType, values: dict[str, Any]) -> None:
    """Give variables of a running function other values.

    Examples
    --------
    >>> def counted():
    ...     count = 1
    ...     assign(sys._getframe(), {"count": 5})
    ...     return count
    >>> counted()
    5
    """
    variables = frame.f_locals
    variables.update(values)
    if not WRITES_THROUGH:
        ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))
