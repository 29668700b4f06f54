"""Inputs for `trust_files`: valid small files of each format, made anew, broken or invented.

An input is the files below a folder by their names, and the one that is opened. A broken one is a
valid one after some edits that know the kind of file: words of text become other likely words,
lines move, numbers in binary files become sizes that overflow, members of a zip file are edited
unpacked. An invented one follows a small grammar of its format, with counts that are mostly right.
"""

from __future__ import annotations

import io
import random
import re
import struct
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from emv.errors import EmvError
from emv.graph import Graph
from emv.graph.io import FORMATS, write
from emv.graph.io.format import Format

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
MOST_SEED_BYTES = 4000

Files = dict[str, bytes]

WORDS = [
    *(str(number).encode() for number in (0, 1, 2, 3, 7, 9, 10, 100, 111, 255, 256, 65536)),
    *(str(2**power + add).encode() for power in (31, 32, 40, 53, 63, 64) for add in (-1, 0, 1)),
    *b"-1 -0 +1 007 1.5 1. .5 1e3 1e400 1e-400 nan inf -inf NaN 0x10 1d5 1_0 true".split(),
    *b"a b c p sp tw e % # // %% %%MatrixMarket matrix coordinate array real integer".split(),
    *b"pattern complex general symmetric skew-symmetric hermitian unsigned-integer".split(),
    b"9" * 30,
    b"9" * 400,
    b"",
    b"\0",
    b"\xff",
    "\u0661".encode(),
    b'"1"',
    b"%%GraphBLAS type uint8_t",
    b"1 2",
    b"\xef\xbb\xbf",
]
GAPS = [b" ", b"\t", b",", b"\n", b"\r\n", b"\r", b"", b"  ", b" , ", b";", b"\n\n", b"\0", b"\x0b"]
INTEGERS = [0, 1, 2, 3, 8, 14, 127, 255, 2**16, 2**31 - 1, 2**31, 2**32, 2**40, 2**62, 2**63 - 1]
_WORD = re.compile(rb"[^\s,]+")
_GAP = re.compile(rb"[\s,]+")


@dataclass(frozen=True)
class Input:
    """Some files and the name of the one to open."""

    files: Files
    opened: str


def valid_inputs(form: Format) -> list[Input]:
    """Return small valid files of a format: graphs that it holds, and files of the tests."""
    inputs = [made for graph in _graphs() if (made := _written(form, graph))]
    endings = form.suffixes or (".csv",)
    paths = [path for path in sorted(DATA.rglob("*")) if path.suffix in endings]
    for path in paths:
        if path.is_file() and path.stat().st_size <= MOST_SEED_BYTES:
            siblings = path.parent.glob(f"{path.stem}.*") if path.suffix == ".e" else [path]
            files = {each.name: each.read_bytes() for each in siblings}
            inputs.append(Input(files, path.name))
    return inputs


def valid_partitions() -> list[Input]:
    """Return small partition files."""
    texts = [b"0\n1\n1\n", b"3\n", b"0\r\n0\r\n2\r\n", b"2147483647\n0"]
    return [Input({"a.part.4": each}, "a.part.4") for each in texts]


def _graphs() -> list[Graph]:
    src, dst = [0, 0, 3, 2, 2, 5], [1, 1, 2, 0, 2, 0]
    some = {"num_vertices": 7, "weight": [5, -1, 0, 7, 7, 9]}
    side = Graph.from_edges([0, 1, 1], [2, 3, 4], num_vertices=5, directed=False)
    side.vertices["side"] = np.array([0, 0, 1, 1, 1], np.uint8)
    weighed = Graph.from_edges(src, dst, directed=False, **some)
    weighed.vertices["weight"] = np.arange(7)
    weighed.vertices["size"] = np.ones(7, np.int64)
    reals = [0.5, 1e300, -2.0, 0.1, 3.0, 4.0]
    return [
        Graph.from_edges(src, dst, num_vertices=7),
        Graph.from_edges(src, dst, num_vertices=7, directed=False),
        Graph.from_edges(src, dst, **some),
        weighed,
        Graph.from_edges(src, dst, num_vertices=6, weight=reals),
        Graph.from_edges(src, dst, labels=[10, 20, 30, 41, 50, 2**40]),
        Graph.from_edges(src, dst, labels=list("abcdef"), cost=np.arange(6, dtype=np.int16)),
        Graph.from_edges(list("acb"), list("bac"), renumber=True, weight=[0.5, 2.0, -1.0]),
        Graph.from_edges([], [], num_vertices=3),
        side,
    ]


def _written(form: Format, graph: Graph) -> Input | None:
    """Return what a format writes for a graph; None if it cannot hold it."""
    if form.write is None:
        return None
    name = f"a{form.suffixes[0]}"
    with tempfile.TemporaryDirectory() as folder:
        try:
            write(graph, Path(folder, name), format=form.name)
        except EmvError:
            return None
        paths = [path for path in Path(folder).rglob("*") if path.is_file()]
        files = {str(path.relative_to(folder)): path.read_bytes() for path in paths}
    return Input(files, name)


def broken(valid: list[Input], chance: random.Random) -> Input:
    """Return a valid input after one to six edits."""
    made = chance.choice(valid)
    files = dict(made.files)
    name = chance.choice(sorted(files))
    other = chance.choice(list(chance.choice(valid).files.values()))
    content = files[name]
    for _ in range(chance.choice([1, 1, 1, 2, 3, 6])):
        content = edited(content, other, chance)
    files[name] = content
    if len(files) > 1 and chance.random() < 0.02:
        del files[chance.choice(sorted(files))]
    return Input(files, made.opened)


def edited(content: bytes, other: bytes, chance: random.Random) -> bytes:
    """Return the bytes of a file after one edit."""
    if content[:4] == b"PK\3\4" and chance.random() < 0.8:
        return _edited_zip(content, other, chance)
    is_text = b"\0" not in content
    edits = _TEXT_EDITS if is_text and chance.random() < 0.8 else _BYTE_EDITS
    return chance.choice(edits)(content, other, chance)


def _edited_zip(content: bytes, other: bytes, chance: random.Random) -> bytes:
    """Return a zip file with one member edited, left out or named anew."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
    except Exception:  # an edit before this one broke it, in whatever way
        return content
    if not members:
        return content
    name = chance.choice(sorted(members))
    member = members.pop(name)
    kind = chance.random()
    if kind < 0.05:
        name = chance.choice(sorted(members)) if members else "x.npy"
    if kind < 0.95:
        edits = [*_BYTE_EDITS, *_TEXT_EDITS] if kind < 0.5 else [_another_number]
        members[name] = chance.choice(edits)(member, other, chance)
    packed = io.BytesIO()
    way = zipfile.ZIP_DEFLATED if chance.random() < 0.5 else zipfile.ZIP_STORED
    with zipfile.ZipFile(packed, "w", way) as archive:
        for each, data in members.items():
            archive.writestr(each, data)
    return packed.getvalue()


def _another_word(content: bytes, other: bytes, chance: random.Random) -> bytes:
    words = list(_WORD.finditer(content))
    if not words:
        return chance.choice(WORDS)
    word = chance.choice(words[:6] if chance.random() < 0.4 else words)
    return content[: word.start()] + chance.choice(WORDS) + content[word.end() :]


def _another_gap(content: bytes, other: bytes, chance: random.Random) -> bytes:
    gaps = list(_GAP.finditer(content))
    if not gaps:
        return content + chance.choice(GAPS)
    gap = chance.choice(gaps)
    return content[: gap.start()] + chance.choice(GAPS) + content[gap.end() :]


def _moved_line(content: bytes, other: bytes, chance: random.Random) -> bytes:
    lines = content.splitlines(keepends=True) or [b""]
    line = lines.pop(chance.randrange(len(lines)))
    kind = chance.random()
    for _ in range(0 if kind < 0.3 else 1 if kind < 0.6 else 2):
        lines.insert(chance.randrange(len(lines) + 1), line)
    return b"".join(lines)


def _line_of_another(content: bytes, other: bytes, chance: random.Random) -> bytes:
    lines = content.splitlines(keepends=True)
    line = chance.choice(other.splitlines(keepends=True) or [b"\n"])
    lines.insert(chance.randrange(len(lines) + 1), line)
    return b"".join(lines)


def _other_line_ends(content: bytes, other: bytes, chance: random.Random) -> bytes:
    return content.replace(b"\n", chance.choice([b"\r\n", b"\r", b"\n\n", b"\n\r"]))


def _cut(content: bytes, other: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(content) + 1)
    return content[:at] if chance.random() < 0.7 else content[at:]


def _other_bytes(content: bytes, other: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(content) + 1)
    new = chance.randbytes(chance.choice([1, 1, 2, 4, 8]))
    return content[:at] + new + content[at + chance.choice([0, 1, len(new)]) :]


def _flipped_bit(content: bytes, other: bytes, chance: random.Random) -> bytes:
    if not content:
        return b"\0"
    changed = bytearray(content)
    changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _another_number(content: bytes, other: bytes, chance: random.Random) -> bytes:
    """Overwrite four or eight bytes, more often where sizes stand."""
    kind = chance.choice(["<q", "<i", ">i", "<d"])
    value = chance.choice(INTEGERS) * chance.choice([1, 1, 1, -1])
    size = struct.calcsize(kind)
    if kind in ("<i", ">i"):
        value = (value + 2**31) % 2**32 - 2**31
    number = struct.pack(kind, chance.choice([value, float("nan")]) if kind == "<d" else value)
    most = max(1, len(content) - size + 1)
    at = chance.choice([chance.randrange(most), chance.randrange(min(most, 40)), 1, 9])
    return content[:at] + number + content[at + size :]


def _spliced(content: bytes, other: bytes, chance: random.Random) -> bytes:
    begin, end = chance.randrange(len(content) + 1), chance.randrange(len(other) + 1)
    return content[:begin] + other[end:]


_TEXT_EDITS: list[Callable[[bytes, bytes, random.Random], bytes]] = [
    _another_word,
    _another_word,
    _another_word,
    _another_gap,
    _moved_line,
    _line_of_another,
    _other_line_ends,
    _cut,
]
_BYTE_EDITS: list[Callable[[bytes, bytes, random.Random], bytes]] = [
    _other_bytes,
    _flipped_bit,
    _another_number,
    _another_number,
    _cut,
    _spliced,
]


def format_named(name: str) -> Format:
    """Return the format of this name."""
    return next(each for each in FORMATS if each.name == name)
