"""Rows of an edge list or a matrix out of chunks of text, in memory that the file has earned.

Chunks are read by several threads (`chunk_rows`) and put one behind the other; a file's claims
about its size allocate nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.config import config
from emv.graph.io.ahead import worked_ahead
from emv.graph.io.chunk_rows import ChunkReader, ChunkRows, RowForm
from emv.graph.io.numerals import LARGEST_ID
from emv.graph.io.packing import plain_bytes
from emv.graph.io.room import Columns, Room
from emv.graph.io.source import Source
from emv.graph.io.text import Chunk


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


def both_ways(
    src: NDArray[Any], dst: NDArray[Any], values: NDArray[Any] | None, sign: int = 1
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]:
    """Return the arcs of edges that lead both ways: behind them those back, of all but loops.

    What leads back has the same value, or the negated one.
    """
    back = np.flatnonzero(src != dst)
    if values is not None:
        values = np.concatenate([values, values[back] if sign > 0 else -values[back]])
    return np.concatenate([src, dst[back]]), np.concatenate([dst, src[back]]), values


def read_rows(
    chunks: Iterator[Chunk], source: Source, form: RowForm, most: int = LARGEST_ID
) -> Entries:
    r"""Read the rows of a file; all, or somewhat more than `most` if there are more.

    Raises
    ------
    GraphFormatError
        If a line is not what `form` says; the message names it.

    Examples
    --------
    >>> from pathlib import Path
    >>> text = Chunk(b"3 4\n# a comment\n4 3\n", line=1)
    >>> read_rows(iter([text]), Source(Path("a.txt")), RowForm(("source", "target"))).src
    array([3, 4], dtype=int32)
    """
    reader = _RowReader(source, form)
    for chunk, rows in worked_ahead(reader.rows_of, chunks):
        reader.add(chunk, rows)
        if reader.num_rows > most:
            break
    return reader.entries()


def row_blocks(chunks: Iterator[Chunk], source: Source, form: RowForm) -> Iterator[Entries]:
    r"""Yield the rows of a file chunk by chunk, and hold those of a few chunks at most.

    Values are float64 from the chunk on in which the first stands that is no whole number.

    Raises
    ------
    GraphFormatError
        As `read_rows`, when the chunk's turn comes.

    Examples
    --------
    >>> from pathlib import Path
    >>> chunks = [Chunk(b"3 4\n", line=1), Chunk(b"4 3\n", line=2)]
    >>> form = RowForm(("source", "target"))
    >>> [each.src.tolist() for each in row_blocks(iter(chunks), Source(Path("a.txt")), form)]
    [[3], [4]]
    """
    reader = _RowReader(source, form)
    for chunk, rows in worked_ahead(reader.rows_of, chunks):
        reader.add(chunk, rows)
        if reader.num_rows:
            yield reader.entries()
            reader.num_rows = 0


class _RowReader:
    """Rows read so far: the columns of all chunks.

    Several threads read chunks, each by the form that held for the lines before it as far as they
    had come. A chunk before which int64 values turned out to be float64 is read again.
    """

    def __init__(self, source: Source, form: RowForm) -> None:
        self.file = source.file
        self.form = form
        self.num_rows = 0
        dtypes = np.int32, np.int32, form.dtype or np.int64
        self._columns = Columns([np.dtype(each) for each in dtypes])
        self._unplaced: list[ChunkRows] = []  # that are not yet in the columns
        self._rooms: deque[Room] = deque()  # that are free
        self._file_bytes = plain_bytes(source)
        self._num_bytes = 0

    def rows_of(self, chunk: Chunk) -> ChunkRows:
        """Return the rows of a chunk, or what is wrong with one of its lines."""
        try:
            room = self._rooms.popleft()
        except IndexError:
            room = Room()
        return ChunkReader(self.file, self.form, room).read(chunk)

    def add(self, chunk: Chunk, rows: ChunkRows) -> None:
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
        self._num_bytes += len(chunk.text)
        self._unplaced.append(rows)
        if len(self._unplaced) > config.num_threads:
            self._place()

    def _place(self) -> None:
        """Copy rows to the columns."""
        expected = 1.02 * max(1, self.num_rows) * self._file_bytes / max(1, self._num_bytes)
        self._columns.extend([each.columns() for each in self._unplaced], expected)
        self._rooms += [each.room for each in self._unplaced]
        self._unplaced = []

    def entries(self) -> Entries:
        """Return all rows, and hold none."""
        self._place()
        src, dst, values = self._columns.take()
        return Entries(self.num_rows, src, dst, None if self.form.dtype is None else values)
