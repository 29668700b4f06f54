"""Take ids as users give them, and refuse what cannot be the ends of edges."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import GraphError
from emv.graph.kinds import first_masked
from emv.graph.on_device import on_host
from emv.graph.pieces import copied, highest, taken
from emv.graph.widths import public_dtype


def whole_numbers(ids: Any, what: str) -> NDArray[Any]:
    """Return ids as a 1-D integer array, or say which one is no whole number.

    Floats that are whole numbers are taken, since ``numpy.loadtxt`` gives such.

    Parameters
    ----------
    ids : array_like
        ``any[num_edges]``.
    what : str
        ``"src"`` or ``"dst"``, for the message.

    Raises
    ------
    GraphError
        If the ids are not 1-D, not numbers, or not whole, or one is masked.

    Examples
    --------
    >>> whole_numbers([0.0, 2.0], "src")
    array([0, 2])
    """
    refuse_masked(ids, what)
    try:
        array = on_host(ids)
    except ValueError as error:
        raise GraphError(f"{what} is no array of vertex ids: {error}") from None
    if not array.ndim and array.dtype == object:
        raise GraphError(
            f"{what} is a {type(ids).__name__}, but one id per edge was expected, in order",
            remedy=f"write list({what})",
        )
    if array.ndim != 1:
        raise GraphError(f"{what} has shape {array.shape}, but one id per edge was expected")
    if array.size == 0:
        return np.empty(0, np.int64)
    if array.dtype.kind not in "iuf":
        raise GraphError(
            f"{what} has dtype {array.dtype}, but vertex ids are whole numbers",
            remedy="pass renumber=True, which numbers the vertices and keeps their names as labels",
        )
    if array.dtype.kind != "f":
        return array
    whole = np.isfinite(array) & (array == np.floor(array)) & (np.abs(array) < 2.0**63)
    if not whole.all():
        edge = int(np.argmin(whole))
        raise GraphError(f"{what} of edge {edge} is {array[edge]}, which is no vertex id")
    return array.astype(np.int64)


def refuse_masked(ids: Any, what: str) -> None:
    """Refuse a masked array of numpy that masks an id.

    Raises
    ------
    GraphError
        With the first such edge.
    """
    edge = first_masked(ids)
    if edge is not None:
        raise GraphError(
            f"{what} of edge {edge} is masked",
            remedy="leave out the edges without an end, of both arrays and all columns",
        )


def checked_ends(
    src: Any, dst: Any, num_vertices: int | None, first_edge: int = 0
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the ends of new edges as integer arrays, all of them vertices of the graph.

    Parameters
    ----------
    src, dst : array_like
        ``any[n]``, where each edge starts and where it points to.
    num_vertices : int or None
        Vertices there are; None when any id from 0 on will do.
    first_edge : int
        Id of the first of these edges, for messages.

    Raises
    ------
    GraphError
        If the lengths differ or an id is out of range; the message names the first such edge.

    Examples
    --------
    >>> checked_ends([0, 0], [1, 7], 3)
    Traceback (most recent call last):
    emv.errors.GraphError: edge 1 points to vertex 7, but the graph has vertices 0..2
    """
    ends = whole_numbers(src, "src"), whole_numbers(dst, "dst")
    if len(ends[0]) != len(ends[1]):
        raise GraphError(
            f"src has {len(ends[0])} ids and dst has {len(ends[1])}; an edge needs one of each"
        )
    problems = [
        (int(np.argmax(bad)), does, ids)
        for ids, does in zip(ends, ("starts at", "points to"), strict=True)
        if (bad := _out_of_range(ids, num_vertices)) is not None
    ]
    if problems:
        edge, does, ids = min(problems, key=lambda problem: problem[0])
        raise GraphError(
            f"edge {first_edge + edge} {does} vertex {ids[edge]}, but {_range(num_vertices)}"
        )
    return ends


def own_ends(
    src: Any, dst: Any, num_vertices: int | None, first_edge: int = 0
) -> tuple[NDArray[Any], NDArray[Any], int]:
    """Return copies of the ends of edges, checked, and how many vertices there are.

    As `checked_ends` and a copy do, in one pass over ids that are as they should be.

    Raises
    ------
    GraphError
        As `checked_ends` does.

    Examples
    --------
    >>> own_ends([0, 0], [1, 7], None)
    (array([0, 0], dtype=int32), array([1, 7], dtype=int32), 8)
    """
    ends = whole_numbers(src, "src"), whole_numbers(dst, "dst")
    dtype = public_dtype(num_vertices or 0)
    if len(ends[0]) == len(ends[1]):
        (src, dst), most = taken(ends, dtype)
        limit = 2**62 if num_vertices is None else num_vertices
        widths = [1 << 8 * each.dtype.itemsize - 1 for each in ends]
        size = most + 1 if num_vertices is None else num_vertices
        if most < min(limit, *widths) and public_dtype(size) == dtype:
            return src, dst, size
    ends = checked_ends(*ends, num_vertices, first_edge)
    size = 1 + max(map(highest, ends)) if num_vertices is None else num_vertices
    src, dst = (copied(each, public_dtype(size)) for each in ends)
    return src, dst, size


def _out_of_range(ids: NDArray[Any], num_vertices: int | None) -> NDArray[np.bool_] | None:
    """Return which ids are no vertices, or None when all are."""
    limit = 2**62 if num_vertices is None else num_vertices
    if ids.size == 0:
        return None
    unsigned = ids.view(ids.dtype.str.replace("i", "u"))  # negative ones are the largest
    if highest(unsigned) < min(limit, 1 << 8 * ids.dtype.itemsize - 1):
        return None
    bad = np.asarray((ids < 0) | (ids >= limit))
    return bad if bad.any() else None


def _range(num_vertices: int | None) -> str:
    if num_vertices is None:
        return "vertex ids are 0, 1, 2, ..."
    if num_vertices == 0:
        return "the graph has no vertices"
    return f"the graph has vertices 0..{num_vertices - 1}"
