"""Functions of ``networkx.generators``, which return graphs of the backend.

Those that grow with their arguments are made of arrays, edge by edge in the order in which networkx
adds them. Those of a few nodes that are always the same are networkx' own, read.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from numbers import Integral
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

import emv
from emv.networkx.calls import makes
from emv.networkx.graphs import BackendGraph
from emv.networkx.structure import Structure

Pairs = NDArray[np.int64]
"""``int64[num_edges, 2]``."""

FIXED = """
bull_graph chvatal_graph cubical_graph davis_southern_women_graph desargues_graph diamond_graph
dodecahedral_graph florentine_families_graph frucht_graph heawood_graph house_graph house_x_graph
icosahedral_graph karate_club_graph krackhardt_kite_graph les_miserables_graph moebius_kantor_graph
octahedral_graph pappus_graph petersen_graph sedgewick_maze_graph tetrahedral_graph
truncated_cube_graph truncated_tetrahedron_graph tutte_graph
""".split()
"""Functions of networkx that return a graph of some few nodes."""


def _of_kind(arguments: dict[str, Any]) -> str | None:
    kind = arguments.get("create_using")
    if kind in (None, nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph):
        return None
    return "create_using= is a graph, or a class other than networkx' four"


def _counts(arguments: dict[str, Any]) -> str | None:
    given = (v for name, v in arguments.items() if name not in ("create_using", "default"))
    if all(isinstance(each, Integral) for each in given):
        return None
    return "nodes are given by name"


def _path(begin: int, end: int) -> Pairs:
    nodes = np.arange(begin, max(begin + 1, end))
    return np.stack([nodes[:-1], nodes[1:]], axis=1)


def _cycle(begin: int, end: int) -> Pairs:
    nodes = np.arange(begin, max(begin, end))
    return np.stack([nodes, np.roll(nodes, -1)], axis=1)


def _star(hub: int, begin: int, end: int) -> Pairs:
    spokes = np.arange(begin, max(begin, end))
    return np.stack([np.full_like(spokes, hub), spokes], axis=1)


def _clique(begin: int, end: int, *, both: bool = False) -> Pairs:
    count = max(0, end - begin)
    pairs = (
        np.argwhere(~np.eye(count, dtype=bool)) if both else np.transpose(np.triu_indices(count, 1))
    )
    return pairs.astype(np.int64) + begin


def _made(
    count: int, *pairs: Pairs, kind: Any = None, undirected: bool = True, **node_attributes: Any
) -> BackendGraph:
    """Return the graph of so many nodes with these edges, of a kind of networkx."""
    kind = nx.Graph if kind is None else kind
    directed = issubclass(kind, nx.DiGraph)
    if directed and undirected:
        raise nx.NetworkXError("Directed Graph not supported")
    ends = np.concatenate([np.empty((0, 2), np.int64), *pairs])
    is_multi = issubclass(kind, nx.MultiGraph)
    if len(ends) < 9 and not is_multi:  # cycles of two nodes, and what is made of them
        same = (tuple(each) if directed else frozenset(each) for each in ends.tolist())
        first = {each: place for place, each in reversed(list(enumerate(same)))}
        ends = ends[sorted(first.values())]
    arrays = emv.Graph.from_edges(*ends.T, num_vertices=count, directed=directed)
    for name, values in node_attributes.items():
        arrays.vertices[name] = np.asarray(values)
    return BackendGraph(Structure(arrays, range(count), is_multi))


def _demand_count(n: int) -> None:
    if n < 0:
        raise nx.NetworkXError(f"Negative number of nodes not valid: {n}")


@makes(_of_kind, _counts)
def empty_graph(n: int = 0, create_using: Any = None, default: Any = nx.Graph) -> BackendGraph:
    """Return nodes without edges."""
    _demand_count(n)
    return _made(n, kind=create_using or default, undirected=False)


@makes(_of_kind)
def null_graph(create_using: Any = None) -> BackendGraph:
    """Return nothing."""
    return _made(0, kind=create_using, undirected=False)


@makes(_of_kind)
def trivial_graph(create_using: Any = None) -> BackendGraph:
    """Return one node."""
    return _made(1, kind=create_using, undirected=False)


@makes(_of_kind, _counts)
def path_graph(n: int, create_using: Any = None) -> BackendGraph:
    """Return a path."""
    _demand_count(n)
    return _made(n, _path(0, n), kind=create_using, undirected=False)


@makes(_of_kind, _counts)
def cycle_graph(n: int, create_using: Any = None) -> BackendGraph:
    """Return a ring."""
    _demand_count(n)
    return _made(n, _cycle(0, n), kind=create_using, undirected=False)


@makes(_of_kind, _counts)
def star_graph(n: int, create_using: Any = None) -> BackendGraph:
    """Return a hub with so many spokes."""
    _demand_count(n)
    return _made(n + 1, _star(0, 1, n + 1), kind=create_using, undirected=False)


@makes(_of_kind, _counts)
def complete_graph(n: int, create_using: Any = None) -> BackendGraph:
    """Return all pairs."""
    _demand_count(n)
    both = create_using is not None and issubclass(create_using, nx.DiGraph)
    return _made(n, _clique(0, n, both=both), kind=create_using, undirected=False)


@makes(_of_kind, _counts)
def wheel_graph(n: int, create_using: Any = None) -> BackendGraph:
    """Return a hub and a ring."""
    _demand_count(n)
    rim = _cycle(1, n) if n > 2 else _path(0, 0)
    return _made(n, _star(0, 1, n), rim, kind=create_using)


def _ladder(n: int) -> tuple[Pairs, ...]:
    rungs = np.stack([np.arange(n), np.arange(n, 2 * n)], axis=1)
    return _path(0, n), _path(n, 2 * n), rungs


@makes(_of_kind, _counts)
def ladder_graph(n: int, create_using: Any = None) -> BackendGraph:
    """Return two paths side by side."""
    _demand_count(2 * n)
    return _made(2 * n, *_ladder(n), kind=create_using)


def _rungs(arguments: dict[str, Any]) -> str | None:
    return None if arguments["n"] > 1 else "loops that networkx adds to ladders of one rung"


@makes(_of_kind, _counts, _rungs)
def circular_ladder_graph(n: int, create_using: Any = None) -> BackendGraph:
    """Return two rings side by side."""
    closing = np.array([[0, n - 1], [n, 2 * n - 1]])
    return _made(2 * n, *_ladder(n), closing, kind=create_using)


def _bridge(arguments: dict[str, Any]) -> str | None:
    return "networkx adds a bridge of one node last" if arguments["m2"] == 1 else None


@makes(_of_kind, _counts, _bridge)
def barbell_graph(m1: int, m2: int, create_using: Any = None) -> BackendGraph:
    """Return two cliques and a path between them."""
    if m1 < 2:
        raise nx.NetworkXError("Invalid graph description, m1 should be >=2")
    if m2 < 0:
        raise nx.NetworkXError("Invalid graph description, m2 should be >=0")
    right = m1 + m2
    joints = [[m1 - 1, m1]] + ([[right - 1, right]] if m2 else [])
    parts = _clique(0, m1), _path(m1, right), _clique(right, right + m1), np.array(joints)
    return _made(right + m1, *parts, kind=create_using)


@makes(_of_kind, _counts)
def lollipop_graph(m: int, n: int, create_using: Any = None) -> BackendGraph:
    """Return a clique with a path."""
    _demand_count(m)
    _demand_count(n)
    if m < 2:
        raise nx.NetworkXError("Invalid description: m should indicate at least 2 nodes")
    joint = np.array([[m - 1, m]] if n else []).reshape(-1, 2)
    return _made(m + n, _clique(0, m), _path(m, m + n), joint, kind=create_using)


@makes(_of_kind, _counts)
def tadpole_graph(m: int, n: int, create_using: Any = None) -> BackendGraph:
    """Return a ring with a path."""
    _demand_count(m)
    _demand_count(n)
    if m < 2:
        raise nx.NetworkXError("Invalid description: m should indicate at least 2 nodes")
    return _made(m + n, _cycle(0, m), _path(m - 1, m + n), kind=create_using)


def _parts(sizes: tuple[int, ...]) -> tuple[list[Pairs], NDArray[np.int64]]:
    """Return the edges between parts of some sizes, and the part of every node."""
    begins = list(itertools.accumulate(sizes, initial=0))
    ranges = [np.arange(*each) for each in itertools.pairwise(begins)]
    pairs = [
        np.stack([np.repeat(one, len(other)), np.tile(other, len(one))], axis=1)
        for one, other in itertools.combinations(ranges, 2)
    ]
    return pairs, np.repeat(np.arange(len(sizes)), sizes)


@makes()
def complete_multipartite_graph(*subset_sizes: int) -> BackendGraph:
    """Return all pairs of nodes in different parts.

    Raises
    ------
    NotImplementedError
        If nodes are given by name.
    """
    if not all(isinstance(size, Integral) for size in subset_sizes):
        raise NotImplementedError("nodes are given by name")
    if any(size < 0 for size in subset_sizes):
        raise nx.NetworkXError(f"Negative number of nodes not valid: {subset_sizes}")
    pairs, part = _parts(subset_sizes)
    return _made(sum(subset_sizes), *pairs, subset=part)


@makes(_counts)
def turan_graph(n: int, r: int) -> BackendGraph:
    """Return all pairs of nodes in different ones of so many parts of one size."""
    if not 1 <= r <= n:
        raise nx.NetworkXError("Must satisfy 1 <= r <= n")
    pairs, part = _parts((n // r,) * (r - n % r) + (n // r + 1,) * (n % r))
    return _made(n, *pairs, subset=part)


@makes(_of_kind, _counts)
def complete_bipartite_graph(n1: int, n2: int, create_using: Any = None) -> BackendGraph:
    """Return all pairs of nodes on different sides."""
    _demand_count(n1)
    _demand_count(n2)
    pairs, side = _parts((n1, n2))
    made = _made(n1 + n2, *pairs, kind=create_using, bipartite=side)
    made.graph["name"] = f"complete_bipartite_graph({n1}, {n2})"
    return made


@makes(_counts)
def caveman_graph(l: int, k: int) -> BackendGraph:  # noqa: E741 - networkx' name
    """Return cliques of one size."""
    _demand_count(l * k)
    cliques = [_clique(begin, begin + k) for begin in range(0, l * k, max(k, 1))]
    return _made(l * k, *cliques)


def _read(name: str) -> Callable[..., BackendGraph]:
    """Return the function that has networkx make a graph, and reads it."""
    function = getattr(nx, name).orig_func

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> BackendGraph:
        G = function(*args, **named)
        return BackendGraph(Structure.read(G), original=G, graph=G.graph)

    return call


for _name in FIXED:
    makes(_of_kind)(_read(_name))
