"""The libraries that ``emv bench`` compares with: scipy and networkx, which emv itself needs.

`PEERS` names for every algorithm the libraries that have it. Each takes the graph in its own form,
made beforehand, and what the algorithm is called with; only the call is timed. What it returns is
then put into emv's form and compared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.graph import Graph

LIBRARIES = ("scipy", "networkx")
MAX_APART = 1e-4  # of floats, of the largest: single precision, and a library's own tolerance


class Forms:
    """A graph in the libraries' own forms, each made when it is asked for.

    Parameters
    ----------
    graph : Graph
        As emv has it.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @cached_property
    def networkx(self) -> Any:
        """Its networkx form, the nodes the vertex ids."""
        graph = self.graph
        src, dst = graph.edges.endpoints()
        plain = Graph.from_edges(src, dst, num_vertices=graph.num_vertices, directed=graph.directed)
        if "weight" in graph.edges:
            plain.edges.weight = graph.edges.weight
        return plain.to_networkx()

    @cached_property
    def simple(self) -> Any:
        """Its networkx form without directions, repeated edges and loops."""
        import networkx as nx

        made: nx.Graph[Any] = nx.Graph(self.networkx)
        made.remove_edges_from(list(nx.selfloop_edges(made)))
        return made

    def matrix(self, weight: Any, least: bool = False) -> Any:
        """Return scipy's matrix in float64; of parallel arcs one, with `least` the shortest."""
        from scipy.sparse import csr_array

        graph = self.graph
        src, dst = graph.arcs()
        edge = graph.layouts.out_rows.edge
        given = graph.edges[weight] if isinstance(weight, str) else np.full(graph.num_edges, weight)
        values = np.asarray(given, np.float64)
        values = values if edge is None else values[edge]
        if least:
            order = np.lexsort((values, dst, src))
            src, dst, values = src[order], dst[order], values[order]
            first = np.ones(len(src), bool)
            first[1:] = (src[1:] != src[:-1]) | (dst[1:] != dst[:-1])
            src, dst, values = src[first], dst[first], values[first]
        return csr_array((values, (src, dst)), shape=(graph.num_vertices,) * 2)


Prepare = Callable[[Forms, dict[str, Any]], Callable[[], Any]]


@dataclass(frozen=True)
class Peer:
    """A library's way to solve what one of emv's algorithms solves.

    Attributes
    ----------
    name : str
        Of `LIBRARIES`.
    prepare : function
        Takes the forms and the named arguments, returns what is timed.
    shown : function
        Turns what that returns into emv's form, given the number of vertices.
    grouped : bool
        Whether only the partition counts, not the labels.
    directed : bool
        Whether it means the same where edges lead one way.
    """

    name: str
    prepare: Prepare
    shown: Callable[[Any, int], NDArray[Any]]
    grouped: bool = False
    directed: bool = True

    def fault(self, found: Any, right: NDArray[Any]) -> str:
        """Say how an answer differs from emv's; nothing where it does not."""
        answer = self.shown(found, len(right))
        if self.grouped:
            answer, right = first_members(answer), first_members(right)
        return difference(answer, right)


def difference(answer: NDArray[Any], right: NDArray[Any]) -> str:
    """Say how numbers of vertices differ: floats by more than `MAX_APART` of the largest.

    Examples
    --------
    >>> difference(np.array([1, 2]), np.array([1, 3])), difference(np.ones(2), np.ones(2))
    ('1 of 2 vertices differ', '')
    """
    if answer.dtype.kind != "f" and right.dtype.kind != "f":
        wrong = int((answer != right).sum())
        return f"{wrong:,} of {len(right):,} vertices differ" if wrong else ""
    same = (answer == right) | (np.isnan(answer) & np.isnan(right))
    apart = np.abs(answer[~same] - right[~same]).max(initial=0)
    most = np.abs(right[np.isfinite(right)]).max(initial=0)
    return "" if apart <= MAX_APART * most else f"off by {apart:.1e}, the largest is {most:.1e}"


def first_members(label: NDArray[Any]) -> NDArray[np.int64]:
    """Name every group by its smallest vertex.

    Examples
    --------
    >>> first_members(np.array([7, 3, 7])).tolist()
    [0, 1, 0]
    """
    _, first, group = np.unique(label, return_index=True, return_inverse=True)
    members: NDArray[np.int64] = first[group]
    return members


def as_given(found: Any, count: int) -> NDArray[Any]:
    """Return an array that a library gives."""
    return np.asarray(found)


def by_vertex(missing: float) -> Callable[[Any, int], NDArray[Any]]:
    """Return what makes an array of networkx's dict; a vertex that is not in it has `missing`."""

    def shown(found: Any, count: int) -> NDArray[Any]:
        return np.array([found.get(vertex, missing) for vertex in range(count)])

    return shown


def of_sets(found: Any, count: int) -> NDArray[Any]:
    """Return the number of its set for every vertex."""
    label = np.zeros(count, np.int64)
    for number, members in enumerate(found):
        label[list(members)] = number
    return label


def depths_of_order(found: Any, count: int) -> NDArray[Any]:
    """Return the depths in scipy's breadth-first order with its tree, by pointer doubling.

    Examples
    --------
    >>> depths_of_order(([2, 0, 3], np.array([2, -9999, -9999, 0])), 4).tolist()
    [1, -1, 0, 2]
    """
    order, parent = found
    ancestor = np.where(parent < 0, np.arange(count), parent)
    depth = (parent >= 0).astype(np.int64)
    while (depth[ancestor] > 0).any():
        depth += depth[ancestor]
        ancestor = ancestor[ancestor]
    reached = np.zeros(count, bool)
    reached[order] = True
    return np.where(reached, depth, -1)


def scipy_bfs(forms: Forms, given: dict[str, Any]) -> Callable[[], Any]:
    """Prepare `scipy.sparse.csgraph.breadth_first_order`."""
    from scipy.sparse import csgraph

    matrix = forms.matrix(1)
    return lambda: csgraph.breadth_first_order(matrix, given["source"])


def scipy_sssp(forms: Forms, given: dict[str, Any]) -> Callable[[], Any]:
    """Prepare `scipy.sparse.csgraph.dijkstra`."""
    from scipy.sparse import csgraph

    matrix = forms.matrix(given.get("weight", "weight"), least=True)
    return lambda: csgraph.dijkstra(matrix, indices=given["source"])


def scipy_components(connection: str) -> Prepare:
    """Return what prepares `scipy.sparse.csgraph.connected_components`."""

    def prepare(forms: Forms, given: dict[str, Any]) -> Callable[[], Any]:
        from scipy.sparse import csgraph

        matrix, directed = forms.matrix(1), forms.graph.directed
        return lambda: csgraph.connected_components(matrix, directed, connection)[1]

    return prepare


def networkx(name: str, *parameters: str, simple: bool = False, **fixed: Any) -> Prepare:
    """Return what prepares a function of networkx, in its own code whatever is configured.

    Parameters
    ----------
    name : str
        Of the function.
    parameters : str
        Which of emv's arguments it is given.
    simple : bool
        Whether it takes the simple undirected graph.
    fixed : any
        What else it is given.
    """

    def prepare(forms: Forms, given: dict[str, Any]) -> Callable[[], Any]:
        import networkx as nx

        function, graph = getattr(nx, name), forms.simple if simple else forms.networkx
        named = {each: given[each] for each in parameters if each in given}
        return lambda: function(graph, backend="networkx", **named, **fixed)

    return prepare


def networkx_pagerank(forms: Forms, given: dict[str, Any]) -> Callable[[], Any]:
    """Prepare networkx's PageRank, which ends when ranks change by `tol` for each vertex."""
    tol = given.get("tol", 1e-6) / max(1, forms.graph.num_vertices)
    return networkx("pagerank", "alpha", weight=None, tol=tol)(forms, given)


def networkx_components(forms: Forms, given: dict[str, Any]) -> Callable[[], Any]:
    """Prepare networkx's components, of a directed graph the weak ones."""
    name = "weakly_connected_components" if forms.graph.directed else "connected_components"
    prepared = networkx(name)(forms, given)
    return lambda: list(prepared())


PEERS: dict[str, tuple[Peer, ...]] = {
    "bfs": (
        Peer("scipy", scipy_bfs, depths_of_order),
        Peer("networkx", networkx("single_source_shortest_path_length", "source"), by_vertex(-1)),
    ),
    "sssp": (
        Peer("scipy", scipy_sssp, as_given),
        Peer(
            "networkx",
            networkx("single_source_dijkstra_path_length", "source"),
            by_vertex(np.inf),
        ),
    ),
    "pagerank": (Peer("networkx", networkx_pagerank, by_vertex(0.0)),),
    "components": (
        Peer("scipy", scipy_components("weak"), as_given, grouped=True),
        Peer("networkx", networkx_components, of_sets, grouped=True),
    ),
    "strongly_connected_components": (
        Peer("scipy", scipy_components("strong"), as_given, grouped=True),
    ),
    "triangles": (Peer("networkx", networkx("triangles", simple=True), by_vertex(0)),),
    "clustering": (
        Peer("networkx", networkx("clustering", simple=True), by_vertex(0.0), directed=False),
    ),
    "core_number": (Peer("networkx", networkx("core_number", simple=True), by_vertex(0)),),
    "closeness_centrality": (Peer("networkx", networkx("closeness_centrality"), by_vertex(0.0)),),
    "harmonic_centrality": (Peer("networkx", networkx("harmonic_centrality"), by_vertex(0.0)),),
    "betweenness_centrality": (
        Peer("networkx", networkx("betweenness_centrality", "normalized"), by_vertex(0.0)),
    ),
}
"""For every algorithm the libraries that have it; of the others emv's time alone is shown."""
