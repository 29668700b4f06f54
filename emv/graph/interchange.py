"""Graphs out of other libraries' graphs and tables, and back; `emv.graph.convert` does the work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emv.errors import GraphError
from emv.graph import convert
from emv.graph.bind import refuse_left_out
from emv.graph.ends import ends_on_device
from emv.graph.facts import KnownGraph
from emv.graph.grow import checked_count
from emv.graph.ids import checked_ends
from emv.graph.labels import Labels
from emv.graph.layouts import Layouts
from emv.graph.on_device import moved_to
from emv.graph.ranges import LateArray
from emv.graph.renumber import is_numbered
from emv.graph.renumber import renumber as renumbered
from emv.graph.tables import Tables
from emv.graph.widths import public_dtype

if TYPE_CHECKING:
    import networkx
    import scipy.sparse


class ExchangedGraph(KnownGraph):
    """How `Graph` is made of others and handed on to them."""

    @classmethod
    def from_edges(
        cls,
        src: ArrayLike,
        dst: ArrayLike,
        *,
        num_vertices: int | None = None,
        directed: bool = True,
        labels: ArrayLike | None = None,
        renumber: bool = False,
        **edge_columns: ArrayLike,
    ) -> Self:
        """Make a graph of edges whose ends are ids ``0..num_vertices-1``, or are to be numbered.

        Parameters
        ----------
        src, dst : array_like
            ``int[num_edges]``, where each edge starts and where it points to. Arrays on a GPU
            stay there, without a copy if they are as wide as ids of the graph; do not change
            them as long as there is the graph.
        num_vertices : int, optional
            Vertices, also those without edges; by default as many as there are labels, or the
            largest id plus one.
        directed : bool
            Whether an edge leads one way only.
        labels : array_like, optional
            ``any[num_vertices]``, the original ids.
        renumber : bool
            If True, the ends can be anything hashable, such as texts or numbers with gaps. They
            become `labels`: in increasing order if all are whole numbers, else in the order in
            which they appear.
        **edge_columns
            ``any[num_edges]`` or a scalar each.

        Raises
        ------
        GraphError
            If an id is no whole number or out of range; the message names the first such edge.
            If `renumber` is True and the number of vertices or labels are given as well.
        ColumnError
            If a column is not one number per edge.

        Examples
        --------
        >>> from emv.graph import Graph
        >>> Graph.from_edges([0, 1], [1, 7], num_vertices=3)
        Traceback (most recent call last):
        emv.errors.GraphError: edge 1 points to vertex 7, but the graph has vertices 0..2
        >>> Graph.from_edges(["ann", "bob"], ["bob", "cy"], renumber=True).labels.tolist()
        ['ann', 'bob', 'cy']
        """
        graph = cls(directed)
        if renumber:
            if labels is not None or num_vertices is not None:
                raise GraphError(
                    "renumber=True numbers the vertices that the edges name",
                    remedy="leave out num_vertices= and labels=, or renumber=True",
                )
            (src, dst), labels = renumbered(src, dst)
            labels = None if is_numbered(labels) else labels
        if labels is not None:
            graph._labels = Labels(convert.sequence(labels))
            num_vertices = len(graph._labels) if num_vertices is None else num_vertices
        if num_vertices is not None:
            num_vertices = checked_count(num_vertices, "num_vertices")
        if graph._labels is not None and len(graph._labels) != num_vertices:
            raise GraphError(f"{len(graph._labels)} labels given for {num_vertices} vertices")
        given = ends_on_device(src, dst, num_vertices)
        if given is not None:
            ends, num_vertices = given
        else:
            ends = checked_ends(src, dst, num_vertices)
        if num_vertices is None:
            num_vertices = 1 + max((int(ids.max()) for ids in ends if ids.size), default=-1)
        graph._vertices.append_rows(num_vertices, {})
        graph._append_edges(*ends, edge_columns)
        return graph

    @classmethod
    def from_networkx(cls, G: networkx.Graph[Any]) -> Self:
        """Make a graph of a networkx graph of any of the four kinds.

        Vertex ids follow the order of the nodes; the nodes become `labels` unless they are
        ``0..n-1`` already. Edges keep networkx's order, parallel ones are kept.

        A numeric node attribute that every node has becomes a vertex column, and a numeric edge
        attribute that every edge has an edge column. An edge without ``weight`` weighs 1 where
        others have one, as in networkx. Other attributes are left out; asking for such a column
        raises a ColumnError that says why.

        Examples
        --------
        >>> from emv.graph import Graph
        >>> import networkx as nx
        >>> g = Graph.from_networkx(nx.Graph([("a", "b", {"weight": 2.5}), ("b", "c")]))
        >>> g, g.labels, g.edges.weight
        (Graph(3 vertices, 2 edges, undirected, edges: weight f64), \
array(['a', 'b', 'c'], dtype=object), array([2.5, 1. ]))
        """
        return cls.of_tables(convert.from_networkx(G))

    @classmethod
    def from_scipy(
        cls,
        A: scipy.sparse.sparray | scipy.sparse.spmatrix,
        directed: bool = True,
        weight: str = "weight",
    ) -> Self:
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
        >>> from emv.graph import Graph
        >>> import scipy.sparse as sparse
        >>> Graph.from_scipy(sparse.csr_array([[0, 3], [1, 0]]))
        Graph(2 vertices, 2 edges, directed, edges: weight i64)
        """
        return cls.of_tables(convert.from_scipy(A, directed, weight))

    @classmethod
    def of_tables(cls, tables: Tables, *, owned: bool = False) -> Self:
        """Make a graph of plain arrays.

        Parameters
        ----------
        tables : Tables
            The arrays; they are copied.
        owned : bool
            Whether the caller gives the arrays up: what is as the graph stores it is taken over.
        """
        graph = cls.from_edges(
            () if owned else tables.src,
            () if owned else tables.dst,
            num_vertices=tables.num_vertices,
            directed=tables.directed,
            labels=tables.labels,
        )
        if owned:
            dtype = public_dtype(tables.num_vertices)
            ends = checked_ends(tables.src, tables.dst, tables.num_vertices)
            src, dst = (np.require(each, dtype, ["C", "A", "W"]) for each in ends)
            graph._edges.append_edges(src, dst, {})
        for store, columns, absent in (
            (graph.vertices, tables.vertex_columns, tables.absent_vertex_columns),
            (graph.edges, tables.edge_columns, tables.absent_edge_columns),
        ):
            for name, values in columns.items():
                if owned and store.is_adoptable(values):
                    store.adopt(name, values)
                else:
                    store[name] = values
            for name, reason in absent.items():
                store.note_absent(name, reason)
        return graph

    @classmethod
    def of_stored(
        cls,
        tables: Tables,
        labels: Labels | None,
        index_arrays: Mapping[str, NDArray[Any] | LateArray],
        num_arcs: int,
    ) -> Self:
        """Make a graph that takes over arrays which are known to be those of one; see `tables`.

        Parameters
        ----------
        tables : Tables
            Ends as wide as `public_dtype` says; its own labels are not looked at.
        labels : Labels or None
            The original ids.
        index_arrays : mapping of str to array
            What `Layouts.to_store` gave for these edges; these and the ends may be a `LateArray`.
        num_arcs : int
            Arcs there are.
        """
        graph = cls(tables.directed)
        graph._labels = labels
        graph._vertices.append_rows(tables.num_vertices, {})
        graph._edges.append_edges(tables.src, tables.dst, {})
        for name, values in tables.vertex_columns.items():
            graph._vertices.adopt(name, values)
        for name, values in tables.edge_columns.items():
            graph._edges.adopt(name, values)
        graph._layouts = Layouts.restore(
            tables.num_vertices, tables.directed, graph._edges, index_arrays, num_arcs
        )
        return graph

    def tables(self) -> Tables:
        """Return the graph as plain arrays, which belong to it."""
        src, dst = self._edges.endpoints()
        vertices = {name: self._vertices.stored(name) for name in self._vertices}
        edges = {name: self._edges.stored(name) for name in self._edges}
        return self._tables_of(src, dst, vertices, edges)

    def _tables_of(
        self,
        src: Any,
        dst: Any,
        vertices: Mapping[str, NDArray[Any]],
        edges: Mapping[str, NDArray[Any]],
    ) -> Tables:
        """Return tables with these arrays, and with all else from this graph."""
        return Tables(
            self.num_vertices,
            src,
            dst,
            self._directed,
            self.labels,
            vertices,
            edges,
            self._vertices.absent(),
            self._edges.absent(),
        )

    def _tables_on_device(self) -> Tables | None:
        """Return the graph as `tables` with edges on a GPU, if that is where their ends lie."""
        ends = self._edges.ends().on_device
        if ends is None:
            return None
        edges = {name: moved_to(ends[0].device, self._edges[name]) for name in self._edges}
        vertices = {name: self._vertices.stored(name) for name in self._vertices}
        return self._tables_of(*ends, vertices, edges)

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
        >>> from emv.graph import Graph
        >>> Graph.from_edges([0], [1], weight=[7]).to_scipy().toarray()
        array([[0, 7],
               [0, 0]])
        """
        if weight == "weight" and weight not in self._edges:
            refuse_left_out(self._edges, weight)
            weight = None
        if weight is None:
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
        >>> from emv.graph import Graph
        >>> Graph.from_edges([0], [1], weight=[7]).to_networkx().edges[0, 1]
        {'weight': 7}
        """
        return convert.to_networkx(self.tables())
