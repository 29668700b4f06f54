"""Rows of an edge list or a matrix out of chunks of text, in memory that the file has earned.

The kernel reads the lines it understands and stops at others; such a line is read here, field
by field, by the rules that define what a line may be. So every error about a line is made in
`_read_line`, and a file's claims about its size allocate nothing.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from emv.config import config
from emv.errors import GraphFormatError
from emv.graph.io.ahead import worked_ahead
from emv.graph.io.text import Chunk, fields, natural, shown

LARGEST_ID = 2**63 - 1

_NATURAL = re.compile(rb"[0-9]+")
_INTEGER = re.compile(rb"[+-]?[0-9]+")
_FLOAT = re.compile(
    rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eEdD][+-]?[0-9]+)?|[+-]?(?:inf|infinity|nan)",
    re.IGNORECASE,
)
_TOKEN = re.compile(rb"(?:(?!//)[^ \t\r\n,#%])+")
_TEXT_BYTES = re.compile(rb"[\t\r\n\x20-\x7e\x80-\xf4]*")


@dataclass(frozen=True, slots=True)
class RowForm:
    """How the lines of a file are to be read.

    Attributes
    ----------
    columns : tuple of str
        What each column of every line is: ``("source", "target", "weight")``. Two vertex numbers
        stand before the value unless it is the only column; a fourth column is not read.
    dtype : numpy dtype or None
        int64, uint64 or float64 values; None when there are none.
    grows : bool
        Whether int64 values become float64 at the first that is not an integer.
    first_id : int
        The smallest vertex number; it becomes 0.
    last_src, last_dst : int
        The largest vertex numbers.
    allow_nan : bool
        Whether ``nan`` is a value, or stands for a missing one and is refused.
    letter : str
        What begins every line, ``"a"`` in ``a 1 2``, with comments that begin with ``c``; ``"c"``
        for such comments alone, and nothing for neither.
    remedy : str or None
        What to do when a vertex number is none.
    """

    columns: tuple[str, ...]
    dtype: np.dtype[Any] | None = None
    grows: bool = False
    first_id: int = 0
    last_src: int = LARGEST_ID
    last_dst: int = LARGEST_ID
    allow_nan: bool = False
    letter: str = ""
    remedy: str | None = None


@dataclass(frozen=True, slots=True)
class Entries:
    """The rows of a file.

    Attributes
    ----------
    num_rows : int
        How many there are.
    src, dst : int32[num_rows] or int64[num_rows]
        Vertex numbers less the first one; int32 where all of them fit. Empty where the value
        is the only column.
    values : int64[num_rows], uint64[num_rows], float64[num_rows] or None
        The column after them.
    """

    num_rows: int
    src: NDArray[Any]
    dst: NDArray[Any]
    values: NDArray[Any] | None

    def without_first(self) -> Entries:
        """Return the rows but for the first."""
        values = None if self.values is None else self.values[1:]
        return Entries(self.num_rows - 1, self.src[1:], self.dst[1:], values)


def read_rows(
    chunks: Iterator[Chunk], path: Path, form: RowForm, most: int = LARGEST_ID
) -> Entries:
    r"""Read the rows of a file; all, or somewhat more than `most` if there are more.

    Raises
    ------
    GraphFormatError
        If a line is not what `form` says; the message names it.

    Examples
    --------
    >>> text = Chunk(b"3 4\n# a comment\n4 3\n", line=1)
    >>> read_rows(iter([text]), Path("a.txt"), RowForm(("source", "target"))).src
    array([3, 4], dtype=int32)
    """
    reader = _RowReader(path, form)
    for chunk, rows in worked_ahead(reader.rows_of, chunks):
        reader.add(chunk, rows)
        if reader.num_rows > most:
            break
    return reader.entries()


@dataclass(slots=True)
class _Rows:
    """The rows of one chunk, as narrow as they can be.

    Attributes
    ----------
    began, ended : RowForm
        How its first line was read, and how a line after it would be.
    error : GraphFormatError or None
        What is wrong with a line; then there are no rows.
    num_rows : int
        How many there are.
    src, dst, values : arrays
        As in `Entries`.
    """

    began: RowForm
    ended: RowForm
    error: GraphFormatError | None
    num_rows: int
    src: NDArray[Any]
    dst: NDArray[Any]
    values: NDArray[Any]


class _RowReader:
    """Rows read so far: the columns of each chunk.

    Several threads read chunks, each by the form that held for the lines before it as far as they
    had come. A chunk before which int64 values turned out to be float64 is read again.
    """

    def __init__(self, path: Path, form: RowForm) -> None:
        self.path = path
        self.form = form
        self.num_rows = 0
        self._parts: list[_Rows] = []
        self._room = threading.local()

    def rows_of(self, chunk: Chunk) -> _Rows:
        """Return the rows of a chunk, or what is wrong with one of its lines."""
        return _ChunkReader(self.path, self.form, self._room).read(chunk)

    def add(self, chunk: Chunk, rows: _Rows) -> None:
        """Add the rows of the next chunk.

        Raises
        ------
        GraphFormatError
            If something is wrong with one of its lines.
        """
        if rows.began is not self.form:
            rows = self.rows_of(chunk)
        if rows.error is not None:
            raise rows.error
        self.form = rows.ended
        self.num_rows += rows.num_rows
        self._parts.append(rows)

    def entries(self) -> Entries:
        """Return all rows, and forget the chunks'."""
        values = None
        if self.form.dtype is not None:
            values = self._joined("values", self.form.dtype)
        src, dst = (self._joined(name, np.dtype(np.int32)) for name in ("src", "dst"))
        return Entries(self.num_rows, src, dst, values)

    def _joined(self, name: str, dtype: np.dtype[Any]) -> NDArray[Any]:
        """Return a column of all chunks as one array, and forget the chunks'."""
        columns = []
        for part in self._parts:
            columns.append(getattr(part, name))
            setattr(part, name, None)
        dtype = np.result_type(dtype, *{column.dtype for column in columns})
        return joined(columns, dtype)


class _ChunkReader:
    """Reads a chunk by one thread.

    Parameters
    ----------
    path : Path
        The file, for errors.
    form : RowForm
        How its lines are to be read; what it becomes is the form of the lines after it.
    room : threading.local
        Keeps arrays for the next chunk that this thread reads.
    """

    def __init__(self, path: Path, form: RowForm, room: threading.local) -> None:
        self.path = path
        self.form = form
        self._rooms: dict[Any, Any] = room.__dict__

    def read(self, chunk: Chunk) -> _Rows:
        """Return the rows of a chunk, or what is wrong with one of its lines."""
        began, error = self.form, None
        src, dst, bits = self._room(np.int64, 3, chunk.num_lines)
        try:
            num_rows = self._fill(chunk, src, dst, bits)
        except GraphFormatError as refusal:
            num_rows, error = 0, refusal
        num_ids = num_rows if len(self.form.columns) > 1 else 0
        num_values = num_rows if self.form.dtype is not None else 0
        return _Rows(
            began,
            self.form,
            error,
            num_rows,
            _narrow(src[:num_ids]),
            _narrow(dst[:num_ids]),
            bits[:num_values].copy().view(self.form.dtype or np.int64),
        )

    def _room(self, dtype: type, num_arrays: int, length: int) -> list[NDArray[Any]]:
        """Return arrays that this thread has used before, if they are long enough."""
        rooms = self._rooms.get(dtype)
        if rooms is None or len(rooms[0]) < length:
            rooms = self._rooms[dtype] = [np.empty(length, dtype) for _ in range(num_arrays)]
        return rooms

    def _fill(self, chunk: Chunk, src: NDArray[Any], dst: NDArray[Any], bits: NDArray[Any]) -> int:
        """Read a chunk into arrays that have room for all its lines; the number of rows."""
        from emv_kernels.cpu.parse import PADDING, parse_rows

        num_bytes = len(chunk.text)
        text = self._room(np.uint8, 1, num_bytes + PADDING)[0][: num_bytes + PADDING]
        text[:num_bytes] = np.frombuffer(chunk.text, np.uint8)
        text[num_bytes:] = ord("\n")
        row = at = 0
        while True:
            first_row = row
            row, at = parse_rows(text, at, self._layout(), src, dst, bits, row)
            self._finish(chunk, bits[first_row:row])
            if at == num_bytes:
                return int(row)
            src[row], dst[row], value = self._read_line(chunk, at, bits[:row])
            if self.form.dtype is not None:
                bits[row : row + 1].view(self.form.dtype)[0] = value
            row += 1
            at = chunk.after_line_at(at)

    def _layout(self) -> tuple[int, int, int, int, int, int]:
        from emv_kernels.cpu.parse import FLOAT, INTEGER, NO_LETTER, NO_VALUE, UNSIGNED

        form = self.form
        kinds = {"i": INTEGER, "u": UNSIGNED, "f": FLOAT}
        kind = NO_VALUE if form.dtype is None else kinds[form.dtype.kind]
        letter = NO_LETTER if form.letter == "c" else ord(form.letter or "\0")
        return len(form.columns), kind, form.first_id, form.last_src, form.last_dst, letter

    def _finish(self, chunk: Chunk, bits: NDArray[Any]) -> None:
        """Read the decimals that the kernel left."""
        from emv_kernels.cpu.parse import UNREAD_FLOAT

        if self.form.dtype != np.float64:
            return
        numbers = bits.view(np.float64)
        for row in np.flatnonzero(np.isnan(numbers)).tolist():
            offset = int(bits[row]) - UNREAD_FLOAT
            token = _TOKEN.match(chunk.text, offset)
            numbers[row] = self._value(chunk, offset, token.group() if token else b"")

    def _read_line(self, chunk: Chunk, at: int, bits: NDArray[Any]) -> tuple[int, int, int | float]:
        """Read one line by the rules, which the kernel knows only the common half of."""
        form = self.form
        line = chunk.line_at(at)
        if not _TEXT_BYTES.fullmatch(line):
            self._refuse(chunk, at, f"{shown(line)} is not text", "check that this is a graph file")
        parts = fields(line)
        if form.letter not in ("", "c"):
            letter, *parts = line.split(maxsplit=1)
            if letter != form.letter.encode():
                self._refuse(
                    chunk, at, f"{shown(line)} begins with no {form.letter!r}", form.remedy
                )
            parts = fields(b"".join(parts))
        num_ids = 2 if len(form.columns) > 1 else 0
        limits = (form.last_src, form.last_dst)[:num_ids]
        ids = [
            self._vertex(chunk, at, part, last) for part, last in zip(parts, limits, strict=False)
        ]
        if len(parts) != len(form.columns):
            self._refuse(
                chunk,
                at,
                f"{shown(line)} has {_counted(len(parts), 'field')}",
                f"expected {len(form.columns)}: {', '.join(form.columns)}",
            )
        src, dst = ids or (0, 0)
        if form.dtype is None:
            return src, dst, 0
        value = parts[num_ids]
        if form.grows and not _INTEGER.fullmatch(value) and _FLOAT.fullmatch(value):
            bits.view(np.float64)[:] = bits.astype(np.float64)
            self.form = replace(form, dtype=np.dtype(np.float64), grows=False)
        return src, dst, self._value(chunk, at, value)

    def _vertex(self, chunk: Chunk, at: int, part: bytes, last: int) -> int:
        """Return a vertex number less the first one."""
        form = self.form
        if not _NATURAL.fullmatch(part):
            what = "is negative" if _INTEGER.fullmatch(part) else "is not a vertex number"
            self._refuse(chunk, at, f"{shown(part)} {what}", form.remedy)
        vertex = natural(part)
        if vertex is None or not form.first_id <= vertex <= last:
            self._refuse(
                chunk,
                at,
                f"vertex number {shown(part)} is out of range",
                f"expected {form.first_id} to {last}",
            )
        return vertex - form.first_id

    def _value(self, chunk: Chunk, offset: int, part: bytes) -> int | float:
        """Return a value."""
        form = self.form
        if form.dtype == np.float64:
            if not _FLOAT.fullmatch(part):
                self._refuse(chunk, offset, f"{shown(part)} is not a number")
            decimal = float(part.lower().replace(b"d", b"e"))
            if np.isnan(decimal) and not form.allow_nan:
                remedy = "write the missing weight, or leave the line out"
                self._refuse(chunk, offset, f"the {form.columns[-1]} is {shown(part)}", remedy)
            return decimal
        if not _INTEGER.fullmatch(part):
            self._refuse(chunk, offset, f"{shown(part)} is not an integer")
        bounds = np.iinfo(form.dtype or np.int64)
        number = int(part) if len(part) < 1000 else bounds.max + 1
        if not bounds.min <= number <= bounds.max:
            self._refuse(chunk, offset, f"{shown(part)} does not fit {form.dtype}")
        return number

    def _refuse(self, chunk: Chunk, at: int, what: str, remedy: str | None = None) -> NoReturn:
        raise GraphFormatError(what, os.fspath(self.path), chunk.line_number(at), remedy)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _narrow(ids: NDArray[np.int64]) -> NDArray[Any]:
    """Return a copy of vertex numbers, int32 where they fit."""
    fits = len(ids) == 0 or int(ids.max()) < 2**31
    return ids.astype(np.int32 if fits else np.int64)


def joined(parts: list[NDArray[Any]], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return arrays as one, copied by several threads, and drop each that has been copied.

    Examples
    --------
    >>> joined([np.array([1, 2]), np.array([3])], np.dtype(np.int32))
    array([1, 2, 3], dtype=int32)
    """
    ends = np.cumsum([0, *map(len, parts)]).tolist()
    whole = np.empty(ends[-1], dtype)

    def copy(number: int) -> None:
        whole[ends[number] : ends[number + 1]] = parts[number]
        parts[number] = whole[:0]

    if len(parts) < 2 * config.num_threads:
        for number in range(len(parts)):
            copy(number)
    else:
        with ThreadPoolExecutor(config.num_threads) as pool:
            list(pool.map(copy, range(len(parts))))
    return whole
