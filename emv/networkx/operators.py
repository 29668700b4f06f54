"""Functions of ``networkx.algorithms.operators``: graphs made of several others.

Edges of all graphs are numbered by the same nodes, and two are one if their ends are, in a
multigraph also their keys; so every operation is one of sets of numbers. The result is a graph of
the backend, with the attributes that networkx would give it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

import emv
from emv.networkx.calls import serves, serves_many, serves_two
from emv.networkx.graphs import KINDS, BackendGraph
from emv.networkx.structure import Structure

Ids = NDArray[np.int64]
KEYS = 2**20
"""Different keys of edges that may be."""


@dataclass(eq=False)
class Edges:
    """The edges of a graph by the numbers of common nodes.

    Attributes
    ----------
    src, dst : int64[num_edges]
        Their ends.
    keys : list, optional
        What networkx calls each, in a multigraph.
    directed : bool
        Whether they lead one way only.
    """

    src: Ids
    dst: Ids
    keys: list[Any] | None
    directed: bool

    def codes(self, count: int, number_of: dict[Any, int]) -> Ids:
        """Return a number for every edge, the same for the same ends and key."""
        low, high = self.src, self.dst
        if not self.directed:
            low, high = np.minimum(low, high), np.maximum(low, high)
        codes = low * count + high
        if self.keys is None:
            return codes
        of_key = [number_of.setdefault(key, len(number_of)) for key in self.keys]
        if count**2 * KEYS >= 2**63 or len(number_of) > KEYS:
            raise NotImplementedError("so many nodes and keys that no number of 64 bits names both")
        return codes * KEYS + np.array(of_key, np.int64)

    def chosen(self, which: Ids) -> Edges:
        """Return some of the edges."""
        keys = None if self.keys is None else [self.keys[each] for each in which.tolist()]
        return Edges(self.src[which], self.dst[which], keys, self.directed)


def edges_of(G: BackendGraph, id_of: dict[Any, int] | None = None) -> Edges:
    """Return the edges of a graph, by default by its own numbers of nodes."""
    src, dst = (np.asarray(each, np.int64) for each in G.arrays.edges.endpoints())
    if id_of is not None:
        place = np.fromiter((id_of.get(node, -1) for node in G), np.int64, len(G))
        src, dst = place[src], place[dst]
    return Edges(src, dst, G.edge_keys() if G.is_multigraph() else None, G.is_directed())


def joined(parts: Sequence[Edges]) -> Edges:
    """Return the edges of several graphs of one kind behind each other."""
    keys = None if parts[0].keys is None else [k for each in parts for k in each.keys or ()]
    src, dst = (np.concatenate([getattr(each, end) for each in parts]) for end in ("src", "dst"))
    return Edges(src, dst, keys, parts[0].directed)


def made_of(
    nodes: Sequence[Any],
    edges: Edges,
    node_data: list[dict[str, Any]] | None = None,
    edge_data: list[dict[str, Any]] | None = None,
    graph: dict[str, Any] | None = None,
) -> BackendGraph:
    """Return the graph of the backend with these nodes, edges and attributes."""
    arrays = emv.Graph.from_edges(
        edges.src, edges.dst, num_vertices=len(nodes), directed=edges.directed
    )
    made = BackendGraph(Structure(arrays, nodes, edges.keys is not None), graph=graph)
    made.keys, made.node_data = edges.keys, node_data
    made.edge_data = edge_data
    return made


def changed(G: BackendGraph, made: BackendGraph, copy: Any) -> BackendGraph:
    """Return what a graph has been changed to, or the graph itself, which has become it.

    Raises
    ------
    NotImplementedError
        If a graph of emv is to be changed in place, whose edges stay as they are.
    """
    if copy:
        return made
    if G.is_emvs:
        raise NotImplementedError("copy=False: the edges of a graph of emv stay as they are")
    return G.become(made)


def _demand_alike(graphs: Sequence[BackendGraph], name: str) -> None:
    """Refuse no graphs, and graphs of different kinds, in networkx' words."""
    if not graphs:
        raise ValueError(f"cannot apply {name} to an empty list")
    for each in graphs[1:]:
        if each.is_directed() != graphs[0].is_directed():
            raise nx.NetworkXError("All graphs must be directed or undirected.")
        if each.is_multigraph() != graphs[0].is_multigraph():
            raise nx.NetworkXError("All graphs must be graphs or multigraphs.")
    demand_kind(graphs[0])


def demand_kind(G: BackendGraph) -> None:
    """Refuse classes of their own, of which networkx would return one.

    Raises
    ------
    NotImplementedError
        If it is one.
    """
    adjacency = G.structure.adjacency
    if adjacency is not None and type(adjacency.graph) not in KINDS.values():
        raise NotImplementedError(f"{type(adjacency.graph).__name__} is a class of its own")


def _attributes(graphs: Sequence[BackendGraph]) -> dict[str, Any]:
    return {name: value for each in graphs for name, value in graph_row(each).items()}


def graph_row(G: BackendGraph) -> dict[str, Any]:
    """Return the attributes of the graph itself."""
    adjacency = G.structure.adjacency
    return G.graph if adjacency is None else adjacency.graph.graph


def _composed(graphs: Sequence[BackendGraph]) -> BackendGraph:
    """Return the nodes and edges that are in one of some graphs; later attributes go first."""
    id_of: dict[Any, int] = {}
    for G in graphs:
        for node in G:
            id_of.setdefault(node, len(id_of))
    edges = joined([edges_of(G, id_of) for G in graphs])
    codes = edges.codes(len(id_of), {})
    first, place = np.unique(codes, return_index=True, return_inverse=True)[1:]
    kept = np.sort(first)
    rows = [G.all_rows() for G in graphs]
    edge_data: list[dict[str, Any]] | None = None
    if any(map(any, rows)):
        edge_data = [{} for _ in kept]
        of_code = np.argsort(np.argsort(first))
        for number, row in zip(of_code[place].tolist(), itertools.chain(*rows), strict=True):
            edge_data[number].update(row)
    return made_of(
        list(id_of), edges.chosen(kept), _node_rows(graphs, id_of), edge_data, _attributes(graphs)
    )


def _node_rows(graphs: Sequence[BackendGraph], id_of: dict[Any, int]) -> Any:
    rows = [G.node_rows() for G in graphs]
    if not any(rows):
        return None
    found: list[dict[str, Any]] = [{} for _ in id_of]
    for G, listed in zip(graphs, rows, strict=True):
        for node, row in zip(G, listed or (), strict=False):
            found[id_of[node]].update(row)
    return found


@serves_many()
def compose_all(graphs: Sequence[BackendGraph]) -> BackendGraph:
    """Return the nodes and edges that are in one of some graphs."""
    _demand_alike(graphs, "compose_all")
    return _composed(graphs)


@serves_two()
def compose(G: BackendGraph, H: BackendGraph) -> BackendGraph:
    """Return the nodes and edges that are in one of two graphs."""
    _demand_alike([G, H], "compose_all")
    return _composed([G, H])


def renamed(G: BackendGraph, nodes: Sequence[Any]) -> BackendGraph:
    """Return a graph with other names of its nodes.

    Raises
    ------
    NotImplementedError
        If two get one name, which networkx takes for one node.
    """
    if len(set(nodes)) < len(nodes):
        raise NotImplementedError("two nodes get one name")
    return made_of(nodes, edges_of(G), G.node_rows(), G.all_rows(), graph_row(G))


def _united(graphs: Sequence[BackendGraph], rename: Any) -> BackendGraph:
    _demand_alike(graphs, "union_all")
    prefixes = itertools.chain(rename, itertools.repeat(None))
    listed = []
    seen: set[Any] = set()
    for G, prefix in zip(graphs, prefixes, strict=False):
        named = G if prefix is None else renamed(G, [f"{prefix}{node}" for node in G])
        if not seen.isdisjoint(named):
            raise nx.NetworkXError(
                "The node sets of the graphs are not disjoint.\n"
                "Use `rename` to specify prefixes for the graphs or use\n"
                "disjoint_union(G1, G2, ..., GN)."
            )
        seen.update(named)
        listed.append(named)
    return _composed(listed)


@serves_many()
def union_all(graphs: Sequence[BackendGraph], rename: Any = ()) -> BackendGraph:
    """Return the graphs beside each other, which must have no node in common."""
    return _united(graphs, rename)


@serves_two()
def union(G: BackendGraph, H: BackendGraph, rename: Any = ()) -> BackendGraph:
    """Return two graphs beside each other, which must have no node in common."""
    return _united([G, H], rename)


def _numbered(graphs: Sequence[BackendGraph]) -> list[BackendGraph]:
    """Return the graphs with nodes that are numbered from one to the next."""
    begins = itertools.accumulate(map(len, graphs), initial=0)
    return [renamed(G, range(b, b + len(G))) for G, b in zip(graphs, begins, strict=False)]


@serves_many()
def disjoint_union_all(graphs: Sequence[BackendGraph]) -> BackendGraph:
    """Return the graphs beside each other, with nodes that are numbered."""
    return _united(_numbered(graphs), ())


@serves_two()
def disjoint_union(G: BackendGraph, H: BackendGraph) -> BackendGraph:
    """Return two graphs beside each other, with nodes that are numbered."""
    return _united(_numbered([G, H]), ())


@serves_two()
def full_join(G: BackendGraph, H: BackendGraph, rename: Any = (None, None)) -> BackendGraph:
    """Return two graphs beside each other, and all edges between them."""
    both = _united([G, H], rename)
    left, right = np.arange(len(G)), len(G) + np.arange(len(H))
    src, dst = np.repeat(left, len(right)), np.tile(right, len(left))
    if both.is_directed():
        back = np.repeat(right, len(left)), np.tile(left, len(right))
        src, dst = np.concatenate([src, back[0]]), np.concatenate([dst, back[1]])
    keys = [0] * len(src) if both.is_multigraph() else None
    edges = joined([edges_of(both), Edges(src, dst, keys, both.is_directed())])
    rows = None if both.edge_data is None else both.edge_data + [{} for _ in src]
    return made_of(both.nodes, edges, both.node_data, rows, both.graph)


def _in_all(graphs: Sequence[BackendGraph]) -> BackendGraph:
    _demand_alike(graphs, "intersection_all")
    common = set(graphs[0]).intersection(*graphs[1:])
    id_of = {
        node: vertex for vertex, node in enumerate(node for node in graphs[0] if node in common)
    }
    number_of: dict[Any, int] = {}
    listed = [edges_of(G, id_of) for G in graphs]
    listed = [each.chosen(np.flatnonzero((each.src >= 0) & (each.dst >= 0))) for each in listed]
    codes = [each.codes(len(id_of), number_of) for each in listed]
    is_in = np.logical_and.reduce([np.isin(codes[0], each) for each in codes])
    return made_of(list(id_of), listed[0].chosen(np.flatnonzero(is_in)))


@serves_many()
def intersection_all(graphs: Sequence[BackendGraph]) -> BackendGraph:
    """Return the nodes and edges that are in all of some graphs."""
    return _in_all(graphs)


@serves_two()
def intersection(G: BackendGraph, H: BackendGraph) -> BackendGraph:
    """Return the nodes and edges that are in both of two graphs."""
    return _in_all([G, H])


def _compared(G: BackendGraph, H: BackendGraph) -> tuple[Edges, Ids, Edges, Ids]:
    """Return the edges of two graphs of the same nodes and their codes."""
    if G.is_multigraph() != H.is_multigraph():
        raise nx.NetworkXError("G and H must both be graphs or multigraphs.")
    if set(G) != set(H):
        raise nx.NetworkXError("Node sets of graphs not equal")
    if G.is_directed() != H.is_directed():
        raise NotImplementedError("one graph is directed, the other is not")
    demand_kind(G)
    number_of: dict[Any, int] = {}
    one, other = edges_of(G), edges_of(H, G.id_of)
    return one, one.codes(len(G), number_of), other, other.codes(len(G), number_of)


@serves_two()
def difference(G: BackendGraph, H: BackendGraph) -> BackendGraph:
    """Return the edges of one graph that are not in another."""
    edges, codes, _, others = _compared(G, H)
    return made_of(G.nodes, edges.chosen(np.flatnonzero(~np.isin(codes, others))))


@serves_two()
def symmetric_difference(G: BackendGraph, H: BackendGraph) -> BackendGraph:
    """Return the edges that are in one of two graphs but not in both."""
    edges, codes, others, other_codes = _compared(G, H)
    parts = [
        edges.chosen(np.flatnonzero(~np.isin(codes, other_codes))),
        others.chosen(np.flatnonzero(~np.isin(other_codes, codes))),
    ]
    return made_of(G.nodes, joined(parts))


@serves()
def power(G: BackendGraph, k: int) -> BackendGraph:
    """Return the pairs of nodes that are at most so many edges apart."""
    if k <= 0:
        raise ValueError("k must be a positive integer")
    from scipy.sparse import csr_array

    src, dst = (np.asarray(each, np.int64) for each in G.arrays.edges.endpoints())
    ones, shape = np.ones(2 * len(src), bool), (len(G), len(G))
    step = csr_array((ones, (np.append(src, dst), np.append(dst, src))), shape=shape)
    near, fringe = step, step
    for _ in range(int(np.ceil(k)) - 1):
        fringe = (fringe @ step).astype(bool) > near
        if not fringe.nnz:
            break
        near = near + fringe
    u, v = near.nonzero()
    kept = u < v
    return made_of(G.nodes, Edges(u[kept].astype(np.int64), v[kept].astype(np.int64), None, False))
