"""The module `math` as compiled code has it: infinity and NaN where Python raises, f32 kept."""

from __future__ import annotations

import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np

NAMES = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "pow": "power"}
WHOLE = ("floor", "ceil", "trunc")


def computed(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of numpy's that is not heard to warn."""

    def call(*values: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*values)

    return call


MATH = types.SimpleNamespace(
    **{
        name: computed(getattr(np, NAMES.get(name, name)))
        if callable(value) and name not in WHOLE and hasattr(np, NAMES.get(name, name))
        else value
        for name, value in vars(math).items()
        if not name.startswith("_")
    }
)
"""What interpreted kernels find as `math`."""
