"""METIS graph files, also those of the 10th DIMACS challenge (METIS 5 manual, section 4.1).

The first line is ``vertices edges [fmt [ncon]]``; line i of those below lists the neighbours of
vertex i - 1, and a blank one none. The three digits of ``fmt`` say what else a line has: the
vertex's size (column ``size``), its ``ncon`` weights (``weight``, or ``weight_0`` and so on where
they are several), and a weight after each neighbour (edge column ``weight``).

Every edge stands in the lists of both its ends and becomes one undirected edge, in the order of
the lists of the smaller ends. A loop stands in its list once and counts as one edge, or twice.
With ``directed=True`` lists are taken as they are: each neighbour is an arc.

The 10th DIMACS challenge writes ``fmt`` 100 for graphs with loops or repeats; then the first line
counts the entries of all lists, and there are no sizes. Both meanings are tried: the numbers of a
file can bear out only one. METIS itself has integers as weights; decimals, as NetworKit writes
them, are read too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from emv.errors import GraphFormatError
from emv.graph.io.format import Format, Hints
from emv.graph.io.lists import ListForm, Lists, line_of_list, read_lists
from emv.graph.io.rectangle import refuse_unlikely
from emv.graph.io.source import Source
from emv.graph.io.text import Chunk, first_comma, logger, natural, refuse_comma, shown
from emv.graph.io.write_metis import TITLE, write_metis
from emv.graph.tables import Tables
from emv_kernels.aside import leavable

MOST_WEIGHTS = 4096  # of a vertex
_MOST_BYTES_PER_NEIGHBOUR = 32
_LONGEST_LIST_BYTES = 1 << 30

_AS_ARCS = "directed=True takes the lists as they are, each neighbour as an arc"


@dataclass(frozen=True, slots=True)
class Header:
    """What the first line says.

    Attributes
    ----------
    num_vertices, num_edges : int
        The counts.
    sizes, weights : int
        Whether each vertex has a size, and how many weights it has.
    weighted : bool
        Whether each neighbour has a weight.
    line : int
        The line's number.
    counts_entries : bool
        Whether `num_edges` counts the entries of all lists, as the 10th DIMACS challenge has it.
    """

    num_vertices: int
    num_edges: int
    sizes: bool
    num_weights: int
    weighted: bool
    line: int
    counts_entries: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The vertex columns."""
        sizes = ("size",) if self.sizes else ()
        if self.num_weights == 1:
            return (*sizes, "weight")
        return (*sizes, *(f"weight_{number}" for number in range(self.num_weights)))

    @property
    def form(self) -> ListForm:
        """How the lists are to be read."""
        dtype = np.dtype(np.int64) if self.weighted else None
        return ListForm(self.num_vertices, self.names, dtype)


class Sums(NamedTuple):
    """What `sum_directions` says of the entries that lead to larger vertices, and back."""

    num_forward: int
    num_back: int
    forward: int
    back: int
    num_loops: int


def read_metis(source: Source, hints: Hints) -> Tables:
    """Return the tables of a METIS file.

    Raises
    ------
    GraphFormatError
        If a line is none of a METIS file, the counts of the first line do not agree with the
        lists, or an edge stands in the list of one end only.
    """
    header = _header(source)
    header, lists = _lists(source, header)
    lists = _with_missing(lists, header, source)
    sums = _sums(lists)
    if hints.directed:
        _check_count(lists, header, source, sums.num_loops, takes_arcs=True)
        src, dst, weights = _sources(lists), lists.dst, lists.weights
    else:
        src, dst, weights = _edges(lists, sums, header, source)
    numbers = {name: lists.numbers[:, column].copy() for column, name in enumerate(header.names)}
    return Tables(
        header.num_vertices,
        src,
        dst,
        bool(hints.directed),
        vertex_columns=numbers,
        edge_columns={} if weights is None else {"weight": weights},
    )


def _header(source: Source) -> Header:
    """Return what the first line says."""
    opening = source.opening
    if not opening.line:
        remedy = "expected a line 'vertices edges'"
        raise GraphFormatError("holds nothing but comments", source.file, remedy=remedy)
    if first_comma(Chunk(opening.lines[0], opening.line)) is not None:
        refuse_comma(opening.lines[0], source.file, opening.line)
    parts = opening.first
    numbers = [natural(part) for part in parts]
    if not 2 <= len(parts) <= 4 or None in numbers:
        raise GraphFormatError(
            f"the first line is {shown(b' '.join(parts))}",
            source.file,
            opening.line,
            "expected 'vertices edges [fmt [ncon]]'",
        )
    num_vertices, num_edges, *_ = (number for number in numbers if number is not None)
    fmt = parts[2] if len(parts) > 2 else b"0"
    if len(fmt) > 3 or fmt.strip(b"01"):
        raise GraphFormatError(
            f"fmt is {shown(fmt)}",
            source.file,
            opening.line,
            "expected three digits 0 or 1: sizes, weights of vertices, weights of edges",
        )
    sizes, weighs, weighted = (digit == "1" for digit in fmt.decode().rjust(3, "0"))
    num_weights = int(weighs)
    if len(parts) == 4:
        num_weights = _num_weights(numbers[3] or 0, weighs, source)
    return Header(num_vertices, num_edges, sizes, num_weights, weighted, opening.line)


def _num_weights(ncon: int, weighs: bool, source: Source) -> int:
    """Return how many weights a vertex has, from the fourth number of the first line."""
    if weighs and not 1 <= ncon <= MOST_WEIGHTS:
        raise GraphFormatError(
            f"ncon is {ncon}",
            source.file,
            source.opening.line,
            f"expected 1 to {MOST_WEIGHTS} weights of each vertex",
        )
    if not weighs and ncon > 1:
        raise GraphFormatError(
            f"ncon is {ncon}, but fmt says that vertices have no weights",
            source.file,
            source.opening.line,
            "expected fmt 10 or 11",
        )
    return ncon if weighs else 0


def _lists(source: Source, header: Header) -> tuple[Header, Lists]:
    """Return the lists, and the header with the meaning of fmt 100 that they bear out."""
    if header.sizes and not header.num_weights and not header.weighted:
        bare = replace(header, sizes=False, counts_entries=True)
        try:
            lists = read_lists(_list_chunks(source, header), source.file, bare.form)
        except GraphFormatError:
            lists = None
        if lists is not None and len(lists.dst) == header.num_edges:
            return bare, lists
    return header, read_lists(_list_chunks(source, header), source.file, header.form)


def _list_chunks(source: Source, header: Header) -> Iterator[Chunk]:
    """Return the lines below the first; a list of all vertices may be a very long one."""
    longest = min(_MOST_BYTES_PER_NEIGHBOUR * header.num_vertices, _LONGEST_LIST_BYTES)
    return _below(source.chunks(longest), header.line)


def _below(chunks: Iterator[Chunk], line: int) -> Iterator[Chunk]:
    """Yield the lines below the line `line`."""
    for chunk in chunks:
        if chunk.line > line:
            yield chunk
        elif chunk.line + chunk.num_lines > line:
            at = 0
            for _ in range(chunk.line, line + 1):
                at = chunk.after_line_at(at)
            yield Chunk(chunk.text[at:], line + 1)


def _with_missing(lists: Lists, header: Header, source: Source) -> Lists:
    """Return the lists with the blank ones that are missing behind the last one."""
    num_lists, num_missing = len(lists.counts), header.num_vertices - len(lists.counts)
    if num_missing == 0:
        return lists
    if header.names or not _is_counted(lists, header, _sums(lists).num_loops):
        raise GraphFormatError(
            f"the first line announces {header.num_vertices} vertices, only {num_lists} lists "
            "follow",
            source.file,
            header.line,
            f"fetch the file again, or correct line {header.line}",
        )
    refuse_unlikely(header.num_vertices, len(lists.dst), source.file, header.line)
    what = "%s: the lists of the last %d vertices are missing, read as blank lines"
    logger.warning(what, source.file, num_missing)
    counts = np.concatenate([lists.counts, np.zeros(num_missing, np.int32)])
    return replace(lists, counts=counts, numbers=lists.numbers[:0].reshape(len(counts), 0))


def _sums(lists: Lists) -> Sums:
    """Return how many entries lead up, down and nowhere, and the sums of their hashes."""
    from emv_kernels.cpu.parse_lists import sum_directions

    num_forward, num_back, forward, back = sum_directions(lists.counts, lists.dst, _bits(lists))
    num_loops = len(lists.dst) - num_forward - num_back
    return Sums(num_forward, num_back, forward, back, num_loops)


def _bits(lists: Lists) -> NDArray[np.int64]:
    return np.empty(0, np.int64) if lists.weights is None else lists.weights.view(np.int64)


def _sources(lists: Lists) -> NDArray[Any]:
    """Return the vertex in whose list each neighbour stands."""
    return np.repeat(np.arange(len(lists.counts), dtype=lists.dst.dtype), lists.counts)


def _is_counted(lists: Lists, header: Header, num_loops: int, takes_arcs: bool = False) -> bool:
    """Return whether the first line counts what is in the lists, in one way or another."""
    num_entries = len(lists.dst)
    if header.counts_entries:
        return num_entries == header.num_edges
    counts = {num_entries + num_loops, num_entries}
    return 2 * header.num_edges in counts or (takes_arcs and header.num_edges == num_entries)


def _check_count(
    lists: Lists, header: Header, source: Source, num_loops: int, takes_arcs: bool = False
) -> None:
    """Refuse lists that the first line does not count."""
    if _is_counted(lists, header, num_loops, takes_arcs):
        return
    num_entries = len(lists.dst)
    remedy = f"fetch the file again, or correct line {header.line}"
    if num_entries == header.num_edges:
        remedy = _AS_ARCS
    raise GraphFormatError(
        f"the first line announces {header.num_edges} edges, each in two lists; the lists have "
        f"{num_entries} neighbours",
        source.file,
        header.line,
        remedy,
    )


def _edges(
    lists: Lists, sums: Sums, header: Header, source: Source
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]:
    """Return the undirected edges, once both ends are seen to list each other."""
    from emv_kernels.cpu.parse_lists import take_edges

    _check_count(lists, header, source, sums.num_loops)
    if (sums.num_forward, sums.forward) != (sums.num_back, sums.back):
        _refuse_one_sided(lists, header, source)
    src, dst = (np.empty(sums.num_forward + sums.num_loops, lists.dst.dtype) for _ in range(2))
    weights = None if lists.weights is None else np.empty(len(src), lists.weights.dtype)
    bits = np.empty(0, np.int64) if weights is None else weights.view(np.int64)
    take_edges(lists.counts, lists.dst, _bits(lists), src, dst, bits)
    if sums.num_loops and not header.counts_entries and 2 * header.num_edges == len(lists.dst):
        kept = _without_second_loops(src, dst, header, source)
        src, dst = src[kept], dst[kept]
        weights = None if weights is None else weights[kept]
    return src, dst, weights


def _without_second_loops(
    src: NDArray[Any], dst: NDArray[Any], header: Header, source: Source
) -> NDArray[np.bool_]:
    """Return which edges are not every second loop of a vertex: its file lists each twice."""
    loops = np.flatnonzero(src == dst)
    vertices, counts = np.unique(src[loops], return_counts=True)
    odd = vertices[counts % 2 == 1]
    if len(odd):
        raise GraphFormatError(
            f"vertex {odd[0] + 1} lists itself once, but the first line counts every loop as two",
            source.file,
            line_of_list(source, header.line, int(odd[0])),
            "list every loop twice, or count it once in the first line",
        )
    kept = np.ones(len(src), np.bool_)
    kept[loops[1::2]] = False
    return kept


def _refuse_one_sided(lists: Lists, header: Header, source: Source) -> NoReturn:
    """Say which entry has no counterpart in the list of its other end."""
    src, dst = _sources(lists), lists.dst
    weights = np.zeros(len(dst), np.uint8) if lists.weights is None else lists.weights
    forward, back = src < dst, src > dst
    low, high, weight, is_forward = _first_difference(
        _sorted_rows(src[forward], dst[forward], weights[forward]),
        _sorted_rows(dst[back], src[back], weights[back]),
    )
    lister, other = (low, high) if is_forward else (high, low)
    of_weight = "" if lists.weights is None else f" with weight {weight}"
    raise GraphFormatError(
        f"vertex {lister + 1} lists vertex {other + 1}{of_weight}, but vertex {other + 1} does "
        f"not list vertex {lister + 1}{' with that weight' if of_weight else ' as often'}",
        source.file,
        line_of_list(source, header.line, lister),
        f"list the edge at both ends; {_AS_ARCS}",
    )


def _sorted_rows(*columns: NDArray[Any]) -> list[NDArray[Any]]:
    order = leavable(lambda: np.lexsort(columns[::-1]), len(columns[0]))
    return [column[order] for column in columns]


def _first_difference(
    forward: list[NDArray[Any]], back: list[NDArray[Any]]
) -> tuple[int, int, float, bool]:
    """Return the first row that only one of two sorted tables has, and whether the first has."""
    common = min(len(forward[0]), len(back[0]))
    differs = np.zeros(common, np.bool_)
    for ours, theirs in zip(forward, back, strict=True):
        differs |= ours[:common] != theirs[:common]
    place = int(differs.argmax()) if differs.any() else common
    rows = [
        tuple(column[place].item() for column in table)
        for table in (forward, back)
        if place < len(table[0])
    ]
    low, high, weight = min(rows)
    is_forward = len(forward[0]) > place and (low, high, weight) == rows[0]
    return low, high, weight, is_forward


METIS = Format(
    name="metis",
    title=TITLE,
    suffixes=(".graph", ".metis"),
    recognises=lambda source: False,  # its lists of numbers could be an edge list's
    read=read_metis,
    write=write_metis,
    keeps=frozenset({"isolated", "repeats", "weight"}),
)
