"""Serialized graphs of the GAP benchmark suite (Beamer, Asanovic, Patterson, arXiv:1508.03619).

All numbers are little-endian and nothing is aligned:

========================  ====================================================================
1 byte                    1 if edges lead one way only, else 0
int64                     arcs: entries of the out-lists; an undirected edge is two of them
int64                     vertices
int64[vertices + 1]       where each vertex's out-list begins
int32[arcs]               the receivers; in a ``.wsg`` file pairs of receiver and weight
int64[vertices + 1]       directed graphs only: where each in-list begins
int32[arcs]               and the senders, in a ``.wsg`` file with the weight again
========================  ====================================================================

Which of the two kinds it is follows from the file's size. Everything is checked: the offsets, the
ids, that the in-lists have the arcs that the out-lists say, and that an undirected graph has every
arc both ways. GAP's own tools leave out loops and repeats; here they are kept, an undirected loop
as one entry. Lists are written sorted, as GAP's triangle counting expects.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emv.errors import GraphError, GraphFormatError
from emv.graph.build import first_positions, grouped, spread
from emv.graph.cast import cast_column
from emv.graph.convert import check_symmetric
from emv.graph.io.format import Format, Hints
from emv.graph.io.packing import is_packed, open_packed, unreadable
from emv.graph.io.pieces import read_pieces, write_pieces
from emv.graph.io.rows import refuse_columns, refuse_labels
from emv.graph.io.source import Source, suffix_of
from emv.graph.tables import Tables

_TITLE = "a serialized graph of GAP"
_HEAD_BYTES = 17
_ID, _OFFSET = np.dtype("<i4"), np.dtype("<i8")
_PAIR = np.dtype([("id", _ID), ("weight", _ID)])
_MOST_VERTICES = 2**31 - 1


class _Head(NamedTuple):
    """What a file says of itself."""

    directed: bool
    num_arcs: int
    num_vertices: int

    def file_bytes(self, entry: np.dtype[Any]) -> int:
        """Return how long the file is whose lists have such entries."""
        lists = _OFFSET.itemsize * (self.num_vertices + 1) + entry.itemsize * self.num_arcs
        return _HEAD_BYTES + lists * (2 if self.directed else 1)


def has_sizes(source: Source) -> bool:
    """Return whether a file begins with sizes that make it exactly as long as it is."""
    head = _head(source.head)
    if head is None or source.is_directory:
        return False
    return source.num_bytes in (head.file_bytes(_ID), head.file_bytes(_PAIR))


def _head(first: bytes) -> _Head | None:
    """Return what the first bytes of a file say, or None when no such file has them."""
    if len(first) < _HEAD_BYTES or first[0] > 1:
        return None
    num_arcs, num_vertices = (int(each) for each in np.frombuffer(first, _OFFSET, 2, offset=1))
    if num_arcs < 0 or not 0 <= num_vertices <= _MOST_VERTICES:
        return None
    return _Head(bool(first[0]), num_arcs, num_vertices)


def read_gap(source: Source, hints: Hints) -> Tables:
    """Return the tables of a serialized graph.

    Raises
    ------
    GraphFormatError
        If the sizes do not fit the file, an offset or id is out of range, the in-lists are not
        those of the out-lists, or an undirected graph lacks the way back of an arc.
    """
    content = _content(source)
    head = _head(bytes(content[:_HEAD_BYTES]))
    if head is None:
        raise GraphFormatError("does not begin as a serialized graph of GAP", source.file)
    entry = _entry(head, len(content), source)
    first, lists = _lists(content, _HEAD_BYTES, head, entry, "out", source.file)
    src = np.repeat(np.arange(head.num_vertices, dtype=np.int32), np.diff(first))
    dst = lists["id"] if entry is _PAIR else lists
    if head.directed:
        begin = _HEAD_BYTES + (len(content) - _HEAD_BYTES) // 2
        in_first, in_lists = _lists(content, begin, head, entry, "in", source.file)
        senders = in_lists["id"] if entry is _PAIR else in_lists
        _compare(np.bincount(dst, minlength=head.num_vertices), in_first, "in", source.file)
        _compare(np.bincount(senders, minlength=head.num_vertices), first, "out", source.file)
    weight = np.array(lists["weight"], np.int32) if entry is _PAIR else None
    dst = np.array(dst, np.int32)
    return _tables(head, (src, dst, weight), hints.directed, source.file)


def _content(source: Source) -> NDArray[np.uint8]:
    """Return the bytes of a file, unpacked; not mapped, as another process may cut it off."""
    try:
        if is_packed(source):
            return np.frombuffer(b"".join(source.blocks()), np.uint8)
        with source.open() as file:
            content = np.empty(source.num_bytes, np.uint8)
            return content[: read_pieces(file, content)]
    except OSError as error:
        raise unreadable(error, source.path) from None


def _entry(head: _Head, size: int, source: Source) -> np.dtype[Any]:
    """Return what the lists are made of, from the size of the file."""
    is_weighted = suffix_of(source.path) == ".wsg"
    likely = (_PAIR, _ID) if is_weighted else (_ID, _PAIR)
    for entry in likely:
        if size == head.file_bytes(entry):
            return entry
    kind = "directed" if head.directed else "undirected"
    raise GraphFormatError(
        f"is {size} bytes long, but {head.num_vertices} vertices and {head.num_arcs} {kind} arcs "
        f"{'with weights ' if is_weighted else ''}take {head.file_bytes(likely[0])}",
        source.file,
        remedy="fetch the file again",
    )


def _lists(
    content: NDArray[np.uint8],
    begin: int,
    head: _Head,
    entry: np.dtype[Any],
    side: str,
    file: str,
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return where the lists of one side begin, and the lists, having checked both."""
    first = np.frombuffer(content, _OFFSET, head.num_vertices + 1, offset=begin).astype(np.int64)
    falls = first[1:] < first[:-1]
    if first[0] != 0 or first[-1] != head.num_arcs or falls.any():
        at = int(np.argmax(falls)) + 1 if falls.any() else (0 if first[0] else head.num_vertices)
        raise GraphFormatError(
            f"the {side}-list of vertex {at} begins at {first[at]}: lists must rise from 0 to the "
            f"{head.num_arcs} arcs",
            file,
        )
    begin += first.nbytes
    lists = np.frombuffer(content, entry, head.num_arcs, offset=begin)
    ids = lists["id"] if entry is _PAIR else lists
    if head.num_arcs and not (ids.min() >= 0 and ids.max() < head.num_vertices):
        at = int(np.argmax((ids < 0) | (ids >= head.num_vertices)))
        raise GraphFormatError(
            f"entry {at} of the {side}-lists is vertex {ids[at]}, expected 0 to "
            f"{head.num_vertices - 1}",
            file,
        )
    return first, lists


def _compare(counts: NDArray[Any], first: NDArray[np.int64], side: str, file: str) -> None:
    """Refuse lists of one side that are not as long as those of the other say."""
    differ = counts != np.diff(first)
    if differ.any():
        vertex = int(np.argmax(differ))
        raise GraphFormatError(
            f"vertex {vertex} has {int(first[vertex + 1] - first[vertex])} entries in the "
            f"{side}-lists, but the others name it {counts[vertex]} times",
            file,
        )


def _tables(
    head: _Head,
    arcs: tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None],
    directed: bool | None,
    file: str,
) -> Tables:
    """Return the tables of arcs; those of an undirected graph are two to an edge."""
    src, dst, weight = arcs
    is_directed = head.directed if directed is None else directed
    if not head.directed:
        values = np.zeros(len(src), np.int8) if weight is None else weight
        try:
            check_symmetric(src, dst, values)
        except GraphError as error:
            what = error.what.replace("directed=False needs a symmetric matrix", "is undirected")
            raise GraphFormatError(what.replace("entries", "arcs"), file) from None
        if not is_directed:
            upper = src <= dst
            src, dst = src[upper], dst[upper]
            weight = None if weight is None else weight[upper]
    columns = {} if weight is None else {"weight": weight}
    return Tables(head.num_vertices, src, dst, is_directed, edge_columns=columns)


def write_gap(tables: Tables, path: Path) -> None:
    """Write a serialized graph; one named ``.wsg`` has the edge column ``weight``.

    Raises
    ------
    GraphError
        If there are 2**31 vertices or more, labels, other columns than ``weight``, weights for a
        ``.sg`` file or none for a ``.wsg`` file.
    ColumnError
        If a weight is not a whole number of 32 bits.
    """
    weights = None
    has_weights = suffix_of(path) == ".wsg"
    refuse_labels(tables, _TITLE)
    refuse_columns(tables, _TITLE, edge_columns=("weight",) if has_weights else ())
    if tables.num_vertices > _MOST_VERTICES:
        raise GraphError(f"GAP's files hold fewer than 2**31 vertices, not {tables.num_vertices}")
    if has_weights:
        if "weight" not in tables.edge_columns:
            raise GraphError(
                f"{os.fspath(path)} needs weights, but the edges have no column 'weight'",
                remedy="set g.edges.weight = 1, or write it as .sg",
            )
        weights = cast_column("weight", tables.edge_columns["weight"], np.dtype(np.int32))
    src, dst = tables.src.astype(np.uint32), tables.dst.astype(np.uint32)
    if not tables.directed:
        back = src != dst
        src, dst = np.concatenate([src, dst[back]]), np.concatenate([dst, src[back]])
        weights = None if weights is None else np.concatenate([weights, weights[back]])
    with open_packed(path) as file:
        sizes = np.array([len(src), tables.num_vertices], _OFFSET)
        file.write(bytes([tables.directed]) + sizes.tobytes())
        _write_lists(file, (src, dst, weights), tables.num_vertices)
        if tables.directed:
            _write_lists(file, (dst, src, weights), tables.num_vertices)


def _write_lists(
    file: IO[bytes],
    arcs: tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None],
    num_vertices: int,
) -> None:
    """Write the arcs by their first end, those of one vertex by their other end."""
    own, other, weights = arcs
    by_other, by_own = first_positions(other, num_vertices), first_positions(own, num_vertices)
    own_by_other = grouped(other, own, by_other)
    entries: NDArray[Any] = np.empty(len(own), _ID if weights is None else _PAIR)
    ids: NDArray[Any] = entries if weights is None else entries["id"]
    ids[:] = grouped(own_by_other, spread(by_other, other.dtype), by_own)
    if weights is not None:
        entries["weight"] = grouped(own_by_other, grouped(other, weights, by_other), by_own)
    write_pieces(file, by_own.astype(_OFFSET))
    write_pieces(file, entries)


GAP = Format(
    name="gap",
    title=_TITLE,
    suffixes=(".sg", ".wsg"),
    recognises=has_sizes,
    read=read_gap,
    write=write_gap,
    keeps=frozenset({"direction", "isolated", "repeats"}),
)
