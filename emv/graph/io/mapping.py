"""Files mapped into memory, without an open file for each.

Python's ``mmap`` keeps a handle of its own for every map, and a process has some thousand of them:
a hundred graphs of ten arrays each. So the system's call is made directly where there is one.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import weakref
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray


class _Map:
    """Bytes at an address, which are let go of with the last array that shows them."""

    def __init__(self, address: int, num_bytes: int) -> None:
        self.__array_interface__ = {
            "version": 3,
            "typestr": "|u1",
            "shape": (num_bytes,),
            "data": (address, False),
        }
        weakref.finalize(self, _unmap, address, num_bytes).atexit = False


def private_map(file: IO[bytes], num_bytes: int) -> NDArray[np.uint8]:
    """Return the bytes of an open file, read when touched; what is written stays in this process.

    Parameters
    ----------
    file : binary file
        It can be closed afterwards. If it is cut off meanwhile, touching what is gone ends the
        process.
    num_bytes : int
        How many there are; not 0.

    Raises
    ------
    OSError
        If there is no room for them among the addresses, or they cannot be mapped.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryFile() as file:
    ...     _ = file.write(b"abc"), file.flush()
    ...     private_map(file, 3).tobytes()
    b'abc'
    """
    if _MMAP is None:
        return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY), np.uint8)
    # without the promise of memory to write on, which a graph larger than memory would not get
    flags = mmap.MAP_PRIVATE | getattr(mmap, "MAP_NORESERVE", 0)
    access = mmap.PROT_READ | mmap.PROT_WRITE
    address = _MMAP(None, num_bytes, access, flags, file.fileno(), 0)
    if address in (None, _FAILED):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return np.asarray(_Map(address, num_bytes))


def _unmap(address: int, num_bytes: int) -> None:
    _LIBRARY.munmap(ctypes.c_void_p(address), ctypes.c_size_t(num_bytes))


def _call() -> Any:
    """Return the system's ``mmap``; None where there is none (Windows)."""
    call = getattr(_LIBRARY, "mmap", None)
    if call is not None:
        call.restype = ctypes.c_void_p
        call.argtypes = [
            *(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int),
            ctypes.c_long,
        ]
    return call


_LIBRARY: Any = ctypes.CDLL(None, use_errno=True) if os.name == "posix" else None
_MMAP = _call()
_FAILED = ctypes.c_void_p(-1).value
