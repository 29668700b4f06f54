"""What the ``check_...`` functions share: the error they raise and the numbers they look up.

A check verifies properties that only a right result has, in the manner of gapbs (Beamer et al.,
2015), so it needs no stored answer and works on graphs of a million vertices.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emv.algorithms._arguments import is_number, vertex_ids
from emv.dtypes import dtype_named
from emv.errors import ArgumentError, ColumnError, EmvError
from emv.graph import Graph
from emv.graph.on_device import on_host
from emv.runtime.arguments import read_as, type_of_sums


class WrongResultError(EmvError, AssertionError):
    """A result lacks a property that every right result has."""


def demand(holds: NDArray[Any], complaint: Callable[[int], str]) -> None:
    """Raise with the complaint about the first place where a property does not hold.

    Parameters
    ----------
    holds : bool[n]
        Whether the property holds, place by place.
    complaint : callable
        Takes a place and returns what is wrong there.

    Raises
    ------
    WrongResultError
        If it does not hold everywhere.

    Examples
    --------
    >>> demand(np.array([True, True]), lambda place: f"place {place} is wrong")
    """
    wrong = np.flatnonzero(~holds)
    if len(wrong):
        others = f" ({len(wrong) - 1} more like it)" if len(wrong) > 1 else ""
        raise WrongResultError(complaint(int(wrong[0])) + others)


def demand_rows(result: NDArray[Any], num_rows: int, row: str) -> None:
    """Raise unless a result is an array of numbers, one entry per vertex or per edge.

    Raises
    ------
    WrongResultError
        If it is something else, or the shape is another.
    """
    demand_numbers(result)
    if result.shape != (num_rows,):
        raise WrongResultError(
            f"the result has shape {result.shape}, but the graph has {num_rows} {row}"
        )


def demand_numbers(result: Any) -> None:
    """Raise unless a result is an array of numbers or truth values.

    Raises
    ------
    WrongResultError
        If it is something else.
    """
    if not (hasattr(result, "shape") and hasattr(result, "dtype")):  # it may lie on a GPU
        raise WrongResultError(
            f"the result is {result!r:.40}, not an array",
            remedy="Give what the program returned; np.asarray() makes an array of a list.",
        )
    if getattr(result.dtype, "kind", "f") not in "biuf":
        raise WrongResultError(f"the result is an array of {result.dtype}, not of numbers")


def demand_parts(result: Any, count: int) -> tuple[Any, ...]:
    """Return the parts of a result, so many of them.

    Raises
    ------
    WrongResultError
        If it is not made of so many.
    """
    if not isinstance(result, tuple | list) or len(result) != count:
        raise WrongResultError(f"the result is {result!r:.40}, not {count} arrays")
    return tuple(result)


def demand_number(result: Any) -> None:
    """Raise unless a result is a single number.

    Raises
    ------
    WrongResultError
        If it is something else.
    """
    if not is_number(result):
        raise WrongResultError(f"the result is {result!r:.40}, not a number")


def demand_matching(graph: Graph, mate: NDArray[Any], src: NDArray[Any], dst: NDArray[Any]) -> None:
    """Raise unless mates are a maximal matching of some edges.

    Parameters
    ----------
    mate : int32[num_vertices]
        The mate of every vertex, -1 for none.
    src, dst : int[n]
        The ends of the edges that may be in the matching.

    Raises
    ------
    WrongResultError
        If a vertex's mate has another mate, an edge joins two vertices without, or two mates are
        joined by none of the edges.
    """
    demand_rows(mate, graph.num_vertices, "vertices")
    ids = np.arange(graph.num_vertices)
    in_range = (mate >= -1) & (mate < graph.num_vertices) & (mate != ids)
    demand(in_range, lambda v: f"vertex {v} has the mate {mate[v]}")
    single = mate == -1
    demand(
        single | (mate[mate] == ids),
        lambda v: f"vertex {v} has the mate {mate[v]}, whose mate is {mate[mate[v]]}",
    )
    demand(
        ~(single[src] & single[dst]),
        lambda e: f"{src[e]} and {dst[e]} are neighbours and single",
    )
    joined = np.zeros(graph.num_vertices, bool)
    joined[src[mate[src] == dst]] = True
    joined[dst[mate[dst] == src]] = True
    demand(single | joined | joined[mate], lambda v: f"no edge joins {v} and its mate {mate[v]}")


def ids_of_sources(graph: Graph, sources: ArrayLike) -> NDArray[np.int64]:
    """Return the ids of the vertices that a program began with, as int64[n].

    Raises
    ------
    ArgumentError
        If there is no such vertex.
    """
    return vertex_ids("a source", sources, graph)


def edge_numbers(
    graph: Graph,
    given: str | ArrayLike | None,
    default: float | None = None,
    dtype: Any = np.float32,
) -> NDArray[Any]:
    """Return the numbers that a program's ``weight`` or ``p`` means, as dtype[num_edges].

    Parameters
    ----------
    given : str, number, array or None
        A column's name, one number for all edges, or ``any[num_edges]``; None for the default.
    default : float, optional
        What every edge counts when the graph has no column ``weight`` and no other is named.
    dtype : type or None
        That of the program's column; None for the type that holds sums of the numbers.

    Raises
    ------
    ColumnError
        If the graph lacks the named column, or there are not as many numbers as edges.
    """
    if given is None or isinstance(given, str):
        is_unnamed = given is None or (given == "weight" and given not in graph.edges)
        use_default = default is not None and is_unnamed
        given = default if use_default else graph.edges[str(given)]
    numbers = on_host(given)
    if numbers.shape not in ((), (graph.num_edges,)):
        raise ColumnError(
            f"the numbers of edges have shape {numbers.shape}, but there are {graph.num_edges}",
            remedy="Give one number for each edge, in the order of their ids.",
        )
    if numbers.dtype.kind not in "iufb":
        raise ArgumentError(
            f"the numbers of edges are {numbers.dtype}, and not all of them fit 64 bits",
            remedy="Give ints or floats.",
        )
    held = dtype_named(type_of_sums(numbers.dtype)) if dtype is None else dtype
    return np.broadcast_to(numbers.astype(held, copy=False), graph.num_edges)


def arc_numbers(
    graph: Graph,
    given: str | ArrayLike | None,
    default: float | None = None,
    dtype: Any = np.float32,
) -> NDArray[Any]:
    """Return `edge_numbers` in the order of the arcs, dtype[num_arcs]."""
    edge_of_arc = graph.layouts.out_rows.edge
    numbers = edge_numbers(graph, given, default, dtype)
    return numbers if edge_of_arc is None else numbers[edge_of_arc]


def asked_dtype(precision: str | None) -> Any:
    """Return what f32 is read as in a run that was asked for a precision; None if it was not."""
    return None if precision is None else dtype_named(read_as("the check", precision)).type


def num_components(graph: Graph, chosen: NDArray[Any]) -> int:
    """Return how many components the chosen edges leave, with scipy; direction is ignored.

    Parameters
    ----------
    chosen : bool[num_edges]
        Which edges to follow.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not graph.num_vertices:
        return 0
    src, dst = (ends[chosen] for ends in graph.edges.endpoints())
    shape = (graph.num_vertices, graph.num_vertices)
    edges = coo_array((np.ones(len(src), bool), (src, dst)), shape).tocsr()
    return int(connected_components(edges, directed=False, return_labels=False))


def cheapest_forest(graph: Graph, cost: NDArray[Any]) -> NDArray[Any]:
    """Return the minimum spanning forest, with scipy, ties to the smaller id; bool[num_edges].

    scipy sees the place of every edge in the order of (cost, id) instead of its cost: places do
    not tie and are never 0, which scipy takes for no edge.

    Parameters
    ----------
    cost : any[num_edges]
        What every edge costs.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import minimum_spanning_tree

    order = np.argsort(cost, kind="stable")
    ends = np.sort(np.stack(graph.edges.endpoints())[:, order].astype(np.int64), axis=0)
    _, first = np.unique(ends[0] * graph.num_vertices + ends[1], return_index=True)
    real = (ends[0, first] != ends[1, first]) & ~np.isnan(cost[order[first]])
    first = first[real]  # the cheapest of parallel edges; no loops, and NaN is no edge
    shape = (graph.num_vertices, graph.num_vertices)
    places = coo_array((first + 1.0, ends[:, first]), shape).tocsr()
    chosen = np.zeros(graph.num_edges, bool)
    chosen[order[minimum_spanning_tree(places).data.astype(np.int64) - 1]] = True
    return chosen


def distances_from(
    graph: Graph, length: str | ArrayLike | None = None, reverse: bool = False, count: int = 10
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return a few vertices and, with scipy, the distances from each of them to all vertices.

    Parameters
    ----------
    length : str, number, array or None
        Of the edges, 0 or more; None for 1.
    reverse : bool
        Whether arcs are followed backwards.
    count : int
        How many vertices at most: the one with the most out-arcs, the first, the last, and others
        at equal distances between them.

    Returns
    -------
    vertices : int64[k]
    distances : float64[k, num_vertices]
        inf where no path leads.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    n = graph.num_vertices
    if not n:
        return np.zeros(0, np.int64), np.zeros((0, 0))
    spread = np.linspace(0, n - 1, min(count - 1, n)).astype(np.int64)
    chosen = np.unique(np.append(spread, np.argmax(graph.out_degrees())))
    src, dst = graph.arcs()[::-1] if reverse else graph.arcs()
    lengths = arc_numbers(graph, length, 1.0, np.float64)
    order = np.lexsort((lengths, dst, src))
    src, dst, lengths = src[order], dst[order], lengths[order]
    first = np.append(True, (src[1:] != src[:-1]) | (dst[1:] != dst[:-1]))[: len(src)]
    rows = coo_array((lengths[first], (src[first], dst[first])), (n, n)).tocsr()
    return chosen, np.atleast_2d(dijkstra(rows, indices=chosen))
