"""How functions are compiled that Python calls: by another thread, when they are first called.

The main thread hears signals meanwhile. One that arrived within a compilation would be lost, or
leave numba's tables half changed (`emv_kernels.aside`). For the same reason nothing is compiled
while a module is imported, signatures or not.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from numba import njit
from numba.core.compiler_lock import global_compiler_lock

from emv_kernels.aside import leavable
from emv_kernels.lean import for_cores


def entry(signature: Any = None, *, nogil: bool = True, **options: Any) -> Callable[[Any], Any]:
    """Return what decorates a function that Python calls; it is kept on disk.

    Parameters
    ----------
    signature : str, optional
        The one form that there is, into which arguments are converted; by default there is one
        for each of the types that it is called with.
    nogil : bool
        Whether it lets go of Python's lock; what asks Python for something must not.
    **options
        Of ``numba.njit``. Without any a kernel divides as numpy does and makes no arrays, so that
        nobody counts references: that was half of what it took to compile. One that makes arrays
        says ``_nrt=True``.
    """
    told = {"error_model": "numpy", "_nrt": False, **options}

    def decorated(function: Any) -> Any:
        kernel = njit(nogil=nogil, cache=True, **told)(function)
        compile_for: Callable[..., Any] = kernel._compile_for_args

        def compile_once() -> Any:
            with global_compiler_lock:
                if not kernel.signatures:  # another thread may have been first
                    for_cores(kernel.compile, signature)
                    kernel.disable_compile()
            return kernel

        def compile_aside(*args: Any) -> Any:
            own = functools.partial(for_cores, compile_for, *args)
            return leavable(own if signature is None else compile_once)

        kernel._compile_for_args = compile_aside  # what numba's dispatchers in C call
        return kernel

    return decorated
