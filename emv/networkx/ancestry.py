"""Functions of networkx on directed graphs: common ancestors, dominators, periods, longest paths.

Cooper, Harvey, Kennedy: A simple, fast dominance algorithm, 2001. Denardo: Periods of connected
networks and powers of nonnegative matrices, Mathematics of Operations Research 2(1), 1977.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from emv import algorithms
from emv.networkx.calls import no_function, no_iterator, only, serves
from emv.networkx.components import is_strongly_connected, is_weakly_connected
from emv.networkx.graphs import BackendGraph, computed
from emv.networkx.order import has_cycle, sinks_first, topological_sort
from emv.networkx.paths import depths
from emv.networkx.sparse import degrees, ends_of, neighbours, numbers_of

Pair = tuple[Any, Any]


def _pairs(G: BackendGraph, pairs: Any) -> Iterable[Pair]:
    """Return pairs of nodes, by default all.

    Raises
    ------
    networkx.NodeNotFound
        If one is not there.
    """
    if pairs is None:
        return itertools.combinations_with_replacement(G, 2)
    given: dict[Pair, None] = dict.fromkeys(pairs)
    for pair in given:
        strange = {node for node in pair if node not in G}
        if strange:
            raise nx.NodeNotFound(f"Node(s) {strange} from pair {pair} not in G.")
    return given


def _lowest(G: BackendGraph, pairs: Any) -> Iterator[tuple[Pair, Any]]:
    """Return the common ancestor of pairs that leads to no other; those without one are left out.

    Raises
    ------
    NotImplementedError
        If there are several: which of them networkx returns is the order of a set.
    """
    if has_cycle(G):
        raise nx.NetworkXError("LCA only defined on directed acyclic graphs.")
    if not len(G):
        raise nx.NetworkXPointlessConcept("LCA meaningless on null graphs.")
    A, turned = neighbours(G), G.reversed()
    above: dict[Any, NDArray[np.bool_]] = {}
    found: list[tuple[Pair, Any]] = []
    for pair in _pairs(G, pairs):
        for node in pair:
            if node not in above:
                above[node] = depths(turned, node) >= 0
        common = above[pair[0]] & above[pair[1]]
        lowest = np.flatnonzero(common & (A @ common.astype(np.float64) == 0))
        if len(lowest) > 1:
            raise NotImplementedError("several lowest common ancestors")
        if len(lowest):
            found.append((pair, G.nodes[int(lowest[0])]))
    return iter(found)


@serves(no_iterator("pairs"))
def all_pairs_lowest_common_ancestor(
    G: BackendGraph, pairs: Any = None
) -> Iterator[tuple[Pair, Any]]:
    """Return for pairs of nodes the ancestor of both that leads to no other of theirs."""
    return _lowest(G, pairs)


@serves()
def lowest_common_ancestor(G: BackendGraph, node1: Any, node2: Any, default: Any = None) -> Any:
    """Return the ancestor of two nodes that leads to no other of theirs."""
    return next((found for _, found in _lowest(G, [(node1, node2)])), default)


def _root(G: BackendGraph) -> Any:
    """Return the only node that no arc leads to, if no node has two parents."""
    root = None
    distinct = np.diff(neighbours(G, turned=True).indptr).tolist()
    for node, degree, parents in zip(G, degrees(G, "in").tolist(), distinct, strict=True):
        if degree == 0:
            if root is not None:
                raise nx.NetworkXError("No root specified and tree has multiple sources.")
            root = node
        elif parents > 1:
            raise nx.NetworkXError("Tree LCA only defined on trees; use DAG routine.")
    if root is None:
        raise nx.NetworkXError("Graph contains a cycle.")
    return root


class _Descent:
    """The order in which a depth-first search leaves nodes, and how many are below each."""

    def __init__(self, G: BackendGraph, root: Any) -> None:
        tree = G.ordered().searched(np.array([G.id_of[root]]), depth_first=True)
        self.parent = np.full(len(G), -1)
        self.parent[tree.order] = tree.parents
        self.size = np.zeros(len(G), np.int64)
        depth = np.zeros(len(G), np.int64)
        parents = self.parent.tolist()
        for vertex in tree.order[1:].tolist():
            depth[vertex] = depth[parents[vertex]] + 1
        sizes = [0] * len(G)
        for vertex in tree.order[::-1].tolist():
            sizes[vertex] += 1
            if parents[vertex] >= 0:
                sizes[parents[vertex]] += sizes[vertex]
        self.size[:] = sizes
        first = np.empty(len(G), np.int64)
        first[tree.order] = np.arange(len(tree.order))
        self.place = np.full(len(G), -1)  # left behind all that are below
        self.place[tree.order] = (first + self.size - 1 - depth)[tree.order]
        self.order = np.empty(len(tree.order), np.int64)
        self.order[self.place[tree.order]] = tree.order

    def lowest(self, vertex: int) -> NDArray[np.int64]:
        """Return the lowest common ancestor with every vertex that is left before, in order."""
        found = np.empty(int(self.place[vertex]) + 1, np.int64)
        end = len(found)
        while end:
            begin = int(self.place[vertex] - self.size[vertex] + 1)
            found[begin:end] = vertex
            end, vertex = min(end, begin), int(self.parent[vertex])
        return found


@serves()
def tree_all_pairs_lowest_common_ancestor(
    G: BackendGraph, root: Any = None, pairs: Any = None
) -> Iterator[tuple[Pair, Any]]:
    """Return for pairs of nodes of a tree the ancestor of both that is farthest from the root.

    Raises
    ------
    NotImplementedError
        If it is no tree below the root that is given.
    """
    if root is not None and (np.diff(neighbours(G, turned=True).indptr) > 1).any():
        raise NotImplementedError("nodes with several parents")

    def found() -> Iterator[tuple[Pair, Any]]:
        if not len(G):
            raise nx.NetworkXPointlessConcept("LCA meaningless on null graphs.")
        asked = pairs if isinstance(pairs, Mapping | Set) or pairs is None else set(pairs)
        partners: dict[Any, set[Any]] = {}
        for u, v in asked or ():
            for node in (u, v):
                if node not in G:
                    raise nx.NodeNotFound(f"The node {node!s} is not in the digraph.")
            partners.setdefault(u, set()).add(v)
            partners.setdefault(v, set()).add(u)
        descent = _Descent(G, _root(G) if root is None else root)
        for vertex in descent.order.tolist():
            yield from _met(G, descent, vertex, asked, partners)

    return found()


def _met(
    G: BackendGraph, descent: _Descent, vertex: int, asked: Any, partners: dict[Any, set[Any]]
) -> Iterator[tuple[Pair, Any]]:
    """Return the pairs of a node with those that the search has left before it."""
    node, nodes = G.nodes[vertex], G.nodes
    if asked is not None and node not in partners:
        return
    lowest, own = descent.lowest(vertex), int(descent.place[vertex])
    for other in G if asked is None else partners[node]:
        place = int(descent.place[G.id_of[other]])
        if not 0 <= place <= own:
            continue
        above = nodes[int(lowest[place])]
        if asked is not None and (node, other) in asked:
            yield (node, other), above
        if asked is None or (other, node) in asked:
            yield (other, node), above


def _dominators(G: BackendGraph, start: Any) -> tuple[list[int], list[int]]:
    """Return the immediate dominator of every vertex, -1 without one, and vertices in order."""
    tree = _Descent(G, start)
    place = tree.place.tolist()
    above = [-1] * len(G)
    first = G.id_of[start]
    above[first] = first
    order = tree.order[::-1][1:].tolist()
    behind = G.ordered(is_behind=True).lists

    def common(u: int, v: int) -> int:
        while u != v:
            while place[u] < place[v]:
                u = above[u]
            while place[v] < place[u]:
                v = above[v]
        return u

    is_changed = True
    while is_changed:
        is_changed = False
        for vertex in order:
            known = [each for each in behind[vertex] if above[each] >= 0]
            best = known[0]
            for each in known[1:]:
                best = common(best, each)
            if above[vertex] != best:
                above[vertex], is_changed = best, True
    above[first] = -1
    return above, order


def _demand_start(G: BackendGraph, start: Any) -> None:
    if start not in G:
        raise nx.NetworkXError("start is not in G")


@serves()
def immediate_dominators(G: BackendGraph, start: Any) -> dict[Any, Any]:
    """Return for every node the last one that all paths to it have in common."""
    _demand_start(G, start)
    above, order = _dominators(G, start)
    return {G.nodes[vertex]: G.nodes[above[vertex]] for vertex in order}


@serves()
def dominance_frontiers(G: BackendGraph, start: Any) -> dict[Any, set[Any]]:
    """Return for every node those that it dominates a parent of, but not itself."""
    _demand_start(G, start)
    above, order = _dominators(G, start)
    nodes, first = G.nodes, G.id_of[start]
    found: dict[int, set[Any]] = {vertex: set() for vertex in [*order, first]}
    behind = G.ordered(is_behind=True).lists
    for vertex in found:
        if vertex == first or len(behind[vertex]) > 1:
            for each in behind[vertex]:
                while each in found and each != above[vertex]:
                    found[each].add(nodes[vertex])
                    each = above[each]
    return {nodes[vertex]: around for vertex, around in found.items()}


@serves()
def is_aperiodic(G: BackendGraph) -> bool:
    """Return whether the lengths of all cycles have no divisor in common."""
    if not G.is_directed():
        raise nx.NetworkXError("is_aperiodic not defined for undirected graphs")
    if not len(G):
        raise nx.NetworkXPointlessConcept("Graph has no nodes.")
    if not is_strongly_connected(G):
        raise nx.NetworkXError("Graph is not strongly connected.")
    depth = computed(algorithms.bfs, G, 0).astype(np.int64)
    src, dst = ends_of(G)
    return int(np.gcd.reduce(depth[src] - depth[dst] + 1, initial=0)) == 1


@serves(no_function("weight"))
def flow_hierarchy(G: BackendGraph, weight: Any = None) -> float:
    """Return which share of the arcs is on no cycle."""
    src, dst = ends_of(G)
    if not len(src):
        raise nx.NetworkXError("flow_hierarchy not applicable to empty graphs")
    if not G.is_directed():
        raise nx.NetworkXError("G must be a digraph in flow_hierarchy")
    labels = computed(algorithms.strongly_connected_components, G)
    values = numbers_of(G, weight)
    return float(1 - values[labels[src] == labels[dst]].sum() / values.sum())


@serves()
def is_semiconnected(G: BackendGraph) -> bool:
    """Return whether of any two nodes a path leads from one to the other."""
    if not len(G):
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    if not is_weakly_connected(G):
        return False
    labels = computed(algorithms.strongly_connected_components, G)
    names, number = np.unique(labels, return_inverse=True)
    src, dst = (number[end] for end in ends_of(G))
    arcs = set(zip(src.tolist(), dst.tolist(), strict=True))
    between = [(u, v) for u, v in arcs if u != v]
    order = sinks_first(len(names), [u for u, _ in between], [v for _, v in between])
    return all((v, u) in arcs for u, v in itertools.pairwise(order))


@serves(only("weight", None, why="paths by weight"), only("paths", None, why="paths are known"))
def local_reaching_centrality(
    G: BackendGraph, v: Any, paths: Any = None, weight: Any = None, normalized: bool = True
) -> float:
    """Return which share of the nodes one reaches; without direction, 1 by distance for each."""
    if not len(G.arrays.edges):
        raise nx.NetworkXError("Size of G must be positive")
    if len(G) == 1:
        raise nx.NetworkXError(
            "local_reaching_centrality of a single node with self-loop not well-defined"
        )
    if v not in G:
        raise nx.NodeNotFound(f"Source {v} not in G")
    return _reaching(G, G.id_of[v])


def _reaching(G: BackendGraph, vertex: int) -> float:
    depth = computed(algorithms.bfs, G, vertex)
    near = depth[depth > 0]
    reached = len(near) if G.is_directed() else float((1 / near).sum())
    return reached / (len(G) - 1)


@serves(only("weight", None, why="paths by weight"))
def global_reaching_centrality(
    G: BackendGraph, weight: Any = None, normalized: bool = True
) -> float:
    """Return how far the largest local reaching centrality is above the others, in the mean."""
    if not len(G.arrays.edges):
        raise nx.NetworkXError("Size of G must be positive")
    if len(G) == 1:
        raise nx.NetworkXError(
            "local_reaching_centrality of a single node with self-loop not well-defined"
        )
    found = [_reaching(G, vertex) for vertex in range(len(G))]
    return sum(max(found) - each for each in found) / (len(G) - 1)


def _longest(
    G: BackendGraph, weight: Any, default_weight: Any, topo_order: Any
) -> tuple[list[int], Any]:
    """Return the vertices of the longest path and its length, by the order of the nodes.

    Raises
    ------
    NotImplementedError
        If G is a multigraph, or an attribute stands for another where it is missing.
    """
    if G.is_multigraph() or default_weight != 1:
        raise NotImplementedError("a multigraph, or another default weight than 1")
    values = numbers_of(G, weight).tolist()
    rows = G.ordered(is_behind=True)
    behind, starts, edges = rows.lists, rows.starts.tolist(), rows.edges.tolist()
    order = topological_sort(G) if topo_order is None else topo_order
    far: dict[int, Any] = {}
    parent: dict[int, int] = {}
    for vertex in (G.id_of[node] for node in order):
        far[vertex], parent[vertex] = 0, vertex
        found = [
            (far[tail] + values[edges[starts[vertex] + place]], tail)
            for place, tail in enumerate(behind[vertex])
        ]
        if found:
            best = max(found, key=lambda each: each[0])
            if best[0] >= 0:
                far[vertex], parent[vertex] = best
    last = max(far, key=far.__getitem__)
    path = [last]
    while parent[path[-1]] != path[-1]:
        path.append(parent[path[-1]])
    return path[::-1], far[last]


@serves(no_function("weight"))
def dag_longest_path(
    G: BackendGraph, weight: Any = "weight", default_weight: Any = 1, topo_order: Any = None
) -> list[Any]:
    """Return the nodes of the longest path."""
    if not len(G):
        return []
    return [G.nodes[vertex] for vertex in _longest(G, weight, default_weight, topo_order)[0]]


@serves(no_function("weight"))
def dag_longest_path_length(
    G: BackendGraph, weight: Any = "weight", default_weight: Any = 1
) -> Any:
    """Return the length of the longest path."""
    return _longest(G, weight, default_weight, None)[1] if len(G) else 0
