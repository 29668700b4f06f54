"""Rows out of one chunk of text, by the kernel where it knows how and by Python where it does not.

The kernel reads the lines it understands and stops at others; such a line is read here, field
by field, by the rules that define what a line may be. So every error about a line is made in
`_read_line`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import GraphFormatError
from emv.graph.io.line_reader import LineReader
from emv.graph.io.numerals import (
    DECIMAL,
    INTEGER,
    LARGEST_ID,
    decimal_of,
    integer_of,
)
from emv.graph.io.room import Room
from emv.graph.io.text import Chunk, fields, first_comma, refuse_comma, shown


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
    is_finite : bool
        Whether decimals must be finite.
    letter : str
        What begins every line, ``"a"`` in ``a 1 2``, with comments that begin with ``c``; ``"c"``
        for such comments alone, and nothing for neither.
    has_commas : bool
        Whether commas may part the columns, as blanks do.
    remedy : str or None
        What to do when a vertex number is none.
    """

    columns: tuple[str, ...]
    dtype: np.dtype[Any] | None = None
    grows: bool = False
    first_id: int = 0
    last_src: int = LARGEST_ID
    last_dst: int = LARGEST_ID
    is_finite: bool = False
    letter: str = ""
    has_commas: bool = False
    remedy: str | None = None


@dataclass(slots=True)
class ChunkRows:
    """The rows of one chunk.

    Attributes
    ----------
    began, ended : RowForm
        How its first line was read, and how a line after it would be.
    error : GraphFormatError or None
        What is wrong with a line; then there are no rows.
    num_rows : int
        How many there are.
    room : Room
        Where they are.
    """

    began: RowForm
    ended: RowForm
    error: GraphFormatError | None
    num_rows: int
    room: Room

    def columns(self) -> list[NDArray[Any]]:
        """Return src, dst and values; empty for what the file has not."""
        form, room = self.ended, self.room
        num_ids = self.num_rows if len(form.columns) > 1 else 0
        num_values = 0 if form.dtype is None else self.num_rows
        bits = room.bits[:num_values].view(form.dtype or np.int64)
        return [room.src[:num_ids], room.dst[:num_ids], bits]


class ChunkReader(LineReader):
    """Reads a chunk by one thread.

    Parameters
    ----------
    file : str
        What errors call the file.
    form : RowForm
        How its lines are to be read; what it becomes is the form of the lines after it.
    room : Room
        Where the rows go.
    """

    def __init__(self, file: str, form: RowForm, room: Room) -> None:
        super().__init__(file)
        self.form = form
        self._room = room

    def read(self, chunk: Chunk) -> ChunkRows:
        """Return the rows of a chunk, or what is wrong with one of its lines."""
        began, comma = self.form, None
        if not began.has_commas:
            comma = first_comma(chunk, began.letter)
        try:
            if comma is not None:
                self._fill(Chunk(chunk.text[:comma], chunk.line))  # where another fault may be
                refuse_comma(chunk.line_at(comma), self.file, chunk.line_number(comma))
            num_rows = self._fill(chunk)
        except GraphFormatError as error:
            return ChunkRows(began, began, error, 0, self._room)
        return ChunkRows(began, self.form, None, num_rows, self._room)

    def _fill(self, chunk: Chunk) -> int:
        """Read a chunk into arrays that have room for all its lines; the number of rows.

        It is read where it is, but for its last line: the kernel looks at bytes behind lines.
        """
        from emv_kernels.cpu.parse import PADDING

        num_bytes = len(chunk.text)
        shortest = len("1 2\n") if len(self.form.columns) > 1 else len("1\n")
        self._room.make(min(chunk.num_lines, num_bytes // shortest + 1))  # others are blank
        last = chunk.text.rfind(b"\n", 0, max(0, num_bytes - PADDING)) + 1
        row = self._fill_from(chunk, 0, last, chunk.text, 0)
        tail = chunk.text[last:] + b"\n" * PADDING
        return self._fill_from(chunk, last, num_bytes - last, tail, row)

    def _fill_from(self, chunk: Chunk, begin: int, stop: int, text: bytes, row: int) -> int:
        """Read the first `stop` bytes of a text, which is at `begin` in a chunk; the row after."""
        from emv_kernels.cpu.parse import parse_rows

        codes, room, at = np.frombuffer(text, np.uint8), self._room, 0
        while True:
            first_row, arrays = row, (room.ends, room.src, room.dst, room.bits)
            row, at = parse_rows(codes, at, stop, self._layout(), *arrays, row)
            if self.form.dtype == np.float64:
                self.put_decimals(chunk, room.bits[first_row:row], begin, self._value)
            if at == stop:
                return int(row)
            src, dst, value = self._read_line(chunk, begin + at, room.bits[:row])
            if max(src, dst) > room.largest:
                room.widen()
            room.src[row], room.dst[row] = src, dst
            if self.form.dtype is not None:
                room.bits[row : row + 1].view(self.form.dtype)[0] = value
            row += 1
            at = chunk.after_line_at(begin + at) - begin

    def _layout(self) -> tuple[int, int, int, int, int, int]:
        from emv_kernels.cpu.parse import FLOAT, INTEGER, NO_LETTER, NO_VALUE, UNSIGNED

        form = self.form
        kinds = {"i": INTEGER, "u": UNSIGNED, "f": FLOAT}
        kind = NO_VALUE if form.dtype is None else kinds[form.dtype.kind]
        letter = NO_LETTER if form.letter == "c" else ord(form.letter or "\0")
        most = self._room.largest + form.first_id
        last_src, last_dst = min(form.last_src, most), min(form.last_dst, most)
        return len(form.columns), kind, form.first_id, last_src, last_dst, letter

    def _read_line(self, chunk: Chunk, at: int, bits: NDArray[Any]) -> tuple[int, int, int | float]:
        """Read one line by the rules, which the kernel knows only the common half of."""
        form = self.form
        line = self.text_at(chunk, at)
        parts = fields(line)
        if form.letter not in ("", "c"):
            letter, *parts = line.split(maxsplit=1)
            if letter != form.letter.encode():
                self.refuse(chunk, at, f"{shown(line)} begins with no {form.letter!r}", form.remedy)
            parts = fields(b"".join(parts))
        num_ids = 2 if len(form.columns) > 1 else 0
        limits = (form.last_src, form.last_dst)[:num_ids]
        ids = [
            self._vertex(chunk, at, part, last) for part, last in zip(parts, limits, strict=False)
        ]
        if len(parts) != len(form.columns):
            self.refuse(
                chunk,
                at,
                f"{shown(line)} has {_counted(len(parts), 'field')}",
                f"expected {len(form.columns)}: {', '.join(form.columns)}",
            )
        src, dst = ids or (0, 0)
        if form.dtype is None:
            return src, dst, 0
        value = parts[num_ids]
        if form.grows and not INTEGER.fullmatch(value) and DECIMAL.fullmatch(value):
            bits.view(np.float64)[:] = bits.astype(np.float64)
            self.form = replace(form, dtype=np.dtype(np.float64), grows=False)
        return src, dst, self._value(chunk, at, value)

    def _vertex(self, chunk: Chunk, at: int, part: bytes, last: int) -> int:
        """Return a vertex number less the first one."""
        form = self.form
        return self.vertex(chunk, at, part, (form.first_id, last), form.remedy)

    def _value(self, chunk: Chunk, offset: int, part: bytes) -> int | float:
        """Return a value."""
        form = self.form
        what = form.columns[2 if len(form.columns) > 2 else 0]
        if not part:
            remedy = "write it on every line, or end no line with a comma"
            self.refuse(chunk, offset, f"the {what} is missing", remedy)
        try:
            if form.dtype == np.float64:
                return decimal_of(part, form.is_finite)
            bounds = np.iinfo(form.dtype or np.int64)
            return integer_of(part, int(bounds.min), int(bounds.max))
        except ValueError as error:
            what = f"the {what} {shown(part)} {error}"
            self.refuse(
                chunk, offset, what.replace("an integer", "a number") if form.grows else what
            )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
