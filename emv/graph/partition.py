"""Who owns which vertex: the ways of dividing a graph into parts.

``ranges``: stretches of vertices, in order, that receive equal numbers of arcs. Nothing is
renumbered, nothing searched, and where neighbours have numbers close together little is cut.
``metis``: METIS's k-way partitioning of the simple undirected graph into parts of as many vertices
with few edges between them (G. Karypis, V. Kumar, SIAM J. Sci. Comput. 1998), through pymetis.
``hash``: by a hash of the vertex, as Pregel divides (G. Malewicz et al., SIGMOD 2010): even, and
nearly everything is cut.

Or the owners are given: an array, a function that returns one, or the file that METIS's own
programs write, with the part of each vertex in a line.
"""

from __future__ import annotations

import bisect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emv.errors import ArgumentError, GraphError, GraphFormatError, did_you_mean
from emv.graph.ids import whole_numbers
from emv.graph.interchange import of_tables
from emv.graph.parts import Parts, parts_of
from emv.graph.prepare import prepare
from emv.graph.store import Store
from emv.graph.tables import Tables
from emv.imports import required

LARGEST = 2**15
"""The most parts; each is at least a device."""

GIVEN = "given"
"""What ways are called, with a number, whose owners were given to `Graph.on`."""


def parts(
    store: Store,
    num_parts: int,
    by: str | os.PathLike[str] | ArrayLike | Callable[..., ArrayLike] = "ranges",
    *,
    hops: int = 1,
) -> Parts:
    """Return how the graph divides into parts, one for each device that would share it.

    Arcs lie in the part that owns their receiver. Their sources have replicas there.

    Parameters
    ----------
    num_parts : int
        Into how many parts; some may be empty.
    by : {"ranges", "metis", "hash"}, path, array_like or function
        ``ranges`` of vertices with equal numbers of arcs; parts of as many vertices with few arcs
        between them, by METIS (the extra ``partition``); by a hash. Or a file with the part of
        each vertex in a line; an array of them, ``int[num_vertices]``; or a function that is
        called with ``(src, dst, num_vertices, num_parts)`` of all arcs and returns such an array.
    hops : int
        How many hops of replicas to count.

    Returns
    -------
    Parts
        Owners, and vertices, arcs and replicas of each part; its text is a table.

    Raises
    ------
    ArgumentError
        If there is no such way, or METIS is asked for and not installed.
    GraphError
        If the owners given are not one part for each vertex.

    Examples
    --------
    >>> from emv.graph import Graph
    >>> star = Graph.from_edges([0, 0, 0, 0], [1, 2, 3, 4], directed=False)
    >>> star.parts(2)
    2 parts, cut 8 of 8 arcs (100 %), largest 1.6 x the mean in vertices, 1 x in arcs
    part  vertices  arcs  replicas
    0            1     4         4
    1            4     4         1
    >>> star.parts(2, [0, 0, 0, 1, 1]).cut
    4
    """
    num_parts = counted(num_parts, "num_parts", LARGEST)
    hops = counted(hops, "hops", LARGEST)
    return parts_of(store.layouts, owners_of(store, num_parts, by), num_parts, hops)


def owners_of(store: Store, num_parts: int, by: Any) -> NDArray[np.int32]:
    """Return the part of each vertex, by a way that has a name or as it is given."""
    if isinstance(by, str) and by in WAYS:
        return WAYS[by](store, num_parts)
    if isinstance(by, str) and not Path(by).exists():
        raise ArgumentError(
            f"by={by!r} is no way of dividing a graph, and no file of that name is there"
            + did_you_mean(by, WAYS),
            remedy=f"Give one of {', '.join(WAYS)}; a file; an array; or a function.",
        )
    if isinstance(by, str | os.PathLike):
        return _checked(_read(Path(by)), store, num_parts, f"{os.fspath(by)}")
    if callable(by):
        rows = store.layouts.src_of_arc, store.layouts.out_rows.other
        owner = by(*(each.astype(np.int64) for each in rows), store.num_vertices, num_parts)
        return _checked(owner, store, num_parts, f"what {getattr(by, '__name__', by)!s} returned")
    return _checked(by, store, num_parts, "by")


def _ranges(store: Store, num_parts: int) -> NDArray[np.int32]:
    """Return the owners where each takes the next stretch of vertices.

    A vertex goes to the part in whose share of the arcs the middle of its own lies, so a hub does
    not push all that follow it into the next part. Without arcs it is vertices that are shared.
    """
    first = store.layouts.array("in_first")
    if not int(first[-1]):
        first = np.arange(store.num_vertices + 1)
    total = int(first[-1])

    def share(vertex: int) -> int:
        """Return twice the arcs up to the middle of a vertex's own, for each part."""
        return num_parts * (int(first[vertex]) + int(first[vertex + 1]))

    everyone, wanted = range(store.num_vertices), range(num_parts)
    begins = [bisect.bisect_left(everyone, 2 * part * total, key=share) for part in wanted]
    sizes = np.diff([*begins, store.num_vertices])
    return np.repeat(np.arange(num_parts, dtype=np.int32), sizes)


def _metis(store: Store, num_parts: int) -> NDArray[np.int32]:
    """Return the owners that METIS finds."""
    pymetis = required("pymetis")
    ends = Tables(store.num_vertices, *store.edges.endpoints(), store.directed)
    simple = of_tables(prepare(ends, {"loops": False, "symmetrise": True})).layouts
    if num_parts == 1 or not simple.num_arcs:
        return _ranges(store, num_parts)
    rows = simple.out_rows.first, simple.out_rows.other
    first, other = (each.astype(pymetis.zero_copy_dtype()) for each in rows)
    found = pymetis.part_graph(num_parts, xadj=first, adjncy=other, recursive=False)
    return np.asarray(found.vertex_part, np.int32)


def _hash(store: Store, num_parts: int) -> NDArray[np.int32]:
    """Return the owners by D. Knuth's multiplicative hash (volume 3, 6.4) of the vertex."""
    golden = np.uint64(0x9E3779B97F4A7C15)
    mixed = (np.arange(1, store.num_vertices + 1, dtype=np.uint64) * golden) >> np.uint64(32)
    return ((mixed * np.uint64(num_parts)) >> np.uint64(32)).astype(np.int32)


WAYS: dict[str, Callable[[Store, int], NDArray[np.int32]]] = {
    "ranges": _ranges,
    "metis": _metis,
    "hash": _hash,
}
"""The ways that have a name."""


def _read(path: Path) -> Any:
    """Return the numbers of a file, one in a line.

    Raises
    ------
    GraphFormatError
        With the line that is no number.
    """
    lines = path.read_text("ascii", errors="replace").splitlines()
    for number, line in enumerate(lines, 1):
        if not line.strip().isdecimal():
            raise GraphFormatError(
                f"{line[:40]!r} is no part; each line has the part of one vertex, from 0",
                file=os.fspath(path),
                line=number,
            )
    return np.array(lines, dtype=np.int64)


def _checked(owner: Any, store: Store, num_parts: int, what: str) -> NDArray[np.int32]:
    """Return owners that someone gave as an array, or say what is wrong with them.

    Raises
    ------
    GraphError
        With the first vertex that has none.
    """
    array = whole_numbers(owner, what)
    if len(array) != store.num_vertices:
        raise GraphError(
            f"{what} has {len(array):,} parts for {store.num_vertices:,} vertices",
            remedy="Give the part of each vertex, in the order of the vertices.",
        )
    outside = (array < 0) | (array >= num_parts)
    if outside.any():
        vertex = int(np.argmax(outside))
        raise GraphError(
            f"{what} has part {array[vertex]} for vertex {vertex}",
            remedy=f"Parts are numbered from 0 to {num_parts - 1}.",
        )
    return array.astype(np.int32)


def counted(number: Any, what: str, largest: int) -> int:
    """Return how many of something are asked for, or refuse what is no such number."""
    if isinstance(number, bool) or not isinstance(number, int | np.integer):
        raise ArgumentError(f"{what}={number!r} is no whole number")
    if not 1 <= number <= largest:
        raise ArgumentError(f"{what}={number} is not from 1 to {largest:,}")
    return int(number)
