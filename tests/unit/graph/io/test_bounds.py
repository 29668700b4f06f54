"""Time and memory are bounded by what a file holds, however it was made."""

from __future__ import annotations

import gzip
import io
import struct
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from graph_files import WIKI_VOTE

import emv
from emv.errors import GraphFormatError
from emv.graph import Graph
from emv.graph.io import packing, text
from emv.graph.io.source import Source

MOST_BYTES = 64 << 20


def read_within(path: Path, most_bytes: int = MOST_BYTES) -> Graph | None:
    """Read a file, or see it refused, with so little memory of Python's and numpy's."""
    emv.read(WIKI_VOTE)  # what is loaded once shall not be counted
    tracemalloc.start()
    try:
        return emv.read(path)
    except GraphFormatError:
        return None
    finally:
        peak_bytes = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak_bytes < most_bytes


@pytest.mark.parametrize("packer", ["gz", "zst"])
@pytest.mark.parametrize("member", [b"", b" "])
def test_many_small_members_take_no_more_than_each_alone(tmp_path, packer, member) -> None:
    """Within a line: each was joined with all before it, which took hours."""
    pack = {"gz": gzip.compress, "zst": zstandard.compress}[packer]
    path = tmp_path / f"a.txt.{packer}"
    path.write_bytes(pack(b"1 2\n3 ") + pack(member) * 200_000 + pack(b"4\n"))
    assert emv.read(path).num_edges == 2


def test_blocks_of_a_line_are_joined_once() -> None:
    blocks = (b"1" for _ in range(1_000_000))
    (chunk,) = text._cut(blocks, "a.txt", 1 << 24)
    assert len(chunk.text) == 1_000_001


def test_unpacked_bytes_come_in_blocks(tmp_path) -> None:
    """Also of a packer that gives much for little, and of one that gives little at a time."""
    content = np.random.default_rng(1).integers(48, 58, 1 << 20).astype(np.uint8).tobytes()
    for name, pack in (("a.gz", gzip.compress), ("a.zst", zstandard.compress)):
        (tmp_path / name).write_bytes(pack(content + bytes(8 << 20)))
        blocks = list(packing.read_blocks(Source(tmp_path / name), 1 << 18))
        assert b"".join(blocks) == content + bytes(8 << 20)
        assert max(map(len, blocks)) == 1 << 18
        assert len(blocks) < 2 * (9 << 20 >> 18)


def test_blank_lines_take_no_rows(tmp_path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"0 1\n" + b"\n" * (8 << 20) + b"1 2\n")
    with emv.config.using(num_threads=1):
        graph = read_within(path, 5 * path.stat().st_size)
    assert graph is not None
    assert graph.num_edges == 2


def npz_of(path: Path, **arrays: object) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, values in arrays.items():
            content = values
            if not isinstance(values, bytes):
                file = io.BytesIO()
                np.lib.format.write_array(file, np.asarray(values))
                content = file.getvalue()
            archive.writestr(f"{name}.npy", content)
    return path


def no_blocks_of(size: int) -> bytes:
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': (0, {size}, {size}), }}".encode()
    head += b" " * (64 - (len(head) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head


@pytest.mark.parametrize("size", [20_000, 10**6])
def test_no_blocks_of_any_size_are_no_entries(tmp_path, size: int) -> None:
    path = npz_of(
        tmp_path / "a.npz",
        format=np.array(b"bsr"),
        shape=np.array([size, size]),
        data=no_blocks_of(size),
        indices=np.zeros(0, np.int32),
        indptr=np.zeros(2, np.int32),
    )
    graph = read_within(path)
    assert graph is not None
    assert (graph.num_vertices, graph.num_edges) == (size, 0)


def test_blocks_and_diagonals_that_imply_far_more_are_refused(tmp_path) -> None:
    ones = np.ones((1, 3000, 3000), np.bool_)
    common = {"shape": np.array([3000, 3000])}
    bsr = {"format": np.array(b"bsr"), "indices": [0], "indptr": [0, 1], "data": ones}
    assert read_within(npz_of(tmp_path / "a.npz", **common, **bsr)) is None
    dia = {"format": np.array(b"dia"), "offsets": np.arange(3000), "data": ones[0]}
    assert read_within(npz_of(tmp_path / "b.npz", **common, **dia)) is None


def arrow_peak_of(path: Path) -> tuple[Graph, int]:
    before = pa.default_memory_pool().max_memory()
    graph = emv.read(path)
    return graph, pa.default_memory_pool().max_memory() - before


@pytest.mark.parametrize("column", ["src", "name"])
def test_a_text_that_is_stored_once_is_held_once(tmp_path, column: str) -> None:
    """It stands in 100,000 rows, and would take 20 GB."""
    rows = pa.array(np.arange(100_000))
    once = pa.DictionaryArray.from_arrays(np.zeros(len(rows), np.int32), ["x" * 200_000])
    columns = {"src": rows, "dst": rows, "name": once}
    if column == "src":
        columns = {"src": once, "dst": rows.cast("string")}
    kept = pa.table(columns)
    path = tmp_path / "a.parquet"
    pq.write_table(kept, path, compression="zstd", store_schema=False)
    graph, peak_bytes = arrow_peak_of(path)
    assert graph.num_edges == len(rows)
    assert peak_bytes < MOST_BYTES
    if column == "src":
        assert graph.labels[0] == "x" * 200_000


def test_texts_that_no_row_has_are_no_vertices(tmp_path) -> None:
    text = pa.DictionaryArray.from_arrays([2, 0, 2], ["a", "nobody", "c", "a"])
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"src": text, "dst": ["a", "a", "d"]}), path)
    assert emv.read(path).labels.tolist() == ["c", "a", "d"]
    assert Graph.from_arrow(pa.table({"src": text, "dst": text})).labels.tolist() == ["c", "a"]
