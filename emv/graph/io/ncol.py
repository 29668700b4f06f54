"""Edges between names, NCOL (Adai et al., Journal of Molecular Biology 340, 2004): ``ann bob 2.5``.

A line is a source, a target and maybe a weight. If the first line has a comma, commas part the
fields, and names may hold blanks; else if it has a tab, tabs do; else blanks. Lines that begin with
``#``, ``%`` or ``//`` are comments. The names are kept as labels and the vertices are numbered in
the order in which they appear; if all names are whole numbers, they are treated as in an edge
list. Edges are directed unless the caller says otherwise.

It is read line by line in Python: a list of edges between numbers is some twenty times as fast.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import GraphError, GraphFormatError
from emv.graph.io.format import Format, Hints
from emv.graph.io.numerals import INTEGER, LARGEST_ID, decimal_of, integer_of
from emv.graph.io.packing import open_packed
from emv.graph.io.rows import number_texts, refuse_columns, refuse_large
from emv.graph.io.source import Source
from emv.graph.io.text import Chunk, shown
from emv.graph.renumber import renumber
from emv.graph.tables import Tables

_COMMENT = re.compile(r"#|%|//")
_NO_TEXT = re.compile("[\0\udc80-\udcff]")  # what decodes to none comes as half a pair
_LINE_ENDS = re.compile(r"\r\n|[\r\n]")
_NAME = re.compile('(?!#|%|//|\ufeff)[^\\s,"\0\ud800-\udfff]+')
_NUMBERS = re.compile(r"[0-9]{1,18}")
_REMEDY = "expected source, target and maybe weight"


@dataclass(slots=True)
class _Edges:
    """The edges read so far."""

    src: list[str] = field(default_factory=list)
    dst: list[str] = field(default_factory=list)
    weights: list[int | float] = field(default_factory=list)
    num_fields: int = 0
    are_whole: bool = True  # the weights


def read_ncol(source: Source, hints: Hints) -> Tables:
    """Return the tables of a list of edges between names.

    Raises
    ------
    GraphFormatError
        If a line is no edge, is no UTF-8, or has another number of fields than the first, or
        there is none.
    """
    edges, separator = _Edges(), ""
    for number, line in _lines(source.chunks(), source.file):
        if not edges.num_fields:
            separator = "," if "," in line else "\t" if "\t" in line else ""
        parts = [each.strip() for each in line.split(separator or None)]
        fault = _fault(parts, edges)
        if fault:
            raise GraphFormatError(fault, source.file, number, _REMEDY)
        edges.num_fields = len(parts)
        edges.src.append(parts[0])
        edges.dst.append(parts[1])
        if len(parts) == 3:
            edges.are_whole &= bool(INTEGER.fullmatch(parts[2].encode()))
            edges.weights.append(int(parts[2]) if edges.are_whole else _decimal(parts[2]))
    if not edges.src and not source.opening.comments:
        raise GraphFormatError("is empty", source.file, remedy="fetch the file again")
    if not edges.src:
        raise GraphFormatError("holds no edge", source.file, remedy="expected lines 'ann bob'")
    return _tables(edges, hints.directed)


def _lines(chunks: Iterator[Chunk], file: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that are neither blank nor comments, with their numbers."""
    for chunk in chunks:
        text = chunk.text.decode("utf-8", "surrogateescape")  # of comments, which may be anything
        for number, line in enumerate(_LINE_ENDS.split(text), chunk.line):
            bare = line.strip()
            if not bare or _COMMENT.match(bare):
                continue
            if _NO_TEXT.search(bare):
                what = f"{shown(bare.encode('utf-8', 'surrogateescape'))} is not text"
                raise GraphFormatError(what, file, number, "save the file as UTF-8")
            yield number, line.rstrip()


def _fault(parts: list[str], edges: _Edges) -> str:
    """Return what is wrong with the fields of a line, or nothing."""
    line = shown(" ".join(parts).encode())
    if len(parts) not in (2, 3) or not all(parts):
        return f"{line} is no edge"
    if edges.num_fields not in (0, len(parts)):
        return f"{line} has {len(parts)} fields, the first line has {edges.num_fields}"
    try:
        if len(parts) == 3 and edges.are_whole and INTEGER.fullmatch(parts[2].encode()):
            integer_of(parts[2].encode(), -LARGEST_ID - 1, LARGEST_ID)
        elif len(parts) == 3:
            _decimal(parts[2])
    except ValueError as error:
        return f"the weight {shown(parts[2].encode())} {error}"
    return ""


def _decimal(text: str) -> float:
    return decimal_of(text.encode(), is_finite=False)


def _tables(edges: _Edges, directed: bool | None) -> Tables:
    src: Any = edges.src
    dst: Any = edges.dst
    if all(_NUMBERS.fullmatch(each) for ends in (src, dst) for each in ends):
        src, dst = (np.array([*map(int, each)], np.int64) for each in (src, dst))
    ends, ids = renumber(src, dst)
    labels: NDArray[Any] | None = ids
    if ids.dtype.kind in "iu" and np.array_equal(ids, np.arange(len(ids))):
        labels = None
    columns = {}
    if edges.num_fields == 3:
        columns["weight"] = np.array(edges.weights, np.int64 if edges.are_whole else np.float64)
    return Tables(len(ids), *ends, directed is not False, labels, edge_columns=columns)


def write_ncol(tables: Tables, path: Path) -> None:
    """Write edges between labels, or between numbers if there are none.

    Raises
    ------
    GraphError
        If something of the graph would be lost, or a label is no word or would be read as another.
    """
    title = "a list of edges between names"
    refuse_columns(tables, title)
    refuse_large(tables.edge_columns.get("weight"), title)
    if not tables.directed:
        raise GraphError(
            f"{title} does not tell that edges lead both ways",
            remedy='give drop=("direction",) and read it with directed=False',
        )
    is_met = np.zeros(tables.num_vertices, np.bool_)
    is_met[tables.src] = is_met[tables.dst] = True
    if not is_met.all() or len(is_met) == 0:
        first = f"vertex {int(np.argmin(is_met))}, which has no edge" if len(is_met) else "no edges"
        raise GraphError(
            f"{title} cannot hold {first}",
            remedy='prepared(relabel="dense") takes such vertices out, or write another format',
        )
    names = _names(range(tables.num_vertices) if tables.labels is None else tables.labels.tolist())
    weights = tables.edge_columns.get("weight")
    texts = [""] * len(tables.src) if weights is None else number_texts(weights)
    with open_packed(path) as file:
        for src, dst, text in zip(tables.src.tolist(), tables.dst.tolist(), texts, strict=True):
            file.write(f"{names[src]} {names[dst]} {text}".rstrip().encode() + b"\n")


def _names(labels: Sequence[Any]) -> list[str]:
    """Return the names of all vertices, having made sure that each is read as what it was."""
    names = [_name(each) for each in labels]
    are_numbers = all(map(_NUMBERS.fullmatch, names))
    for label, name in zip(labels, names, strict=True):
        found = int(name) if are_numbers else name
        if label != found:
            raise GraphError(
                f"the label {label!r} would be read back as {found!r}, as names are whole numbers "
                "if all of them are, and texts otherwise",
                remedy="write Parquet or a folder, which keep labels of every kind",
            )
    return names


def _name(label: Any) -> str:
    name = str(label)
    if _NAME.fullmatch(name):
        return name
    raise GraphError(
        f"the label {name!r} is no name: it is empty, begins a comment, or holds a blank, a comma, "
        "a quote or what is no text",
        remedy="write Parquet or a folder, which hold any text",
    )


NCOL = Format(
    "ncol",
    "a list of edges between names",
    (".ncol",),
    lambda source: False,
    read_ncol,
    write_ncol,
    frozenset({"repeats", "weight", "labels"}),
)
