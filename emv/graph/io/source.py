"""A file as readers see it: how it begins, and its lines or bytes, unpacked on the way.

`source_of` makes one of whatever a user may name: a path, ``-`` for standard input, an address of
the web or of a store (through fsspec, the extra ``remote``), or an open file.
"""

from __future__ import annotations

import errno
import io
import os
import re
import stat
import sys
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from emv.errors import ArgumentError, GraphFormatError
from emv.graph.io.packing import read_blocks, read_head
from emv.graph.io.streams import read_stream
from emv.graph.io.text import Chunk, Opening, read_chunks, read_opening
from emv.imports import required

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


class Source:
    """A file that is looked at, and then read by one reader.

    It may be opened several times. What is no plain file, such as a pipe, gives its bytes only
    once: it is read whole when it is opened first, and kept.

    Parameters
    ----------
    path : Path
        Where it is; ``.gz`` and ``.zst`` are unpacked, whatever the name says.
    content : bytes, optional
        What it holds, where it is no file; then the path is its name only.
    """

    def __init__(self, path: Path, content: bytes | None = None) -> None:
        self.path = path
        self._content = content
        self._opened: IO[bytes] | None = None

    @property
    def file(self) -> str:
        """What errors call it."""
        return os.fspath(self.path)

    @cached_property
    def is_directory(self) -> bool:
        """Whether it is a folder of files."""
        return self._content is None and self.path.is_dir()

    @cached_property
    def is_plain(self) -> bool:
        """Whether it is a file that can be opened again, or a folder."""
        if self._content is not None:
            return False
        mode = self.path.stat().st_mode
        return stat.S_ISREG(mode) or stat.S_ISDIR(mode)

    @cached_property
    def _kept(self) -> bytes:
        return read_stream(self.path) if self._content is None else self._content

    def again(self) -> Source:
        """Return the same file, not yet looked at."""
        return Source(self.path, None if self.is_plain else self._kept)

    @property
    def num_bytes(self) -> int:
        """How long it is, as it lies there."""
        return self.path.stat().st_size if self.is_plain else len(self._kept)

    def open(self) -> IO[bytes]:
        """Open it where it begins.

        Raises
        ------
        OSError
            If it cannot be opened.
        """
        self._opened = self.path.open("rb") if self.is_plain else io.BytesIO(self._kept)
        return self._opened

    def bytes_done(self) -> int:
        """Return how far it has been read where it was opened last, also for another thread."""
        try:
            return 0 if self._opened is None else self._opened.tell()
        except ValueError:  # it is closed
            return 0

    @cached_property
    def head(self) -> bytes:
        """The first 64 KiB or fewer, unpacked; empty for a folder."""
        return b"" if self.is_directory else read_head(self)

    @cached_property
    def opening(self) -> Opening:
        """How a text file begins; its chunks can be taken once."""
        opening = read_opening(self)
        if not opening.line and not opening.comments:
            raise GraphFormatError("is empty", self.file, remedy="fetch the file again")
        return opening

    def chunks(self, longest_line_bytes: int = 0) -> Iterator[Chunk]:
        """Yield its lines, from the first one on; one may be so long, or as in any file."""
        return read_chunks(self, longest_line_bytes)

    def blocks(self) -> Iterator[bytes]:
        """Yield its bytes, unpacked."""
        return read_blocks(self)


def source_of(given: Any) -> Source:
    """Return what a user named, to be read.

    Parameters
    ----------
    given : str, path or file
        A path, ``"-"`` for standard input, an address such as ``"https://..."`` or
        ``"s3://..."``, or a file that is open for reading, of bytes or of text.

    Raises
    ------
    ArgumentError
        If no file can be called so, or fsspec is needed and not installed.
    GraphFormatError
        If an address cannot be read.

    Examples
    --------
    >>> source_of(io.BytesIO(b"0 1")).head
    b'0 1'
    """
    if hasattr(given, "read"):
        content = given.read()
        name = getattr(given, "name", None)
        path = Path(name if isinstance(name, str) else "<file>")
        return Source(path, content.encode() if isinstance(content, str) else bytes(content))
    if given == "-":
        return Source(Path("<stdin>"), sys.stdin.buffer.read())
    if is_address(given):
        address = str(given)
        name = address.split("?")[0].rstrip("/")
        return Source(Path(name), _fetched(address))
    return Source(path_of(given))


def is_address(given: Any) -> bool:
    """Return whether a user named something that fsspec opens, and no path.

    Examples
    --------
    >>> is_address("https://example.org/roads.csv"), is_address("C:/roads.csv")
    (True, False)
    """
    return isinstance(given, str) and _ADDRESS.match(given) is not None


def _fetched(address: str) -> bytes:
    """Return what lies at an address."""
    fsspec = required("fsspec")
    try:
        with fsspec.open(address, "rb") as file:
            return bytes(file.read())
    except ImportError as error:  # of the library for this kind of address
        raise ArgumentError(f"{address} cannot be opened: {error}") from None
    except Exception as error:  # of any library that is behind it
        said = str(error).strip() or type(error).__name__
        raise GraphFormatError(f"cannot be read: {said}", address) from None


def path_of(name: str | os.PathLike[str]) -> Path:
    r"""Return the path that a user gave.

    Raises
    ------
    ArgumentError
        If no file can be called so.

    Examples
    --------
    >>> path_of("a\0b")
    Traceback (most recent call last):
    emv.errors.ArgumentError: no file can be called 'a\x00b': embedded null byte
    """
    try:
        path = Path(name)
        os.lstat(path)
    except ValueError as error:  # of what cannot be encoded, too
        reason = error.reason if isinstance(error, UnicodeError) else str(error)  # type: ignore[attr-defined]
        raise ArgumentError(f"no file can be called {os.fspath(name)!r}: {reason}") from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise ArgumentError(
                f"no file can be called {os.fspath(name)!r}: {error.strerror}"
            ) from None
    return path


def suffix_of(path: Path) -> str:
    """Return what a name ends with, in lower case, before ``.gz`` or ``.zst``.

    Examples
    --------
    >>> suffix_of(Path("roads.MTX.gz")), suffix_of(Path("roads"))
    ('.mtx', '')
    """
    name = path.name.lower().removesuffix(".gz").removesuffix(".zst")
    return Path(name).suffix
