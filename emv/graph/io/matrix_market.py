"""Matrix Market files as graphs (Boisvert, Pozo, Remington, NISTIR 5935).

Entry (i, j) is an edge from vertex i - 1 to vertex j - 1 and its value the edge's ``weight``. A
matrix that is not square is bipartite: its rows are the first vertices and its columns follow; the
vertex column ``side`` is 0 for rows and 1 for columns.

===================  ================  ==========================================================
symmetry             ``directed``      edges
===================  ================  ==========================================================
general              None, True        one directed edge per entry
general              False             one undirected edge per entry
general, not square  None, False       one undirected edge per entry, from a row to a column
general, not square  True              one edge per entry, leading from a row to a column
symmetric            None, False       one undirected edge per entry
symmetric            True              both directions of each entry, one edge for a loop;
                                       first all entries, then all of them reversed
skew-symmetric       None, True        as before, the reversed ones with the negated value
===================  ================  ==========================================================

Repeated entries are kept as repeated edges, but for a file with a ``%%GraphBLAS type`` line:
GraphBLAS writes none. The values of such a file are checked against its type. In the ``array``
layout every element that is not 0 is an edge. A file without a banner that begins with a size line
counts as ``real general``, or ``pattern`` where its lines have no value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from emv.errors import ArgumentError, GraphFormatError
from emv.graph.io.banner import FIELDS, banner_of, begins_with_banner
from emv.graph.io.chunk_rows import RowForm
from emv.graph.io.entries import Entries, both_ways, read_rows
from emv.graph.io.format import Format, Hints
from emv.graph.io.rectangle import SIDE, refuse_unlikely, side_column
from emv.graph.io.source import Source, suffix_of
from emv.graph.io.text import (
    Chunk,
    Line,
    Opening,
    first_comma,
    line_of_entry,
    logger,
    natural,
    refuse_comma,
    shown,
)
from emv.graph.io.write_matrix_market import write_matrix_market
from emv.graph.renumber import place_among
from emv.graph.tables import Tables
from emv_kernels.aside import leavable

_EDGE_LIST_NAMES = {".edgelist", ".el", ".wel", ".csv", ".tsv", ".konect"}

_UINT64, _FLOAT64 = np.dtype(np.uint64), np.dtype(np.float64)
_GRAPHBLAS_TYPES: dict[str, tuple[int, int] | None] = {
    "bool": (0, 1),
    **{f"int{bits}_t": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}_t": (0, 2**bits - 1) for bits in (8, 16, 32, 64)},
    "float": None,
    "double": None,
}
_GRAPHBLAS = re.compile(rb"%%GraphBLAS[ \t]+type[ \t]+(.*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Matrix:
    """What the lines before the entries say.

    Attributes
    ----------
    layout, field, symmetry : str
        The words of the banner.
    graphblas : str
        The type that a ``%%GraphBLAS type`` line gives, or nothing.
    num_rows, num_columns, num_entries : int
        The size line.
    size_line : int
        Its number.
    """

    layout: str
    field: str
    symmetry: str
    graphblas: str
    num_rows: int
    num_columns: int
    num_entries: int
    size_line: int

    @property
    def is_square(self) -> bool:
        """Whether rows and columns are the same vertices."""
        return self.num_rows == self.num_columns

    @property
    def num_vertices(self) -> int:
        """How many vertices the graph has."""
        return self.num_rows if self.is_square else self.num_rows + self.num_columns

    @property
    def dtype(self) -> np.dtype[Any] | None:
        """The type of the values; None when there are none."""
        if self.field == "integer":
            return {"uint64_t": _UINT64, "float": _FLOAT64, "double": _FLOAT64}.get(
                self.graphblas, FIELDS["integer"]
            )
        return FIELDS[self.field]


def read_matrix_market(source: Source, hints: Hints) -> Tables:
    """Return the tables of a Matrix Market file, as the table above says.

    Raises
    ------
    GraphFormatError
        If the banner, the size line or an entry is not what the format demands, the counts do
        not agree, or the matrix is complex or hermitian.
    """
    opening, file = source.opening, source.file
    matrix = _read_matrix(opening, file)
    entries = read_rows(opening.without_first_line(), source, _row_form(matrix), matrix.num_entries)
    if entries.num_rows != matrix.num_entries:
        _refuse_count(matrix, entries.num_rows, source)
    refuse_unlikely(matrix.num_vertices, matrix.num_entries, file, matrix.size_line)
    if matrix.graphblas:
        _check_graphblas(matrix, entries, source)
    if matrix.layout == "array":
        entries = _elements(matrix, entries)
    elif matrix.symmetry != "general":
        _refuse_both_halves(matrix, entries, source)
    if matrix.symmetry == "skew-symmetric":
        _check_skew(matrix, entries, source)
    return _tables(matrix, entries, file, hints.directed)


def is_matrix_market(source: Source) -> bool:
    """Return whether a file has the banner, or the name and a size line."""
    if begins_with_banner(source.head):
        return not is_bare_list(source)
    return suffix_of(source.path) in {".mtx", ".mm"} and begins_with_size_line(source)


def is_bare_list(source: Source) -> bool:
    """Return whether a file with the banner has but edges below, as its name says too."""
    if suffix_of(source.path) not in _EDGE_LIST_NAMES or not begins_with_banner(source.head):
        return False
    return len(source.opening.first) == len(source.opening.second) == 2


def begins_with_size_line(source: Source) -> bool:
    """Return whether a file without a banner begins as a matrix, and not as a list of edges."""
    opening = source.opening
    if not all(part.isdigit() for part in opening.first):
        return False
    shape = (len(opening.first), len(opening.second))
    return shape in {(2, 1), (3, 2), (3, 3)}


def _read_matrix(opening: Opening, file: str) -> Matrix:
    """Return what the banner, a GraphBLAS line and the size line say."""
    comments = opening.comments
    words = banner_of(comments, file)
    if words is None:
        logger.warning("%s: no %%%%MatrixMarket banner, read as general", file)
        layout = "array" if len(opening.first) == 2 else "coordinate"
        field = "pattern" if layout == "coordinate" and len(opening.second) == 2 else "real"
        words = ["matrix", layout, field, "general"]
    _, layout, field, symmetry = words
    graphblas = _graphblas_type(comments, file)
    num_rows, num_columns, num_entries = _size(opening, layout, symmetry, file)
    matrix = Matrix(
        layout, field, symmetry, graphblas, num_rows, num_columns, num_entries, opening.line
    )
    if symmetry != "general" and not matrix.is_square:
        raise GraphFormatError(
            f"a {symmetry} matrix of {num_rows} rows and {num_columns} columns is not square",
            file,
            opening.line,
        )
    return matrix


def _graphblas_type(comments: list[Line], file: str) -> str:
    """Return the type in a ``%%GraphBLAS type`` line, or nothing."""
    for comment in comments:
        if declared := _GRAPHBLAS.fullmatch(comment.text):
            name = declared.group(1).decode("ascii", "backslashreplace").strip()
            if name not in _GRAPHBLAS_TYPES:
                raise GraphFormatError(
                    f"the GraphBLAS type is {shown(name.encode())}",
                    file,
                    comment.number,
                    f"expected one of {', '.join(_GRAPHBLAS_TYPES)}",
                )
            return name
    return ""


def _size(opening: Opening, layout: str, symmetry: str, file: str) -> tuple[int, int, int]:
    """Return rows, columns and entries as the size line has them."""
    if not opening.line:
        raise GraphFormatError("ends before the size line", file, remedy="fetch the file again")
    if first_comma(Chunk(opening.lines[0], opening.line)) is not None:
        refuse_comma(opening.lines[0], file, opening.line)
    sizes = [natural(part) for part in opening.first]
    names = "rows columns entries" if layout == "coordinate" else "rows columns"
    if len(sizes) != len(names.split()) or None in sizes:
        raise GraphFormatError(
            f"the size line is {shown(b' '.join(opening.first))}",
            file,
            opening.line,
            f"expected {names}",
        )
    num_rows, num_columns, *rest = (size for size in sizes if size is not None)
    num_elements = {
        "general": num_rows * num_columns,
        "symmetric": num_rows * (num_rows + 1) // 2,
        "skew-symmetric": num_rows * (num_rows - 1) // 2,
    }
    return num_rows, num_columns, rest[0] if rest else num_elements[symmetry]


def _row_form(matrix: Matrix) -> RowForm:
    """Return how the lines after the size line are to be read."""
    columns = ("value",) if matrix.layout == "array" else ("row", "column", "value")
    return RowForm(
        columns[:2] if matrix.dtype is None else columns,
        matrix.dtype,
        first_id=1,
        last_src=matrix.num_rows,
        last_dst=matrix.num_columns,
    )


def _refuse_count(matrix: Matrix, num_rows: int, source: Source) -> None:
    """Say which of the entries are too many, or that some are missing."""
    line: int | None = matrix.size_line
    found = f"only {num_rows} follow"
    if num_rows > matrix.num_entries:
        line = line_of_entry(source, matrix.num_entries + 1)  # the size line was the first
        found = "here is another"
    raise GraphFormatError(
        f"the size line announces {matrix.num_entries} entries, {found}",
        source.file,
        line,
        f"fetch the file again, or correct line {matrix.size_line}",
    )


def _check_graphblas(matrix: Matrix, entries: Entries, source: Source) -> None:
    """Refuse what GraphBLAS would not have written: repeats, and values outside its type."""
    if matrix.layout == "coordinate" and entries.num_rows > 1:
        order = leavable(lambda: np.lexsort((entries.dst, entries.src)), entries.num_rows)
        src, dst = entries.src[order], entries.dst[order]
        repeats = order[1:][(src[1:] == src[:-1]) & (dst[1:] == dst[:-1])]
        if len(repeats):
            _refuse_entry(source, int(repeats.min()), "the entry stands in the file twice")
    bounds = _GRAPHBLAS_TYPES[matrix.graphblas]
    if bounds is not None and entries.values is not None:
        low, high = bounds
        outside = np.flatnonzero((entries.values < low) | (entries.values > high))
        if len(outside):
            value = entries.values[outside[0]]
            _refuse_entry(source, int(outside[0]), f"{value} is no value of {matrix.graphblas}")


def _refuse_both_halves(matrix: Matrix, entries: Entries, source: Source) -> None:
    """Refuse an entry whose mirrored one is there, too: of a symmetric matrix one implies it."""
    off = np.flatnonzero(entries.src != entries.dst)
    src, dst = entries.src[off], entries.dst[off]
    is_above = src < dst
    if is_above.all() or not is_above.any():
        return
    low, high = np.minimum(src, dst), np.maximum(src, dst)
    order = leavable(lambda: np.lexsort((high, low)), len(low))
    low, high = low[order], high[order]
    pair = place_among((np.diff(low, prepend=-1) != 0) | (np.diff(high, prepend=-1) != 0))
    firsts = np.full((2, int(pair[-1]) + 1), entries.num_rows)  # of each pair, in each triangle
    np.minimum.at(firsts, (is_above[order].astype(np.int8), pair), off[order])
    second = int(firsts.max(axis=0).min())
    if second < entries.num_rows:
        row, column = int(entries.src[second]) + 1, int(entries.dst[second]) + 1
        what = f"entries ({row}, {column}) and ({column}, {row}) of a {matrix.symmetry} matrix"
        _refuse_entry(source, second, f"{what} are both there, and each implies the other")


def _check_skew(matrix: Matrix, entries: Entries, source: Source) -> None:
    """Refuse entries that have no negated partner."""
    if matrix.dtype == np.uint64 or matrix.graphblas.startswith(("uint", "bool")):
        what = "the values of a skew-symmetric matrix have a sign, those of its type have none"
        raise GraphFormatError(what, source.file, matrix.size_line)
    on_diagonal = np.flatnonzero(entries.src == entries.dst)
    if len(on_diagonal):
        what = "a skew-symmetric matrix has nothing on its diagonal"
        _refuse_entry(source, int(on_diagonal[0]), what)
    if entries.values is not None and matrix.dtype == np.int64:
        smallest = np.flatnonzero(entries.values == np.iinfo(np.int64).min)
        if len(smallest):
            _refuse_entry(source, int(smallest[0]), "the negated value does not fit int64")


def _refuse_entry(source: Source, entry: int, what: str) -> NoReturn:
    """Raise an error about an entry, counted from 0."""
    raise GraphFormatError(what, source.file, line_of_entry(source, entry + 1))


def _elements(matrix: Matrix, entries: Entries) -> Entries:
    """Return the elements of a dense matrix that are not 0, given column after column."""
    if entries.values is None or matrix.num_rows == 0:
        return entries
    if matrix.symmetry == "general":
        dst, src = np.divmod(np.arange(entries.num_rows), matrix.num_rows)
    else:
        above = 0 if matrix.symmetry == "symmetric" else 1
        dst, src = np.triu_indices(matrix.num_rows, above)
    kept = np.flatnonzero(entries.values)
    return Entries(len(kept), src[kept], dst[kept], entries.values[kept])


def _tables(matrix: Matrix, entries: Entries, file: str, directed: bool | None) -> Tables:
    """Return the graph of the entries."""
    src, dst, values = entries.src, entries.dst, entries.values
    if directed is None:
        directed = matrix.is_square and matrix.symmetry != "symmetric"
    if matrix.symmetry == "skew-symmetric" and not directed:
        raise ArgumentError(
            f"{file} is skew-symmetric: what leads back has the negated weight",
            remedy="leave out directed=False",
        )
    if not matrix.is_square:
        dst = dst.astype(np.int64) + matrix.num_rows
    if matrix.symmetry != "general" and directed:
        sign = -1 if matrix.symmetry == "skew-symmetric" else 1
        src, dst, values = both_ways(src, dst, values, sign)
    edge_columns = {} if values is None else {"weight": values}
    sides = (matrix.num_rows, matrix.num_columns)
    vertex_columns = {} if matrix.is_square else {SIDE: side_column(*sides)}
    return Tables(
        matrix.num_vertices,
        src,
        dst,
        directed,
        vertex_columns=vertex_columns,
        edge_columns=edge_columns,
    )


MATRIX_MARKET = Format(
    name="matrix-market",
    title="a Matrix Market file",
    suffixes=(".mtx", ".mm"),
    recognises=is_matrix_market,
    read=read_matrix_market,
    write=write_matrix_market,
    keeps=frozenset({"direction", "isolated", "repeats", "weight"}),
)
