"""The CUDA backend: kernels compiled once per text, bound to device arrays and launched.

Only `compile` imports numba's CUDA, and only for a program that the cache does not hold.
"""

from __future__ import annotations

import ctypes
import functools
import sys

from emv.backends import simulated
from emv.imports import is_installed


@functools.cache
def cuda_available() -> bool:
    """Return whether programs can run on a GPU here: a GPU, its driver, and the packages.

    What is missing is the message of the error that running with ``backend="cuda"`` raises. The
    first call takes some tenths of a second where there is a GPU. With ``NUMBA_ENABLE_CUDASIM=1``
    one is simulated, to debug on.

    Examples
    --------
    >>> cuda_available() in (True, False)
    True
    """
    if simulated.is_asked_for():
        return all(map(is_installed, simulated.PACKAGES))
    library = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    if not all(map(is_installed, ("numba_cuda", "cuda.bindings"))):
        return False
    from emv.backends.cuda.driver import num_devices  # only where there is a driver

    return bool(num_devices())
