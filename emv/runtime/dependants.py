"""Which values of a relaxation may rest on arcs that are gone.

At its fixed point a value is that of its source, or what some arc offers, the arc being tight.
So what could rest on a removed arc is what tight arcs lead to from where it was tight itself (the
trimming of KickStarter, Vora, Gupta, Xu, ASPLOS 2017, without its trees: a value that also rests on
others is given up, too, but none is kept that supports itself in a circle). All other values are
those of paths that still are there.

What an arc offers is worked out with numpy, from below: parts of a message that this module does
not know are taken for 0, and rounding is allowed for, so that an arc may pass for tight that is
not, but never the other way round.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.ir import body as b

Offer = Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]]
"""What arcs offer at least, of the values where they begin and the edges that they are of."""

_ROOM = 64  # times the precision of a float: how much sums of another order may differ


def least_offer(statements: Any, field: str, columns: dict[str, Any]) -> Offer:
    """Return what gives the least that a function of arcs sends.

    Parameters
    ----------
    statements : sequence of b.Stmt
        Of the function, which sends no less than the source's `field`.
    columns : dict
        The edge columns that are added, a number or ``any[num_edges]`` each; none below 0.
    """
    messages = [each.value for each in b.statements_in(statements) if isinstance(each, b.Send)]

    def offer(values: NDArray[Any], edges: NDArray[Any]) -> NDArray[Any]:
        found = [_least(each, field, values, edges, columns) for each in messages]
        least: NDArray[Any] = np.minimum.reduce(found)
        return least

    return offer


def may_lower(
    values: NDArray[Any],
    far: Any,
    src: NDArray[np.int64],
    dst: NDArray[np.int64],
    offered: NDArray[Any],
) -> NDArray[np.bool_]:
    """Return over which arcs less may be offered than is there; who has `far` offers nothing."""
    wide, room = _wide(values)
    limit = wide[dst]
    is_less = offered <= limit + np.abs(limit) * room if room else offered < limit
    less: NDArray[np.bool_] = (values[src] != far) & is_less
    return less


def _wide(values: NDArray[Any]) -> tuple[NDArray[Any], float]:
    """Return values in 64 bits, and how much sums of them may differ, as a share."""
    if values.dtype.kind != "f":
        return values.astype(np.int64), 0.0
    return values.astype(np.float64), float(_ROOM * np.finfo(values.dtype).eps)


def added_to(statements: Any, own: Any) -> Any:
    """Return the edge field that a function sends its source's `own` field plus, and no more.

    None where it sends something else, or adds in another type than the field's.
    """
    (stmt,) = statements if len(statements) == 1 else (None,)
    value = stmt.value if isinstance(stmt, b.Send) else None
    if not isinstance(value, b.Binary) or value.op != "+":
        return None
    for one, other in ((value.left, value.right), (value.right, value.left)):
        if not isinstance(other, b.Load) or other.element.kind != "edge":
            continue
        if b.reads(one, "src", own.name):
            added = other.element.record.fields[other.field]
            is_whole = added.dtype.kind in "iu" and own.dtype.kind in "iu"
            return added if is_whole or added.dtype == own.dtype else None
    return None


def _least(
    expr: b.Expr, field: str, values: NDArray[Any], edges: NDArray[Any], columns: dict[str, Any]
) -> Any:
    """Return what an expression is at least; what it is made of rises, or is not negative."""
    if b.reads(expr, "src", field):
        return values
    if isinstance(expr, b.Load) and expr.element.kind == "edge" and expr.field in columns:
        column = columns[expr.field]
        return column if np.ndim(column) == 0 else column[edges]
    if isinstance(expr, b.Const):
        return expr.value
    parts, fold = _folded(expr)
    if fold is not None:
        found = [_least(each, field, values, edges, columns) for each in parts]
        return functools.reduce(fold, found)
    has_source = any(b.reads(each, "src", field) for each in b.inside(expr))
    return values if has_source else 0


def _folded(expr: b.Expr) -> tuple[tuple[b.Expr, ...], Any]:
    """Return the parts of a sum, or of a minimum or maximum, and numpy's function of two."""
    if isinstance(expr, b.Binary) and expr.op == "+":
        return (expr.left, expr.right), np.add
    if isinstance(expr, b.Call) and expr.name in ("min", "max"):
        return expr.args, np.minimum if expr.name == "min" else np.maximum
    return (), None


def dependants(
    graph: Any, values: NDArray[Any], far: Any, gone: NDArray[np.int64], offer: Offer, most: int
) -> NDArray[np.int64] | None:
    """Return the vertices whose values may rest on edges that are gone; None if over `most` do.

    Parameters
    ----------
    graph : Graph
        The one that the values are of.
    values : any[num_vertices]
        The fixed point.
    far : number
        The value of what nothing leads to.
    gone : int64[n]
        The edges.
    offer : callable
        See `least_offer`.
    most : int
        How many vertices are worth to be found.
    """
    wide, room = _wide(values)

    def hang_on(src: NDArray[Any], dst: NDArray[Any], edges: NDArray[Any]) -> NDArray[Any]:
        """Return the ends of arcs that are tight."""
        is_there = (values[src] != far) & (values[dst] != far)
        src, dst, edges = src[is_there], dst[is_there], edges[is_there]
        limit = wide[dst] + np.abs(wide[dst]) * room if room else wide[dst]
        held: NDArray[Any] = dst[offer(wide[src], edges) <= limit]
        return held

    ends = [each[gone].astype(np.int64) for each in graph.edges.endpoints()]
    found = hang_on(ends[0], ends[1], gone)
    if not graph.directed:
        found = np.concatenate([found, hang_on(ends[1], ends[0], gone)])
    rows = graph.layouts.out_rows
    is_found = np.zeros(len(values), np.bool_)
    frontier, count = np.unique(found), 0
    while len(frontier):
        is_found[frontier] = True
        count += len(frontier)
        if count > most:
            return None
        first, last = (rows.first[each].astype(np.int64) for each in (frontier, frontier + 1))
        lengths = last - first
        arcs = np.repeat(last - np.cumsum(lengths), lengths) + np.arange(lengths.sum())
        edges = arcs if rows.edge is None else rows.edge[arcs].astype(np.int64)
        src = np.repeat(frontier, lengths)
        heads = hang_on(src, rows.other[arcs].astype(np.int64), edges)
        frontier = np.unique(heads[~is_found[heads]])
    return np.flatnonzero(is_found)
