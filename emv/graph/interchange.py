"""Graphs out of edges, tables and other libraries' graphs, and back.

What other libraries' objects hold is read in `emv.graph.convert`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emv.device import device_of
from emv.errors import CallError, GraphError
from emv.graph import convert
from emv.graph.bind import refuse_left_out
from emv.graph.drawn import DrawnArray
from emv.graph.facts import arcs
from emv.graph.grow import checked_count, take_edges
from emv.graph.ids import checked_ends, own_ends
from emv.graph.labels import Labels
from emv.graph.layouts import Layouts
from emv.graph.new_ends import ends_on_device
from emv.graph.on_device import moved_to, on_host
from emv.graph.ranges import LateArray
from emv.graph.renumber import is_numbered
from emv.graph.renumber import renumber as renumbered
from emv.graph.store import Store
from emv.graph.tables import Tables
from emv.graph.widths import public_dtype

if TYPE_CHECKING:
    import networkx
    import scipy.sparse


def from_edges(
    src: ArrayLike,
    dst: ArrayLike | None = None,
    *,
    num_vertices: int | None = None,
    directed: bool = True,
    labels: ArrayLike | None = None,
    renumber: bool = False,
    **edge_columns: ArrayLike,
) -> Store:
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
    CallError
        If there is only one array of ends.
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
    if dst is None:
        raise CallError(
            "from_edges() takes where the edges start, and then where they point to",
            remedy="Of pairs (u, v) write Graph.from_edges(*zip(*pairs)), of an array with a row "
            "per edge Graph.from_edges(*array.T).",
        )
    store = Store(bool(directed))
    if renumber:
        if labels is not None or num_vertices is not None:
            raise GraphError(
                "renumber=True numbers the vertices that the edges name",
                remedy="leave out num_vertices= and labels=, or renumber=True",
            )
        (src, dst), labels = renumbered(src, dst)
        labels = None if is_numbered(labels) else labels
    if labels is not None:
        store.labels = Labels(convert.sequence(labels))
        num_vertices = len(store.labels) if num_vertices is None else num_vertices
    if num_vertices is not None:
        num_vertices = checked_count(num_vertices, "num_vertices")
    if store.labels is not None and len(store.labels) != num_vertices:
        raise GraphError(f"{len(store.labels)} labels given for {num_vertices} vertices")
    given = ends_on_device(src, dst, num_vertices)
    if given is not None:
        ends: tuple[Any, Any] = given.src, given.dst
        num_vertices = given.num_vertices
    else:
        own_src, own_dst, num_vertices = own_ends(src, dst, num_vertices)
        ends = own_src, own_dst
    store.vertices.append_rows(num_vertices, {})
    take_edges(store, *ends, edge_columns)
    return store


def from_networkx(G: networkx.Graph[Any]) -> Store:
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
    return of_tables(convert.from_networkx(G))


def from_scipy(
    A: scipy.sparse.sparray | scipy.sparse.spmatrix, directed: bool = True, weight: str = "weight"
) -> Store:
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
    return of_tables(convert.from_scipy(A, directed, weight))


def from_dense(A: ArrayLike, directed: bool = True, weight: str = "weight") -> Store:
    """Make a graph of a square array: an entry ``(i, j)`` that is not 0 is an edge from i to j.

    Parameters
    ----------
    A : array_like
        ``any[num_vertices, num_vertices]`` of numpy, torch or what else hands on its memory.
    directed : bool
        If False, the matrix must be symmetric; an edge is made of each entry on the diagonal
        and of each pair across it.
    weight : str
        Name of the column that receives the entries.

    Raises
    ------
    GraphError
        If the array is not square, or (undirected) not symmetric.

    Examples
    --------
    >>> from emv.graph import Graph
    >>> Graph.from_dense([[0, 3.5], [1, 0]]).edges.weight
    array([3.5, 1. ])
    """
    array = on_host(A)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise GraphError(f"an adjacency matrix is square, but this one has shape {array.shape}")
    src, dst = np.nonzero(array)
    return of_tables(convert.of_entries(len(array), (src, dst, array[src, dst]), directed, weight))


def of_tables(tables: Tables, *, owned: bool = False) -> Store:
    """Make a graph of plain arrays.

    Parameters
    ----------
    tables : Tables
        The arrays; they are copied.
    owned : bool
        Whether the caller gives the arrays up: what is as the graph stores it is taken over.
    """
    is_drawn = isinstance(tables.src, DrawnArray)
    store = from_edges(
        () if owned or is_drawn else tables.src,
        () if owned or is_drawn else tables.dst,
        num_vertices=tables.num_vertices,
        directed=tables.directed,
        labels=tables.labels,
    )
    if is_drawn:
        take_edges(store, tables.src, tables.dst, {})
    elif owned:
        dtype = public_dtype(tables.num_vertices)
        ends = checked_ends(tables.src, tables.dst, tables.num_vertices)
        src, dst = (np.require(each, dtype, ["C", "A", "W"]) for each in ends)
        store.edges.append_edges(src, dst, {})
    for rows, columns, absent in (
        (store.vertices, tables.vertex_columns, tables.absent_vertex_columns),
        (store.edges, tables.edge_columns, tables.absent_edge_columns),
    ):
        for name, values in columns.items():
            if owned and rows.is_adoptable(values):
                rows.adopt(name, values)
            else:
                rows[name] = values
        for name, reason in absent.items():
            rows.note_absent(name, reason)
    return store


def of_stored(
    tables: Tables,
    labels: Labels | None,
    index_arrays: Mapping[str, NDArray[Any] | LateArray],
    num_arcs: int,
) -> Store:
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
    store = Store(bool(tables.directed))
    store.labels = labels
    store.vertices.append_rows(tables.num_vertices, {})
    store.edges.append_edges(tables.src, tables.dst, {})
    for name, values in tables.vertex_columns.items():
        store.vertices.adopt(name, values)
    for name, values in tables.edge_columns.items():
        store.edges.adopt(name, values)
    count, directed = tables.num_vertices, tables.directed
    store.layouts = Layouts.restore(count, directed, store.edges, index_arrays, num_arcs)
    return store


def tables(store: Store) -> Tables:
    """Return the graph as plain arrays, which belong to it."""
    edges = {name: store.edges.stored(name) for name in store.edges}
    return with_edges(store, *store.edges.endpoints(), edges)


def tables_on_device(store: Store) -> Tables | None:
    """Return the graph as `tables` with edges on a GPU, if that is where their ends lie."""
    ends = store.edges.ends().on_device
    if ends is None:
        return None
    on = device_of(ends[0])
    return with_edges(store, *ends, {name: moved_to(on, store.edges[name]) for name in store.edges})


def with_edges(store: Store, src: Any, dst: Any, columns: Mapping[str, Any]) -> Tables:
    """Return tables with these ends and columns of the edges, and with all else from a graph."""
    return Tables(
        store.num_vertices,
        src,
        dst,
        store.directed,
        None if store.labels is None else store.labels.read(),
        {name: store.vertices.stored(name) for name in store.vertices},
        columns,
        store.vertices.absent(),
        store.edges.absent(),
    )


def to_scipy(
    store: Store, weight: str | None = "weight", copy: bool = True
) -> scipy.sparse.coo_array | scipy.sparse.csr_array:
    """Return the adjacency matrix, one stored entry per arc in the order of arc ids.

    Parallel arcs stay separate entries; ``.tocsr()`` adds them up, as scipy does.

    Parameters
    ----------
    weight : str or None
        The edge column that gives the values. None gives ones, and so does the default on a
        graph without a column ``weight``.
    copy : bool
        False gives a ``csr_array`` of the graph's own arrays, which cannot be written: its rows
        as programs walk them, and its values where the graph keeps them by arc. What is built for
        that, once, stays with the graph for programs that need it, too. Only where ids fit 32
        bits and counts of arcs do not, scipy makes a copy of the ids.

    Returns
    -------
    scipy.sparse.coo_array or scipy.sparse.csr_array
        ``any[num_vertices, num_vertices]``.

    Examples
    --------
    >>> from emv.graph import Graph
    >>> Graph.from_edges([0], [1], weight=[7]).to_scipy().toarray()
    array([[0, 7],
           [0, 0]])
    """
    if weight == "weight" and weight not in store.edges:
        refuse_left_out(store.edges, weight)
        weight = None
    if weight is None:
        values = np.ones(store.layouts.num_arcs)
    else:
        dtype = store.edges.stored(weight).dtype
        values = store.layouts.edge_column(weight, dtype, "arc")
    if not copy:
        return convert.as_csr(store.layouts.out_rows, values)
    src, dst = arcs(store)
    return convert.to_scipy(store.num_vertices, src, dst, values)


def to_networkx(store: Store) -> networkx.Graph[Any]:
    """Return a networkx graph with the labels as nodes and the columns as attributes.

    It is a MultiGraph or MultiDiGraph if an edge occurs twice, else a Graph or DiGraph.

    Examples
    --------
    >>> from emv.graph import Graph
    >>> Graph.from_edges([0], [1], weight=[7]).to_networkx().edges[0, 1]
    {'weight': 7}
    """
    return convert.to_networkx(tables(store))
