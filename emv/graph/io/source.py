"""A file as readers see it: how it begins, and its lines or bytes, unpacked on the way."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import IO

from emv.errors import GraphFormatError
from emv.graph.io.packing import read_blocks, read_head
from emv.graph.io.streams import read_stream
from emv.graph.io.text import Chunk, Opening, read_chunks, read_opening


class Source:
    """A file that is looked at, and then read by one reader.

    It may be opened several times. What is no plain file, such as a pipe, gives its bytes only
    once: it is read whole when it is opened first, and kept.

    Parameters
    ----------
    path : Path
        Where it is; ``.gz`` and ``.zst`` are unpacked, whatever the name says.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def file(self) -> str:
        """What errors call it."""
        return os.fspath(self.path)

    @cached_property
    def is_directory(self) -> bool:
        """Whether it is a folder of files."""
        return self.path.is_dir()

    @cached_property
    def is_plain(self) -> bool:
        """Whether it is a file that can be opened again, or a folder."""
        mode = self.path.stat().st_mode
        return stat.S_ISREG(mode) or stat.S_ISDIR(mode)

    @cached_property
    def _kept(self) -> bytes:
        return read_stream(self.path)

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
        return self.path.open("rb") if self.is_plain else io.BytesIO(self._kept)

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


def suffix_of(path: Path) -> str:
    """Return what a name ends with, in lower case, before ``.gz`` or ``.zst``.

    Examples
    --------
    >>> suffix_of(Path("roads.MTX.gz")), suffix_of(Path("roads"))
    ('.mtx', '')
    """
    name = path.name.lower().removesuffix(".gz").removesuffix(".zst")
    return Path(name).suffix
