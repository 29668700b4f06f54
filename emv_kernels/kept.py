"""Files of compiled code: where they are kept, and that they come back whole or not at all.

Each begins with the SHA-256 of what follows: code of which a bit has flipped would crash the
process or compute something else, and so it counts as not kept. A file is written under another
name, which the next writer takes over from a dead one, and renamed. Their folder is named after
all that compiles them, the sources of this package above all, so that none outlives a change.

What is kept is run, and numba's part of it is pickle: whoever can write to the folder can run code
as whoever reads it. So it is made for this user alone, and one that others may write is not used.
Without a folder, or where a disk is full, nothing is kept; a warning says so, once.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import logging
import os
import stat
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

log = logging.getLogger("emv")

HERE = Path(__file__).resolve().parent
DEFAULT = "~/.cache/emv"
DIGEST_BYTES = hashlib.sha256().digest_size


@functools.cache
def digest_of_kernels() -> str:
    """Return a digest of the sources of this package as they were when it was first asked for."""
    marks_at_first()  # older than what is read, so that a change meanwhile is noticed
    return digest_of_sources()


@functools.cache
def marks_at_first() -> tuple[Any, ...]:
    """Return the marks of the sources as they were when they were first asked for."""
    return marks_of_sources()


def marks_of_sources() -> tuple[Any, ...]:
    """Return what a file system tells of each source, and changes where one is written anew.

    To read them all anew for each function that is kept took a hundredth of a first call.
    """
    found = []
    for folder, _, names in os.walk(HERE):
        for name in names:
            if name.endswith(".py"):
                of = os.stat(f"{folder}/{name}")  # noqa: PTH116 - a path is slower
                found.append((name, of.st_ino, of.st_size, of.st_mtime_ns, of.st_ctime_ns))
    return tuple(found)


def digest_of_sources() -> str:
    """Return a digest of the sources of this package, on which generated kernels call, too."""
    digest = hashlib.sha256()
    for file in sorted(HERE.rglob("*.py")):
        source = file.read_bytes()
        digest.update(f"{file.relative_to(HERE).as_posix()} {len(source)}\n".encode())
        digest.update(source)
    return digest.hexdigest()


@functools.cache
def cache_folder(root: Path, toolchain: str) -> Path | None:
    """Return the folder of one toolchain's files; None if nothing can be kept there.

    Parameters
    ----------
    root : Path
        What ``EMV_CACHE`` says.
    toolchain : str
        A digest of all that compiles the files.
    """
    folder = root / toolchain[:12]
    why = "this user has no home folder, and EMV_CACHE names no other"
    if root.parts[:1] != ("~",):
        why = _made(root) or _made(folder)
    if why:
        tell(why)
    return None if why else folder


def _made(folder: Path) -> str:
    """Make a folder that is not there, and return why it cannot be used; empty if it can."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            return f"{folder} cannot be written"
        return open_to_others(folder)
    except OSError as error:
        return f"{folder} cannot be written ({error})"


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


@functools.cache
def tell(why: str) -> None:
    """Say once why kernels are not kept."""
    log.warning("kernels are not kept: %s", why)


def kept(path: Path) -> bytes | None:
    """Return what `keep` wrote; None where there is nothing, or it is damaged and so removed."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    digest, content = data[:DIGEST_BYTES], data[DIGEST_BYTES:]
    if hashlib.sha256(content).digest() == digest:
        return content
    log.warning("%s is damaged: it is removed, and its kernels are compiled anew", path)
    with contextlib.suppress(OSError):
        path.unlink()
    return None


def keep(path: Path, content: bytes) -> None:
    """Keep what was compiled, unless the sources have changed since this process began to compile.

    For then nobody knows whether a module was imported before or after the change.
    """
    if marks_of_sources() == marks_at_first() or digest_of_sources() == digest_of_kernels():
        write_whole(path, hashlib.sha256(content).digest() + content)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that nobody ever sees a part of it; where there is no room, leave it."""
    try:
        _write_whole(path, data)
    except OSError as error:
        tell(f"{path.parent} cannot be written ({error.strerror})")


def _write_whole(path: Path, data: bytes) -> None:
    part = path.with_name(f"{path.name}.part")
    handle = os.open(part, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    with os.fdopen(handle, "r+b") as file:
        if not _is_ours(handle, part):
            return
        try:
            file.truncate(0)
            file.write(data)
            file.flush()
            part.replace(path)
        except OSError:
            part.unlink(missing_ok=True)
            raise


def _is_ours(handle: int, part: Path) -> bool:
    """Return whether nobody else writes this file just now, who then writes the same into it."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks: what two mix up is damaged, which is noticed
        return True
    try:
        there = part.stat(follow_symlinks=False)
    except FileNotFoundError:  # it has been given its name since it was opened
        return False
    here = os.fstat(handle)
    return (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino)
