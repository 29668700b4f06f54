"""Malformed files of every format, made here, and what a reader should do with each.

The same mistakes for all formats: truncated, negative, out of range, overflowing, not a number,
wrong counts, headers given twice, bytes that are no text, other line ends, packed bombs, garbage,
nothing. What a tolerant reader takes, such as CR LF, is to be read; everything else refused with a
word on what was there. `lies` are files that claim to be far larger than they are.
"""

from __future__ import annotations

import gzip
import io
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

Files = dict[str, bytes]


@dataclass(frozen=True)
class Case:
    """A file that is not what its format demands.

    Attributes
    ----------
    name : str
        The format and the mistake.
    files : dict of str to bytes
        The files by name; the last one is opened.
    refused : str or None
        Part of the error, None if it is to be read.
    line : int or None
        The line that the error names.
    """

    name: str
    files: Files
    refused: str | None
    line: int | None = None

    @property
    def opened(self) -> str:
        """The name of the file to open."""
        return list(self.files)[-1]


@dataclass(frozen=True)
class TextForm:
    """A text format by a file of it that is right: a triangle with weights, `{}` for a row.

    Attributes
    ----------
    name, opened : str
        The format, and a file's name.
    valid : bytes
        A file; its last row is replaced to make mistakes.
    last : bytes
        That row.
    rows : dict of str to (bytes, str)
        For each mistake the row to put there, and part of the error; the row's place is the line.
    beside : dict of str to bytes
        Files beside it.
    """

    name: str
    opened: str
    valid: bytes
    last: bytes
    rows: dict[str, tuple[bytes, str | None]]
    beside: dict[str, bytes]


_HUGE = b"18446744073709551616"  # 2**64
_MATRIX = b"%%MatrixMarket matrix coordinate real general\n3 3 3\n1 2 0.5\n2 3 1\n3 1 2\n"
_METIS = b"3 3 1\n2 5 3 6\n1 5 3 7\n1 6 2 7\n"
_VERTICES = {
    "a.properties": b"graph.a.directed = true\n"
    b"graph.a.edge-properties.names = weight\ngraph.a.edge-properties.types = real\n",
    "a.v": b"1\n2\n3\n",
}

TEXT_FORMS = (
    TextForm(
        "matrix-market",
        "a.mtx",
        _MATRIX,
        b"3 1 2",
        {
            "negative": (b"3 -1 2", "'-1' is negative"),
            "out of range": (b"3 4 2", "'4' is out of range, expected 1 to 3"),
            "zero id": (b"3 0 2", "'0' is out of range, expected 1 to 3"),
            "overflowing id": (b"3 " + _HUGE + b" 2", "out of range"),
            "overflowing weight": (b"3 1 1e999", "does not fit float64"),
            "missing weight": (b"3 1", "has 2 fields, expected 3"),
            "word as weight": (b"3 1 two", "'two' is not a number"),
            "infinite weight": (b"3 1 -inf", None),
            "nan": (b"3 1 nan", None),
        },
        {},
    ),
    TextForm(
        "edge-list",
        "a.el",
        b"0 1 0.5\n1 2 1\n2 0 2\n",
        b"2 0 2",
        {
            "negative": (b"2 -1 2", "'-1' is negative"),
            "overflowing id": (b"2 " + _HUGE + b" 2", "out of range, expected 0 to"),
            "overflowing weight": (b"2 0 1e999", "does not fit float64"),
            "missing weight": (b"2 0", "has 2 fields, expected 3: source, target, weight"),
            "word as weight": (b"2 0 two", "'two' is not a number"),
            "infinite weight": (b"2 0 -inf", None),
            "nan": (b"2 0 nan", None),
        },
        {},
    ),
    TextForm(
        "ncol",
        "a.ncol",
        b"ann bob 0.5\nbob cy 1\ncy ann 2\n",
        b"cy ann 2",
        {
            "overflowing weight": (b"cy ann 1e999", "does not fit float64"),
            "missing weight": (b"cy ann", "has 2 fields, the first line has 3"),
            "one name": (b"cy", "is no edge"),
            "word as weight": (b"cy ann two", "the weight 'two' is not a number"),
            "infinite weight": (b"cy ann -inf", None),
            "nan": (b"cy ann nan", None),
        },
        {},
    ),
    TextForm(
        "dimacs",
        "a.gr",
        b"c a triangle\np sp 3 3\na 1 2 5\na 2 3 6\na 3 1 7\n",
        b"a 3 1 7",
        {
            "negative": (b"a 3 -1 7", "'-1' is negative"),
            "out of range": (b"a 3 4 7", "'4' is out of range, expected 1 to 3"),
            "zero id": (b"a 0 1 7", "'0' is out of range, expected 1 to 3"),
            "overflowing id": (b"a " + _HUGE + b" 1 7", "out of range"),
            "overflowing weight": (b"a 3 1 " + _HUGE, "does not fit int64"),
            "missing weight": (b"a 3 1", "'a 3 1' has 2 fields, expected 3"),
            "word as weight": (b"a 3 1 two", "the weight 'two' is not a number"),
            "overflowing decimal": (b"a 3 1 1e999", "does not fit float64"),
            "infinite weight": (b"a 3 1 inf", "is not finite"),
            "nan": (b"a 3 1 nan", "is not finite"),
            "header twice": (b"p sp 3 3", "'p sp 3 3' begins with no 'a'"),
        },
        {},
    ),
    TextForm(
        "dimacs of PACE",
        "a.gr",
        b"p tw 3 3\n1 2\n2 3\n3 1\n",
        b"3 1",
        {
            "negative": (b"3 -1", "'-1' is negative"),
            "out of range": (b"3 4", "'4' is out of range, expected 1 to 3"),
            "overflowing id": (b"3 " + _HUGE, "out of range"),
            "header twice": (b"p tw 3 3", "'p' is not a vertex number, expected 'source target'"),
            "letter": (b"a 3 1", "'a' is not a vertex number"),
        },
        {},
    ),
    TextForm(
        "metis",
        "a.graph",
        _METIS,
        b"1 6 2 7",
        {
            "negative": (b"1 6 -2 7", "'-2' is negative"),
            "out of range": (b"1 6 4 7", "'4' is out of range, expected 1 to 3"),
            "zero id": (b"0 6 2 7", "'0' is out of range, expected 1 to 3"),
            "overflowing id": (_HUGE + b" 6 2 7", "out of range"),
            "overflowing weight": (b"1 6 2 " + _HUGE, "does not fit int64"),
            "missing weight": (b"1 6 2", "the last neighbour of the list '1 6 2' has no weight"),
            "word as weight": (b"1 6 2 two", "'two' is not a number"),
            "infinite weight": (b"1 6 2 inf", "is not finite"),
            "nan": (b"1 6 2 nan", "is not finite"),
        },
        {},
    ),
    TextForm(
        "graphalytics",
        "a.e",
        b"1 2 0.5\n2 3 1\n3 1 2\n",
        b"3 1 2",
        {
            "negative": (b"3 -1 2", "'-1' is negative"),
            "out of range": (b"3 4 2", "vertex 4 is not in "),
            "overflowing id": (b"3 " + _HUGE + b" 2", "out of range"),
            "overflowing weight": (b"3 1 1e999", "does not fit float64"),
            "missing weight": (b"3 1", "'3 1' has 2 fields, expected 3: source, target, weight"),
            "word as weight": (b"3 1 two", "'two' is not a number"),
            "infinite weight": (b"3 1 inf", "is not finite"),
            "nan": (b"3 1 nan", "is not finite"),
        },
        _VERTICES,
    ),
)


def packed(content: bytes) -> bytes:
    """Return the bytes packed with zstd."""
    import zstandard

    return zstandard.ZstdCompressor().compress(content)


def of_every_text(form: TextForm) -> Iterator[Case]:
    """Yield the mistakes that any text file can have."""
    valid, row = form.valid, form.valid.count(b"\n")

    def case(mistake: str, content: bytes, refused: str | None, line: int | None = None) -> Case:
        return Case(f"{form.name}: {mistake}", form.beside | {form.opened: content}, refused, line)

    for mistake, (text, refused) in form.rows.items():
        line = None if refused is None else row
        yield case(mistake, valid.replace(form.last, text), refused, line)
    for mistake, line_end in (("CR LF", b"\r\n"), ("CR alone", b"\r")):
        yield case(mistake, valid.replace(b"\n", line_end), None)
    yield case("last line without its end", valid[:-1], None)
    yield case("blank lines at the end", valid + b"\n\n", None)
    yield case("comment that is not UTF-8", valid + b"% caf\xe9\n", None)
    yield case("UTF-8 mark", b"\xef\xbb\xbf" + valid, None)
    yield case(
        "row that is not UTF-8", valid.replace(form.last, form.last + b" \xff"), "not text", row
    )
    yield case("zero bytes", valid.replace(form.last, b"\0" * 9), "is not text", row)
    yield case("UTF-16", valid.decode().encode("utf-16"), "\\xff\\xfe", 1)
    yield case("binary garbage", bytes(range(1, 256)) * 8, "")
    yield case("gzip", gzip.compress(valid), None)
    yield case("gzip that is cut off", gzip.compress(valid)[:-9], "its gzip data are")
    yield case("zstd that is cut off", packed(valid)[:-3], "its zstd data are")
    if form.name == "graphalytics":
        yield case("empty edges", b"", None)
    else:
        yield case("empty", b"", "is empty")
        yield case("truncated to comments", b"% only this\n", "")


def of_counts() -> Iterator[Case]:
    """Yield text files with headers that are wrong."""
    two = {"a.e": b"1 2 1\n", "a.v": b"1\n2\n"}
    bare = two | {"a.e": b"1 2\n"}
    for name, opened, content, refused, line in (
        ("matrix-market: too few", "a.mtx", _MATRIX[:-6], "announces 3 entries, only 2 follow", 2),
        ("matrix-market: too many", "a.mtx", _MATRIX + b"1 1 1\n", "3 entries, here is another", 6),
        (
            "matrix-market: header twice",
            "a.mtx",
            _MATRIX[:52] + _MATRIX[46:],
            "3 entries, here is another",
            6,
        ),
        (
            "matrix-market: size overflows",
            "a.mtx",
            _MATRIX.replace(b"3 3 3", _HUGE + b" 3 3"),
            "size line",
            2,
        ),
        (
            "matrix-market: negative size",
            "a.mtx",
            _MATRIX.replace(b"3 3 3", b"3 -3 3"),
            "size line",
            2,
        ),
        ("dimacs: too few", "a.gr", b"p sp 2 2\na 1 2 1\n", "announces 2 arcs, only 1 follow", 1),
        ("dimacs: too many", "a.gr", b"p sp 2 1\na 1 2 1\na 2 1 1\n", "here is another", 3),
        ("dimacs: no header", "a.gr", b"a 1 2 1\n", "before the problem line", 1),
        (
            "dimacs: size overflows",
            "a.gr",
            b"p sp " + _HUGE + b" 1\na 1 2 1\n",
            "problem line is",
            1,
        ),
        ("metis: too few lists", "a.graph", _METIS[:-8], "only 2 lists follow", 1),
        ("metis: too many lists", "a.graph", _METIS + b"1 1\n", "here is another list", 5),
        ("metis: wrong edges", "a.graph", b"3 4 1" + _METIS[5:], "announces 4 edges", 1),
        ("metis: one end only", "a.graph", b"3 1\n2 3\n\n\n", "does not list vertex 1", 2),
        ("metis: weights differ", "a.graph", b"2 1 1\n2 5\n1 6\n", "with that weight", 2),
        ("metis: header twice", "a.graph", b"3 3 1\n" + _METIS, "'3 3 1'", 2),
        ("metis: size overflows", "a.graph", _HUGE + b" 3\n", "the first line is", 1),
    ):
        yield Case(name, {opened: content}, refused, line)
    yield Case("graphalytics: an id twice", two | {"a.v": b"1\n2\n1\n"}, "1 is there twice", 3)
    yield Case("graphalytics: no vertices", {"a.e": b"1 2\n"}, "there is no a.v beside it")
    counted = {"a.properties": b"graph.a.meta.edges = 3\n"}
    yield Case("graphalytics: wrong edges", counted | bare, "has 1 edges")


def _gap(num_arcs: int, num_vertices: int, offsets: list[int], ids: list[int]) -> bytes:
    """Return an undirected graph of GAP's."""
    head = struct.pack("<Bqq", 0, num_arcs, num_vertices)
    return head + np.array(offsets, "<i8").tobytes() + np.array(ids, "<i4").tobytes()


def _npz(**changes: object) -> bytes:
    """Return a matrix of scipy's with some arrays changed."""
    arrays = {
        "format": np.array(b"csr"),
        "shape": np.array([2, 2]),
        "indptr": np.array([0, 1, 2]),
        "indices": np.array([1, 0]),
        "data": np.array([1.0, 2.0]),
    }
    file = io.BytesIO()
    np.savez(file, **{**arrays, **changes})
    return file.getvalue()


def of_binaries() -> Iterator[Case]:
    """Yield mistakes in the binary formats."""
    gap, npz = _gap(2, 2, [0, 1, 2], [1, 0]), _npz()
    for name, content, refused in (
        ("truncated", gap[:-1], "is 48 bytes long"),
        ("too long", gap + b"\0", "is 50 bytes long"),
        ("negative id", _gap(2, 2, [0, 1, 2], [-1, 0]), ""),
        ("id out of range", _gap(2, 2, [0, 1, 2], [2, 0]), ""),
        ("negative count", _gap(-2, 2, [0, 1, 2], [1, 0]), ""),
        ("overflowing count", _gap(2**62, 2**62, [0, 1, 2], [1, 0]), ""),
        ("offsets that fall", _gap(2, 2, [0, 2, 1], [1, 0]), ""),
        ("offsets beyond the arcs", _gap(2, 2, [0, 1, 3], [1, 0]), ""),
        ("one end only", _gap(2, 2, [0, 1, 2], [1, 1]), ""),
        ("garbage", b"\x07" * 99, ""),
        ("empty", b"", ""),
    ):
        yield Case(f"gap: {name}", {"a.sg": content}, refused)
    for name, content, refused in (
        ("truncated", npz[: len(npz) // 2], ""),
        ("negative index", _npz(indices=np.array([-1, 0])), ""),
        ("index out of range", _npz(indices=np.array([2, 0])), ""),
        ("indptr that falls", _npz(indptr=np.array([0, 3, 2])), ""),
        ("negative shape", _npz(shape=np.array([-2, 2])), ""),
        ("no data", _npz(data=np.array([])), ""),
        ("texts as data", _npz(data=np.array(["a", "b"])), ""),
        ("objects as data", _npz(data=np.array([{}, None], object)), ""),
        ("unknown kind", _npz(format=np.array(b"lil")), ""),
        ("garbage", b"PK\x03\x04" + b"\x07" * 99, ""),
    ):
        yield Case(f"npz: {name}", {"a.npz": content}, refused)
    yield Case("emv: garbage", {"a.emv/graph.json": b"\x07" * 99}, "")
    yield Case("emv: empty", {"a.emv/graph.json": b""}, "")
    yield Case("emv: another json", {"a.emv/graph.json": b'{"version": 1}'}, "")


def lies() -> Iterator[Case]:
    """Yield small files that claim to be huge; memory is to follow what is in them."""
    for name, opened, content in (
        ("dimacs", "a.gr", b"p sp 4000000000 4000000000\na 1 2 3\n"),
        ("dimacs vertices", "a.gr", b"p sp 5000000 1\na 1 2 3\n"),
        ("dimacs of PACE", "a.gr", b"p tw 4000000000 1\n1 2\n"),
        ("matrix-market", "a.mtx", _MATRIX.replace(b"3 3 3", b"1000000000 1000000000 3")),
        ("matrix-market entries", "a.mtx", _MATRIX.replace(b"3 3 3", b"3 3 1000000000000")),
        ("array", "a.mtx", b"%%MatrixMarket matrix array real general\n1000000 1000000\n1\n"),
        ("metis", "a.graph", b"4000000000 1\n2\n1\n"),
        ("metis edges", "a.graph", b"2 4000000000\n2\n1\n"),
        ("metis weights", "a.graph", b"2 1 10 4000000000\n2\n1\n"),
        ("gap arcs", "a.sg", _gap(2**40, 2, [0, 1, 2], [1, 0])),
        ("gap vertices", "a.sg", _gap(2, 2**40, [0, 1, 2], [1, 0])),
        ("npz shape", "a.npz", _npz(shape=np.array([2**40, 2**40]))),
        ("npz head", "a.npz", _npz().replace(b"(2,), ", b"(2000000000,), ".ljust(6)[:6])),
    ):
        yield Case(f"{name}: claims to be huge", {opened: content}, "")


def gzip_bomb(block: bytes, times: int) -> bytes:
    """Return so many blocks packed with gzip."""
    packer = zlib.compressobj(9, wbits=31)
    return b"".join([*(packer.compress(block) for _ in range(times)), packer.flush()])


def zstd_bomb(block: bytes, times: int) -> bytes:
    """Return so many blocks packed with zstd."""
    import zstandard

    packer = zstandard.ZstdCompressor(19).compressobj()
    return b"".join([*(packer.compress(block) for _ in range(times)), packer.flush()])


def cases() -> list[Case]:
    """Return all of them."""
    makers: list[Callable[[], Iterator[Case]]] = [of_counts, of_binaries, lies]
    texts = [case for form in TEXT_FORMS for case in of_every_text(form)]
    return [*texts, *(case for maker in makers for case in maker())]
