"""zstd and gzip: what is packed is read as what is not, and what is damaged is refused."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import zstandard
from graph_files import WIKI_VOTE

from emv import Graph, imports
from emv.errors import GraphFormatError
from emv.graph.io import packing, read, write
from emv.graph.io.source import Source

LINES = b"".join(b"%d %d\n" % (each, each * 7) for each in range(500))


def error_of(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with pytest.raises(GraphFormatError) as caught:
        read(path)
    return str(caught.value)


def test_zstd_is_found_by_content(tmp_path) -> None:
    path = tmp_path / "no-suffix"
    path.write_bytes(zstandard.compress(b"0 1\n") + zstandard.compress(b"1 2\n"))
    assert read(path).num_edges == 2


def test_zstd_without_a_size_in_its_head(tmp_path) -> None:
    packer = zstandard.ZstdCompressor(write_content_size=False, write_checksum=True).compressobj()
    path = tmp_path / "a.txt.zst"
    path.write_bytes(packer.compress(LINES) + packer.flush())
    assert read(path).num_edges == 500


def test_zstd_cut_off_anywhere_is_refused(tmp_path) -> None:
    whole = zstandard.compress(LINES)
    for end in [4, 5, 11, len(whole) // 2, len(whole) - 1]:
        assert "its zstd data are cut off" in error_of(tmp_path / f"cut{end}.zst", whole[:end])


def test_zstd_with_a_flipped_byte_or_something_behind_it_is_refused(tmp_path) -> None:
    whole = bytearray(zstandard.ZstdCompressor(write_checksum=True).compress(LINES))
    assert "damaged" in error_of(tmp_path / "a.zst", bytes(whole) + b"0 1\n")
    whole[len(whole) // 2] ^= 0x55
    assert "a.zst" in error_of(tmp_path / "a.zst", bytes(whole))


@pytest.mark.parametrize("block", [b"\n", b"#", b"\0", b"1 1\n"])
def test_zstd_bombs_are_refused_with_little_memory(tmp_path, monkeypatch, block) -> None:
    monkeypatch.setattr(packing, "EXPANSION_FLOOR_BYTES", 8 << 20)
    bomb = zstandard.compress(block * ((64 << 20) // len(block)))
    read(WIKI_VOTE)  # what is loaded once shall not be counted
    tracemalloc.start()
    try:
        error = error_of(tmp_path / "bomb.zst", bomb)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert "zstd" in error or "MB" in error or "not text" in error
    assert peak_bytes < 96 << 20


def without(monkeypatch, *names: str) -> None:
    def optional(name: str) -> object:
        if name in names:
            raise ImportError(name)
        return imports.optional(name)

    monkeypatch.setattr(packing, "optional", optional)


def test_the_extra_is_named_where_nothing_unpacks_zstd(tmp_path, monkeypatch) -> None:
    without(monkeypatch, "compression.zstd", "zstandard")
    packed = zstandard.compress(LINES)
    assert "pip install 'emv-graph[zstd]'" in error_of(tmp_path / "a.zst", packed)
    with pytest.raises(GraphFormatError, match="needs the package zstandard"):
        write(Graph.from_edges([0], [1]), tmp_path / "b.tsv.zst")
    assert not (tmp_path / "b.tsv.zst").exists()


def test_the_standard_librarys_zstd_comes_first(tmp_path, monkeypatch) -> None:
    class ZstdDecompressor:  # its face in Python 3.14: no decompressobj
        def __init__(self) -> None:
            self._inner = zstandard.ZstdDecompressor().decompressobj()

        def decompress(self, data: bytes) -> bytes:
            return self._inner.decompress(data)

        eof = property(lambda self: self._inner.eof)
        unused_data = property(lambda self: self._inner.unused_data)

    module = SimpleNamespace(ZstdDecompressor=ZstdDecompressor, ZstdError=zstandard.ZstdError)
    monkeypatch.setattr(packing, "optional", {"compression.zstd": module}.get)
    path = tmp_path / "a.zst"
    path.write_bytes(zstandard.compress(LINES))
    assert read(path).num_edges == 500


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_what_is_packed_by_name_is_the_same_inside(tmp_path, suffix) -> None:
    src, dst = np.random.default_rng(3).integers(0, 1000, (2, 30_000))
    g = Graph.from_edges(src, dst, weight=src / 7)
    path = tmp_path / f"a.mtx{suffix}"
    write(g, path)
    again = read(path)
    assert np.array_equal(again.edges.src, src)
    assert np.array_equal(again.edges.dst, dst)
    assert np.array_equal(again.edges.weight, src / 7)
    assert packing.is_packed(Source(path)) is bool(suffix)


def test_gzip_has_no_date(tmp_path) -> None:
    g = Graph.from_edges([0], [1])
    write(g, tmp_path / "a.tsv.gz")
    assert (tmp_path / "a.tsv.gz").read_bytes()[4:8] == bytes(4)
