"""Scripts: a line per change, ``+ 3 4 2.5`` or ``- 3 4``.

Signs are taken out of a chunk, and the parser of edge lists reads its lines twice: those that add,
with what removes blanked out, and the other way round.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import GraphFormatError
from emv.graph.io.chunk_rows import RowForm
from emv.graph.io.entries import Entries, row_blocks
from emv.graph.io.source import Source
from emv.graph.io.text import Chunk, fields, shown
from emv.graph.stream.block import Block

SIGNS = {ord("+"): False, ord("a"): False, ord("-"): True, ord("d"): True}
"""What lines begin with, and whether it removes."""

_FEED, _BLANK = ord("\n"), ord(" ")
_COMMENTS = list(b"#%/")
_REMEDY = "write '+ source target' to add an edge, and '- source target' to remove it"


def blocks_of_script(source: Source) -> Iterator[Block]:
    """Yield the changes of a script, chunk by chunk.

    Raises
    ------
    GraphFormatError
        If a line is no change, or some additions have a weight and others none.
    """
    forms: dict[bool, RowForm] = {}
    for chunk in source.opening.chunks:
        lines = _Lines(chunk, source)
        is_removed = lines.is_removed
        if not len(is_removed):
            continue
        ends = [np.empty(len(is_removed), np.int64) for _ in range(2)]
        weight: NDArray[Any] | None = None
        for removes in (True, False):
            rows = is_removed == removes
            if not rows.any():
                continue
            form = forms.get(removes) or _form(2 if removes else lines.num_fields())
            read = _read(lines.only(removes), source, form)
            if not removes and read.values is not None:
                weight = np.zeros(len(is_removed), read.values.dtype)
                weight[rows] = read.values
                form = replace(form, dtype=read.values.dtype)
            forms[removes] = form
            for end, values in zip(ends, (read.src, read.dst), strict=True):
                end[rows] = values
        if weight is None and False in forms and forms[False].dtype is not None:
            weight = np.zeros(len(is_removed), forms[False].dtype)
        yield Block(ends[0], ends[1], is_removed, {} if weight is None else {"weight": weight})


def _form(num_fields: int) -> RowForm:
    """Return how lines are to be read of so many fields."""
    if num_fields > 2:
        dtype = np.dtype(np.int64)
        return RowForm(("source", "target", "weight"), dtype, grows=True, remedy=_REMEDY)
    return RowForm(("source", "target"), remedy=_REMEDY)


def _read(chunk: Chunk, source: Source, form: RowForm) -> Entries:
    (read,) = row_blocks(iter([chunk]), source, form)
    return read


class _Lines:
    """The lines of a chunk, of which every one adds, removes, or says nothing."""

    def __init__(self, chunk: Chunk, source: Source) -> None:
        text = chunk.text
        if b"\r" in text:
            text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        self._codes = np.frombuffer(text, np.uint8).copy()
        self._ends = np.flatnonzero(self._codes == _FEED)
        self._starts = np.concatenate([[0], self._ends[:-1] + 1])
        self._line = chunk.line
        marks = self._codes[self._starts]
        self._is_row = np.isin(marks, list(SIGNS))
        others = ~self._is_row & (marks != _FEED) & ~np.isin(marks, _COMMENTS)
        for line in np.flatnonzero(others).tolist():
            said = text[self._starts[line] : self._ends[line]]
            if said.strip():
                raise GraphFormatError(
                    f"{shown(said)} does not begin with + or -",
                    source.file,
                    chunk.line + line,
                    _REMEDY,
                )
        removing = [code for code, removes in SIGNS.items() if removes]
        self.is_removed: NDArray[np.bool_] = np.isin(marks[self._is_row], removing)
        self._codes[self._starts[self._is_row]] = _BLANK

    @cached_property
    def _words(self) -> NDArray[np.int64]:
        """How many words of its line, behind the sign, begin up to each byte."""
        codes = self._codes
        is_blank = (codes == _BLANK) | (codes == ord("\t")) | (codes == _FEED)
        begins = ~is_blank
        begins[1:] &= is_blank[:-1]
        words = np.cumsum(begins, dtype=np.int64)
        before = words[self._starts] - begins[self._starts]
        numbers: NDArray[np.int64] = words - np.repeat(before, self._lengths)
        return numbers

    @property
    def _lengths(self) -> NDArray[np.int64]:
        lengths: NDArray[np.int64] = self._ends - self._starts + 1
        return lengths

    def num_fields(self) -> int:
        """Return how many fields the first line that adds has behind its sign."""
        row = np.flatnonzero(self._is_row)[~self.is_removed][0]
        return len(fields(self._codes[self._starts[row] : self._ends[row]].tobytes()))

    def only(self, removes: bool) -> Chunk:
        """Return the lines that add, or the ends of those that remove; others are blank."""
        is_left = np.zeros(len(self._starts), np.bool_)
        is_left[self._is_row] = self.is_removed == removes
        kept = np.repeat(is_left, self._lengths)
        if removes:
            kept &= self._words <= 2
        kept[self._ends] = True
        codes = np.where(kept, self._codes, np.uint8(_BLANK))
        return Chunk(codes.tobytes(), self._line)
