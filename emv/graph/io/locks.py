"""Locks on files and folders that their process holds as long as it lives (flock)."""

from __future__ import annotations

import os
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


def locked(handle: int, *, wait: bool = False) -> bool:
    """Lock an open file or folder until it is closed; False if another one has, or none can.

    Parameters
    ----------
    handle : int
        What `os.open` gave.
    wait : bool
        Whether to wait until no other has it.
    """
    if fcntl is None:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:  # another's, or a file system without locks
        return False
    return True


def is_at(handle: int, path: Path) -> bool:
    """Return whether a path still leads to what was opened."""
    here = os.fstat(handle)
    try:
        there = path.stat(follow_symlinks=False)
    except FileNotFoundError:
        return False
    return (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino)
