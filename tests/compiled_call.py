"""Calls from Python of functions that only compiled functions can call."""

from __future__ import annotations

import functools
from typing import Any

from numba import njit


def compiled_call(function: Any, *args: Any) -> Any:
    """Call a function of `emv_kernels.cpu` from a compiled one.

    >>> compiled_call(njit(no_cpython_wrapper=True)(lambda a, b: a + b), 1, 2)
    3
    """
    return caller(function)(*args)


@functools.cache
def caller(function: Any) -> Any:
    """Return a function that takes Python's objects and calls the other one."""

    @njit
    def call(*args):
        return function(*args)

    return call
