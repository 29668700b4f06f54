"""The CPU backend: generated modules become real files, are imported and compiled by numba.

A module is named after the hash of its text and of everything that compiles it, so numba's own disk
cache beside the file is right in every later process. The text holds the user's helper functions
too: nothing outside the file decides what it means, except `emv_kernels`, whose sources are hashed.
"""

from __future__ import annotations

import functools
import hashlib
import sys
from types import ModuleType

import llvmlite
import numba

from emv.backends.files import cache_folder, digest_of_kernels, keep, load_module
from emv.config import config
from emv.ir.kernel import KernelSource


@functools.cache
def toolchain() -> str:
    """Return the versions and sources that a compiled kernel depends on, as one digest."""
    parts = (numba.__version__, llvmlite.__version__, sys.version, digest_of_kernels())
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def load(source: KernelSource) -> ModuleType:
    """Return the module of generated kernels, written to the cache folder unless it is there."""
    name = f"emv_generated_{source.digest(toolchain())}"
    path = cache_folder(config.cache, toolchain()) / f"{name}.py"
    text = source.text.encode()
    if not (path.exists() and path.read_bytes() == text):  # new, or damaged
        keep(path, text)
    return load_module(name, path)


def set_threads(count: int) -> int:
    """Use at most ``count`` threads; return how many there are."""
    count = max(1, min(count, numba.config.NUMBA_NUM_THREADS))
    numba.set_num_threads(count)
    return count
