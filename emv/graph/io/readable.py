"""What unpacking and cutting into lines ask of a file; `emv.graph.io.source` knows more of one."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, Protocol


class Readable(Protocol):
    """Something with a name and bytes."""

    @property
    def path(self) -> Path:
        """Where it is."""

    @property
    def file(self) -> str:
        """What errors call it."""

    @property
    def num_bytes(self) -> int:
        """How long it is."""

    def open(self) -> AbstractContextManager[IO[bytes]]:
        """Open it for reading."""
