"""Files made by the reader's tests."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

WriteFile = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> WriteFile:
    def write_file(content: bytes | str, name: str = "graph.txt") -> Path:
        path = tmp_path / name
        content = content.encode() if isinstance(content, str) else content
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return path

    return write_file
