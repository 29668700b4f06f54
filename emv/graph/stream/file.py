"""Files of changes, block by block: timed edges, scripts of ``+`` and ``-``, and tables.

::

    # a list of timed edges (SNAP's temporal networks)      a script (RisGraph, GraphBolt)
    9 8 1082008561                                          + 3 4
    2 1 1082155839                                          + 4 5 2.5
    2 1 1082414391                                          - 3 4

A line of a list adds an edge, whose third number is the edge column ``time``; the lines of a
script begin with ``+`` or ``-`` (or ``a`` or ``d``), and its third number is ``weight``. A table
with named columns adds an edge per row, with columns by the rules of `emv.graph.io.table`; a column
called ``sign``, ``op`` or ``change`` says which rows remove one. Changes are in the order of the
file, whatever their times say. Nothing is held but a few chunks of the file.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from emv.errors import GraphFormatError
from emv.graph.io.chunk_rows import RowForm
from emv.graph.io.entries import row_blocks
from emv.graph.io.format import Hints
from emv.graph.io.header import is_table
from emv.graph.io.source import Source
from emv.graph.io.text import shown
from emv.graph.stream.block import Block
from emv.graph.stream.script import SIGNS, blocks_of_script
from emv.graph.stream.table import blocks_of_table


def blocks_of(source: Source, hints: Hints) -> Iterator[Block]:
    r"""Yield the changes that a file says.

    Parameters
    ----------
    hints : Hints
        What is said of a table: ``source``, ``target``, ``columns`` and ``separator``.

    Raises
    ------
    GraphFormatError
        If a line is no change, when its turn comes; with its number.
    ArgumentError
        If something is said of a table, and the file is none.

    Examples
    --------
    >>> from pathlib import Path
    >>> source = Source(Path("roads.txt"), b"+ 3 4 2.5\n- 3 4\n")
    >>> for block in blocks_of(source, Hints()):
    ...     print(block.src, block.is_removed, block.columns)
    [3 3] [False  True] {'weight': array([2.5, 0. ])}
    """
    if source.is_directory:
        raise GraphFormatError(
            "is a folder, not a file of changes",
            source.file,
            remedy="give the file in it; versions of a folder of emv's are opened by emv.read",
        )
    if hints.of_tables or is_table(source):
        yield from blocks_of_table(source, hints)
        return
    first = source.opening.first
    if first and len(first[0]) == 1 and first[0][0] in SIGNS:
        yield from blocks_of_script(source)
    elif first:
        yield from _of_list(source, first)


def _of_list(source: Source, first: list[bytes]) -> Iterator[Block]:
    """Yield the edges of a list, the third number as a time."""
    columns = ("source", "target", "time", "fourth")[: max(2, len(first))]
    dtype = np.dtype(np.int64) if len(columns) > 2 else None
    remedy = "expected lines 'source target time', or '+ source target' and '- source target'"
    form = RowForm(columns, dtype, grows=dtype is not None, has_commas=True, remedy=remedy)
    if len(columns) > 3:
        raise GraphFormatError(
            f"{shown(b' '.join(first))} has {len(first)} fields, and does not say which is a time",
            source.file,
            source.opening.line,
            "put a line above that names the columns, as in 'src dst weight time'",
        )
    for entries in row_blocks(source.opening.chunks, source, form):
        added = np.zeros(entries.num_rows, np.bool_)
        timed = {} if entries.values is None else {"time": entries.values}
        yield Block(entries.src.astype(np.int64), entries.dst.astype(np.int64), added, timed)
