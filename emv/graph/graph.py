"""The graph: vertices numbered ``0..n-1``, edges in the order they were added, columns of both.

What programs run over is derived from it in `Graph.layouts`. How edges, arcs, loops, repeats and
labels are counted and numbered is decided in ``docs/design/graph.md``.
"""

from __future__ import annotations

from typing import Any, Unpack

from numpy.typing import ArrayLike

from emv.config import check_backend, config
from emv.device import device_named
from emv.errors import GraphError
from emv.graph.on_device import moved_to
from emv.graph.orient import GONE, oriented
from emv.graph.prepare import Options, part_of, prepare, stays_on_device
from emv.graph.tables import Tables
from emv.graph.tabular import TabularGraph

FIRST_ON_DEVICE = 2**20
"""Number of edges from which on a graph that runs on a GPU is oriented there."""


class Graph(TabularGraph):
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

    def prepared(self, **options: Unpack[Options]) -> Graph:
        """Return a graph made of this one: without some edges or vertices, or numbered anew.

        The steps are taken in the order in which they stand here. Where vertices are left out
        or numbered anew, ``labels`` has the original ids.

        Parameters
        ----------
        weighted : bool, optional
            False leaves the edge column ``weight`` out, True demands it.
        loops : bool
            False leaves out edges from a vertex to itself.
        min_weight : float, optional
            Leave out edges whose ``weight`` is less, or nan.
        symmetrise : bool
            Let edges lead both ways, and keep one of those that join the same two vertices in
            whatever direction; `dedup` says which, by default the first.
        dedup : {"first", "min", "sum"}, optional
            Keep one of repeated edges, with the columns of the first, or the least value or
            the sum of each column. The edges then come sorted by their ends.
        ego : (label, int), optional
            Keep what is at most so many arcs from the vertex of this label.
        min_degree : int
            Leave out vertices with fewer arcs, leaving and arriving ones together; once.
        relabel : {"dense", "degree"}, optional
            Leave out vertices without edges, or number the vertices by their arcs, most first.

        Raises
        ------
        ArgumentError
            If there is no such option or it cannot have such a value.
        GraphError
            If weights are asked for and there are none, or the root is no vertex.

        Examples
        --------
        >>> g = Graph.from_edges([0, 1, 1, 2], [1, 0, 1, 2], weight=[3, 2, 9, 9])
        >>> simple = g.prepared(loops=False, symmetrise=True, dedup="min", relabel="dense")
        >>> simple, simple.edges.weight
        (Graph(2 vertices, 1 edges, undirected, edges: weight i64), array([2]))
        """
        tables = self._tables_on_device() if stays_on_device(options) else None
        graph = Graph.of_tables(prepare(tables or self.tables(), options))
        return graph if self._placed is None else graph.on(self._placed)

    def subgraph(self, vertices: ArrayLike | None = None, edges: ArrayLike | None = None) -> Graph:
        """Return a graph of some of the vertices, some of the edges, or both.

        Parameters
        ----------
        vertices : bool[num_vertices] or int[n], optional
            Which vertices to keep: a truth value for each, or their ids in any order. Edges that
            lead to others go, too. The vertices are numbered anew, in the order that they have, and
            ``labels`` has the original ids. By default all stay.
        edges : bool[num_edges] or int[n], optional
            Which edges to keep, in the same two ways. Vertices stay, also those without edges.

        Raises
        ------
        GraphError
            If there is no such vertex or edge, or a mask has another length.

        Examples
        --------
        >>> g = Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3], weight=[1.0, 2.0, 3.0, 4.0])
        >>> triangle = g.subgraph([2, 0, 1])
        >>> triangle, triangle.labels
        (Graph(3 vertices, 3 edges, directed, edges: weight f64), array([0, 1, 2]))
        >>> g.subgraph(edges=g.edges.weight > 2).arcs()
        (array([1, 2], dtype=int32), array([2, 3], dtype=int32))
        """
        graph = Graph.of_tables(part_of(self.tables(), vertices, edges))
        return graph if self._placed is None else graph.on(self._placed)

    def oriented(self) -> Graph:
        """Return the directed graph without cycles in which edges lead to the higher degree.

        It has the same vertices and joins the same pairs of them, each once, without loops and
        whatever the direction was; vertices of one degree are ordered by their ids. Its edges are
        others, sorted by both ends. Their one column, ``directions``, i8, is 1 where this graph
        joins the two one way only, else 2. It is kept with this graph until edges are added.
        Programs marked ``@program(graph="oriented")`` see a graph this way.

        Examples
        --------
        >>> star = Graph.from_edges([0, 0, 3], [1, 2, 0], directed=False)
        >>> star.oriented().arcs()
        (array([1, 2, 3], dtype=int32), array([0, 0, 0], dtype=int32))
        """
        forms = self.layouts.forms
        if "oriented" not in forms:
            forms["oriented"] = Graph.of_tables(oriented(self._ends_where_they_run()))
        form: Graph = forms["oriented"]
        return form if self._placed is None else form.on(self._placed)

    def _ends_where_they_run(self) -> Tables:
        """Return tables without columns; on the GPU on which programs are to run, if on one."""
        ends, device = self._edges.ends(), self.device
        src, dst = ends.on_device or (ends.src, ends.dst)
        if device.startswith("cuda") and ends.on_device is None and len(src) >= FIRST_ON_DEVICE:
            on = device_named(device)
            src, dst = (moved_to(on, each) for each in (src, dst))
        return Tables(
            self.num_vertices,
            src,
            dst,
            self.directed,
            self.labels,
            absent_vertex_columns=dict.fromkeys(self._vertices, GONE),
            absent_edge_columns=dict.fromkeys(self._edges, GONE),
        )

    def both_ways(self) -> Graph:
        """Return the graph in which every edge leads both ways: this one, if it is undirected.

        It has the same vertices and the same edges, also repeated ones, with the same columns: not
        copies, so what is written to a column of one is in the other. It is kept with this graph
        until edges are added, which is not to be done to it. Programs marked
        ``@program(graph="both ways")`` see a graph this way.

        Examples
        --------
        >>> g = Graph.from_edges([0, 1], [1, 0], weight=[2.0, 3.0])
        >>> g.both_ways(), g.both_ways().num_arcs
        (Graph(2 vertices, 2 edges, undirected, edges: weight f64), 4)
        """
        if not self.directed:
            return self
        forms = self.layouts.forms
        if "both ways" not in forms:
            made = Graph(directed=False)
            made._labels, made._vertices, made._edges = self._labels, self._vertices, self._edges
            forms["both ways"] = made
        form: Graph = forms["both ways"]
        return form if self._placed is None else form.on(self._placed)


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
