"""Files made by the reader's tests."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

WriteFile = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> WriteFile:
    def write_file(content: bytes | str, name: str = "graph.txt") -> Path:
        path = tmp_path / name
        content = content.encode() if isinstance(content, str) else content
        pack = {".gz": gzip.compress, ".zst": zstandard.compress}.get(path.suffix, bytes)
        path.write_bytes(pack(content))
        return path

    return write_file
