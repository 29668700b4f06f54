"""Functions of ``networkx.algorithms.shortest_paths`` that return the nodes of paths."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from emv.networkx.calls import looks_at, no_function, no_multigraph, serves
from emv.networkx.graphs import BackendGraph
from emv.networkx.nearest import Tight, dijkstra_tree, only_tree, tight_arcs
from emv.networkx.paths import demand_node, far_from, lengths, positive_lengths
from emv.networkx.pause import uncollected
from emv.networkx.rows import Tree, meeting

Paths = dict[Any, list[Any]]


def _paths(G: BackendGraph, tree: Tree, *, is_turned: bool = False) -> Paths:
    """Return the path to every node of a tree, in its order; or from each of them."""
    place = np.empty(len(G), np.int64)
    place[tree.order] = np.arange(1, len(tree.order) + 1)
    behind = np.where(tree.parents < 0, 0, place[tree.parents]).tolist()
    names = G.named(tree.order)
    paths: list[list[Any]] = [[]]
    put = paths.append
    with uncollected():
        if is_turned:
            for parent, node in zip(behind, names, strict=True):
                put([node, *paths[parent]])
        else:
            for parent, node in zip(behind, names, strict=True):
                put([*paths[parent], node])
    return dict(zip(names, paths[1:], strict=True))


def _path_to(G: BackendGraph, tree: Tree, target: Any) -> list[Any] | None:
    """Return the path to one node; None if there is none."""
    parents = np.full(len(G), -2)
    parents[tree.order] = tree.parents
    vertex = G.id_of[target] if target in G else -1
    if vertex < 0 or parents[vertex] == -2:
        return None
    path = [vertex]
    while parents[path[-1]] >= 0:
        path.append(int(parents[path[-1]]))
    return [G.nodes[each] for each in reversed(path)]


def _unweighted(G: BackendGraph, node: Any, cutoff: Any, is_behind: bool, word: str) -> Paths:
    demand_node(G, node, f"{word} {node} not in G")
    tree = G.ordered(is_behind=is_behind).searched(np.array([G.id_of[node]]))
    tree = tree if cutoff is None else tree.within(cutoff)
    return _paths(G, tree, is_turned=word == "Target")


@serves()
def single_source_shortest_path(G: BackendGraph, source: Any, cutoff: Any = None) -> Paths:
    """Return the paths of a breadth-first tree."""
    return _unweighted(G, source, cutoff, False, "Source")


@serves()
def single_target_shortest_path(G: BackendGraph, target: Any, cutoff: Any = None) -> Paths:
    """Return the paths of a breadth-first tree against the direction of edges."""
    return _unweighted(G, target, cutoff, True, "Target")


@serves()
def all_pairs_shortest_path(G: BackendGraph, cutoff: Any = None) -> Iterator[tuple[Any, Paths]]:
    """Search from one node after the other, when asked."""
    return ((node, _unweighted(G, node, cutoff, False, "Source")) for node in G)


@serves()
def bidirectional_shortest_path(G: BackendGraph, source: Any, target: Any) -> list[Any]:
    """Return the path on which searches from both ends meet."""
    demand_node(G, source, f"Source {source} is not in G")
    demand_node(G, target, f"Target {target} is not in G")
    rows = G.ordered(), G.ordered(is_behind=True)
    path = meeting(*rows, G.id_of[source], G.id_of[target])
    if path is None:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return [G.nodes[vertex] for vertex in path]


def tight_from(
    G: BackendGraph, sources: list[Any], length: NDArray[Any] | int, cutoff: Any = None
) -> Tight:
    """Return the arcs that end a shortest path from the nearest of some nodes."""
    ids = [G.id_of[source] for source in sources]
    return tight_arcs(G.ordered(), length, far_from(G, ids, length), ids, cutoff)


def _distances(G: BackendGraph, tight: Tight, tree: Tree, length: Any) -> dict[Any, Any]:
    """Return how far every node of a tree is; sums of whole numbers are whole in networkx."""
    far: NDArray[Any] = tight.far[tree.order]
    if np.asarray(length).dtype.kind == "i":
        far = far.astype(np.int64)
    return dict(zip(G.named(tree.order), far.tolist(), strict=True))


_weighted = serves(no_function("weight"), no_multigraph)


@_weighted
def multi_source_dijkstra(
    G: BackendGraph,
    sources: Any,
    target: Any = None,
    cutoff: Any = None,
    weight: Any = "weight",
) -> Any:
    """Return distances and paths from the nearest source, or to one node alone."""
    if not sources:
        raise ValueError("sources must not be empty")
    for source in sources:
        demand_node(G, source, f"Node {source} not found in graph")
    if target in sources:
        return 0, [target]
    length = lengths(G, weight, False)
    tight = tight_from(G, list(sources), length, cutoff)
    tree = dijkstra_tree(tight)
    if target is None:
        return _distances(G, tight, tree, length), _paths(G, tree)
    path = _path_to(G, tree, target)
    if path is None:
        raise nx.NetworkXNoPath(f"No path to {target}.")
    return _distances(G, tight, tree, length)[target], path


@_weighted
def multi_source_dijkstra_path(
    G: BackendGraph, sources: Any, cutoff: Any = None, weight: Any = "weight"
) -> Paths:
    """Return paths from the nearest source."""
    paths: Paths = multi_source_dijkstra(G, sources, cutoff=cutoff, weight=weight)[1]
    return paths


@_weighted
def single_source_dijkstra(
    G: BackendGraph,
    source: Any,
    target: Any = None,
    cutoff: Any = None,
    weight: Any = "weight",
) -> Any:
    """Return distances and paths from one node, or to one alone."""
    return multi_source_dijkstra(G, {source}, target, cutoff, weight)


@_weighted
def single_source_dijkstra_path(
    G: BackendGraph, source: Any, cutoff: Any = None, weight: Any = "weight"
) -> Paths:
    """Return paths from one node."""
    paths: Paths = multi_source_dijkstra_path(G, {source}, cutoff, weight)
    return paths


@_weighted
def dijkstra_path(G: BackendGraph, source: Any, target: Any, weight: Any = "weight") -> list[Any]:
    """Return the path between two nodes."""
    path: list[Any] = multi_source_dijkstra(G, {source}, target, None, weight)[1]
    return path


@_weighted
def all_pairs_dijkstra(
    G: BackendGraph, cutoff: Any = None, weight: Any = "weight"
) -> Iterator[tuple[Any, Any]]:
    """Search from one node after the other, when asked."""
    positive_lengths(G, weight)
    return ((node, single_source_dijkstra(G, node, None, cutoff, weight)) for node in G)


@_weighted
def all_pairs_dijkstra_path(
    G: BackendGraph, cutoff: Any = None, weight: Any = "weight"
) -> Iterator[tuple[Any, Paths]]:
    """Search from one node after the other, when asked."""
    positive_lengths(G, weight)
    return ((node, single_source_dijkstra_path(G, node, cutoff, weight)) for node in G)


@_weighted
def single_source_bellman_ford(
    G: BackendGraph, source: Any, target: Any = None, weight: Any = "weight"
) -> Any:
    """Return distances and paths from one node, or to one alone, with lengths below 0."""
    if source == target:
        demand_node(G, source, f"Node {source} is not found in the graph")
        return 0, [source]
    demand_node(G, source, f"Source {source} not in G")
    length = lengths(G, weight, True)
    tight = tight_from(G, [source], length)
    tree = only_tree(tight)
    if target is None:
        return _distances(G, tight, tree, length), _paths(G, tree)
    path = _path_to(G, tree, target)
    if path is None:
        raise nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")
    return _distances(G, tight, tree, length)[target], path


@_weighted
def single_source_bellman_ford_path(G: BackendGraph, source: Any, weight: Any = "weight") -> Paths:
    """Return paths from one node, with lengths below 0."""
    paths: Paths = single_source_bellman_ford(G, source, weight=weight)[1]
    return paths


@_weighted
def bellman_ford_path(
    G: BackendGraph, source: Any, target: Any, weight: Any = "weight"
) -> list[Any]:
    """Return the path between two nodes, with lengths below 0."""
    path: list[Any] = single_source_bellman_ford(G, source, target, weight)[1]
    return path


@_weighted
def all_pairs_bellman_ford_path(
    G: BackendGraph, weight: Any = "weight"
) -> Iterator[tuple[Any, Paths]]:
    """Return paths from one node after the other; all are searched before the first is given."""
    return iter([(node, single_source_bellman_ford_path(G, node, weight)) for node in G])


_FROM_ALL = {
    "unweighted": all_pairs_shortest_path,
    "dijkstra": all_pairs_dijkstra_path,
}
_TO_ALL = {
    "unweighted": single_source_shortest_path,
    "dijkstra": single_source_dijkstra_path,
    "bellman-ford": single_source_bellman_ford_path,
}


@_weighted
def bidirectional_dijkstra(
    G: BackendGraph, source: Any, target: Any, weight: Any = "weight"
) -> tuple[Any, list[Any]]:
    """Return the distance and the path between two nodes, if one is shorter than all others.

    Raises
    ------
    NotImplementedError
        If several are the shortest: where networkx' searches from both ends meet decides.
    """
    for word, node in (("Source", source), ("Target", target)):
        demand_node(G, node, f"{word} {node} is not in G")
    if source == target:
        return 0, [source]
    length = lengths(G, weight, False)
    tight = tight_from(G, [source], length)
    tree = dijkstra_tree(tight)
    path = _path_to(G, tree, target)
    if path is None:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    if any(tight.counts[G.id_of[node]] > 1 for node in path):
        raise NotImplementedError("several shortest paths: where both searches meet decides")
    return _distances(G, tight, tree, length)[target], path


@looks_at("method")
def _all_with_negative(arguments: dict[str, Any]) -> str | None:
    """Refuse what would be known to be refused only after searches whose results are taken."""
    ends = (arguments["source"], arguments["target"], arguments["weight"])
    if arguments["method"] != "bellman-ford" or ends[:2] != (None, None) or ends[2] is None:
        return None
    return "all pairs: some may have several shortest paths, of which networkx' queue chooses one"


@looks_at("weight")
def _many_by_weight(arguments: dict[str, Any]) -> str | None:
    """Refuse multigraphs where parallel edges differ."""
    return no_multigraph(arguments) if arguments["weight"] is not None else None


@serves(no_function("weight"), _many_by_weight, _all_with_negative)
def shortest_path(
    G: BackendGraph,
    source: Any = None,
    target: Any = None,
    weight: Any = None,
    method: str = "dijkstra",
) -> Any:
    """Return whichever of the above the arguments mean."""
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")
    if source is not None and target is not None:
        return _between(G, source, target, weight, method)
    kind = "unweighted" if weight is None else method
    named = {} if weight is None else {"weight": weight}
    if source is not None:
        return _TO_ALL[kind](G, source, **named)
    if target is None:
        return _FROM_ALL[kind](G, **named)
    paths = _TO_ALL[kind](G.reversed(), target, **named)
    return {node: path[::-1] for node, path in paths.items()}


def _between(G: BackendGraph, source: Any, target: Any, weight: Any, method: str) -> list[Any]:
    if weight is None:
        path: list[Any] = bidirectional_shortest_path(G, source, target)
    elif method == "dijkstra":
        path = bidirectional_dijkstra(G, source, target, weight)[1]
    else:
        path = bellman_ford_path(G, source, target, weight)
    return path
