"""Numbers for vertices that are called by anything hashable: numbers with gaps, texts, tuples.

Whole numbers are numbered in increasing order, as `emv.read` does; all else in the order in which
it appears, edge by edge and source before target. The ids are kept as labels, unless they are
``0..n-1`` already.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emv.errors import GraphError
from emv.graph.ids import refuse_masked, whole_numbers
from emv.graph.on_device import on_host
from emv_kernels.aside import leavable

MOST_IDS_PER_END = 8  # ids up to so many times the ends are looked up in a table

Ends = tuple[NDArray[Any], NDArray[Any]]


def renumber(src: Any, dst: Any) -> tuple[Ends, NDArray[Any]]:
    """Return the ends of edges numbered ``0..n-1``, and what each number stands for.

    Parameters
    ----------
    src, dst : array_like
        ``any[n]``, what each edge starts at and points to.

    Returns
    -------
    ends : (int[n], int[n])
        The numbers.
    ids : any[num_vertices]
        What each number stands for.

    Raises
    ------
    GraphError
        If an id is missing, is a time of numpy's, or cannot be hashed.

    Examples
    --------
    >>> ends, ids = renumber(["ann", "bob"], ["bob", "cy"])
    >>> ends, ids.tolist()
    ((array([0, 1]), array([1, 2])), ['ann', 'bob', 'cy'])
    >>> renumber([10, 30], [30, 20])
    ((array([0, 2]), array([2, 1])), array([10, 20, 30]))
    """
    given = id_array(src, "src"), id_array(dst, "dst")
    if len(given[0]) != len(given[1]):
        raise GraphError(
            f"src has {len(given[0])} ids and dst has {len(given[1])}; an edge needs one of each"
        )
    if all(each.dtype.kind in "iu" for each in given):
        return _by_value(*given)
    return _by_appearance(*given)


class Coded(NamedTuple):
    """Ids that are not whole numbers, each distinct one once.

    Attributes
    ----------
    codes : int[n]
        The place of each id among the names.
    names : object[m]
        The distinct ids.
    """

    codes: NDArray[Any]
    names: NDArray[Any]


def renumber_coded(src: Coded, dst: Coded) -> tuple[Ends, NDArray[Any]]:
    """Return ends numbered in the order in which they appear, as `renumber` does, but at size.

    Examples
    --------
    >>> src = Coded(np.array([0, 1]), np.array(["ann", "bob"], object))
    >>> dst = Coded(np.array([1, 0]), np.array(["ann", "cy"], object))
    >>> renumber_coded(src, dst)[1].tolist()
    ['ann', 'cy', 'bob']
    """
    place_of: dict[Any, int] = {}
    joint = [
        np.array([place_of.setdefault(name, len(place_of)) for name in each.names.tolist()], int)
        for each in (src, dst)
    ]
    ends = [places[each.codes] for places, each in zip(joint, (src, dst), strict=True)]
    appears = np.full(len(place_of), 2 * len(src.codes))
    for end, places in enumerate(ends):
        here = np.full(len(place_of), 2 * len(src.codes))
        here[places[::-1]] = np.arange(end, end + 2 * len(places), 2)[::-1]  # the first stays
        appears = np.minimum(appears, here)
    order = np.argsort(appears, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    ids = np.fromiter(place_of, dtype=object, count=len(place_of))
    return (rank[ends[0]], rank[ends[1]]), ids[order]


def as_coded(ids: NDArray[Any] | Coded) -> Coded:
    """Return ids with the distinct ones apart."""
    if isinstance(ids, Coded):
        return ids
    names, codes = leavable(lambda: np.unique(ids, return_inverse=True), len(ids))
    return Coded(codes, names.astype(object))


def id_array(given: Any, what: str) -> NDArray[Any]:
    """Return ids as an integer array if they are whole numbers, else as one of Python objects.

    Raises
    ------
    GraphError
        If there is a missing or masked id, or a time of numpy.
    """
    refuse_masked(given, what)
    ids = _as_array(given.to_numpy() if hasattr(given, "to_numpy") else given)
    if ids.ndim != 1 or ids.dtype.kind in "mM":
        raise GraphError(
            f"{what} is {ids.dtype}{ids.shape}, but one id per edge was expected, and no time",
            remedy="give texts instead, values.astype(str)" if ids.dtype.kind in "mM" else None,
        )
    if ids.dtype.kind == "f" and bool((ids == np.floor(ids)).all()):
        return whole_numbers(ids, what)
    if ids.dtype.kind in "iu":
        return ids
    missing = [each is None or each != each for each in ids.tolist()]
    if any(missing):
        raise GraphError(f"{what} of edge {missing.index(True)} is missing")
    return ids


def _as_array(given: Any) -> NDArray[Any]:
    """Return ids as an array; tuples stay what they are."""
    if isinstance(given, np.ndarray):
        return given
    if hasattr(given, "__dlpack__"):
        return on_host(given)
    values = list(given)
    is_whole = all(isinstance(each, int | np.integer) for each in values)
    if is_whole and not any(isinstance(each, bool) for each in values):
        return np.array(values, np.int64 if not values else None)
    return np.fromiter(values, dtype=object, count=len(values))


def places_of(ids: NDArray[Any] | Coded, known: NDArray[Any], what: str) -> NDArray[Any]:
    """Return where each id stands among the known ones, int[n].

    Raises
    ------
    GraphError
        If an id is not among them, or one of them stands there twice.
    """
    try:
        if isinstance(ids, Coded):
            places = _places_of_any(ids.names, known)[ids.codes]
        elif all(each.dtype.kind in "iu" for each in (ids, known)):
            places = _places_of_numbers(ids, known)
        else:
            places = _places_of_any(ids, known)
    except TypeError as error:
        raise GraphError(f"an id cannot be hashed: {error}") from None
    if (places < 0).any():
        edge = int(np.argmin(places))
        given = ids.names[ids.codes[edge]] if isinstance(ids, Coded) else ids[edge]
        raise GraphError(f"{what} of edge {edge} is {_plain(given)!r}, which is no vertex")
    found: NDArray[Any] = places
    return found


def _places_of_numbers(ids: NDArray[Any], known: NDArray[Any]) -> NDArray[Any]:
    """Return where each whole number stands, -1 for one that is not known."""
    if is_numbered(known):
        return np.where((ids >= 0) & (ids < len(known)), ids, -1)
    order = leavable(lambda: np.argsort(known, kind="stable"), len(known))
    ranked = known[order]
    repeats = ranked[1:][ranked[1:] == ranked[:-1]]
    if len(repeats):
        raise GraphError(f"two vertices have the id {repeats[0]}")
    found = np.minimum(np.searchsorted(ranked, ids), len(known) - 1)
    return np.where(ranked[found] == ids, order[found], -1)


def _places_of_any(ids: NDArray[Any], known: NDArray[Any]) -> NDArray[Any]:
    """Return where each id stands, -1 for one that is not known."""
    place_of = {each: place for place, each in enumerate(known.tolist())}
    if len(place_of) < len(known):
        twice = next(each for place, each in enumerate(known.tolist()) if place_of[each] > place)
        raise GraphError(f"two vertices have the id {twice!r}")
    return np.array([place_of.get(each, -1) for each in ids.tolist()], np.int64)


def is_numbered(ids: NDArray[Any]) -> bool:
    """Return whether ids are ``0..n-1``, so that they need not be kept."""
    return ids.dtype.kind in "iu" and bool((ids == np.arange(len(ids))).all())


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _by_value(src: NDArray[Any], dst: NDArray[Any]) -> tuple[Ends, NDArray[Any]]:
    """Return whole numbers numbered in increasing order."""
    if len(src) == 0:
        return (src, dst), np.empty(0, np.int64)
    low, high = min(int(src.min()), int(dst.min())), max(int(src.max()), int(dst.max()))
    if low < 0 or high > MOST_IDS_PER_END * (len(src) + 1024):  # a table would outgrow the edges
        both = np.concatenate([src, dst])
        if both.dtype.kind == "f":  # what numpy makes of int64 and uint64
            return _by_appearance(src, dst)
        ids, places = leavable(lambda: _numbered(both), len(both))
        ends = places[: len(src)], places[len(src) :]
    else:
        occurs = np.zeros(high + 1, np.bool_)
        occurs[src] = occurs[dst] = True
        ids = np.flatnonzero(occurs)
        if len(ids) == high + 1:
            return (src, dst), ids
        place = place_among(occurs)
        ends = place[src], place[dst]
    return ends, ids


def _numbered(ids: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the distinct ids, increasing, and where among them each one stands."""
    order = ids.argsort()
    ids = ids[order]
    differs = np.ones(len(ids), np.bool_)
    differs[1:] = ids[1:] != ids[:-1]
    places = np.empty(len(ids), np.int64)
    places[order] = place_among(differs)
    return ids[differs], places


def place_among(marks: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return where among those that are marked each one stands, or the last one before it.

    numpy adds truth values up twenty times as slowly as numbers, and holds Python's lock meanwhile:
    no thread would hear a signal.

    Examples
    --------
    >>> place_among(np.array([True, True, False, True])).tolist()
    [0, 1, 1, 2]
    """
    counts = marks.astype(np.int64)
    np.cumsum(counts, out=counts)
    counts -= 1
    return counts


def _by_appearance(src: NDArray[Any], dst: NDArray[Any]) -> tuple[Ends, NDArray[Any]]:
    """Return anything numbered in the order in which it appears."""
    place_of: dict[Any, int] = {}
    try:
        places = [
            place_of.setdefault(each, len(place_of))
            for pair in zip(src.tolist(), dst.tolist(), strict=True)
            for each in pair
        ]
    except TypeError as error:
        raise GraphError(f"an id cannot be hashed: {error}") from None
    both = np.array(places, np.int64).reshape(-1, 2)
    ids = np.fromiter(place_of, dtype=object, count=len(place_of))
    return (both[:, 0].copy(), both[:, 1].copy()), ids
