"""Files made by the reader's tests."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import zstandard

import emv

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


@pytest.fixture
def kite(tmp_path: Path) -> Path:
    """A folder of emv with columns and labels."""
    g = emv.Graph.from_edges(
        [2, 0, 1, 2, 2], [0, 1, 2, 1, 2], labels=["ann", "bob", "cy"], weight=[0.5, 1, 2, 3, 4]
    )
    g.edges.flag = [True, False, True, False, True]
    g.vertices.age = np.array([31, 27, 5], np.int8)
    emv.write(g, tmp_path / "kite.emv")
    return tmp_path / "kite.emv"
