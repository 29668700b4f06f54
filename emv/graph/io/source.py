"""A file as readers see it: how it begins, and its lines or bytes, unpacked on the way."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

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
    def opening(self) -> Opening:
        """How a text file begins; its chunks can be taken once."""
        return read_opening(self.path)

    def chunks(self) -> Iterator[Chunk]:
        """Yield its lines, from the first one on."""
        return read_chunks(self.path)
