"""How functions are compiled that only compiled functions call.

They have no form that takes Python's objects: to make one for each was a sixth of the time that a
program took to compile. Python must not call them, as nothing is there to be called.
"""

from __future__ import annotations

from numba import njit

OPTIONS = {
    "error_model": "numpy",
    "_nrt": False,
    "no_cfunc_wrapper": True,
    "no_cpython_wrapper": True,
}

called = njit(**OPTIONS)
"""Decorates a function of which there may be one copy that all call."""

inlined = njit(forceinline=True, **OPTIONS)
"""Decorates a function that is copied to where it is called."""
