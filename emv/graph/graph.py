"""The graph: vertices numbered ``0..n-1``, edges in the order they were added, columns of both.

What programs run over is derived from it in `Graph.layouts`. How edges, arcs, loops, repeats and
labels are counted and numbered is decided in ``docs/design/graph.md``.
"""

from __future__ import annotations

from typing import Any

from emv.config import check_backend, config
from emv.graph.interchange import ExchangedGraph


class Graph(ExchangedGraph):
    """A graph with columns of numbers on its vertices and edges.

    ``Graph()`` is empty and grows; `from_edges`, `from_networkx` and `from_scipy` make one at
    once. Repeated edges and loops are kept.

    Parameters
    ----------
    directed : bool
        Whether an edge leads one way only. An undirected edge has two arcs and one row of
        columns; an undirected loop has one arc.

    Attributes
    ----------
    vertices, edges : VertexColumns, EdgeColumns
        The columns: ``g.vertices.rank``, ``g.edges.weight = 1.0``, ``"weight" in g.edges``.

    Examples
    --------
    >>> g = Graph.from_edges([0, 0, 1], [1, 2, 2], weight=[0.5, 1.0, 2.0])
    >>> g
    Graph(3 vertices, 3 edges, directed, edges: weight f64)
    >>> g.edges.weight
    array([0.5, 1. , 2. ])
    """

    @property
    def device(self) -> str:
        """Where programs on this graph run: ``auto``, ``cpu``, ``cuda`` ...; see `on`."""
        return self._placed or config.backend

    def on(self, device: str) -> Graph:
        """Return this graph, to be run on a device: the same vertices, edges and columns.

        Nothing is copied: what is added to one is in the other.

        Parameters
        ----------
        device : {"auto", "cuda", "cuda:N", "cpu", "python"}
            ``auto`` is the fastest there is: the first GPU, or else the CPU. ``cuda:1`` is the
            second GPU; ``python`` runs programs as plain Python. A GPU is looked for when a
            program runs.

        Raises
        ------
        BackendUnavailableError
            If there is no such device.

        Examples
        --------
        >>> g = Graph.from_edges([0], [1])
        >>> g.on("python").device
        'python'
        >>> g.on("python").edges is g.edges
        True
        """
        return PlacedGraph(self, check_backend(device))


class PlacedGraph(Graph):
    """A graph under another device: both have one and the same state.

    Parameters
    ----------
    graph : Graph
        Whose vertices, edges, columns and layouts these are.
    device : str
        Where programs run.
    """

    __slots__ = ("_placed",)

    def __init__(self, graph: Graph, device: str) -> None:
        self.__dict__ = graph.__dict__
        self._placed = device

    def __reduce__(self) -> tuple[Any, ...]:
        graph = Graph()
        graph.__dict__.update(self.__getstate__())
        return PlacedGraph, (graph, self._placed)
