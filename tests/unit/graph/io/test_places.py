"""Graphs from and to what is no path: open files, standard input and output, addresses."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import emv
from emv.errors import ArgumentError, GraphFormatError
from emv.graph import Graph

G = Graph.from_edges([0, 1, 2], [1, 2, 0], weight=[0.1, 2.0, 3.0])


def same(one: Graph, other: Graph) -> bool:
    return all(
        np.array_equal(*pair)
        for pair in (
            (one.edges.src, other.edges.src),
            (one.edges.dst, other.edges.dst),
            (one.edges.weight, other.edges.weight),
        )
    )


@pytest.mark.parametrize("name", ["g.mtx", "g.tsv", "g.npz", "g.parquet"])
def test_every_format_of_one_file_is_read_from_an_open_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    emv.write(G, path)
    with path.open("rb") as file:
        assert same(emv.read(file), G)
    assert same(emv.read(io.BytesIO(path.read_bytes())), G)


def test_text_and_packed_bytes() -> None:
    text = "0 1 0.1\n1 2 2.0\n2 0 3.0\n"
    assert same(emv.read(io.StringIO(text)), G)
    assert same(emv.read(io.BytesIO(gzip.compress(text.encode()))), G)


def test_errors_name_what_was_given(tmp_path: Path) -> None:
    with pytest.raises(GraphFormatError, match=r"^<file>:1"):
        emv.read(io.StringIO("0 x 1 2 3 4\n"))
    path = tmp_path / "roads.txt"
    path.write_text("0 1\n0 x\n")
    with path.open() as file, pytest.raises(GraphFormatError, match=r"roads\.txt:2"):
        emv.read(file)


def test_standard_input_and_output() -> None:
    code = "import emv; emv.write(emv.read('-'), '-', format='matrix-market')"
    done = subprocess.run(
        [sys.executable, "-c", code], input=b"0 1 0.1\n1 2 2.0\n2 0 3.0\n", capture_output=True
    )
    assert done.returncode == 0, done.stderr
    assert same(emv.read(io.BytesIO(done.stdout)), G)


def test_into_an_open_file(tmp_path: Path) -> None:
    held = io.BytesIO()
    emv.write(G, held, format="npz")
    held.seek(0)
    assert same(emv.read(held), G)
    with (tmp_path / "g.tsv.gz").open("wb") as file:
        emv.write(G, file)
    assert same(emv.read(tmp_path / "g.tsv.gz"), G)


def test_what_cannot_be_written_is_sent_nowhere() -> None:
    held = io.BytesIO()
    with pytest.raises(emv.EmvError, match="cannot hold the edge column"):
        emv.write(Graph.from_edges([0], [1], km=[1]), held, format="matrix-market")
    with pytest.raises(ArgumentError, match="it is a folder or several files"):
        emv.write(G, held, format="emv")
    assert held.getvalue() == b""


class _Opened(io.BytesIO):
    """What stands for a file of a store: its bytes are kept when it is closed."""

    def __init__(self, store: dict[str, bytes], name: str, mode: str) -> None:
        if mode == "rb" and name not in store:
            raise FileNotFoundError(name)
        super().__init__(store[name] if mode == "rb" else b"")
        self.store, self.address, self.mode = store, name, mode

    def close(self) -> None:
        if self.mode == "wb" and not self.closed:
            self.store[self.address] = self.getvalue()
        super().close()


@pytest.fixture
def store(monkeypatch) -> dict[str, bytes]:
    """A stand-in for fsspec: addresses and their bytes."""
    held: dict[str, bytes] = {}
    fsspec = types.ModuleType("fsspec")
    fsspec.open = lambda name, mode: _Opened(held, name, mode)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "fsspec", fsspec)
    return held


def test_addresses_go_through_fsspec(store: dict[str, bytes]) -> None:
    emv.write(G, "s3://shelf/roads.mtx.gz")
    assert list(store) == ["s3://shelf/roads.mtx.gz"]
    assert same(emv.read("s3://shelf/roads.mtx.gz"), G)
    with pytest.raises(GraphFormatError, match=r"https://example\.org/a\.csv: cannot be read"):
        emv.read("https://example.org/a.csv")


def test_without_fsspec_the_extra_is_named(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(ArgumentError, match=r"fsspec is not installed.*\n.*emv-graph\[remote\]"):
        emv.read("https://example.org/a.csv")


def test_addresses_of_fsspec_itself(tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    emv.write(G, "memory://shelf/roads.tsv")
    assert same(emv.read("memory://shelf/roads.tsv"), G)
    assert fsspec.open("memory://shelf/roads.tsv", "rt").open().readline().startswith("# Nodes: 3")
