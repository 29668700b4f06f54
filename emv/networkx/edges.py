"""Functions of networkx that follow the edges of a search, also those that lead to no new node.

Such a search is serial by what it says; it runs here over numbers of vertices.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from emv import algorithms
from emv.networkx.calls import no_multigraph, only, serves
from emv.networkx.graphs import BackendGraph, computed
from emv.networkx.nearest import dijkstra_tree
from emv.networkx.paths import demand_node, lengths
from emv.networkx.routes import tight_from
from emv.networkx.rows import Ids

_one_way = only("orientation", None, "original", "reverse", why="edges are followed either way")


def _demand_orientation(G: BackendGraph, orientation: Any) -> bool:
    """Return whether arcs are followed against their direction."""
    if G.is_directed() and orientation not in (None, "original", "reverse"):
        raise nx.NetworkXError("invalid orientation argument.")
    return G.is_directed() and orientation == "reverse"


def _told(G: BackendGraph, u: int, v: int, orientation: Any) -> Any:
    """Return an edge that leads from one vertex to another as networkx tells it."""
    one, other = G.nodes[u], G.nodes[v]
    if orientation is None:
        return one, other
    if G.is_directed() and orientation == "reverse":
        return other, one, "reverse"
    return one, other, "forward"


@serves(no_multigraph, _one_way)
def edge_bfs(G: BackendGraph, source: Any = None, orientation: Any = None) -> Iterator[Any]:
    """Return all edges in the order in which a breadth-first search meets them."""
    first = G.ids_in(source)[1]
    if not len(first):
        return
    rows = G.ordered(is_behind=_demand_orientation(G, orientation))
    tree = rows.searched(np.array(list(dict.fromkeys(first.tolist()))))
    place = np.full(len(G), len(G))
    place[tree.order] = np.arange(len(tree.order))
    tails = rows.tails
    met = place[tails] < len(G)
    if not G.is_directed():
        met &= place[tails] <= place[rows.ahead]  # the others are met from their other end
    arcs = np.flatnonzero(met)
    arcs = arcs[np.argsort(place[tails[arcs]], kind="stable")]
    for u, v in zip(tails[arcs].tolist(), rows.ahead[arcs].tolist(), strict=True):
        yield _told(G, u, v, orientation)


def _followed(
    rows: list[list[int]], first: list[int], is_directed: bool
) -> Iterator[tuple[int, int]]:
    """Return all edges in the order in which a depth-first search meets them."""
    left: dict[int, Iterator[int]] = {}
    met: set[tuple[int, int]] = set()
    for start in first:
        stack = [start]
        while stack:
            u = stack[-1]
            if u not in left:
                left[u] = iter(rows[u])
            v = next(left[u], None)
            if v is None:
                stack.pop()
                continue
            edge = (u, v) if is_directed or u < v else (v, u)
            if edge not in met:
                met.add(edge)
                stack.append(v)
                yield u, v


@serves(no_multigraph, _one_way)
def edge_dfs(G: BackendGraph, source: Any = None, orientation: Any = None) -> Iterator[Any]:
    """Return all edges in the order in which a depth-first search meets them."""
    first = G.ids_in(source)[1].tolist()
    if not first:
        return
    rows = G.ordered(is_behind=_demand_orientation(G, orientation)).lists
    for u, v in _followed(rows, first, G.is_directed()):
        yield _told(G, u, v, orientation)


def _closed(rows: list[list[int]], first: list[int], is_directed: bool) -> list[Any]:
    """Return the first cycle that depth-first searches from some vertices close."""
    explored: set[int] = set()
    for start in first:
        if start in explored:
            continue
        path: list[tuple[int, int]] = []
        active, seen = {start}, {start}
        for u, v in _followed(rows, [start], is_directed):
            if v in explored:
                continue
            while path and path[-1][1] != u:
                active.remove(path.pop()[1])
            if not path:
                active = {u}
            path.append((u, v))
            if v in active:
                return path[[tail for tail, _ in path].index(v) :]
            seen.add(v)
            active.add(v)
        explored |= seen
    return []


@serves(no_multigraph, _one_way)
def find_cycle(G: BackendGraph, source: Any = None, orientation: Any = None) -> list[Any]:
    """Return the edges of the first cycle that a depth-first search closes."""
    first = G.ids_in(source)[1].tolist()
    rows = G.ordered(is_behind=_demand_orientation(G, orientation)).lists
    found = _closed(rows, first, G.is_directed())
    if not found:
        raise nx.NetworkXNoCycle("No cycle found.")
    return [_told(G, u, v, orientation) for u, v in found]


@serves(only("sort_neighbors", None, why="a function would be called row by row"))
def dfs_labeled_edges(
    G: BackendGraph, source: Any = None, depth_limit: Any = None, *, sort_neighbors: Any = None
) -> Iterator[tuple[Any, Any, str]]:
    """Return the edges of a depth-first search, and what each of them does."""
    if source is not None and source not in G:
        kind = "digraph" if G.is_directed() else "graph"
        raise nx.NetworkXError(f"The node {source} is not in the {kind}.")
    first = range(len(G)) if source is None else [G.id_of[source]]
    limit = len(G) if depth_limit is None else depth_limit
    nodes, rows = G.nodes, G.ordered().lists
    visited: set[int] = set()
    for start in first:
        if start in visited:
            continue
        yield nodes[start], nodes[start], "forward"
        visited.add(start)
        stack = [(start, iter(rows[start]))]
        while stack:
            u, left = stack[-1]
            v = next(left, None)
            if v is None:
                stack.pop()
                if stack:
                    yield nodes[stack[-1][0]], nodes[u], "reverse"
            elif v in visited:
                yield nodes[u], nodes[v], "nontree"
            else:
                yield nodes[u], nodes[v], "forward"
                visited.add(v)
                if len(stack) < limit:
                    stack.append((v, iter(rows[v])))
                else:
                    yield nodes[u], nodes[v], "reverse-depth_limit"
        yield nodes[start], nodes[start], "reverse"


def _before(
    G: BackendGraph, source: Any, cutoff: Any
) -> tuple[dict[int, list[int]], NDArray[np.int64]]:
    """Return for every vertex found those of the level before that lead to it, and all depths."""
    rows = G.ordered()
    order: Ids = rows.searched(np.array([G.id_of[source]])).order
    depth = computed(algorithms.bfs, G, G.id_of[source]).astype(np.int64)
    if cutoff:
        order = order[depth[order] <= max(1, np.ceil(cutoff))]
    place = np.full(len(G), len(G))
    place[order] = np.arange(len(order))
    tails, heads = rows.tails, rows.ahead
    kept = np.flatnonzero((place[heads] < len(G)) & (depth[heads] == depth[tails] + 1))
    kept = kept[depth[tails[kept]] >= 0]
    kept = kept[np.lexsort((place[tails[kept]], place[heads[kept]]))]
    listed = tails[kept].tolist()
    ends = np.searchsorted(place[heads[kept]], np.arange(len(order) + 1)).tolist()
    return {
        vertex: listed[begin:end]
        for vertex, begin, end in zip(order.tolist(), ends[:-1], ends[1:], strict=True)
    }, depth


@serves()
def predecessor(
    G: BackendGraph,
    source: Any,
    target: Any = None,
    cutoff: Any = None,
    return_seen: Any = None,
) -> Any:
    """Return for every node found those before it on shortest paths, and how far it is."""
    demand_node(G, source, f"Source {source} not in G")
    before, depth = _before(G, source, cutoff)
    nodes = G.nodes
    if target is not None:
        vertex = G.id_of[target] if target in G else -1
        if vertex not in before:
            return ([], -1) if return_seen else []
        found = [nodes[each] for each in before[vertex]]
        return (found, int(depth[vertex])) if return_seen else found
    named = {nodes[vertex]: [nodes[each] for each in tails] for vertex, tails in before.items()}
    if not return_seen:
        return named
    return named, {nodes[vertex]: int(depth[vertex]) for vertex in before}


@serves(only("weight", None, why="networkx' order of paths by weight is that of its queue"))
def all_shortest_paths(
    G: BackendGraph, source: Any, target: Any, weight: Any = None, method: str = "dijkstra"
) -> Iterator[list[Any]]:
    """Return all paths between two nodes that have the fewest edges."""
    demand_node(G, source, f"Source {source} not in G")
    before, _ = _before(G, source, None)

    def paths() -> Iterator[list[Any]]:
        if target not in G or G.id_of[target] not in before:
            raise nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")
        first, stack = G.id_of[source], [[G.id_of[target], 0]]
        while stack:
            vertex, place = stack[-1]
            if vertex == first and not place:
                yield [G.nodes[each] for each, _ in reversed(stack)]
            if place < len(before[vertex]):
                stack[-1][1] += 1
                stack.append([before[vertex][place], 0])
            else:
                stack.pop()

    return paths()


@serves(no_multigraph)
def voronoi_cells(
    G: BackendGraph, center_nodes: Any, weight: Any = "weight"
) -> dict[Any, set[Any]]:
    """Return for each center the nodes that are nearest to it."""
    if not center_nodes:
        raise ValueError("sources must not be empty")
    if callable(weight):
        raise NotImplementedError("weight= is a function")
    for center in center_nodes:
        demand_node(G, center, f"Node {center} not found in graph")
    tree = dijkstra_tree(tight_from(G, list(center_nodes), lengths(G, weight, False)))
    center_of = list(range(len(G)))
    found: dict[Any, set[Any]] = {}
    for vertex, parent in zip(tree.order.tolist(), tree.parents.tolist(), strict=True):
        if parent >= 0:
            center_of[vertex] = center_of[parent]
        found.setdefault(G.nodes[center_of[vertex]], set()).add(G.nodes[vertex])
    if len(tree.order) < len(G):
        apart = np.ones(len(G), bool)
        apart[tree.order] = False
        found["unreachable"] = set(G.named(np.flatnonzero(apart)))
    return found
