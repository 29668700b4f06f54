"""What may be done to a graph before programs run on it: fewer edges, fewer vertices, new numbers.

Each step is a function from tables to tables that leaves its input as it is. `prepare` takes the
steps that its options ask for in this order, whatever order they are given in:

1. ``weighted``: without the edge column ``weight``, or not without one.
2. ``loops=False``: without edges from a vertex to itself.
3. ``min_weight``: without lighter edges; nan is lighter than all.
4. ``symmetrise``: edges lead both ways, and of those that join the same two vertices, in whatever
   direction, one is kept: folded as ``dedup`` says, by default the first.
5. ``dedup``: of repeated edges one is kept, with the columns of the first, the least value of each
   column, or their sums; in an undirected graph {u, v} and {v, u} are one. Edges come back
   sorted by their two ends, the smaller one first in an undirected graph.
6. ``ego=(root, k)``: the vertices that are at most k arcs from a root, and the edges between them.
7. ``min_degree``: without vertices that have fewer arcs, those that leave and those that arrive
   counted together (of an undirected graph, each edge once). Once: a vertex that has
   too few only because another was taken out stays.
8. ``relabel``: ``"dense"`` takes out vertices without edges; ``"degree"`` numbers the vertices by
   their number of arcs, counted as before, those with the most first and equal ones as before.

Where vertices are taken out or numbered anew, ``labels`` has the original ids.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, TypedDict, get_type_hints

import numpy as np
from numpy.typing import NDArray

from emv.errors import ArgumentError, GraphError, did_you_mean
from emv.graph.build import first_positions, grouped
from emv.graph.ids import checked_ends
from emv.graph.labels import Labels, vertex_of
from emv.graph.on_device import lies_on_device
from emv.graph.simple import FOLDS, simple_edges
from emv.graph.tables import UNWEIGHTED, Tables
from emv.graph.widths import index_dtype, public_dtype, with_dtype
from emv_kernels.aside import leavable

WEIGHT = "weight"
NOT_ASKED = {"loops": True, "symmetrise": False, "min_degree": 0}
RELABELLINGS = ("dense", "degree")


class Options(TypedDict, total=False):
    """What `prepare` may be asked to do; the module says what each means."""

    weighted: bool | None
    dedup: Literal["first", "min", "sum"] | None
    loops: bool
    symmetrise: bool
    min_degree: int
    min_weight: float | None
    ego: tuple[Any, int] | None
    relabel: Literal["dense", "degree"] | None


def prepare(tables: Tables, options: Options) -> Tables:
    """Return the tables after the steps that the options ask for.

    Raises
    ------
    ArgumentError
        If there is no such option or it cannot have such a value.
    GraphError
        If the graph has no weights, no such root, or ends that are no vertices.

    Examples
    --------
    >>> twice = Tables(3, np.array([0, 1, 2]), np.array([1, 0, 2]), directed=True)
    >>> prepared = prepare(twice, {"loops": False, "symmetrise": True, "relabel": "dense"})
    >>> prepared.num_vertices, prepared.src, prepared.dst, prepared.directed
    (2, array([0], dtype=int32), array([1], dtype=int32), False)
    """
    _check(options)
    if not lies_on_device(tables.src):
        src, dst = checked_ends(tables.src, tables.dst, tables.num_vertices)
        tables = replace(tables, src=src, dst=dst)
    for step in _steps(options):
        tables = step(tables)
    return tables


def stays_on_device(options: Options) -> bool:
    """Return whether all steps that the options ask for can be taken on a GPU.

    Examples
    --------
    >>> stays_on_device({"dedup": "sum", "loops": True}), stays_on_device({"loops": False})
    (True, False)
    """
    asked = {name for name, value in options.items() if value not in (None, NOT_ASKED.get(name))}
    return asked <= {"weighted", "symmetrise", "dedup"}


def _steps(options: Options) -> list[Callable[[Tables], Tables]]:
    """Return the steps that the options ask for, in their order."""
    steps: list[Callable[[Tables], Tables]] = []
    weighted, min_weight = options.get("weighted"), options.get("min_weight")
    if weighted is not None:
        steps.append(with_weight if weighted else without_weight)
    if not options.get("loops", True):
        steps.append(without_loops)
    if min_weight is not None:
        steps.append(lambda tables: without_light_edges(tables, min_weight))
    dedup, symmetrise = options.get("dedup"), options.get("symmetrise", False)
    if symmetrise:
        steps.append(lambda tables: replace(tables, directed=False))
    if symmetrise or dedup:
        steps.append(lambda tables: without_repeats(tables, dedup or "first"))
    return [*steps, *_vertex_steps(options)]


def _vertex_steps(options: Options) -> list[Callable[[Tables], Tables]]:
    """Return those of the steps that choose or number vertices."""
    steps: list[Callable[[Tables], Tables]] = []
    ego, min_degree = options.get("ego"), options.get("min_degree", 0)
    if ego is not None:
        steps.append(lambda tables: neighbourhood(tables, *ego))
    if min_degree:
        steps.append(lambda tables: _with_vertices(tables, _degrees(tables) >= min_degree))
    if options.get("relabel") == "dense":
        steps.append(lambda tables: _with_vertices(tables, _degrees(tables) > 0))
    if options.get("relabel") == "degree":
        steps.append(by_degree)
    return steps


def _check(options: Options) -> None:
    """Refuse options that there are not, and values that they cannot have."""
    known = get_type_hints(Options)
    for name, value in options.items():
        if name not in known:
            raise ArgumentError(
                f"there is no option {name!r}.{did_you_mean(name, known)}",
                remedy=f"There are {', '.join(known)}.",
            )
        expected = _expected(name, value)
        if expected:
            raise ArgumentError(f"{name} is {value!r}", remedy=f"expected {expected}")


def _expected(name: str, value: Any) -> str:
    """Return what an option should have been, or nothing where it is."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    is_number = is_whole or isinstance(value, float | np.floating)
    if name in ("loops", "symmetrise"):
        return "" if isinstance(value, bool) else "True or False"
    if name == "min_degree":
        return "" if is_whole and value >= 0 else "a whole number from 0 on"
    if value is None:
        return ""
    if name == "weighted":
        return "" if isinstance(value, bool) else "True, False or None"
    if name == "min_weight":
        return "" if is_number and value == value else "a number"
    if name == "ego":
        is_pair = isinstance(value, tuple | list) and len(value) == 2
        is_right = is_pair and isinstance(value[1], int | np.integer) and value[1] >= 0
        return "" if is_right else "(root, k), k a whole number from 0 on"
    names = FOLDS if name == "dedup" else RELABELLINGS
    return "" if value in names else " or ".join(map(repr, names))


def with_weight(tables: Tables) -> Tables:
    """Return the tables, which must have weights.

    Raises
    ------
    GraphError
        If they have none.
    """
    if WEIGHT not in tables.edge_columns:
        raise GraphError(
            "weighted=True is given, but the edges have no weights",
            remedy="leave it out, or set the edge column 'weight'",
        )
    return tables


def without_weight(tables: Tables) -> Tables:
    """Return the tables without the weights."""
    columns = {name: each for name, each in tables.edge_columns.items() if name != WEIGHT}
    absent = {**tables.absent_edge_columns, WEIGHT: UNWEIGHTED}
    return replace(tables, edge_columns=columns, absent_edge_columns=absent)


def without_loops(tables: Tables) -> Tables:
    """Return the tables without edges from a vertex to itself."""
    return _with_edges(tables, tables.src != tables.dst)


def without_light_edges(tables: Tables, min_weight: float) -> Tables:
    """Return the tables without edges that weigh less, or nan."""
    return _with_edges(tables, with_weight(tables).edge_columns[WEIGHT] >= min_weight)


def without_repeats(tables: Tables, how: str) -> Tables:
    """Return the tables with one edge for all that join the same vertices.

    Examples
    --------
    >>> many = Tables(2, np.array([1, 0, 1]), np.array([0, 1, 0]), True)
    >>> many = replace(many, edge_columns={"weight": np.array([5, 1, 2])})
    >>> once = without_repeats(many, "min")
    >>> once.src, once.dst, once.edge_columns["weight"]
    (array([0, 1]), array([1, 0]), array([1, 2]))
    """
    src, dst, folded = simple_edges(
        tables.src,
        tables.dst,
        tables.num_vertices,
        tables.directed,
        tables.edge_columns,
        how,
    )
    return replace(tables, src=src, dst=dst, edge_columns=folded)


def neighbourhood(tables: Tables, root: Any, hops: int) -> Tables:
    """Return the vertices that are at most `hops` arcs from a root, and the edges between them.

    Parameters
    ----------
    root : any
        The label of a vertex, or its id in a graph without labels.
    hops : int
        How many arcs.

    Raises
    ------
    GraphError
        If there is no such vertex.

    Examples
    --------
    >>> path = Tables(4, np.array([0, 1, 2]), np.array([1, 2, 3]), directed=True)
    >>> neighbourhood(path, 1, 1).labels
    array([1, 2])
    """
    first, ends = _out_rows(tables)
    is_reached = np.zeros(tables.num_vertices, np.bool_)
    labels = None if tables.labels is None else Labels(tables.labels)
    frontier = np.array([vertex_of(labels, tables.num_vertices, root)])
    is_reached[frontier] = True
    for _ in range(hops):
        lengths = first[frontier + 1] - first[frontier]
        begins = np.repeat(first[frontier] - np.cumsum(lengths) + lengths, lengths)
        reached = ends[begins + np.arange(len(begins))]
        frontier = np.unique(reached[~is_reached[reached]]).astype(np.int64)
        if len(frontier) == 0:
            break
        is_reached[frontier] = True
    return _with_vertices(tables, is_reached)


def part_of(tables: Tables, vertices: Any, edges: Any) -> Tables:
    """Return the tables with some of the vertices, some of the edges, or both.

    Parameters
    ----------
    vertices, edges : bool[n] or int[m] or None
        Which to keep: a truth value for each, or their ids; None keeps all.

    Raises
    ------
    GraphError
        If there is no such vertex or edge, or a mask has another length.

    Examples
    --------
    >>> path = Tables(4, np.array([0, 1, 2]), np.array([1, 2, 3]), directed=True)
    >>> part_of(path, [3, 2], None).labels, part_of(path, None, [1]).src
    (array([2, 3]), array([1]))
    """
    if edges is not None:
        tables = _with_edges(tables, _chosen(edges, len(tables.src), "edge"))
    if vertices is not None:
        tables = _with_vertices(tables, _chosen(vertices, tables.num_vertices, "vertex"))
    return tables


def _chosen(given: Any, count: int, what: str) -> NDArray[np.bool_]:
    """Return a truth value for each element: the given ones, or whether its id is given."""
    values = np.asarray(given)
    if values.dtype.kind == "b":
        if values.shape != (count,):
            raise GraphError(
                f"the truth values have shape {values.shape}, one per {what} is ({count},)"
            )
        return values
    ids = values.astype(np.int64) if values.size == 0 else values
    if ids.ndim != 1 or ids.dtype.kind not in "iu":
        raise GraphError(f"{given!r} says nothing of each {what}; give truth values or ids")
    bad = ids[(ids < 0) | (ids >= count)]
    if len(bad):
        raise GraphError(f"there is no {what} {bad[0]}; there are {count}, from 0")
    is_chosen = np.zeros(count, np.bool_)
    is_chosen[ids] = True
    return is_chosen


def by_degree(tables: Tables) -> Tables:
    """Return the tables with the vertices numbered by their arcs, those with the most first.

    Examples
    --------
    >>> star = Tables(3, np.array([0, 1]), np.array([2, 2]), directed=True)
    >>> by_degree(star).labels, by_degree(star).src, by_degree(star).dst
    (array([2, 0, 1]), array([1, 2], dtype=int32), array([0, 0], dtype=int32))
    """
    order = leavable(lambda: np.argsort(-_degrees(tables), kind="stable"), tables.num_vertices)
    return _in_order(tables, order)


def _degrees(tables: Tables) -> NDArray[np.int64]:
    """Return how many arcs leave or reach each vertex; of an undirected graph its degrees."""
    degrees = np.bincount(tables.src, minlength=tables.num_vertices)
    others = tables.dst if tables.directed else tables.dst[tables.src != tables.dst]
    return degrees + np.bincount(others, minlength=tables.num_vertices)


def _out_rows(tables: Tables) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return where the arcs that leave each vertex begin, and where they lead."""
    dtype = index_dtype(tables.num_vertices)
    src, dst = (with_dtype(each, dtype) for each in (tables.src, tables.dst))
    if not tables.directed:
        src, dst = np.concatenate([src, dst]), np.concatenate([dst, src])
    first = first_positions(src, tables.num_vertices)
    return first.astype(np.int64), grouped(src, dst, first)


def _with_edges(tables: Tables, is_kept: NDArray[np.bool_]) -> Tables:
    """Return the tables with some of the edges."""
    if is_kept.all():
        return tables
    columns = {name: values[is_kept] for name, values in tables.edge_columns.items()}
    return replace(tables, src=tables.src[is_kept], dst=tables.dst[is_kept], edge_columns=columns)


def _with_vertices(tables: Tables, is_kept: NDArray[np.bool_]) -> Tables:
    """Return the tables with some of the vertices and the edges between them."""
    if is_kept.all():
        return tables
    inside = _with_edges(tables, is_kept[tables.src] & is_kept[tables.dst])
    return _in_order(inside, np.flatnonzero(is_kept))


def _in_order(tables: Tables, order: NDArray[np.int64]) -> Tables:
    """Return the tables with these vertices, which all edges are between, in this order."""
    number = np.zeros(tables.num_vertices, public_dtype(len(order)))
    number[order] = np.arange(len(order))
    labels = tables.labels
    columns = {name: values[order] for name, values in tables.vertex_columns.items()}
    return replace(
        tables,
        num_vertices=len(order),
        src=number[tables.src],
        dst=number[tables.dst],
        labels=order if labels is None else labels[order],
        vertex_columns=columns,
    )
