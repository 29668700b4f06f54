"""Functions of ``networkx.algorithms.traversal``: searches in the order of neighbours."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from emv.networkx.calls import only, serves
from emv.networkx.graphs import BackendGraph
from emv.networkx.rows import Tree
from emv.networkx.versions import is_from

_unsorted = only("sort_neighbors", None, why="a function would be called row by row")
_any_depth = only("depth_limit", None, why="a search in the depth finds others under a limit")
_stored = only("neighbors", None, why="a function would be called row by row")


def _demand(G: BackendGraph, node: Any) -> None:
    if node not in G:
        raise nx.NetworkXError(f"The node {node} is not in the graph.")


def _breadth_first(G: BackendGraph, source: Any, reverse: bool, depth_limit: Any) -> Tree:
    _demand(G, source)
    rows = G.ordered(is_behind=bool(reverse))
    tree = rows.searched(np.array([G.id_of[source]]))
    return tree if depth_limit is None else tree.within(depth_limit)


def _edges(G: BackendGraph, tree: Tree) -> Iterator[tuple[Any, Any]]:
    """Return pairs of a parent and its child, in the order in which children are found."""
    is_child = tree.parents >= 0
    return zip(G.named(tree.parents[is_child]), G.named(tree.order[is_child]), strict=True)


@serves(_unsorted)
def bfs_edges(
    G: BackendGraph,
    source: Any,
    reverse: bool = False,
    depth_limit: Any = None,
    sort_neighbors: Any = None,
) -> Iterator[tuple[Any, Any]]:
    """Return the edges of a breadth-first tree."""
    yield from _edges(G, _breadth_first(G, source, reverse, depth_limit))


@serves(_stored)
def generic_bfs_edges(
    G: BackendGraph, source: Any, neighbors: Any = None, depth_limit: Any = None
) -> Iterator[tuple[Any, Any]]:
    """Return the edges of a breadth-first tree."""
    yield from _edges(G, _breadth_first(G, source, False, depth_limit))


@serves(_unsorted)
def bfs_tree(
    G: BackendGraph,
    source: Any,
    reverse: bool = False,
    depth_limit: Any = None,
    sort_neighbors: Any = None,
) -> Any:
    """Return the networkx graph of a breadth-first tree."""
    tree = nx.DiGraph()
    tree.add_node(source)
    tree.add_edges_from(_edges(G, _breadth_first(G, source, reverse, depth_limit)))
    return tree


@serves(_unsorted)
def bfs_predecessors(
    G: BackendGraph, source: Any, depth_limit: Any = None, sort_neighbors: Any = None
) -> Iterator[tuple[Any, Any]]:
    """Return every node found with its parent."""
    if is_from(3, 7):
        text = "bfs_predecessors is deprecated by networkx 3.7; use (t, s) for (s, t) in bfs_edges"
        warnings.warn(text, DeprecationWarning, stacklevel=2)
    for parent, child in _edges(G, _breadth_first(G, source, False, depth_limit)):
        yield child, parent


@serves(_unsorted)
def bfs_successors(
    G: BackendGraph, source: Any, depth_limit: Any = None, sort_neighbors: Any = None
) -> Iterator[tuple[Any, list[Any]]]:
    """Return every parent with its children, and the source also without any."""
    tree = _breadth_first(G, source, False, depth_limit)
    found: dict[Any, list[Any]] = {source: []} | {
        parent: [] for parent in G.named(tree.parents[1:])
    }
    for parent, child in _edges(G, tree):
        found[parent].append(child)
    yield from found.items()


@serves()
def bfs_layers(G: BackendGraph, sources: Any) -> Iterator[list[Any]]:
    """Return the levels of a search from some nodes."""
    first = list({sources} if sources in G else set(sources))
    for source in first:
        _demand(G, source)
    if not first:
        return
    tree = G.ordered().searched(np.array([G.id_of[source] for source in first]))
    yield first
    begins = tree.levels()
    for begin, end in itertools.pairwise(begins[1:]):
        yield G.named(tree.order[begin:end])


def _depth_first(G: BackendGraph, source: Any) -> Tree:
    """Return the forest of a depth-first search from a node, or from every node not yet found."""
    if source is not None:
        _demand(G, source)
    sources = np.arange(len(G)) if source is None else np.array([G.id_of[source]])
    return G.ordered().searched(sources, depth_first=True)


@serves(_unsorted, _any_depth)
def dfs_edges(
    G: BackendGraph, source: Any = None, depth_limit: Any = None, *, sort_neighbors: Any = None
) -> Iterator[tuple[Any, Any]]:
    """Return the edges of a depth-first forest."""
    yield from _edges(G, _depth_first(G, source))


@serves(_unsorted, _any_depth)
def dfs_tree(
    G: BackendGraph, source: Any = None, depth_limit: Any = None, *, sort_neighbors: Any = None
) -> Any:
    """Return the networkx graph of a depth-first forest."""
    tree = nx.DiGraph()
    tree.add_nodes_from(G if source is None else [source])
    tree.add_edges_from(_edges(G, _depth_first(G, source)))
    return tree


@serves(_unsorted, _any_depth)
def dfs_predecessors(
    G: BackendGraph, source: Any = None, depth_limit: Any = None, *, sort_neighbors: Any = None
) -> dict[Any, Any]:
    """Return the parent of every node that has one."""
    return {child: parent for parent, child in _edges(G, _depth_first(G, source))}


@serves(_unsorted, _any_depth)
def dfs_successors(
    G: BackendGraph, source: Any = None, depth_limit: Any = None, *, sort_neighbors: Any = None
) -> dict[Any, list[Any]]:
    """Return the children of every node that has some."""
    found: dict[Any, list[Any]] = {}
    for parent, child in _edges(G, _depth_first(G, source)):
        found.setdefault(parent, []).append(child)
    return found


@serves(_unsorted, _any_depth)
def dfs_preorder_nodes(
    G: BackendGraph, source: Any = None, depth_limit: Any = None, *, sort_neighbors: Any = None
) -> Iterator[Any]:
    """Return nodes as they are found."""
    yield from G.named(_depth_first(G, source).order)


@serves(_unsorted, _any_depth)
def dfs_postorder_nodes(
    G: BackendGraph, source: Any = None, depth_limit: Any = None, *, sort_neighbors: Any = None
) -> Iterator[Any]:
    """Return nodes as they are left."""
    yield from G.named(_depth_first(G, source).left())
