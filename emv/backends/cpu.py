"""The CPU backend: generated modules become real files, are imported and compiled by numba.

A module is named after the hash of its text and of everything that compiles it, so numba's own disk
cache beside the file is right in every later process. The text holds the user's helper functions
too: nothing outside the file decides what it means, except `emv_kernels`, whose sources are hashed.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import logging
import os
import sys
import tempfile
from pathlib import Path
from types import ModuleType

import llvmlite
import numba

import emv_kernels
from emv.config import config
from emv.ir.kernel import KernelSource

log = logging.getLogger("emv")


@functools.cache
def toolchain() -> str:
    """Return the versions and sources that a compiled kernel depends on, as one digest."""
    digest = hashlib.sha256()
    for part in (numba.__version__, llvmlite.__version__, sys.version):
        digest.update(part.encode())
    folder = Path(str(emv_kernels.__file__)).parent
    for file in sorted(folder.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


@functools.cache
def cache_folder(root: Path) -> Path:
    """Return the folder of generated kernels; a temporary one where the usual cannot be written."""
    folder = root / toolchain()[:12]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".probe{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        folder = Path(tempfile.mkdtemp(prefix="emv-"))
        log.warning("kernels are not kept: %s cannot be written (%s)", root, error)
    return folder


def load(source: KernelSource) -> ModuleType:
    """Return the module of generated kernels, written to the cache folder when it is new."""
    name = f"emv_generated_{source.digest(toolchain())}"
    if name in sys.modules:
        return sys.modules[name]
    path = cache_folder(config.cache) / f"{name}.py"
    if not path.exists():
        partial = path.with_suffix(f".{os.getpid()}")
        partial.write_text(source.text)
        partial.replace(path)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def set_threads(count: int) -> int:
    """Use at most ``count`` threads; return how many there are."""
    count = max(1, min(count, numba.config.NUMBA_NUM_THREADS))
    numba.set_num_threads(count)
    return count
