"""Edge lists: two vertex numbers a line, an optional weight, and whatever the writer put around.

Blanks, tabs or commas part the columns; a third column is the ``weight``, a fourth (KONECT's time)
is not read; ``2,5`` behind blanks is no weight and time, but refused as one number with a decimal
comma. ``#``, ``%`` and ``//`` begin comments. Vertex numbers are kept as labels: the vertices
are numbered in increasing order of them, and ``labels`` is None where they are ``0..n-1`` already.
Every line is an edge, so an undirected edge that is listed in both directions is there twice.

Edges are directed unless the caller or a comment says otherwise: KONECT's first line (``% sym``) or
a Matrix Market banner above a bare list of edges (``symmetric``), or emv's ``# undirected``.

Some writers begin with a size line ``V E`` that is no edge. Without ``header``, a first line of
two numbers is taken for one when V is the largest vertex number below it plus one or the number of
different ones, E is the number of lines below it, and the line is not likely to be an edge:

* where E is larger than every vertex number below, V the largest plus one, E may be off by a
  hundredth; and if V is the number of different ones only, E - 1 is no vertex number either;
* where it is not, as in trees and forests, E is no end of the second line, and the sources and the
  targets below do not fall from V and from E on, as in a list that is written backwards.

A warning says so. Files named ``.el`` or ``.wel`` (GAP's) have no such line. Counts in comments
(SNAP's ``# Nodes: V Edges: E``, KONECT's ``% E V V``) are compared with the lines, and a warning
names the difference; where they count the first line, it is an edge.

An edge list is written with its counts in a comment and, if edges lead both ways, ``# undirected``
above it; but ``.el``, ``.wel`` and ``.csv`` without, since few of their readers skip comments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import GraphError, GraphFormatError
from emv.graph.io.banner import banner_of, begins_with_banner
from emv.graph.io.chunk_rows import RowForm
from emv.graph.io.entries import Entries, read_rows
from emv.graph.io.format import Format, Hints
from emv.graph.io.matrix_market import begins_with_size_line, is_bare_list
from emv.graph.io.numerals import DECIMAL, INTEGER, LARGEST_ID
from emv.graph.io.packing import open_packed
from emv.graph.io.renumber import largest_id, num_different, renumbered
from emv.graph.io.rows import refuse_columns, refuse_large, write_rows
from emv.graph.io.source import Source, suffix_of
from emv.graph.io.text import Line, line_of_entry, logger, natural, shown
from emv.graph.tables import Tables

_SNAP_COUNTS = re.compile(rb"#.*\bNodes:\s*([0-9]+)\s+Edges:\s*([0-9]+)", re.IGNORECASE)
_KONECT_KIND = re.compile(rb"%\s*(sym|asym|bip)\b.*", re.IGNORECASE)
_KONECT_COUNTS = re.compile(rb"%\s*([0-9]+)\s+([0-9]+)\s+([0-9]+)\s*")
_DECIMAL_COMMA = re.compile(
    rb"\s*[0-9]+[ \t]+[0-9]+[ \t]+([+-]?[0-9]+,[0-9]+([eE][+-]?[0-9]+)?)\s*((#|%|//).*)?"
)
_UNDIRECTED = b"# undirected"
_GAP_NAMES = {".el", ".wel"}
_BARE_NAMES = {".csv", *_GAP_NAMES}
_COLUMNS = ("source", "target", "weight", "time")
_REMEDY = (
    "number the vertices from 0 on, or give header=True if this line is not an edge, format='ncol' "
    "if vertices have names, or another format= if this is no list of edges"
)


@dataclass(frozen=True, slots=True)
class Claims:
    """What the comments say of the graph, where they say it.

    Attributes
    ----------
    directed : bool
        Whether the edges lead one way.
    num_vertices, num_edges : int or None
        The counts.
    """

    directed: bool = True
    num_vertices: int | None = None
    num_edges: int | None = None


def is_edge_list(source: Source) -> bool:
    """Return whether a file with the name or the banner of a matrix is a list of edges."""
    if suffix_of(source.path) not in {".mtx", ".mm"}:
        return is_bare_list(source)
    if begins_with_banner(source.head) or begins_with_size_line(source):
        return False
    logger.warning(
        "%s: no %%%%MatrixMarket banner and no size line, read as an edge list", source.path
    )
    return True


def read_edge_list(source: Source, hints: Hints) -> Tables:
    """Return the tables of an edge list.

    Raises
    ------
    GraphFormatError
        If a line is not an edge, the lines differ in their number of columns, or there is none.
    """
    file = source.file
    claims = _claims(source.opening.comments, file)
    header = hints.header
    if header is None and suffix_of(source.path) in _GAP_NAMES:
        header = False
    entries, size = _edges(source, header, claims.num_edges)
    if size is not None:
        claims = replace(claims, num_vertices=size[0], num_edges=size[1])
    src, dst, labels = renumbered(entries.src, entries.dst)
    num_vertices = largest_id(src, dst) + 1 if labels is None else len(labels)
    _compare(claims, num_vertices, entries.num_rows, file)
    weight = {} if entries.values is None else {"weight": entries.values}
    directed = claims.directed if hints.directed is None else hints.directed
    return Tables(num_vertices, src, dst, directed, labels, edge_columns=weight)


def _edges(
    source: Source, header: bool | None, claimed: int | None
) -> tuple[Entries, tuple[int, int] | None]:
    """Return the lines that are edges, and the size line when the first one is none."""
    opening, file = source.opening, source.file
    size = _two_numbers(opening.first)
    is_shorter = header is None and size is not None and len(opening.second) > 2
    is_skipped = bool(header) or is_shorter
    chunks = opening.without_first_line() if is_skipped else opening.chunks
    _refuse_decimal_comma(source, is_skipped)
    form = _row_form(opening.second if is_skipped else opening.first)
    entries = read_rows(chunks, source, form)
    if header is None and size is not None and (is_shorter or claimed != entries.num_rows):
        below = entries if is_skipped else entries.without_first()
        if _is_size_line(size, below):
            what = "%s:%d: %d %d is taken as a size line, not as an edge; header=False keeps it"
            logger.warning(what, file, opening.line, *size)
            entries, is_skipped = below, True
        elif is_shorter:
            raise GraphFormatError(
                f"{shown(b' '.join(opening.first))} has 2 fields, the next line has "
                f"{len(opening.second)}",
                file,
                opening.line,
                "give header=True if it is not an edge",
            )
    if entries.num_rows == 0:
        raise GraphFormatError("holds no edge", file, remedy="expected lines 'source target'")
    return entries, size if is_skipped else None


def _refuse_decimal_comma(source: Source, is_skipped: bool) -> None:
    """Refuse lines like the first edge if its weight would be taken for a weight and a time."""
    found = _DECIMAL_COMMA.fullmatch(source.opening.lines[is_skipped])
    if found:
        raise GraphFormatError(
            f"the weight {shown(found[1])} has a decimal comma",
            source.file,
            line_of_entry(source, int(is_skipped)),
            "write it with a point, or part all columns by commas if it is a weight and a time",
        )


def _two_numbers(parts: list[bytes]) -> tuple[int, int] | None:
    """Return the numbers of a line that is nothing but two numbers."""
    numbers = [natural(part) for part in parts]
    if len(numbers) != 2 or numbers[0] is None or numbers[1] is None:
        return None
    return numbers[0], numbers[1]


def _row_form(first: list[bytes]) -> RowForm:
    """Return how lines like the first one are to be read."""
    columns = _COLUMNS[: max(2, len(first))]
    if len(columns) == 2:
        return RowForm(columns, has_commas=True, remedy=_REMEDY)
    grows = DECIMAL.fullmatch(first[2]) is None or INTEGER.fullmatch(first[2]) is not None
    dtype = np.dtype(np.int64 if grows else np.float64)
    return RowForm(columns, dtype, grows=grows, has_commas=True, remedy=_REMEDY)


def _is_size_line(size: tuple[int, int], below: Entries) -> bool:
    """Return whether ``V E`` are counts of the edges below; the module says by which rule."""
    num_vertices, num_edges = size
    if below.num_rows == 0:
        return False
    largest = largest_id(below.src, below.dst)
    if num_edges <= largest:
        if num_edges != below.num_rows or _continues(size, below):
            return False
        return num_vertices in (largest + 1, num_different(below.src, below.dst))
    if num_vertices == largest + 1:
        return abs(num_edges - below.num_rows) <= below.num_rows // 100
    if num_edges != below.num_rows or num_edges == largest + 1:
        return False
    return num_vertices == num_different(below.src, below.dst)


def _continues(first: tuple[int, int], below: Entries) -> bool:
    """Return whether the edges below follow a first one as they do in a list written backwards."""
    if first[1] in (below.src[0], below.dst[0]):
        return True
    return any(
        bool(end >= ends[0] > ends[-1] and (ends[1:] <= ends[:-1]).all())
        for end, ends in zip(first, (below.src, below.dst), strict=True)
    )


def _claims(comments: list[Line], file: str) -> Claims:
    """Return what the comments before the first edge say."""
    claims = Claims()
    if banner := banner_of(comments, file):
        claims = replace(claims, directed=banner[-1] == "general")
    if comments and (kind := _KONECT_KIND.fullmatch(comments[0].text)):
        if kind.group(1).lower() == b"bip":
            raise GraphFormatError(
                f"{shown(comments[0].text)} says that both sides count their vertices from 1",
                file,
                comments[0].number,
                "add the number of sources to every target and take the line out",
            )
        claims = replace(claims, directed=kind.group(1).lower() == b"asym")
        if len(comments) > 1 and (counts := _KONECT_COUNTS.fullmatch(comments[1].text)):
            num_edges, num_src, num_dst = (natural(count) for count in counts.groups())
            num_vertices = num_src if num_src == num_dst else None
            claims = replace(claims, num_edges=num_edges, num_vertices=num_vertices)
    for comment in comments:
        if comment.text == _UNDIRECTED:
            claims = replace(claims, directed=False)
        if counts := _SNAP_COUNTS.match(comment.text):
            num_vertices, num_edges = (natural(count) for count in counts.groups())
            claims = replace(claims, num_vertices=num_vertices, num_edges=num_edges)
    return claims


def _compare(claims: Claims, num_vertices: int, num_edges: int, file: str) -> None:
    """Warn of counts that the lines do not bear out."""
    claimed = (claims.num_vertices, claims.num_edges)
    for noun, claim, count in zip(
        ("vertices", "edges"), claimed, (num_vertices, num_edges), strict=True
    ):
        if claim is not None and claim != count:
            logger.warning("%s: says it has %d %s, its lines have %d", file, claim, noun, count)


def write_edge_list(tables: Tables, path: Path) -> None:
    """Write the edges of a graph, a line each.

    Raises
    ------
    GraphError
        If an edge list of this name does not hold all of it.
    """
    weight = tables.edge_columns.get("weight")
    suffix = suffix_of(path)
    _check_writable(tables, weight, suffix)
    separator = {".csv": b",", ".el": b" ", ".wel": b" "}.get(suffix, b"\t")
    labels = tables.labels
    src, dst = (each if labels is None else labels[each] for each in (tables.src, tables.dst))
    if suffix == ".csv" and weight is None and _is_ambiguous(src, dst):
        raise GraphError(
            f"the edge {src[0]},{dst[0]} on the first line would pass for a size line",
            remedy="name the file .tsv, which is written with a comment that says so",
        )
    with open_packed(path) as file:
        if suffix not in _BARE_NAMES:
            if not tables.directed:
                file.write(_UNDIRECTED + b"\n")
            file.write(f"# Nodes: {tables.num_vertices} Edges: {len(src)}\n".encode())
        write_rows(file, (src, dst), weight, separator)


def _check_writable(tables: Tables, weight: NDArray[Any] | None, suffix: str) -> None:
    """Refuse what an edge list does not hold."""
    title = "an edge list"
    refuse_columns(tables, title)
    labels = tables.labels
    is_number = labels is None or labels.dtype.kind in "iu"
    if labels is not None and len(labels):
        is_number = is_number and labels.min() >= 0 and labels.max() <= LARGEST_ID
    if not is_number:
        raise GraphError(
            f"{title} has whole numbers from 0 on as labels, these are others",
            remedy='give drop=("labels",) to write the numbers 0..n-1 of the vertices instead',
        )
    isolated = np.ones(tables.num_vertices, np.bool_)
    isolated[tables.src] = isolated[tables.dst] = False
    if isolated.any() or len(tables.src) == 0:
        what = f"vertex {int(np.argmax(isolated))} has none" if isolated.any() else "there are none"
        raise GraphError(
            f"{title} holds edges and the vertices that have one, {what}",
            remedy='leave it out with relabel="dense", or write another format',
        )
    if not tables.directed and suffix in _BARE_NAMES:
        raise GraphError(
            f"a {suffix} file cannot say that edges lead both ways",
            remedy='name it .tsv, or give drop=("direction",) and read it with directed=False',
        )
    if suffix in _GAP_NAMES and (weight is None) != (suffix == ".el"):
        has = "has a weight on every line, the graph has none"
        other = "name the file .el"
        if weight is not None:
            has = "holds no weights, the graph has some"
            other = 'name the file .wel, or give drop=("weight",)'
        raise GraphError(f"a {suffix} file {has}", remedy=other)
    refuse_large(weight, title)


def _is_ambiguous(src: NDArray[Any], dst: NDArray[Any]) -> bool:
    """Return whether the first edge looks as a size line of the others does."""
    size = int(src[0]), int(dst[0])
    return _is_size_line(size, Entries(len(src), src, dst, None).without_first())


EDGE_LIST = Format(
    name="edge-list",
    title="an edge list",
    suffixes=(".tsv", ".txt", ".edgelist", ".el", ".wel", ".csv", ".konect"),
    recognises=is_edge_list,
    read=read_edge_list,
    write=write_edge_list,
    keeps=frozenset({"direction", "repeats", "weight", "labels"}),
)
