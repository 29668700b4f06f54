"""The graph: vertices numbered ``0..n-1``, edges in the order they were added, columns of both.

What programs run over is derived from it in `Graph.layouts`. How edges, arcs, loops, repeats and
labels are counted and numbered is decided in ``docs/design/graph.md``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emv.config import check_backend, config
from emv.errors import GraphError
from emv.graph import convert
from emv.graph.columns import EdgeColumns, VertexColumns
from emv.graph.grow import GrowingGraph, checked_count
from emv.graph.ids import checked_ends
from emv.graph.labels import Labels
from emv.graph.layouts import Layouts
from emv.graph.widths import public_dtype, with_dtype

if TYPE_CHECKING:
    import networkx
    import scipy.sparse


class Graph(GrowingGraph):
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

    # Making a graph at once.

    @classmethod
    def from_edges(
        cls,
        src: ArrayLike,
        dst: ArrayLike,
        *,
        num_vertices: int | None = None,
        directed: bool = True,
        labels: ArrayLike | None = None,
        **edge_columns: ArrayLike,
    ) -> Graph:
        """Make a graph of edges whose ends are ids ``0..num_vertices-1``.

        Parameters
        ----------
        src, dst : array_like
            ``int[num_edges]``, where each edge starts and where it points to.
        num_vertices : int, optional
            Vertices, also those without edges; by default as many as there are labels, or the
            largest id plus one.
        directed : bool
            Whether an edge leads one way only.
        labels : array_like, optional
            ``any[num_vertices]``, the original ids.
        **edge_columns
            ``any[num_edges]`` or a scalar each.

        Raises
        ------
        GraphError
            If an id is no whole number or out of range; the message names the first such edge.
        ColumnError
            If a column is not one number per edge.

        Examples
        --------
        >>> Graph.from_edges([0, 1], [1, 7], num_vertices=3)
        Traceback (most recent call last):
        emv.errors.GraphError: edge 1 points to vertex 7, but the graph has vertices 0..2
        """
        graph = cls(directed)
        if labels is not None:
            graph._labels = Labels(convert.sequence(labels))
            num_vertices = len(graph._labels) if num_vertices is None else num_vertices
        if num_vertices is not None:
            num_vertices = checked_count(num_vertices, "num_vertices")
        if graph._labels is not None and len(graph._labels) != num_vertices:
            raise GraphError(f"{len(graph._labels)} labels given for {num_vertices} vertices")
        ends = checked_ends(src, dst, num_vertices)
        if num_vertices is None:
            num_vertices = 1 + max((int(ids.max()) for ids in ends if ids.size), default=-1)
        graph._vertices.append_rows(num_vertices, {})
        graph._append_edges(*ends, edge_columns)
        return graph

    @classmethod
    def from_networkx(cls, G: networkx.Graph[Any]) -> Graph:
        """Make a graph of a networkx graph of any of the four kinds.

        Vertex ids follow the order of the nodes; the nodes become `labels` unless they are
        ``0..n-1`` already. Edges keep networkx's order, parallel ones are kept.

        A numeric node attribute that every node has becomes a vertex column, and a numeric edge
        attribute that every edge has an edge column. An edge without ``weight`` weighs 1 where
        others have one, as in networkx. Other attributes are left out; asking for such a column
        raises a ColumnError that says why.

        Examples
        --------
        >>> import networkx as nx
        >>> g = Graph.from_networkx(nx.Graph([("a", "b", {"weight": 2.5}), ("b", "c")]))
        >>> g, g.labels, g.edges.weight
        (Graph(3 vertices, 2 edges, undirected, edges: weight f64), \
array(['a', 'b', 'c'], dtype=object), array([2.5, 1. ]))
        """
        return cls._of_tables(convert.from_networkx(G))

    @classmethod
    def from_scipy(
        cls,
        A: scipy.sparse.sparray | scipy.sparse.spmatrix,
        directed: bool = True,
        weight: str = "weight",
    ) -> Graph:
        """Make a graph of a square sparse matrix: entry ``(i, j)`` is an edge from i to j.

        Every stored entry is an edge, also a stored zero and each of several stored for one
        place. The values become an edge column.

        Parameters
        ----------
        A : sparse matrix or array
            ``any[num_vertices, num_vertices]`` in any of scipy's formats.
        directed : bool
            If False, the matrix must be symmetric; an edge is made of each entry on the diagonal
            and of each pair across it.
        weight : str
            Name of the column that receives the values.

        Raises
        ------
        GraphError
            If the matrix is not sparse, not square, or (undirected) not symmetric.

        Examples
        --------
        >>> import scipy.sparse as sparse
        >>> Graph.from_scipy(sparse.csr_array([[0, 3], [1, 0]]))
        Graph(2 vertices, 2 edges, directed, edges: weight i64)
        """
        return cls._of_tables(convert.from_scipy(A, directed, weight))

    @classmethod
    def _of_tables(cls, tables: convert.Tables) -> Graph:
        graph = cls.from_edges(
            tables.src,
            tables.dst,
            num_vertices=tables.num_vertices,
            directed=tables.directed,
            labels=tables.labels,
        )
        for store, columns, absent in (
            (graph.vertices, tables.vertex_columns, tables.absent_vertex_columns),
            (graph.edges, tables.edge_columns, tables.absent_edge_columns),
        ):
            for name, values in columns.items():
                store[name] = values
            for name, reason in absent.items():
                store.note_absent(name, reason)
        return graph

    # What is there.

    @property
    def num_arcs(self) -> int:
        """Directions of edges: as many as edges if directed, else two each and one per loop."""
        return self.layouts.num_arcs

    @property
    def directed(self) -> bool:
        """Whether an edge leads one way only."""
        return self._directed

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

    @property
    def vertices(self) -> VertexColumns:
        """The vertex columns."""
        return self._vertices

    @property
    def edges(self) -> EdgeColumns:
        """The edge columns, and ``src`` and ``dst`` of each edge."""
        return self._edges

    @property
    def labels(self) -> NDArray[Any] | None:
        """The original ids, ``any[num_vertices]``; None when the ids are the original ones."""
        return None if self._labels is None else self._labels.read()

    def id_of(self, label: Any) -> int:
        """Return the vertex of an original id.

        Raises
        ------
        GraphError
            If there is no such vertex.

        Examples
        --------
        >>> Graph.from_edges([0], [1], labels=["ann", "bob"]).id_of("bob")
        1
        """
        if self._labels is not None:
            return self._labels.id_of(label)
        is_id = isinstance(label, int | np.integer) and not isinstance(label, bool)
        if not is_id or not 0 <= label < self.num_vertices:
            raise GraphError(f"{label!r} is no vertex; the graph has {self.num_vertices}, from 0")
        return int(label)

    @property
    def layouts(self) -> Layouts:
        """The index arrays that programs run over; new when the graph has grown."""
        if self._layouts is None:
            self._layouts = Layouts(self.num_vertices, self._directed, self._edges)
        return self._layouts

    def arcs(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return ``(src, dst)`` of every arc, in the order of arc ids: by src, then as added.

        Returns
        -------
        src, dst : int32|int64[num_arcs]
            Read-only.

        Examples
        --------
        >>> Graph.from_edges([1, 0], [0, 1], directed=False).arcs()
        (array([0, 0, 1, 1], dtype=int32), array([1, 1, 0, 0], dtype=int32))
        """
        ends = self.layouts.src_of_arc, self.layouts.out_rows.other
        src, dst = (with_dtype(each, public_dtype(self.num_vertices)).view() for each in ends)
        src.flags.writeable = dst.flags.writeable = False
        return src, dst

    def out_degrees(self) -> NDArray[Any]:
        """Return how many arcs leave each vertex, int32|int64[num_vertices].

        Examples
        --------
        >>> Graph.from_edges([0, 0], [1, 2]).out_degrees()
        array([2, 0, 0], dtype=int32)
        """
        return self.layouts.degrees("out")

    def in_degrees(self) -> NDArray[Any]:
        """Return how many arcs reach each vertex, int32|int64[num_vertices].

        Examples
        --------
        >>> Graph.from_edges([0, 0], [1, 2]).in_degrees()
        array([0, 1, 1], dtype=int32)
        """
        return self.layouts.degrees("in")

    # Handing it on.

    def to_scipy(self, weight: str | None = "weight") -> scipy.sparse.coo_array:
        """Return the adjacency matrix, one stored entry per arc in the order of arc ids.

        Parallel arcs stay separate entries; ``.tocsr()`` adds them up, as scipy does.

        Parameters
        ----------
        weight : str or None
            The edge column that gives the values. None gives ones, and so does the default on a
            graph without a column ``weight``.

        Examples
        --------
        >>> Graph.from_edges([0], [1], weight=[7]).to_scipy().toarray()
        array([[0, 7],
               [0, 0]])
        """
        if weight is None or (weight == "weight" and weight not in self._edges):
            values = np.ones(self.num_arcs)
        else:
            dtype = self._edges.stored(weight).dtype
            values = self.layouts.edge_column(weight, dtype, "arc")
        return convert.to_scipy(self.num_vertices, *self.arcs(), values)

    def to_networkx(self) -> networkx.Graph[Any]:
        """Return a networkx graph with the labels as nodes and the columns as attributes.

        It is a MultiGraph or MultiDiGraph if an edge occurs twice, else a Graph or DiGraph.

        Examples
        --------
        >>> Graph.from_edges([0], [1], weight=[7]).to_networkx().edges[0, 1]
        {'weight': 7}
        """
        src, dst = self._edges.endpoints()
        vertices = {name: self._vertices.stored(name) for name in self._vertices}
        edges = {name: self._edges.stored(name) for name in self._edges}
        tables = convert.Tables(
            self.num_vertices, src, dst, self._directed, self.labels, vertices, edges
        )
        return convert.to_networkx(tables)

    def __repr__(self) -> str:
        parts = [
            f"{self.num_vertices} vertices",
            f"{self.num_edges} edges",
            "directed" if self._directed else "undirected",
        ]
        if self._vertices.names():
            parts.append(f"vertices: {self._vertices.summary()}")
        if self._edges.names():
            parts.append(f"edges: {self._edges.summary()}")
        if self._placed is not None:
            parts.append(f"on {self._placed}")
        return f"Graph({', '.join(parts)})"


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
