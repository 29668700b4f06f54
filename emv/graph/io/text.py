"""Lines out of a file: how it begins, and its text cut into chunks of whole lines.

Nothing is held but one chunk and an unfinished line, whatever the file claims to be: a reader
sees `Chunk` after `Chunk`, each knowing the number of its first line, so that an error deep in a
large file still names its line. A line may end in LF, CR LF or CR.
"""

from __future__ import annotations

import itertools
import logging
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, NoReturn

import numpy as np

from emv.errors import GraphFormatError
from emv.graph.io.packing import plain_bytes, read_blocks
from emv.graph.io.readable import Readable

logger = logging.getLogger("emv.graph.io")

CHUNK_BYTES = 1 << 20
MOST_CHUNKS_TOGETHER = 4  # in large files, whose reading threads then wait less for each other
LONGEST_LINE_BYTES = 16 << 20
MOST_COMMENT_BYTES = 1 << 16  # looked at for what they say of the file

_LF, _CR = 10, 13
_UTF8_MARK = b"\xef\xbb\xbf"
_COMMENT_BLOCK = re.compile(rb"(?:[ \t]*(?:(?:[#%]|//)[^\r\n]*)?[\r\n])*+")
_LINE = re.compile(rb"[^\r\n]*")
_COMMENT_START = re.compile(rb"[#%]|//")
_SEPARATOR = re.compile(rb"[ \t]*,[ \t]*|[ \t]+")


class Line(NamedTuple):
    """One line: its 1-based number, and its text without blanks around it."""

    number: int
    text: bytes


@dataclass(frozen=True)
class Chunk:
    """Whole lines of a file.

    Attributes
    ----------
    text : bytes
        The lines; the last byte is a line end.
    line : int
        The 1-based number of the first of them.
    """

    text: bytes
    line: int

    @cached_property
    def num_lines(self) -> int:
        """How many lines there are."""
        return _num_line_ends(self.text)

    def line_number(self, offset: int) -> int:
        """Return the number of the line that holds `offset`."""
        return self.line + _num_line_ends(self.text[:offset])

    def line_at(self, offset: int) -> bytes:
        """Return the line that begins at `offset`, without its end."""
        line = _LINE.match(self.text, offset)
        return line.group() if line else b""

    def after_line_at(self, offset: int) -> int:
        """Return where the line after the one at `offset` begins."""
        end = offset + len(self.line_at(offset))
        return end + (2 if self.text[end : end + 2] == b"\r\n" else 1)

    def after(self, offset: int) -> Chunk:
        """Return the lines from `offset`, the start of a line, on."""
        return Chunk(self.text[offset:], self.line_number(offset))


def read_chunks(source: Readable, longest_line_bytes: int = 0) -> Iterator[Chunk]:
    """Yield the lines of a file, unpacked, about `CHUNK_BYTES` at a time, or some times as many.

    Raises
    ------
    GraphFormatError
        As `read_blocks`, or if a line is longer than `LONGEST_LINE_BYTES`, or than
        `longest_line_bytes` where that is more.
    """
    longest = max(LONGEST_LINE_BYTES, longest_line_bytes)
    yield from _cut(read_blocks(source, _chunk_bytes(source), b"\n"), source.file, longest)


def _chunk_bytes(source: Readable) -> int:
    """Return how much of a file to read at a time."""
    size = plain_bytes(source)
    few = 1 if math.isinf(size) else int(size) // (64 * CHUNK_BYTES)
    return CHUNK_BYTES * min(MOST_CHUNKS_TOGETHER, max(1, few))


def _cut(blocks: Iterator[bytes], file: str, longest: int) -> Iterator[Chunk]:
    """Cut blocks of bytes at line ends."""
    line = 1
    rest: list[bytes] = []  # of a line that is not over
    num_rest = 0  # bytes
    for number, block in enumerate(blocks):
        text = block.removeprefix(_UTF8_MARK) if number == 0 else block
        if rest and rest[-1].endswith(b"\r"):
            num_rest -= len(rest[-1])
            text = rest.pop() + text
        end = text.rfind(b"\n") + 1
        if not end:  # a CR that comes last may be half of a line end
            end = text.rfind(b"\r", 0, len(text) - 1) + 1
        if end:
            is_whole = end == len(text) and not rest
            chunk = Chunk(text if is_whole else b"".join([*rest, memoryview(text)[:end]]), line)
            yield chunk
            line += chunk.num_lines
            rest, num_rest = [], 0
        rest.append(text[end:])
        num_rest += len(rest[-1])
        if num_rest > longest:
            raise GraphFormatError(
                f"a line of more than {longest >> 20} MB is not part of a graph file",
                file,
                line,
            )
    if any(rest):
        yield Chunk(b"".join([*rest, b"\n"]), line)


def _num_line_ends(text: bytes) -> int:
    """Return the number of line ends, of whatever kind."""
    codes = np.frombuffer(text, np.uint8)
    if len(text) >= CHUNK_BYTES:
        from emv_kernels.cpu.marks import count_line_ends

        return int(count_line_ends(codes))
    num_feeds = int(np.count_nonzero(codes == _LF))
    if b"\r" not in text:
        return num_feeds
    is_return = codes == _CR
    num_pairs = np.count_nonzero(is_return[:-1] & (codes[1:] == _LF))
    return num_feeds + int(np.count_nonzero(is_return) - num_pairs)


@dataclass(frozen=True, slots=True)
class Opening:
    """How a file begins.

    Attributes
    ----------
    comments : list of Line
        The comments before the first line of data.
    line : int
        The number of the first line of data; 0 when there is none.
    first, second : list of bytes
        The fields of the first two lines of data; empty when there is none.
    chunks : iterator of Chunk
        The lines from the first line of data on.
    lines : (bytes, bytes)
        The first two lines of data as they stand.
    """

    comments: list[Line]
    line: int
    first: list[bytes]
    second: list[bytes]
    chunks: Iterator[Chunk]
    lines: tuple[bytes, bytes] = b"", b""

    def without_first_line(self) -> Iterator[Chunk]:
        """Return the chunks from the second line of data on."""
        for chunk in self.chunks:
            yield chunk.after(chunk.after_line_at(0))
            yield from self.chunks


def read_opening(source: Readable) -> Opening:
    """Return how a file begins.

    Raises
    ------
    GraphFormatError
        As `read_chunks`.
    """
    comments: list[Line] = []
    most_bytes = MOST_COMMENT_BYTES
    chunks = read_chunks(source)
    for chunk in chunks:
        block = _COMMENT_BLOCK.match(chunk.text)
        end = block.end() if block else 0
        lines = chunk.text[: max(0, min(end, most_bytes))].splitlines()
        most_bytes -= end
        comments += [
            Line(number, text)
            for number, line in enumerate(lines, chunk.line)
            if (text := line.strip())
        ]
        if end == len(chunk.text):
            continue
        rest = chunk.after(end)
        first = rest.line_at(0)
        second, passed = b"", [rest]
        try:
            second = _next_line_of_data(passed, rest.after_line_at(0), chunks)
        except GraphFormatError as error:
            chunks = _failing(error)  # when it is come to
        remaining, parts = itertools.chain(passed, chunks), (fields(first), fields(second))
        return Opening(comments, rest.line, *parts, remaining, (first, second))
    return Opening(comments, 0, [], [], iter(()))


def _next_line_of_data(passed: list[Chunk], offset: int, chunks: Iterator[Chunk]) -> bytes:
    """Return the first line that is no comment, from `offset` on in the one chunk that is passed.

    The chunks after it that are looked at are passed, too.
    """
    while True:
        block = _COMMENT_BLOCK.match(passed[-1].text, offset)
        begin = block.end() if block else offset
        if begin < len(passed[-1].text):
            return passed[-1].line_at(begin)
        after = next(chunks, None)
        if after is None:
            return b""
        passed.append(after)
        offset = 0


def _failing(error: GraphFormatError) -> Iterator[Chunk]:
    raise error
    yield


def fields(line: bytes) -> list[bytes]:
    r"""Return the fields of a line, without a trailing comment.

    Examples
    --------
    >>> fields(b" 1, 2\t3.5 # a comment")
    [b'1', b'2', b'3.5']
    >>> fields(b"1,,2")
    [b'1', b'', b'2']
    """
    bare = _COMMENT_START.split(line, maxsplit=1)[0].strip(b" \t\r\n")
    return _SEPARATOR.split(bare) if bare else []


def first_comma(chunk: Chunk, letter: str = "") -> int | None:
    r"""Return where the first line begins that has a comma outside of a comment; None without one.

    Parameters
    ----------
    letter : str
        What begins rows; where there is such, ``c`` begins a comment, too.

    Examples
    --------
    >>> first_comma(Chunk(b"1 2 % a, b\n1,2\n", 1)), first_comma(Chunk(b"c a, b\n", 1), "a")
    (11, None)
    """
    at = chunk.text.find(b",")
    while at >= 0:
        begin = 1 + max(chunk.text.rfind(end, 0, at) for end in (b"\n", b"\r"))
        before = chunk.text[begin:at]
        is_comment = letter and before.lstrip().startswith(b"c")
        if not is_comment and not _COMMENT_START.search(before):
            return begin
        at = chunk.text.find(b",", chunk.after_line_at(begin))
    return None


def refuse_comma(line: bytes, file: str, number: int) -> NoReturn:
    """Say that a line has a comma in a format whose columns are parted by blanks.

    Raises
    ------
    GraphFormatError
        Always.
    """
    raise GraphFormatError(
        f"{shown(line)} has a comma, but this format parts columns by blanks",
        file,
        number,
        "write blanks, or give format='edge-list' if it is one",
    )


def natural(part: bytes) -> int | None:
    """Return a number of decimal digits, or None when it is none or not below 2**63.

    Examples
    --------
    >>> natural(b"007"), natural(b"-7"), natural(b"9" * 5000)
    (7, None, None)
    """
    digits = part.lstrip(b"0")
    if not part.isdigit() or len(digits) > 19:
        return None
    number = int(digits or b"0")
    return number if number < 2**63 else None


def line_of_entry(source: Readable, entry: int) -> int | None:
    """Return the number of the line that holds the data line `entry`, counted from 0.

    Goes through the file once more: for errors only. None when it cannot be read any more.
    """
    try:
        for chunk in read_chunks(source):
            for number, line in enumerate(chunk.text.replace(b"\r\n", b"\n").splitlines()):
                if fields(line):
                    if entry == 0:
                        return chunk.line + number
                    entry -= 1
    except GraphFormatError:
        pass
    return None


def shown(text: bytes, longest: int = 60) -> str:
    r"""Return bytes of a file as they may be shown in an error.

    Examples
    --------
    >>> shown(b"9q a9 1"), shown(b"\x00\xff")
    ("'9q a9 1'", "'\\x00\\xff'")
    """
    cut = text[:longest].decode("ascii", "backslashreplace")
    escaped = "".join(each if each.isprintable() else f"\\x{ord(each):02x}" for each in cut)
    return f"'{escaped}{'...' if len(text) > longest else ''}'"
