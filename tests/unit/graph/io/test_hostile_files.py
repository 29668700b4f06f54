"""Broken, hostile and mistaken files: an error that names the place, little memory, no crash."""

from __future__ import annotations

import gzip
import os
import tracemalloc
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from graph_files import WIKI_VOTE

from emv.errors import GraphFormatError
from emv.graph.io import packing, read, text
from tests.stress.malformed import row_of_case
from tests.stress.malformed_files import cases, gzip_bomb, lies, zstd_bomb


def error_of(path: Path) -> GraphFormatError:
    with pytest.raises(GraphFormatError) as caught:
        read(path)
    return caught.value


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        ("0 1\n1 2\n2\n", 3, "'2' has 1 field, expected 2: source, target"),
        ("0 1\n1 2 5\n", 1, "'0 1' has 2 fields, the next line has 3"),
        ("0 1\n1 2\n1 2 5\n", 3, "'1 2 5' has 3 fields, expected 2"),
        ("0 1 5\n1 2\n", 2, "'1 2' has 2 fields, expected 3"),
        ("0 1 5\n1 2 3\n1 2\n", 3, "'1 2' has 2 fields, expected 3: source, target, weight"),
        ("0\n1\n", 1, "'0' has 1 field"),
        ("0 1 2 3 4\n", 1, "'0 1 2 3 4' has 5 fields"),
        ("0 1\n# fine\n\n-1 2\n", 4, "'-1' is negative"),
        ("0 1\nalice bob\n", 2, "'alice' is not a vertex number, number the vertices"),
        ("one other\n0 1\n", 1, "header=True if this line is not an edge"),
        ("0 1\n1 2.0\n", 2, "'2.0' is not a vertex number"),
        ("0 1\n1 nan\n", 2, "'nan' is not a vertex number"),
        ("0 1\n1 0x10\n", 2, "'0x10' is not a vertex number"),
        ("0 1\n1 \u0661\n", 2, "is not a vertex number"),
        ("0 1\n1 18446744073709551616\n", 2, "'18446744073709551616' is out of range"),
        ("0 1\n9223372036854775808 1\n", 2, "'9223372036854775808' is out of range"),
        ("0 1\n1 " + "9" * 5000 + "\n", 2, "is out of range, expected 0 to 9223372036854775807"),
        ("0,1\n1,,2\n", 2, "'' is not a vertex number"),
        ("0,1\n1,\n", 2, "'' is not a vertex number"),
        ('"0","1"\n', 1, "is not a vertex number"),
        ("0 1 {}\n", 1, "the weight '{}' is not a number"),
        ("0 1 2\n1 2 heavy\n", 2, "the weight 'heavy' is not a number"),
        ("0 1 2.5\n1 2 heavy\n", 2, "the weight 'heavy' is not a number"),
        ("0,1,\n", 1, "the weight is missing, write it on every line, or end no line with a comma"),
        ("0,1,.5\n1,2,\n", 2, "the weight is missing"),
        ("0 1\n+1 2\n", 2, "'+1' is not a vertex number"),
        ("0 1 1.5\n1 2 1e999\n", 2, "the weight '1e999' does not fit float64"),
        ("0 1 1.5\n1 2 -NaNa\n", 2, "the weight '-NaNa' is not a number"),
        ("0 1 1.5\n1 2 1e\n", 2, "'1e' is not a number"),
        ("0 1 1.5\n1 2 .\n", 2, "'.' is not a number"),
        ("0 1 1.5\n1 2 --1\n", 2, "'--1' is not a number"),
        ("0 1 1\n1 2 9223372036854775808\n", 2, "does not fit int64"),
        ("0 1 1\n1 2 " + "9" * 5000 + "\n", 2, "does not fit int64"),
        ("0 1\r1 2\rx 3\r", 3, "'x' is not a vertex number"),
        ("0 1\r\n1 2\r\nx 3\r\n", 3, "'x' is not a vertex number"),
        ("0 1\n1 2\n\0\0\0\n", 3, "'\\x00\\x00\\x00' is not text"),
        ("# only comments\n", None, "holds no edge"),
        ("", None, "is empty"),
        ("\n\n  \n", None, "is empty"),
        ("A graph of my friends, 2019\n", 1, "'A' is not a vertex number"),
    ],
)
def test_a_bad_line_is_named(write, content, line, what) -> None:
    path = write(content)
    error = error_of(path)
    place = str(path) if line is None else f"{path}:{line}"
    assert str(error).startswith(f"{place}: ")
    assert what in str(error)


def test_a_bad_line_in_a_later_chunk_is_named(write, monkeypatch) -> None:
    monkeypatch.setattr(text, "CHUNK_BYTES", 100)
    for line_end in ("\n", "\r\n", "\r"):
        path = write(line_end.join(["1 2"] * 5000 + ["1 x"] + ["1 2"] * 50))
        assert error_of(path).line == 5001


def test_long_lines_are_shown_in_part(write) -> None:
    assert len(str(error_of(write("word " * 1000, "a.txt"))).replace(os.sep, "")) < 400


def test_a_line_without_end_is_refused(write, monkeypatch) -> None:
    monkeypatch.setattr(text, "CHUNK_BYTES", 1 << 10)
    monkeypatch.setattr(text, "LONGEST_LINE_BYTES", 1 << 14)
    error = error_of(write("0 1\n" + "1" * (1 << 16)))
    assert error.line == 2
    assert "a line of more than" in str(error)


@pytest.mark.parametrize("name", ["missing.txt", "", "a/b/c.mtx"])
def test_what_cannot_be_opened(tmp_path, name) -> None:
    assert "cannot be read: " in str(error_of(tmp_path / name))


@pytest.mark.parametrize(
    ("magic", "packer"),
    [(b"BZh91AY", "bzip2"), (b"\xfd7zXZ\0\0", "xz"), (b"PK\3\4", "zip")],
)
def test_other_packers_are_named(write, magic, packer) -> None:
    assert f"is packed with {packer}, unpack it" in str(error_of(write(magic + b"\0" * 99)))


def test_utf16_and_images_are_not_text(write) -> None:
    assert error_of(write("0 1\n1 2\n".encode("utf-16"))).line == 1
    assert error_of(write(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9)).line is not None


def test_gzip_is_found_by_content(write, tmp_path) -> None:
    path = tmp_path / "no-suffix"
    path.write_bytes(gzip.compress(b"0 1\n") + gzip.compress(b"1 2\n") + b"\0" * 600)
    assert read(path).num_edges == 2
    assert read(write("0 1\n1 2\n", "a.txt.gz")).num_edges == 2


def test_gzip_cut_off_anywhere_is_refused(write, tmp_path) -> None:
    whole = gzip.compress(b"".join(b"%d %d\n" % (each, each * 7) for each in range(500)))
    for end in [2, 5, 11, 20, len(whole) // 2, len(whole) - 9, len(whole) - 1]:
        path = tmp_path / f"cut{end}.gz"
        path.write_bytes(whole[:end])
        assert "its gzip data are " in str(error_of(path))


def test_gzip_with_a_flipped_byte_is_refused(tmp_path) -> None:
    whole = bytearray(WIKI_VOTE.read_bytes())
    whole[len(whole) // 2] ^= 0x55
    path = tmp_path / "flipped.gz"
    path.write_bytes(whole)
    error_of(path)


def test_gzip_followed_by_something_else_is_refused(tmp_path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"0 1\n") + b"0 1\n")
    assert "its gzip data are damaged" in str(error_of(path))


def gzip_of(block: bytes, times: int) -> Iterator[bytes]:
    packer = zlib.compressobj(9, wbits=31)
    for _ in range(times):
        yield packer.compress(block)
    yield packer.flush()


@pytest.mark.parametrize("block", [b"\n", b"#", b"\0", b"1 1\n", b"# a\n"])
def test_gzip_bombs_are_refused_with_little_memory(tmp_path, monkeypatch, block) -> None:
    monkeypatch.setattr(packing, "EXPANSION_FLOOR_BYTES", 4 << 20)
    path = tmp_path / "bomb.gz"
    path.write_bytes(b"".join(gzip_of(block * ((1 << 20) // len(block)), 8)))
    read(WIKI_VOTE)  # what is loaded once shall not be counted
    tracemalloc.start()
    try:
        error = error_of(path)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert "gzip" in str(error) or "MB" in str(error) or "not text" in str(error)
    assert peak_bytes < 64 << 20


@pytest.mark.parametrize(
    "size",
    [
        "3 3 1000000000000",
        "1000000000000 1000000000000 3",
        "4294967296 4294967296 3",
        "9223372036854775807 9223372036854775807 9223372036854775807",
        "99999999999999999999 3 3",
    ],
)
def test_claimed_sizes_allocate_nothing(write, size) -> None:
    path = write(f"%%MatrixMarket matrix coordinate pattern general\n{size}\n1 2\n2 3\n3 1\n")
    read(WIKI_VOTE)
    tracemalloc.start()
    try:
        error = error_of(path)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert error.line == 2
    assert peak_bytes < 4 << 20


def peak_of_refusing(path: Path) -> int:
    """The bytes at most held while a file is read, which must be refused."""
    with pytest.raises(GraphFormatError):  # what is loaded once shall not be counted
        read(path)
    tracemalloc.start()
    try:
        error_of(path)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_malformed_files_of_every_format_are_read_or_refused(tmp_path, case) -> None:
    row = row_of_case(case, tmp_path)
    assert row.as_expected, row.text()


@pytest.mark.parametrize("case", [*lies()], ids=lambda case: case.name)
def test_memory_follows_what_is_there_and_not_what_is_claimed(tmp_path, case) -> None:
    (path,) = (tmp_path / name for name in case.files)
    path.write_bytes(case.files[case.opened])
    assert peak_of_refusing(path) < 2 * path.stat().st_size + (4 << 20)


@pytest.mark.parametrize(
    ("name", "head", "block"),
    [
        ("a.mtx", "%%MatrixMarket matrix coordinate real general\n9 9 999999999\n", "1 1 1\n"),
        ("a.mtx", "%%MatrixMarket matrix array real general\n99999 99999\n", "1\n"),
        ("a.el", "", "1 1 1\n"),
        ("a.gr", "", "c\n"),
        ("a.gr", "p sp 9 999999999\n", "a 1 1 1\n"),
        ("a.gr", "p tw 9 999999999\n", "1 1\n"),
        ("a.graph", "999999999 0\n", "\n"),
        ("a.graph", "999999999 999999999\n", "1 2 3\n"),
        ("a.graph", "2 1\n2\n1\n", "\n"),
        ("a.graph", "9 9 10 3\n", "1 2 3\n"),
    ],
)
@pytest.mark.parametrize("pack", [gzip_bomb, zstd_bomb])
def test_bombs_of_every_format_are_refused(tmp_path, monkeypatch, name, head, block, pack) -> None:
    monkeypatch.setattr(packing, "EXPANSION_FLOOR_BYTES", 4 << 20)
    path = tmp_path / name
    lines = (block * ((1 << 20) // len(block))).encode()
    path.write_bytes(pack(head.encode(), 1) + pack(lines, 8))
    assert peak_of_refusing(path) < 80 << 20


def test_a_huge_id_allocates_nothing(write) -> None:
    path = write(f"0 1\n1 {2**62}\n")
    read(WIKI_VOTE)
    tracemalloc.start()
    try:
        g = read(path)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert g.num_vertices == 3
    assert peak_bytes < 4 << 20


def test_memory_follows_the_edges(tmp_path) -> None:
    ends = np.random.default_rng(1).integers(0, 100_000, (500_000, 2))
    path = tmp_path / "big.txt"
    path.write_text("".join(f"{src} {dst}\n" for src, dst in ends.tolist()), encoding="ascii")
    read(WIKI_VOTE)
    tracemalloc.start()
    try:
        g = read(path)
        kept_bytes, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert g.num_edges == 500_000
    assert peak_bytes < 3 * kept_bytes + (8 << 20)
