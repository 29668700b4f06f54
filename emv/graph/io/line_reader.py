"""What readers of rows and of lists of neighbours do alike with a line that a kernel left to them.

Kernels know the common half of the rules, and leave every other line to Python, which reads it or
says what is wrong with it; of a decimal whose nearest float is not plain they leave the place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from emv.errors import GraphFormatError
from emv.graph.io.numerals import INTEGER, NATURAL, TEXT_BYTES, TOKEN
from emv.graph.io.text import Chunk, natural, shown


class LineReader:
    """Reads lines of the chunks of a file, which errors name."""

    def __init__(self, file: str) -> None:
        self.file = file

    def refuse(self, chunk: Chunk, at: int, what: str, remedy: str | None = None) -> NoReturn:
        """Say what is wrong with the line at a place of a chunk."""
        raise GraphFormatError(what, self.file, chunk.line_number(at), remedy)

    def text_at(self, chunk: Chunk, at: int) -> bytes:
        """Return a line, if it is text."""
        line = chunk.line_at(at)
        if not TEXT_BYTES.fullmatch(line):
            self.refuse(chunk, at, f"{shown(line)} is not text", "check that this is a graph file")
        return line

    def vertex(
        self, chunk: Chunk, at: int, part: bytes, span: tuple[int, int], remedy: str | None
    ) -> int:
        """Return a vertex number less the first one there may be."""
        first, last = span
        if not NATURAL.fullmatch(part):
            is_negative = part.startswith(b"-") and INTEGER.fullmatch(part)
            what = "is negative" if is_negative else "is not a vertex number"
            self.refuse(chunk, at, f"{shown(part)} {what}", remedy)
        vertex = natural(part)
        if vertex is None or not first <= vertex <= last:
            what = f"vertex number {shown(part)} is out of range"
            self.refuse(chunk, at, what, f"expected {first} to {last}")
        return vertex - first

    def put_decimals(
        self, chunk: Chunk, bits: NDArray[Any], begin: int, read: Callable[..., Any]
    ) -> None:
        """Read the decimals that a kernel left, whose text began at a place of the chunk."""
        from emv_kernels.cpu.parse import UNREAD_FLOAT

        numbers = bits.view(np.float64)
        for row in np.flatnonzero(np.isnan(numbers)).tolist():
            offset = begin + int(bits[row]) - UNREAD_FLOAT
            token = TOKEN.match(chunk.text, offset)
            numbers[row] = read(chunk, offset, token.group() if token else b"")
