"""The same graph for libraries that know answers: networkx and scipy.

Repeated edges and loops are kept, and every vertex is there, so that what those libraries say is
about the same graph. Both are slow beside emv, and trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import ArgumentError
from emv.graph import Graph
from emv.graph.on_device import on_host

if TYPE_CHECKING:
    import networkx
    import scipy.sparse

REPEATS = {"sum": np.add, "min": np.minimum, "max": np.maximum}
"""What becomes of repeated edges in a matrix, which has one place for them."""


def networkx_of(
    graph: Graph, column: str | None = None, directed: bool | None = None
) -> networkx.MultiGraph[Any]:
    """Return the graph for networkx, all repeats and loops kept, a column as ``weight``.

    With ``directed=False`` directions are dropped. Every edge has its number for a key: networkx's
    own ``to_undirected`` lets ``(u, v)`` and ``(v, u)`` of one key overwrite each other. Without a
    column every edge weighs 1.

    Examples
    --------
    >>> g = Graph.from_edges([0, 0], [1, 1], num_vertices=3, cost=[5, 7])
    >>> networkx_of(g, "cost").edges(data=True)
    OutMultiEdgeDataView([(0, 1, {'weight': 5}), (0, 1, {'weight': 7})])
    """
    import networkx as nx  # loading it takes a while

    directed = graph.directed if directed is None else directed
    oracle = nx.MultiDiGraph() if directed else nx.MultiGraph()
    oracle.add_nodes_from(range(graph.num_vertices))
    src, dst = (ends.tolist() for ends in graph.edges.endpoints())
    weights = [1.0] * graph.num_edges if column is None else on_host(graph.edges[column]).tolist()
    edges = enumerate(zip(src, dst, weights, strict=True))
    oracle.add_edges_from((u, v, number, {"weight": w}) for number, (u, v, w) in edges)
    return oracle


def by_vertex(found: Mapping[int, Any], num_vertices: int, missing: Any) -> NDArray[Any]:
    """Return what networkx says of nodes as an array.

    Examples
    --------
    >>> by_vertex({2: 0.5, 0: 1.0}, 3, missing=np.inf)
    array([1. , inf, 0.5])
    """
    return np.array([found.get(vertex, missing) for vertex in range(num_vertices)])


def networkx_oracle(
    function: Callable[..., Any],
    graph: Graph,
    *args: Any,
    column: str | None = None,
    directed: bool | None = None,
    missing: Any = np.nan,
    **named: Any,
) -> Any:
    """Return what a function of networkx says of a graph, as an array where it speaks of nodes.

    Parameters
    ----------
    function : callable
        Of networkx: it gets the graph as `networkx_of` makes it, and the other arguments.
    column : str, optional
        The edge column that is ``weight`` there; without, every edge weighs 1.
    directed : bool, optional
        False drops directions.
    missing : optional
        Stands for nodes that networkx does not speak of, such as those that are not reached.

    Examples
    --------
    >>> import networkx as nx
    >>> g = Graph.from_edges([0, 1], [1, 2], num_vertices=4, toll=[2, 3])
    >>> find = nx.single_source_dijkstra_path_length
    >>> networkx_oracle(find, g, 0, column="toll", missing=np.inf)
    array([ 0.,  2.,  5., inf])
    """
    found = function(networkx_of(graph, column, directed), *args, **named)
    return by_vertex(found, graph.num_vertices, missing) if isinstance(found, dict) else found


def scipy_of(
    graph: Graph, column: str | None = None, repeats: str = "sum"
) -> scipy.sparse.csr_array:
    """Return the matrix of a graph, with an entry per pair of vertices that an arc joins.

    Parameters
    ----------
    column : str, optional
        The edge column of the numbers; without, every edge counts 1.
    repeats : {"sum", "min", "max"}
        What several edges between the same vertices become: shortest paths want ``"min"``.

    Examples
    --------
    >>> g = Graph.from_edges([0, 0, 1], [1, 1, 0], toll=[2, 3, 4])
    >>> scipy_of(g, "toll", "min").toarray()
    array([[0., 2.],
           [4., 0.]])
    """
    from scipy import sparse  # loading it takes a while

    if repeats not in REPEATS:
        raise ArgumentError(f"repeats={repeats!r}", remedy="It is 'sum', 'min' or 'max'.")
    src, dst = (np.asarray(ends, np.int64) for ends in graph.edges.endpoints())
    values = np.ones(len(src)) if column is None else on_host(graph.edges[column]).astype(float)
    if not graph.directed:
        back = np.flatnonzero(src != dst)
        src, dst = np.append(src, dst[back]), np.append(dst, src[back])
        values = np.append(values, values[back])
    size = graph.num_vertices
    places, edge = np.unique(src * size + dst, return_inverse=True)
    order = np.argsort(edge, kind="stable")
    first = np.searchsorted(edge[order], np.arange(len(places)))
    folded = REPEATS[repeats].reduceat(values[order], first) if len(places) else values
    rows, columns = np.divmod(places, max(size, 1))
    return sparse.csr_array((folded, (rows, columns)), shape=(size, size))


def scipy_oracle(
    function: Callable[..., Any],
    graph: Graph,
    *args: Any,
    column: str | None = None,
    repeats: str = "sum",
    **named: Any,
) -> Any:
    """Return what a function of scipy says of a graph, whose matrix is as `scipy_of` makes it.

    Examples
    --------
    >>> from scipy.sparse.csgraph import dijkstra
    >>> g = Graph.from_edges([0, 0, 1], [1, 1, 2], toll=[2, 3, 4])
    >>> scipy_oracle(dijkstra, g, column="toll", repeats="min", indices=0)
    array([0., 2., 6.])
    """
    return function(scipy_of(graph, column, repeats), *args, **named)
