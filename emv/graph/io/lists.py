"""Lists of neighbours out of chunks of text, one line for each vertex.

The kernel reads the lines it understands and stops at others; such a line is read here, field by
field, by the rules that define what a line may be, which are those of `emv.graph.io.entries`. A
blank line is the list of a vertex without neighbours; comments are none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from threading import local
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import GraphFormatError
from emv.graph.io.ahead import worked_ahead
from emv.graph.io.line_reader import LineReader
from emv.graph.io.numerals import (
    DECIMAL,
    INTEGER,
    LARGEST_ID,
    decimal_of,
    integer_of,
)
from emv.graph.io.source import Source
from emv.graph.io.text import Chunk, fields, first_comma, natural, refuse_comma, shown

_REMEDY = "number the vertices from 1 on; the first line is 'vertices edges fmt ncon'"


@dataclass(frozen=True, slots=True)
class ListForm:
    """How the lines of a file are to be read.

    Attributes
    ----------
    num_vertices : int
        The largest vertex number, and how many lists there may be.
    numbers : tuple of str
        What stands before the neighbours of each line.
    dtype : numpy dtype or None
        int64 or float64 weights after each neighbour; None when there are none. Weights of int64
        become float64 at the first that is not an integer.
    """

    num_vertices: int
    numbers: tuple[str, ...] = ()
    dtype: np.dtype[Any] | None = None


@dataclass(frozen=True, slots=True)
class Lists:
    """The lists of a file.

    Attributes
    ----------
    counts : int32[num_lists]
        Neighbours in each list.
    dst : int32[num_entries] or int64[num_entries]
        The neighbours, list after list, counted from 0.
    weights : int64[num_entries], float64[num_entries] or None
        What follows each.
    numbers : int64[num_lists, num_numbers]
        What stands before the neighbours.
    """

    counts: NDArray[np.int32]
    dst: NDArray[Any]
    weights: NDArray[Any] | None
    numbers: NDArray[np.int64]


def read_lists(chunks: Iterator[Chunk], file: str, form: ListForm) -> Lists:
    r"""Read the lists of a file.

    Raises
    ------
    GraphFormatError
        If a line is not what `form` says, or there are more lists than vertices; the message names
        the line.

    Examples
    --------
    >>> text = Chunk(b"2 3\n\n% a comment\n1\n", line=1)
    >>> lists = read_lists(iter([text]), "a.graph", ListForm(3))
    >>> lists.counts, lists.dst
    (array([2, 0, 1], dtype=int32), array([1, 2, 0], dtype=int32))
    """
    room = local()

    def lists_of(chunk: Chunk) -> Lists | None:
        """Read a chunk as if there were vertices enough; None if it must be read again."""
        try:
            return _ListReader(file, form, LARGEST_ID, room).read(chunk)
        except GraphFormatError:
            return None

    parts = []
    left = form.num_vertices
    for chunk, lists in worked_ahead(lists_of, chunks):
        if lists is None or len(lists.counts) > left:
            lists = _ListReader(file, form, left, room).read(chunk)
        parts.append(lists)
        left -= len(lists.counts)
    return _joined(parts, form)


def line_of_list(source: Source, after: int, number: int) -> int | None:
    """Return the line of the list `number`, counted from 0, of those below the line `after`.

    Goes through the file once more: for errors only. None when it cannot be read any more.
    """
    try:
        for chunk in source.chunks():
            for line, text in enumerate(chunk.text.splitlines(), chunk.line):
                if line <= after or (text.strip() and not fields(text)):
                    continue
                if number == 0:
                    return line
                number -= 1
    except GraphFormatError:
        pass
    return None


def _joined(parts: list[Lists], form: ListForm) -> Lists:
    """Return the lists of all parts as one; one column at a time is there twice."""
    counts = [np.empty(0, np.int32), *(part.counts for part in parts)]
    dst = [np.empty(0, _id_dtype(form)), *(part.dst for part in parts)]
    numbers = [np.empty((0, len(form.numbers)), np.int64), *(part.numbers for part in parts)]
    weights: list[NDArray[Any]] = [] if form.dtype is None else [np.empty(0, form.dtype)]
    weights += [part.weights for part in parts if part.weights is not None]
    parts.clear()
    return Lists(
        _concatenated(counts),
        _concatenated(dst),
        _concatenated(weights) if weights else None,
        _concatenated(numbers),
    )


def _concatenated(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    """Return arrays as one and empty their list."""
    joined = np.concatenate(arrays)
    arrays.clear()
    return joined


def _id_dtype(form: ListForm) -> np.dtype[Any]:
    """Return the narrowest type of vertex numbers."""
    return np.dtype(np.int32 if form.num_vertices <= np.iinfo(np.int32).max else np.int64)


class _ListReader(LineReader):
    """A reader of one chunk, with at most `left` lists, in arrays that its thread uses again."""

    def __init__(self, file: str, form: ListForm, left: int, room: local) -> None:
        super().__init__(file)
        self.form = form
        self.left = left
        self._local = room

    def read(self, chunk: Chunk) -> Lists:
        """Return the lists of a chunk."""
        self._room = self._arrays(chunk)
        comma = first_comma(chunk)
        if comma is not None:
            self._fill(Chunk(chunk.text[:comma], chunk.line))  # where another fault may be
            refuse_comma(chunk.line_at(comma), self.file, chunk.line_number(comma))
        num_lists, num_entries = self._fill(chunk)
        numbers, counts, dst, bits = self._room
        weights = None
        if self.form.dtype is not None:
            weights = bits[:num_entries].view(self.form.dtype).copy()
        width = len(self.form.numbers)
        return Lists(
            counts[:num_lists].astype(np.int32),  # a chunk is shorter than 2**31
            dst[:num_entries].astype(_id_dtype(self.form)),
            weights,
            numbers[: num_lists * width].reshape(num_lists, width).copy(),
        )

    def _arrays(self, chunk: Chunk) -> list[NDArray[np.int64]]:
        """Return room for numbers, counts, neighbours and weights, as many as there can be."""
        most = len(chunk.text) // 2 + 1
        num_numbers = most if self.form.numbers else 0
        num_weights = most if self.form.dtype is not None else 0
        sizes = (num_numbers, chunk.num_lines, most, num_weights)
        arrays: list[NDArray[np.int64]] = getattr(
            self._local, "arrays", [np.empty(0, np.int64)] * 4
        )
        for place, size in enumerate(sizes):
            if size > len(arrays[place]):
                arrays[place] = np.empty(size, np.int64)
        self._local.arrays = arrays
        return arrays

    def _fill(self, chunk: Chunk) -> tuple[int, int]:
        """Read a chunk into the arrays that have room for it; return lists and entries."""
        from emv_kernels.cpu.parse import PADDING
        from emv_kernels.cpu.parse_lists import parse_lists

        text = np.frombuffer(chunk.text + b"\n" * PADDING, np.uint8)
        at = row = entry = 0
        while True:
            first = entry
            at, row, entry = parse_lists(text, (at, row, entry), self._layout(), *self._room)
            if self.form.dtype == np.float64:
                self.put_decimals(chunk, self._room[3][first:entry], 0, self._decimal)
            self._check_number(chunk, row)
            if at == len(chunk.text):
                return min(row, self.left), entry
            row, entry = self._read_line(chunk, at, row, entry)
            at = chunk.after_line_at(at)

    def _layout(self) -> tuple[int, int, int]:
        from emv_kernels.cpu.parse import FLOAT, INTEGER, NO_VALUE

        form = self.form
        kinds = {"i": INTEGER, "f": FLOAT}
        kind = NO_VALUE if form.dtype is None else kinds[form.dtype.kind]
        return kind, len(form.numbers), form.num_vertices

    def _check_number(self, chunk: Chunk, num_rows: int) -> None:
        """Refuse a list that belongs to no vertex; blank lines behind the lists are fine."""
        left = self.left
        if num_rows <= left:
            return
        beyond = np.flatnonzero(self._room[1][left:num_rows])
        if len(beyond) or self.form.numbers:
            row = left + (int(beyond[0]) if len(beyond) else 0)
            self.refuse(
                chunk,
                _offset_of_list(chunk, row),
                f"here is another list, the first line announces {self.form.num_vertices} vertices",
                "take it out, or correct the first line",
            )

    def _read_line(self, chunk: Chunk, at: int, row: int, entry: int) -> tuple[int, int]:
        """Read one line by the rules, which the kernel knows only the common half of."""
        line = self.text_at(chunk, at)
        parts = fields(line)
        if not parts and row >= self.left:
            return row, entry  # a blank line behind the lists
        names, width = self.form.numbers, len(self.form.numbers)
        if len(parts) < width:
            found = f"the list {shown(line)} has {len(parts)} numbers"
            self.refuse(chunk, at, found, f"expected {', '.join(names)} before the neighbours")
        numbers, counts, dst, _ = self._room
        for column in range(width):
            numbers[row * width + column] = self._number(chunk, at, parts[column], names[column])
        stride = 1 if self.form.dtype is None else 2
        entries = parts[width:]
        if len(entries) % stride:
            what = f"the last neighbour of the list {shown(line)} has no weight"
            self.refuse(chunk, at, what, "the first line says that all of them have one")
        for neighbour in range(0, len(entries), stride):
            dst[entry + neighbour // stride] = self._vertex(chunk, at, entries[neighbour])
        for place, part in enumerate(entries[1::2] if stride == 2 else []):
            self._set_weight(chunk, at, entry + place, part)
        counts[row] = len(entries) // stride
        return row + 1, entry + len(entries) // stride

    def _vertex(self, chunk: Chunk, at: int, part: bytes) -> int:
        """Return a vertex number less 1."""
        return self.vertex(chunk, at, part, (1, self.form.num_vertices), _REMEDY)

    def _number(self, chunk: Chunk, at: int, part: bytes, name: str) -> int:
        """Return a number of a vertex: an integer of at least 0."""
        number = natural(part)
        if number is None:
            what = f"the {name} of the vertex is {shown(part)}"
            self.refuse(chunk, at, what, f"expected an integer of 0 to {LARGEST_ID}")
        return number

    def _set_weight(self, chunk: Chunk, at: int, entry: int, part: bytes) -> None:
        """Keep a weight, as float64 from the first that is not an integer on."""
        bits = self._room[3]
        try:
            if self.form.dtype == np.int64 and not _is_decimal(part):
                bits[entry] = integer_of(part, -LARGEST_ID - 1, LARGEST_ID)
                return
        except ValueError as error:
            what = f"the weight {shown(part)} {error}".replace("an integer", "a number")
            self.refuse(chunk, at, what)
        if self.form.dtype == np.int64:
            bits.view(np.float64)[:entry] = bits[:entry].astype(np.float64)
            self.form = replace(self.form, dtype=np.dtype(np.float64))
        bits.view(np.float64)[entry] = self._decimal(chunk, at, part)

    def _decimal(self, chunk: Chunk, offset: int, part: bytes) -> float:
        """Return a weight that need not be an integer."""
        try:
            return decimal_of(part, is_finite=True)
        except ValueError as error:
            self.refuse(chunk, offset, f"the weight {shown(part)} {error}")


def _is_decimal(part: bytes) -> bool:
    """Return whether a weight is a number, but no integer."""
    return not INTEGER.fullmatch(part) and DECIMAL.fullmatch(part) is not None


def _offset_of_list(chunk: Chunk, row: int) -> int:
    """Return where the list `row` of a chunk begins."""
    at = 0
    while at < len(chunk.text):
        line = chunk.line_at(at)
        if not line.strip() or fields(line):
            if row == 0:
                return at
            row -= 1
        at = chunk.after_line_at(at)
    return at
