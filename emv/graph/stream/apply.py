"""One batch of changes applied to a graph, in the order in which they came.

The verbs of a version have no order: removal beats addition (`emv.graph.changes`). A stream has
one. So what a batch comes to is found first. The edges from one vertex to another are a queue:
an addition puts one at its end, and a removal takes the oldest. Whatever the order among others, of
``r`` removals the first ``r`` of the edges there were and the new ones go. So additions that go
again are not made, and the others, and the old edges that go, are one change.

A vertex is added by the first edge that names it, and stays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import EmvError, GraphError
from emv.graph.changes import Changes
from emv.graph.graph import Graph
from emv.graph.pairs import joined_by, pairs_of
from emv.graph.stream.block import Block

Refused = Callable[[int, str], EmvError]
"""Makes the error of a change that cannot be made, by its number in the block."""


def applied(graph: Graph, block: Block, refused: Refused) -> Graph:
    """Return the version of a graph after some changes.

    Parameters
    ----------
    graph : Graph
        With labels, or without vertices; or without labels, and the changes name ids.
    block : Block
        The changes.
    refused : callable
        Returns the error of a change, by its number in the block, and what is wrong.

    Raises
    ------
    GraphError
        If an edge is to be removed that there is not.

    Examples
    --------
    >>> from emv.graph.stream.rows import blocks_of_rows
    >>> [block] = blocks_of_rows([("+", 7, 8), ("+", 7, 8), ("-", 7, 8), ("+", 8, 9)], 9)
    >>> later = applied(Graph(), block, lambda change, what: GraphError(what))
    >>> later.labels, later.arcs()
    (array([7, 8, 9]), (array([0, 1], dtype=int32), array([1, 2], dtype=int32)))
    """
    change, adds = graph.changes(), ~block.is_removed
    _add_vertices(graph, change, np.stack([block.src[adds], block.dst[adds]], axis=1).ravel())
    gone, stays = np.empty(0, np.int64), adds
    if block.is_removed.any():
        src, dst = change.find(block.src), change.find(block.dst)
        if (is_unknown := (src < 0) | (dst < 0)).any():
            raise _no_edge(block, int(np.argmax(is_unknown)), refused)
        gone, stays = _settled(graph, (src, dst), block, refused)
    if stays.any():
        columns = {name: each[stays] for name, each in block.columns.items()}
        change.add_edges(block.src[stays], block.dst[stays], **columns)
    if len(gone):
        is_gone = np.zeros(graph.num_edges, np.bool_)
        is_gone[gone] = True
        change.remove_edges(is_gone)
    return change.close()


def _add_vertices(graph: Graph, change: Changes[Graph], names: NDArray[Any]) -> None:
    """Add the vertices that are not there yet, in the order in which they appear."""
    unknown = names[change.find(names) < 0]
    if not len(unknown):
        return
    if unknown.dtype == object:
        new: Any = np.fromiter(dict.fromkeys(unknown.tolist()), object)
    else:
        different, first = np.unique(unknown, return_index=True)
        new = different[np.argsort(first, kind="stable")]
    if graph.labels is None and graph.num_vertices:
        raise GraphError(
            f"an edge ends at {new.tolist()[0]!r}, and the graph has vertices "
            f"0..{graph.num_vertices - 1} and no labels, so none of another name can be added",
            remedy="begin with a graph that has labels, or with no graph",
        )
    change.add_vertices(len(new), labels=new)


def _no_edge(block: Block, change: int, refused: Refused) -> EmvError:
    ends = [each[change : change + 1].tolist()[0] for each in (block.src, block.dst)]
    what = f"no edge joins {ends[0]!r} and {ends[1]!r} by then, so it cannot be removed"
    return refused(change, what)


def _settled(
    graph: Graph,
    ids: tuple[NDArray[np.int64], NDArray[np.int64]],
    block: Block,
    refused: Refused,
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the edges of the graph that go, and which changes add an edge that stays."""
    (src, dst), removes, size = ids, block.is_removed, graph.num_edges
    if not graph.directed:
        src, dst = np.minimum(src, dst), np.maximum(src, dst)
    ends = [each.astype(np.int64) for each in graph.edges.endpoints()]
    pairs = pairs_of(src[removes], dst[removes], graph.directed, max(size, len(src)))
    rows = np.flatnonzero(joined_by(pairs, *graph.edges.endpoints()))
    changes = np.flatnonzero(removes | joined_by(pairs, src, dst))
    old = [each[rows] for each in ends]
    if not graph.directed:
        old = [np.minimum(*old), np.maximum(*old)]
    # Events of each pair: the edges there are, and then the changes, in order.
    first = np.concatenate([old[0], src[changes]])
    second = np.concatenate([old[1], dst[changes]])
    sign = np.concatenate([np.ones(len(rows), np.int64), np.where(removes[changes], -1, 1)])
    order = np.lexsort((second, first))
    first, second, sign = first[order], second[order], sign[order]
    begins = np.ones(len(order), np.bool_)
    begins[1:] = (first[1:] != first[:-1]) | (second[1:] != second[:-1])
    group = np.cumsum(begins) - 1
    left = np.cumsum(sign)
    left -= (left - sign)[begins][group]
    if (left < 0).any():
        bad = order[left < 0] - len(rows)
        raise _no_edge(block, int(changes[bad].min()), refused)
    taken = np.bincount(group, weights=sign < 0).astype(np.int64)
    added = np.cumsum(sign > 0, dtype=np.int64)
    added -= (added - (sign > 0))[begins][group]
    goes = order[(sign > 0) & (added <= taken[group])]
    stays = ~removes
    stays[changes[goes[goes >= len(rows)] - len(rows)]] = False
    return np.sort(rows[goes[goes < len(rows)]]), stays
