"""Functions of ``networkx.algorithms.shortest_paths``: lengths, by arcs and by weight."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from emv import algorithms
from emv.networkx.calls import no_function, serves
from emv.networkx.graphs import BackendGraph, computed
from emv.networkx.pairs import distance


def depths(G: BackendGraph, source: Any) -> NDArray[np.int32]:
    """Return how many arcs every vertex is away from a node; -1 where no path leads."""
    return computed(algorithms.bfs, G, G.id_of[source])


def reached(G: BackendGraph, far: NDArray[Any], is_reached: NDArray[np.bool_]) -> dict[Any, Any]:
    """Return ``{node: distance}`` of the vertices that are reached, the nearest first."""
    vertices = np.flatnonzero(is_reached)
    vertices = vertices[np.argsort(far[vertices], kind="stable")]
    return dict(zip(G.named(vertices), far[vertices].tolist(), strict=True))


def _within(G: BackendGraph, node: Any, cutoff: Any) -> dict[Any, int]:
    depth = depths(G, node)
    limit = np.inf if cutoff is None else max(0, cutoff)  # 0 for nan, as networkx has it
    # networkx begins a level while it is below the cutoff, so one of 1.5 lets in level 2
    return reached(G, depth, (depth >= 0) & (depth <= np.ceil(limit)))


def lengths(G: BackendGraph, weight: Any, may_be_negative: bool) -> NDArray[Any] | int:
    """Return the lengths of edges for shortest paths.

    Raises
    ------
    NotImplementedError
        If there are some that networkx' and emv's methods do not treat alike.
    """
    column = G.column(weight)
    with np.errstate(over="ignore"):
        total = np.abs(np.asarray(column, np.float64)).sum()
    if not np.isfinite(total):
        raise NotImplementedError(f"{weight!r} has nan, infinite lengths, or such as overflow")
    if not may_be_negative and (np.asarray(column) < 0).any():
        raise NotImplementedError(f"{weight!r} has lengths below 0")
    return column


def positive_lengths(G: BackendGraph, weight: Any) -> NDArray[Any] | None:
    """Return the lengths of edges, all above 0; None where every edge is 1 long.

    Raises
    ------
    NotImplementedError
        If there are others: which of the paths over edges of length 0 counts is networkx' choice.
    """
    if weight is None:
        return None
    length = np.broadcast_to(lengths(G, weight, False), G.arrays.num_edges)
    if (length <= length.sum() * np.finfo(np.float64).eps).any():
        raise NotImplementedError(f"{weight!r} has lengths of 0, or such as vanish beside others")
    return length


def far_from(G: BackendGraph, ids: list[int], length: NDArray[Any] | int) -> NDArray[np.float64]:
    """Return how far every vertex is from the nearest of some; infinite where no path leads.

    Raises
    ------
    networkx.NetworkXUnbounded
        If a cycle of negative length is reached.
    """
    try:
        run = algorithms.sssp.run(G.arrays, ids, weight=length, precision="double")
    except algorithms.NegativeCycleError:
        raise nx.NetworkXUnbounded("Negative cycle detected.") from None
    return np.asarray(run.result)


def distances(
    G: BackendGraph, sources: list[Any], length: NDArray[Any] | int, cutoff: Any = None
) -> dict[Any, Any]:
    """Return the lengths of shortest paths from the nearest of some nodes, the nearest first.

    Raises
    ------
    networkx.NetworkXUnbounded
        If a cycle of negative length is reached.
    """
    ids = [G.id_of[source] for source in sources]
    far = far_from(G, ids, length)
    is_reached = np.isfinite(far)
    if cutoff is not None and cutoff == cutoff:  # nan is below no distance
        is_reached &= far <= cutoff
        is_reached[ids] = True
    if np.asarray(length).dtype.kind == "i":  # sums of whole numbers are whole in networkx
        far = np.where(is_reached, far, 0).astype(np.int64)
    return reached(G, far, is_reached)


def demand_node(G: BackendGraph, node: Any, text: str) -> None:
    """Refuse a node that is none of the graph, in networkx' words.

    Raises
    ------
    networkx.NodeNotFound
        If it is not there.
    """
    if node not in G:
        raise nx.NodeNotFound(text)


@serves()
def single_source_shortest_path_length(
    G: BackendGraph, source: Any, cutoff: Any = None
) -> dict[Any, int]:
    """Return depths of a breadth-first search."""
    demand_node(G, source, f"Source {source} is not in G")
    return _within(G, source, cutoff)


@serves()
def single_target_shortest_path_length(
    G: BackendGraph, target: Any, cutoff: Any = None
) -> dict[Any, int]:
    """Return depths of a breadth-first search against the direction of edges."""
    demand_node(G, target, f"Target {target} is not in G")
    return _within(G.reversed(), target, cutoff)


@serves()
def all_pairs_shortest_path_length(
    G: BackendGraph, cutoff: Any = None
) -> Iterator[tuple[Any, dict[Any, int]]]:
    """Search from one node after the other, when asked."""
    return ((node, _within(G, node, cutoff)) for node in G)


@serves()
def has_path(G: BackendGraph, source: Any, target: Any) -> bool:
    """Return whether a breadth-first search gets there."""
    demand_node(G, source, f"Source {source} is not in G")
    demand_node(G, target, f"Target {target} is not in G")
    return bool(depths(G, source)[G.id_of[target]] >= 0)


def _demand_start(G: BackendGraph, source: Any) -> None:
    if source not in G:
        kind = "digraph" if G.is_directed() else "graph"
        raise nx.NetworkXError(f"The node {source} is not in the {kind}.")


@serves()
def descendants(G: BackendGraph, source: Any) -> set[Any]:
    """Return the vertices of positive depth."""
    _demand_start(G, source)
    return set(G.named(np.flatnonzero(depths(G, source) > 0)))


@serves()
def ancestors(G: BackendGraph, source: Any) -> set[Any]:
    """Return the descendants against the direction of edges."""
    _demand_start(G, source)
    return set(G.named(np.flatnonzero(depths(G.reversed(), source) > 0)))


@serves()
def descendants_at_distance(G: BackendGraph, source: Any, distance: Any) -> set[Any]:
    """Return the vertices of one depth."""
    if source not in G:
        raise nx.NetworkXError(f"The node {source} is not in the graph.")
    depth = depths(G, source)
    return set(G.named(np.flatnonzero((depth == distance) & (depth >= 0))))


@serves(no_function("weight"))
def multi_source_dijkstra_path_length(
    G: BackendGraph, sources: Any, cutoff: Any = None, weight: Any = "weight"
) -> dict[Any, Any]:
    """Return distances from the nearest source; a right method gives what Dijkstra's gives."""
    if not sources:
        raise ValueError("sources must not be empty")
    for source in sources:
        demand_node(G, source, f"Node {source} not found in graph")
    return distances(G, list(sources), lengths(G, weight, False), cutoff)


@serves(no_function("weight"))
def single_source_dijkstra_path_length(
    G: BackendGraph, source: Any, cutoff: Any = None, weight: Any = "weight"
) -> dict[Any, Any]:
    """Return distances from one node."""
    demand_node(G, source, f"Node {source} not found in graph")
    return distances(G, [source], lengths(G, weight, False), cutoff)


@serves(no_function("weight"))
def dijkstra_path_length(
    G: BackendGraph, source: Any, target: Any, weight: Any = "weight"
) -> int | float:
    """Return the distance between two nodes."""
    demand_node(G, source, f"Node {source} not found in graph")
    length = lengths(G, weight, False)
    if source != target and target in G and not G.is_multigraph():
        rows = G.ordered(), G.ordered(is_behind=True)
        found = distance(*rows, length, G.id_of[source], G.id_of[target])
        if found is not None and np.isfinite(found):
            return found  # type: ignore[no-any-return]
    return _one(G, source, target, length, "Node")


@serves(no_function("weight"))
def all_pairs_dijkstra_path_length(
    G: BackendGraph, cutoff: Any = None, weight: Any = "weight"
) -> Iterator[tuple[Any, dict[Any, Any]]]:
    """Search from one node after the other, when it is asked for."""
    length = lengths(G, weight, False)
    return ((node, distances(G, [node], length, cutoff)) for node in G)


@serves(no_function("weight"))
def single_source_bellman_ford_path_length(
    G: BackendGraph, source: Any, weight: Any = "weight"
) -> dict[Any, Any]:
    """Return distances from one node, with lengths below 0."""
    demand_node(G, source, f"Source {source} not in G")
    return distances(G, [source], lengths(G, weight, True))


@serves(no_function("weight"))
def bellman_ford_path_length(
    G: BackendGraph, source: Any, target: Any, weight: Any = "weight"
) -> int | float:
    """Return the distance between two nodes, with lengths below 0."""
    missing = (
        f"Node {source} not found in graph" if source == target else f"Source {source} not in G"
    )
    demand_node(G, source, missing)
    return _one(G, source, target, lengths(G, weight, True), "node")


@serves(no_function("weight"))
def all_pairs_bellman_ford_path_length(
    G: BackendGraph, weight: Any = "weight"
) -> Iterator[tuple[Any, dict[Any, Any]]]:
    """Search from one node after the other, with lengths below 0."""
    length = lengths(G, weight, True)
    return ((node, distances(G, [node], length)) for node in G)


def _one(
    G: BackendGraph, source: Any, target: Any, length: NDArray[Any] | int, word: str
) -> int | float:
    if source == target:
        return 0
    vertex = G.id_of[target] if target in G else -1
    far = far_from(G, [G.id_of[source]], length)[vertex] if vertex >= 0 else np.inf
    if not np.isfinite(far):
        raise nx.NetworkXNoPath(f"{word} {target} not reachable from {source}")
    return int(far) if np.asarray(length).dtype.kind == "i" else float(far)


@serves(no_function("weight"))
def shortest_path_length(
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
    if source is None and target is not None:
        G, source = G.reversed(), target
    if weight is None:
        if source is None:
            return all_pairs_shortest_path_length(G)
        return single_source_shortest_path_length(G, source)
    to_all, to_each = {
        "dijkstra": (single_source_dijkstra_path_length, all_pairs_dijkstra_path_length),
        "bellman-ford": (
            single_source_bellman_ford_path_length,
            all_pairs_bellman_ford_path_length,
        ),
    }[method]
    return to_each(G, weight=weight) if source is None else to_all(G, source, weight=weight)


def _between(G: BackendGraph, source: Any, target: Any, weight: Any, method: str) -> Any:
    if weight is not None:
        one = {"dijkstra": dijkstra_path_length, "bellman-ford": bellman_ford_path_length}
        return one[method](G, source, target, weight)
    demand_node(G, source, f"Source {source} is not in G")
    demand_node(G, target, f"Target {target} is not in G")
    depth = int(depths(G, source)[G.id_of[target]])
    if depth < 0:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return depth
