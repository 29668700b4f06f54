"""Generated files: written whole, kept in the cache folder, and imported as modules.

A file is named after the hash of what is in it and of everything that compiles it, so what a
compiler keeps beside it is right in every later process. It is written under another name first:
of two processes that make the same file, both find it whole.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import tempfile
import threading
from pathlib import Path
from types import ModuleType

import emv_kernels
from emv.imports import module_of_file

log = logging.getLogger("emv")

_IMPORTING = threading.RLock()


@functools.cache
def digest_of_kernels() -> str:
    """Return a digest of the sources of `emv_kernels`, on which generated kernels call."""
    digest = hashlib.sha256()
    for file in sorted(Path(str(emv_kernels.__file__)).parent.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


@functools.cache
def cache_folder(root: Path, toolchain: str) -> Path:
    """Return the folder of one toolchain's files; a temporary one where it cannot be written."""
    folder = root / toolchain[:12]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".probe{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        folder = Path(tempfile.mkdtemp(prefix="emv-"))
        log.warning("kernels are not kept: %s cannot be written (%s)", root, error)
    return folder


def keep(path: Path, data: bytes) -> None:
    """Write a file so that nobody ever sees a part of it."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}")
    partial.write_bytes(data)
    partial.replace(path)


def load_module(name: str, path: Path) -> ModuleType:
    """Return the module that a file holds, imported under a name of its own.

    A thread waits while another one imports it, as Python's own import makes it wait.
    """
    with _IMPORTING:
        return module_of_file(name, path)
