"""DIMACS graph files: of the 9th challenge and GTgraph, ``.gr``, and of the PACE challenges.

============  =====================  ===================================================
first line    lines below            graph
============  =====================  ===================================================
``p sp V E``  ``a u v w``            directed, an arc each; GTgraph writes the same
``p tw V E``  ``u v``                undirected; the other words of PACE, such as ``td``,
                                     mean the same
============  =====================  ===================================================

Vertices count from 1. ``c`` begins a comment, on any line. PACE's edges may have weights, all of
them or none. With ``directed=True`` each edge of a PACE file becomes two, which lead both ways:
first all of them, then all of them reversed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import NoReturn

import numpy as np

from emv.errors import GraphFormatError
from emv.graph.io.chunk_rows import RowForm
from emv.graph.io.entries import Entries, both_ways, read_rows
from emv.graph.io.format import Format, Hints
from emv.graph.io.rectangle import refuse_unlikely
from emv.graph.io.source import Source
from emv.graph.io.text import Chunk, fields, natural, shown
from emv.graph.io.write_dimacs import TITLE, write_dimacs
from emv.graph.tables import Tables

_PACE = (b"tw", b"td", b"tdp", b"cep", b"tww", b"ds")
_EXPECTED = "expected 'p sp vertices arcs' or 'p tw vertices edges'"
_BLANKS = re.compile(rb"[ \t]+")
_COMMENTS = re.compile(rb"(?:[ \t]*(?:(?:[c#%]|//)[^\r\n]*)?[\r\n])*+")
_OPENING = re.compile(_COMMENTS.pattern + rb"[ \t]*(?:p[ \t]+[a-z]+[ \t]+[0-9]|c[^\r\n]*\Z)")


@dataclass(frozen=True, slots=True)
class Problem:
    """What the problem line says.

    Attributes
    ----------
    letter : str
        What begins each row; empty if rows begin with a vertex.
    num_vertices, num_edges : int
        The counts.
    line : int
        The line's number.
    """

    letter: str
    num_vertices: int
    num_edges: int
    line: int


def read_dimacs(source: Source, hints: Hints) -> Tables:
    """Return the tables of a DIMACS file.

    Raises
    ------
    GraphFormatError
        If a line is none of a DIMACS file, or the counts of the problem line are wrong.
    """
    problem, chunks = _problem(source)
    num_fields = 3
    if not problem.letter:
        num_fields, chunks = _first_row(chunks)
    columns = ("source", "target", "weight")[: max(2, num_fields)]
    form = RowForm(
        columns,
        np.dtype(np.int64) if len(columns) > 2 else None,
        grows=len(columns) > 2,
        first_id=1,
        last_src=problem.num_vertices,
        last_dst=problem.num_vertices,
        is_finite=True,
        letter=problem.letter or "c",
        remedy="expected 'a source target weight'"
        if problem.letter
        else "expected 'source target'",
    )
    entries = read_rows(chunks, source, form, problem.num_edges)
    if entries.num_rows != problem.num_edges:
        _refuse_count(problem, entries.num_rows, source)
    refuse_unlikely(problem.num_vertices, problem.num_edges, source.file, problem.line)
    return _tables(problem, entries, hints.directed)


def _problem(source: Source) -> tuple[Problem, Iterator[Chunk]]:
    """Return what the problem line says, and the lines below it."""
    chunks = source.chunks()
    for chunk in chunks:
        at = _end_of_comments(chunk)
        if at < len(chunk.text):
            problem = _problem_of(chunk.line_at(at), chunk.line_number(at), source.file)
            return problem, chain([chunk.after(chunk.after_line_at(at))], chunks)
    what = "has no problem line" if source.head else "is empty"
    raise GraphFormatError(what, source.file, remedy=_EXPECTED)


def _end_of_comments(chunk: Chunk) -> int:
    """Return where the first line of a chunk begins that is no comment."""
    block = _COMMENTS.match(chunk.text)
    return block.end() if block else 0


def _problem_of(text: bytes, line: int, file: str) -> Problem:
    """Return what a problem line says."""
    words = _BLANKS.split(text.strip(b" \t\r\n"))
    if words[:1] != [b"p"]:
        what = f"{shown(text)} stands before the problem line"
        raise GraphFormatError(what, file, line, _EXPECTED)
    counts = [natural(word) for word in words[2:]]
    if len(words) != 4 or (words[1] != b"sp" and words[1] not in _PACE) or None in counts:
        raise GraphFormatError(f"the problem line is {shown(text)}", file, line, _EXPECTED)
    num_vertices, num_edges = (count for count in counts if count is not None)
    return Problem("a" if words[1] == b"sp" else "", num_vertices, num_edges, line)


def _first_row(chunks: Iterator[Chunk]) -> tuple[int, Iterator[Chunk]]:
    """Return how many fields the first row has, and the chunks from it on."""
    for chunk in chunks:
        at = _end_of_comments(chunk)
        if at < len(chunk.text):
            return len(fields(chunk.line_at(at))), chain([chunk], chunks)
    return 0, iter(())


def _refuse_count(problem: Problem, num_rows: int, source: Source) -> NoReturn:
    """Say which of the edges are too many, or that some are missing."""
    line: int | None = problem.line
    found = f"only {num_rows} follow"
    if num_rows > problem.num_edges:
        line = _line_of_row(source, problem.num_edges)
        found = "here is another"
    noun = "arcs" if problem.letter else "edges"
    raise GraphFormatError(
        f"the problem line announces {problem.num_edges} {noun}, {found}",
        source.file,
        line,
        f"fetch the file again, or correct line {problem.line}",
    )


def _line_of_row(source: Source, row: int) -> int | None:
    """Return the number of the line that holds a row, counted from 0; reads the file again."""
    _, chunks = _problem(source)
    for chunk in chunks:
        for line, text in enumerate(chunk.text.splitlines(), chunk.line):
            if fields(text) and not text.lstrip().startswith(b"c"):
                if row == 0:
                    return line
                row -= 1
    return None


def _tables(problem: Problem, entries: Entries, directed: bool | None) -> Tables:
    """Return the graph of the rows."""
    src, dst, weight = entries.src, entries.dst, entries.values
    if directed and not problem.letter:
        src, dst, weight = both_ways(src, dst, weight)
    return Tables(
        problem.num_vertices,
        src,
        dst,
        bool(problem.letter) if directed is None else directed,
        edge_columns={} if weight is None else {"weight": weight},
    )


def is_dimacs(source: Source) -> bool:
    """Return whether a file begins with comments and a problem line."""
    return _OPENING.match(source.head) is not None


DIMACS = Format(
    name="dimacs",
    title=TITLE,
    suffixes=(".gr", ".dimacs"),
    recognises=is_dimacs,
    read=read_dimacs,
    write=write_dimacs,
    keeps=frozenset({"direction", "isolated", "repeats", "weight"}),
)
