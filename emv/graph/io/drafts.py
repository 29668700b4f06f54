"""Files that take their place whole or not at all: written beside it, flushed to disk, and renamed.

Whoever looks sees the file that was there before or the new one, also when the writer is killed or
the disk is full (Pillai et al., OSDI 2014). On Linux a draft has no name while it is written, so
that a killed writer leaves nothing; elsewhere, and for the moment of renaming, it has one that
follows from the file's, is locked as long as its writer lives, and is removed by the next one.
"""

from __future__ import annotations

import contextlib
import errno
import fnmatch
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from emv.graph.io.locks import is_at, locked
from emv_kernels.aside import leavable

MOST_WRITERS = 1000  # of one file at a time
_IS_POSIX = os.name == "posix"
_DRAFT = ".emv-{}-{}.draft"
_OPEN_FILES = ("/dev/std", "/dev/fd/", "/proc/")  # a file that is open is written, not replaced
_NO_NAMELESS = (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL)


@contextlib.contextmanager
def replacing(path: Path, mode: int | None = None) -> Iterator[IO[bytes]]:
    r"""Give a file to write, which takes the place of `path` when the block ends without an error.

    A link stays, and what it leads to is replaced; the new file has the owner of the old one, and
    its mode unless one is given. What is no plain file, such as ``/dev/stdout``, gets the bytes at
    the end.

    Raises
    ------
    OSError
        If it cannot be written; it names `path`, which then is as it was.

    Examples
    --------
    >>> path = Path(tempfile.mkdtemp(), "a.txt")
    >>> with replacing(path) as file:
    ...     _ = file.write(b"0 1\n")
    ...     print(path.exists())
    False
    >>> path.read_bytes()
    b'0 1\n'
    """
    with drafting([path], mode) as (file,):
        yield file


@contextlib.contextmanager
def drafting(
    paths: list[Path],
    mode: int | None = None,
    announce: Callable[[list[Path]], None] = lambda names: None,
) -> Iterator[list[IO[bytes]]]:
    """Give several files as `replacing` does: all are on disk before the first takes its place.

    Parameters
    ----------
    paths : list of Path
        Their places.
    mode : int or None
        As in `replacing`.
    announce : callable
        Called between the two with the names that the files, which are no streams, have meanwhile.
    """
    drafts: list[Draft] = []
    try:
        for path in paths:
            with naming(path):
                drafts.append(Draft(path, mode))
        with naming(paths[0]):
            yield [draft.file for draft in drafts]
        for draft in drafts:
            with naming(draft.path):
                draft.finish()
        announce([draft.name for draft in drafts if draft.name is not None])
        for draft in drafts:
            with naming(draft.path):
                draft.put()
        for folder in {draft.folder for draft in drafts}:
            if folder is not None:
                sync(folder)
    finally:
        for draft in drafts:
            draft.close()


@contextlib.contextmanager
def naming(path: Path) -> Iterator[None]:
    """Name the file in an error of the system, which knows the draft's name or none."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise OSError(error.errno or errno.EIO, reason, os.fspath(path)) from None


class Draft:
    """A file on its way to its place.

    Parameters
    ----------
    path : Path
        The place.
    mode : int or None
        Who may read and write it; None for what holds of the file that is there, or of any new one.

    Attributes
    ----------
    file : binary file
        To be written.
    name : Path or None
        What it is called meanwhile.
    """

    def __init__(self, path: Path, mode: int | None = None) -> None:
        self.path = path
        self._mode = mode
        self._place = Path(os.path.realpath(path))
        self._before = _state(self._place)
        self.name: Path | None = None
        is_plain = self._before is None or stat.S_ISREG(self._before.st_mode)
        self._is_stream = not is_plain or os.path.abspath(path).startswith(_OPEN_FILES)  # noqa: PTH100
        if not self._is_stream:
            if self._before is not None and not os.access(self._place, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            self.file = self._opened(0o666 if mode is None else mode)
        elif self._place.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        else:
            self.file = tempfile.TemporaryFile()  # noqa: SIM115, `close` closes it

    def _opened(self, mode: int) -> IO[bytes]:
        """Return a new file in the folder, without a name where there is such a thing."""
        handle = _nameless(self._place.parent, mode)
        if handle is None:
            handle = self._named(lambda name: _new(name, mode))
        locked(handle)
        return os.fdopen(handle, "w+b")

    @property
    def folder(self) -> Path | None:
        """The folder that the file is put in; None for a stream."""
        return None if self._is_stream else self._place.parent

    def finish(self) -> None:
        """Bring what was written to the disk, under a name of its own."""
        self.file.flush()
        if self._is_stream:
            return
        handle = self.file.fileno()
        if self._before is not None and _IS_POSIX:
            with contextlib.suppress(PermissionError):  # others' files may be written, not given
                os.fchown(handle, self._before.st_uid, self._before.st_gid)
            if self._mode is None:
                os.fchmod(handle, stat.S_IMODE(self._before.st_mode))
        leavable(lambda: os.fsync(handle))
        if self.name is None:
            self._named(lambda name: _link(handle, name))

    def put(self) -> None:
        """Put the file in its place."""
        if self.name is None:
            self.file.seek(0)
            with self._place.open("wb") as stream:
                shutil.copyfileobj(self.file, stream)
            return
        if not _IS_POSIX:
            self.file.close()  # what is open cannot be renamed
        self.name.replace(self._place)
        self.name = None

    def close(self) -> None:
        """Let go of the file, and remove it if it has not been put in its place."""
        if self.name is not None:
            self.name.unlink(missing_ok=True)
        self.name = None
        with contextlib.suppress(OSError):  # of what is thrown away
            self.file.close()

    def _named(self, make: Callable[[Path], int]) -> int:
        """Return what makes a file of a name that is free, and keep the name."""
        digest = hashlib.sha256(os.fsencode(self._place.name)).hexdigest()[:16]
        for number in range(MOST_WRITERS):
            name = self._place.with_name(_DRAFT.format(digest, number))
            while True:
                try:
                    handle = make(name)
                except FileExistsError:
                    if _removed_dead(name):
                        continue
                    break
                self.name = name
                return handle
        raise FileExistsError(errno.EEXIST, f"{MOST_WRITERS} others write this file")


def is_draft(path: Path) -> bool:
    """Return whether a file is called as drafts are."""
    return fnmatch.fnmatch(path.name, _DRAFT.format("*", "*"))


def sync(path: Path) -> None:
    """Bring what was written to a file, or the names in a folder, to the disk."""
    if not _IS_POSIX:
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        leavable(lambda: os.fsync(handle))
    finally:
        os.close(handle)


def _state(path: Path) -> os.stat_result | None:
    """Return what the system says of a file; None where there is none."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _nameless(folder: Path, mode: int) -> int | None:
    """Return a new file in a folder that no name leads to; None where there is no such thing."""
    kind = getattr(os, "O_TMPFILE", None)
    if kind is None or not Path("/proc/self/fd").is_dir():
        return None
    try:
        return os.open(folder, os.O_RDWR | kind, mode)
    except OSError as error:
        if error.errno not in _NO_NAMELESS:
            raise
        return None


def _link(handle: int, name: Path) -> int:
    """Give a file without a name one."""
    folder = os.open(name.parent, os.O_RDONLY)
    try:  # only with a folder's handle does Python follow the link in /proc
        source = f"/proc/self/fd/{handle}"
        os.link(source, name.name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=True)
    finally:
        os.close(folder)
    return handle


def _new(name: Path, mode: int) -> int:
    """Return a new file of this name, locked."""
    while True:
        handle = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)
        if not locked(handle, wait=True) or is_at(handle, name):
            return handle
        os.close(handle)  # another writer took it for a dead one's


def _removed_dead(name: Path) -> bool:
    """Remove a draft whose writer is dead; False if it lives, or the draft is another user's."""
    try:
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        is_mine = os.fstat(handle).st_uid == os.geteuid()
        is_dead = is_mine and locked(handle) and is_at(handle, name)
        if is_dead:
            name.unlink(missing_ok=True)
        return is_dead
    finally:
        os.close(handle)
