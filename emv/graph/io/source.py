"""A file as readers see it: how it begins, and its lines or bytes, unpacked on the way."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from emv.errors import GraphFormatError
from emv.graph.io.packing import read_blocks, read_head
from emv.graph.io.text import Chunk, Opening, read_chunks, read_opening


class Source:
    """A file that is looked at, and then read by one reader.

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
    def head(self) -> bytes:
        """The first 64 KiB or fewer, unpacked; empty for a folder."""
        return b"" if self.is_directory else read_head(self.path)

    @cached_property
    def opening(self) -> Opening:
        """How a text file begins; its chunks can be taken once."""
        opening = read_opening(self.path)
        if not opening.line and not opening.comments:
            raise GraphFormatError("is empty", self.file, remedy="fetch the file again")
        return opening

    def chunks(self, longest_line_bytes: int = 0) -> Iterator[Chunk]:
        """Yield its lines, from the first one on; one may be so long, or as in any file."""
        return read_chunks(self.path, longest_line_bytes)

    def blocks(self) -> Iterator[bytes]:
        """Yield its bytes, unpacked."""
        return read_blocks(self.path)


def suffix_of(path: Path) -> str:
    """Return what a name ends with, in lower case, before ``.gz`` or ``.zst``.

    Examples
    --------
    >>> suffix_of(Path("roads.MTX.gz")), suffix_of(Path("roads"))
    ('.mtx', '')
    """
    name = path.name.lower().removesuffix(".gz").removesuffix(".zst")
    return Path(name).suffix
