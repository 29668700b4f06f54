"""Other forms of a graph: with fewer edges or vertices, oriented, or with edges both ways.

What is done to plain arrays is in `emv.graph.prepare` and `emv.graph.orient`.
"""

from __future__ import annotations

from typing import Unpack

from numpy.typing import ArrayLike

from emv.device import device_named
from emv.graph import orient
from emv.graph.interchange import of_tables, tables, tables_on_device
from emv.graph.on_device import FIRST_ON_DEVICE, moved_to
from emv.graph.prepare import Options, part_of, prepare, stays_on_device
from emv.graph.store import Store
from emv.graph.tables import Tables


def prepared(store: Store, **options: Unpack[Options]) -> Store:
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
    >>> from emv.graph import Graph
    >>> g = Graph.from_edges([0, 1, 1, 2], [1, 0, 1, 2], weight=[3, 2, 9, 9])
    >>> simple = g.prepared(loops=False, symmetrise=True, dedup="min", relabel="dense")
    >>> simple, simple.edges.weight
    (Graph(2 vertices, 1 edges, undirected, edges: weight i64), array([2]))
    """
    on_device = tables_on_device(store) if stays_on_device(options) else None
    return of_tables(prepare(on_device or tables(store), options))


def subgraph(
    store: Store, vertices: ArrayLike | None = None, edges: ArrayLike | None = None
) -> Store:
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
    >>> from emv.graph import Graph
    >>> g = Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3], weight=[1.0, 2.0, 3.0, 4.0])
    >>> triangle = g.subgraph([2, 0, 1])
    >>> triangle, triangle.labels
    (Graph(3 vertices, 3 edges, directed, edges: weight f64), array([0, 1, 2]))
    >>> g.subgraph(edges=g.edges.weight > 2).arcs()
    (array([1, 2], dtype=int32), array([2, 3], dtype=int32))
    """
    return of_tables(part_of(tables(store), vertices, edges))


def oriented(store: Store, device: str) -> Store:
    """Return the directed graph without cycles in which edges lead to the higher degree.

    It has the same vertices and joins the same pairs of them, each once, without loops and
    whatever the direction was; vertices of one degree are ordered by their ids. Its edges are
    others, sorted by both ends. Their one column, ``directions``, i8, is 1 where this graph
    joins the two one way only, else 2. It is kept with this graph until edges are added.
    Programs marked ``@program(graph="oriented")`` see a graph this way.

    Examples
    --------
    >>> from emv.graph import Graph
    >>> star = Graph.from_edges([0, 0, 3], [1, 2, 0], directed=False)
    >>> star.oriented().arcs()
    (array([1, 2, 3], dtype=int32), array([0, 0, 0], dtype=int32))
    """
    return of_tables(orient.oriented(_ends_where_they_run(store, device)))


def _ends_where_they_run(store: Store, device: str) -> Tables:
    """Return tables without columns; on the GPU on which programs are to run, if on one."""
    ends = store.edges.ends()
    src, dst = ends.on_device or (ends.src, ends.dst)
    if device.startswith("cuda") and ends.on_device is None and len(src) >= FIRST_ON_DEVICE:
        on = device_named(device)
        src, dst = (moved_to(on, each) for each in (src, dst))
    return Tables(
        store.num_vertices,
        src,
        dst,
        store.directed,
        None if store.labels is None else store.labels.read(),
        absent_vertex_columns=dict.fromkeys(store.vertices, orient.GONE),
        absent_edge_columns=dict.fromkeys(store.edges, orient.GONE),
    )


def both_ways(store: Store) -> Store:
    """Return the graph in which every edge leads both ways: this one, if it is undirected.

    It has the same vertices and the same edges, also repeated ones, with the same columns: not
    copies, so what is written to a column of one is in the other. It is kept with this graph
    until edges are added, which is not to be done to it. Programs marked
    ``@program(graph="both ways")`` see a graph this way.

    Examples
    --------
    >>> from emv.graph import Graph
    >>> g = Graph.from_edges([0, 1], [1, 0], weight=[2.0, 3.0])
    >>> g.both_ways(), g.both_ways().num_arcs
    (Graph(2 vertices, 2 edges, undirected, edges: weight f64), 4)
    """
    made = Store(directed=False)
    made.labels, made.keys = store.labels, store.keys
    made.vertices, made.edges = store.vertices, store.edges
    return made
