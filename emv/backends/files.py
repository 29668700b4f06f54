"""Generated files: written whole, kept in the cache folder, and imported as modules.

A file is named after the hash of what is in it and of everything that compiles it, so what a
compiler keeps beside it is right in every later process. It is written under another name first:
of two processes that make the same file, both find it whole.

What is kept is run, and numba's cache is pickle: whoever can write to the folder can run code as
whoever reads it. So it is made for this user alone, and one that others may write is not used.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import logging
import os
import shutil
import stat
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
    """Return the folder of one toolchain's files.

    Where it cannot be written, or others may write it, a temporary one that goes with the process;
    a warning says so, once.
    """
    folder = root / toolchain[:12]
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        why = next(filter(None, map(open_to_others, (root, folder))), "")
        if not why:
            probe = folder / f".probe{os.getpid()}"
            probe.touch()
            probe.unlink()
            return folder
    except OSError as error:
        why = f"{root} cannot be written ({error})"
    folder = Path(tempfile.mkdtemp(prefix="emv-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    log.warning("kernels are not kept: %s", why)
    return folder


def open_to_others(folder: Path) -> str:
    """Return why a folder's files cannot be trusted; empty if only this user may write there."""
    if not hasattr(os, "geteuid"):  # owners and modes are of another kind there
        return ""
    found = folder.stat()
    if found.st_uid != os.geteuid():
        return f"{folder} belongs to another user, whose code would run here"
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"{folder} can be written by others, whose code would run here (chmod go-w helps)"
    return ""


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
