"""Whether a graph of networkx shows the edges that it stores, which is all that is read of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from emv.graph.of_networkx import is_plain, rows_of


def demand_stored(graph: Any) -> None:
    """Refuse graphs that show other edges than they store.

    Raises
    ------
    NotImplementedError
        If it is one.
    """
    if not is_plain(graph):
        raise NotImplementedError(f"{type(graph).__name__} has neighbours of its own")
    if type(graph._adj) is not dict:
        graph.__networkx_cache__ = None  # a view is not told when its graph changes
        if not graph.is_directed() and not _reads_alike(graph):
            raise NotImplementedError("a view that shows an edge in one direction otherwise")


def _reads_alike(graph: Any) -> bool:
    """Return whether both directions of every edge of a view have the same attributes."""
    nodes = list(graph)
    rows = dict(zip(nodes, rows_of(graph, graph._adj, nodes), strict=True))
    named = _names_of_parallel if graph.is_multigraph() else id
    return all(
        named(rows[other].get(node)) == named(data)
        for node, row in rows.items()
        for other, data in row.items()
    )


def _names_of_parallel(edges: Mapping[Any, Any] | None) -> dict[Any, int]:
    """Return which dicts hold the attributes of parallel edges, by their keys."""
    return {key: id(data) for key, data in (edges or {}).items()}
