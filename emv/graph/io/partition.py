"""METIS partition files: the part of each vertex, one number a line, from 0 on.

METIS writes them beside a graph file as ``x.graph.part.8`` for 8 parts (manual 5.1, section 4.2).
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emv.errors import ArgumentError, GraphFormatError
from emv.graph.io.chunk_rows import RowForm
from emv.graph.io.entries import read_rows
from emv.graph.io.packing import open_packed
from emv.graph.io.rows import ROWS_AT_ONCE
from emv.graph.io.source import Source, path_of
from emv.graph.io.text import Chunk, fields, line_of_entry
from emv.tracebacks import ends_at_caller

_LARGEST_PART = int(np.iinfo(np.int32).max)


@ends_at_caller
def read_partition(
    path: str | os.PathLike[str], num_vertices: int | None = None
) -> NDArray[np.int32]:
    r"""Read a METIS partition file; ``.gz`` and ``.zst`` are unpacked on the way.

    Parameters
    ----------
    path : str or path
        The file.
    num_vertices : int, optional
        How many vertices the graph has; by default as many as there are lines.

    Returns
    -------
    int32[num_vertices]
        The part of each vertex.

    Raises
    ------
    GraphFormatError
        If a line is not one part number from 0 on, or there are not `num_vertices` of them; with
        the line.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp(), "roads.graph.part.2")
    >>> _ = path.write_text("0\n1\n1\n")
    >>> read_partition(path, num_vertices=3)
    array([0, 1, 1], dtype=int32)
    """
    source = Source(path_of(path))
    form = RowForm(("part",), np.dtype(np.int64))
    num_lines: list[int] = []
    chunks = _counted(source.chunks(), num_lines)
    parts = np.asarray(read_rows(chunks, source, form).values)
    if len(parts) != sum(num_lines):
        _refuse_empty_line(source)
    wrong = np.flatnonzero((parts < 0) | (parts > _LARGEST_PART))
    if len(wrong):
        raise GraphFormatError(
            f"the part is {parts[wrong[0]]}",
            source.file,
            line_of_entry(source, int(wrong[0])),
            f"expected 0 to {_LARGEST_PART}",
        )
    if num_vertices is not None and len(parts) != num_vertices:
        too_many = len(parts) > num_vertices
        raise GraphFormatError(
            f"has the parts of {len(parts)} vertices",
            source.file,
            line_of_entry(source, num_vertices) if too_many else None,
            f"expected {num_vertices}, one for each vertex of the graph",
        )
    return parts.astype(np.int32)


def _counted(chunks: Iterator[Chunk], num_lines: list[int]) -> Iterator[Chunk]:
    """Yield chunks, and append how many lines each has."""
    for chunk in chunks:
        num_lines.append(chunk.num_lines)
        yield chunk


def _refuse_empty_line(source: Source) -> None:
    """Refuse the first line that is blank or a comment: it is that of a vertex."""
    for chunk in source.chunks():
        lines = chunk.text.replace(b"\r\n", b"\n").splitlines()
        for number, line in enumerate(lines, chunk.line):
            if not fields(line):
                remedy = "expected one for each vertex of the graph"
                raise GraphFormatError("the line has no part number", source.file, number, remedy)


@ends_at_caller
def write_partition(parts: ArrayLike, path: str | os.PathLike[str]) -> None:
    r"""Write a METIS partition file, packed if its name ends in ``.gz`` or ``.zst``.

    Parameters
    ----------
    parts : int[num_vertices]
        The part of each vertex, from 0 on.
    path : str or path
        The file; it is overwritten.

    Raises
    ------
    ArgumentError
        If the parts are not a row of integers from 0 on, below 2**31.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp(), "roads.graph.part.2")
    >>> write_partition([0, 1, 1], path)
    >>> path.read_text()
    '0\n1\n1\n'
    """
    array = np.asarray(parts)
    if array.size == 0:
        array = array.astype(np.int32)
    if array.ndim != 1 or array.dtype.kind not in "iub":
        raise ArgumentError(
            f"parts are {array.dtype} of shape {array.shape}",
            remedy="expected one integer for each vertex",
        )
    if array.size and not 0 <= int(array.min()) <= int(array.max()) <= _LARGEST_PART:
        raise ArgumentError(
            f"parts are {array.min()} to {array.max()}", remedy=f"expected 0 to {_LARGEST_PART}"
        )
    with open_packed(path_of(path)) as file:
        for first in range(0, len(array), ROWS_AT_ONCE):
            texts = map(str, array[first : first + ROWS_AT_ONCE].astype(np.int32).tolist())
            file.write("".join(f"{text}\n" for text in texts).encode())
