"""Files mapped into memory, without an open file for each.

Python's ``mmap`` keeps a handle of its own for every map, and a process has some thousand of them:
a hundred graphs of ten arrays each. So the system's call is made directly where there is one. The
other one is made by C when the last array is gone: a Ctrl-C that came within a finalizer written in
Python would be lost.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
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
        for number, each in list(_MAPS.items()):
            if each() is None:
                _MAPS.pop(number, None)
        unmap = functools.partial(_MUNMAP, address, num_bytes)
        _MAPS[next(_NUMBERS)] = weakref.ref(self, unmap)  # which calls it while it is there itself


_MAPS: dict[int, weakref.ref[_Map]] = {}
"""What lets go of maps; that of one which is gone stays until the next is made."""
_NUMBERS = itertools.count()


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


def _calls() -> tuple[Any, Any]:
    """Return the system's ``mmap`` and ``munmap``; None where there are none (Windows)."""
    library = ctypes.CDLL(None, use_errno=True) if os.name == "posix" else None
    begin, end = getattr(library, "mmap", None), getattr(library, "munmap", None)
    if begin is not None and end is not None:
        begin.restype = ctypes.c_void_p
        begin.argtypes = [
            *(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int),
            ctypes.c_long,
        ]
        end.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.py_object]  # a reference: unread
    return begin, end


_MMAP, _MUNMAP = _calls()
_FAILED = ctypes.c_void_p(-1).value
