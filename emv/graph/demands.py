"""What a program demands of the graph that it is called on."""

from __future__ import annotations

from emv.errors import GraphError
from emv.graph.graph import Graph


def demand_undirected(graph: Graph, what: str) -> None:
    """Refuse a directed graph.

    Raises
    ------
    GraphError
        With the remedy.
    """
    if graph.directed:
        raise GraphError(
            f"{what} takes an undirected graph, and this one is directed",
            remedy="Give g.prepared(symmetrise=True), or read the graph with directed=False.",
        )
