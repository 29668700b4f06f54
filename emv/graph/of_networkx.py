"""What a networkx graph stores, as arrays, read in one pass over its dicts.

Nodes are numbered in networkx's order. Arcs are listed as its dicts of neighbours hold them, which
is the order in which its algorithms meet them; of the two arcs of an edge without direction the
first is the edge, as in ``G.edges``. Whatever passes over the arcs is a loop within Python's or
NumPy's own code: a line of Python for each arc would take longer than most algorithms do.
"""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from operator import itemgetter, methodcaller
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import networkx

MISSING: Any = object()
"""Stands for an attribute that is not there; nothing else is this object."""

FACES = ("adj", "adjacency", "neighbors", "__getitem__", "edges", "nodes", "__iter__")
"""What classes may redefine, so that a graph is another than it stores."""


class Adjacency:
    """The nodes and arcs of a networkx graph of any of the four kinds.

    Parameters
    ----------
    G : networkx.Graph
        It is asked again for attributes, and must have the same edges then.

    Attributes
    ----------
    nodes : list
        In the order of their numbers.
    starts : int64[num_nodes + 1]
        Where the arcs of a node begin in `ahead`, and where the last one's end.
    ahead : int64[num_arcs]
        Where each arc points to; parallel ones are listed once.

    Examples
    --------
    >>> import networkx as nx
    >>> arcs = Adjacency(nx.Graph([("b", "a"), ("c", "b")]))
    >>> arcs.nodes, arcs.starts, arcs.ahead
    (['b', 'a', 'c'], array([0, 2, 3, 4]), array([1, 2, 0, 0]))
    >>> arcs.ends()
    (array([0, 0]), array([1, 2]))
    """

    def __init__(self, G: networkx.Graph[Any]) -> None:
        self.graph = G
        self.nodes: list[Any] = list(G)
        rows = self.rows()
        self.starts = starts_of(rows)
        self.ahead = self._numbered(rows)

    @cached_property
    def vertex_of(self) -> dict[Any, int]:
        """The number of each node."""
        return dict(zip(self.nodes, range(len(self.nodes)), strict=True))

    @cached_property
    def is_numbered(self) -> bool:
        """Whether every node is its number."""
        return set(map(type, self.nodes)) <= {int} and self.nodes == list(range(len(self.nodes)))

    @cached_property
    def is_edge(self) -> NDArray[np.bool_] | None:
        """Which arcs are the edges of a graph without direction; None if all are."""
        if self.graph.is_directed():
            return None
        return np.repeat(np.arange(len(self.nodes)), np.diff(self.starts)) <= self.ahead

    def rows(self) -> list[Mapping[Any, Any]]:
        """Return the neighbours of every node with the attributes, in the order of the nodes."""
        return rows_of(self.graph, self.graph._adj, self.nodes)

    def _numbered(self, rows: Sequence[Iterable[Any]]) -> NDArray[np.int64]:
        """Return the numbers of the nodes in some rows."""
        nodes = list(itertools.chain.from_iterable(rows))
        if self.is_numbered:
            try:
                return whole(nodes)
            except TypeError:  # a node that equals a whole number, but is none
                pass
        return whole(list(map(self.vertex_of.__getitem__, nodes)))

    def ends(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where every edge starts and where it points to, in the order of ``G.edges``."""
        src = np.repeat(np.arange(len(self.nodes)), np.diff(self.starts))
        dst = self.ahead
        if self.is_edge is not None:
            src, dst = src[self.is_edge], dst[self.is_edge]
        if not self.graph.is_multigraph():
            return src, dst
        counts = np.fromiter(map(len, self._neighbours()), np.int64, len(src))
        return np.repeat(src, counts), np.repeat(dst, counts)

    def behind(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return `starts` and `ahead` of the arcs turned round, in the order of ``G.pred``."""
        if not self.graph.is_directed():
            return self.starts, self.ahead
        rows = rows_of(self.graph, self.graph._pred, self.nodes)
        starts = starts_of(rows)
        return starts, self._numbered(rows)

    def data(self) -> Iterable[Mapping[Any, Any]]:
        """Return the attributes of every edge, in the order of ``G.edges``."""
        found = self._neighbours()
        if self.graph.is_multigraph():
            return itertools.chain.from_iterable(each.values() for each in found)
        return found

    def attribute(self, name: Any, default: Any) -> list[Any]:
        """Return what every edge says under a name, in the order of ``G.edges``."""
        try:
            return list(map(itemgetter(name), self.data()))  # sooner than get()
        except KeyError:
            return [each.get(name, default) for each in self.data()]

    def _neighbours(self) -> Iterable[Any]:
        """Return what the dicts of neighbours say of each edge, parallel ones once."""
        found = itertools.chain.from_iterable(map(methodcaller("values"), self.rows()))
        return found if self.is_edge is None else itertools.compress(found, self.is_edge.tobytes())


def is_plain(G: networkx.Graph[Any]) -> bool:
    """Return whether a graph stores its edges, and its class shows them as networkx does."""
    import networkx as nx

    kinds = {
        (False, False): nx.Graph,
        (False, True): nx.MultiGraph,
        (True, False): nx.DiGraph,
        (True, True): nx.MultiDiGraph,
    }
    kind, stored = type(G), kinds[bool(G.is_directed()), bool(G.is_multigraph())]
    return all(getattr(kind, each, None) is getattr(stored, each) for each in FACES)


def rows_of(G: networkx.Graph[Any], stored: Any, nodes: list[Any]) -> list[Mapping[Any, Any]]:
    """Return the rows of ``G._adj`` or ``G._pred``; those of a view are looked up."""
    if type(stored) is dict:
        rows = list(stored.values())
        return rows if list(stored) == nodes else [stored[node] for node in nodes]
    if G.is_multigraph():
        found = (stored[node] for node in nodes)
        return [{node: dict(keys.items()) for node, keys in row.items()} for row in found]
    return [dict(stored[node].items()) for node in nodes]


def starts_of(rows: Sequence[Mapping[Any, Any]]) -> NDArray[np.int64]:
    """Return where every row begins if they are laid end to end, and where the last one ends."""
    starts = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, rows), np.int64, len(rows)), out=starts[1:])
    return starts


def whole(values: list[Any]) -> NDArray[np.int64]:
    """Return whole numbers as an array; `array` reads a list several times as fast as NumPy.

    Raises
    ------
    TypeError
        If one is no whole number.
    OverflowError
        If one does not fit.

    Examples
    --------
    >>> whole([3, 1])
    array([3, 1])
    """
    return np.frombuffer(array("q", values), np.int64)


def packed(values: list[Any]) -> NDArray[Any]:
    """Return ``np.array(values)``, in less time where all are floats, or all are whole numbers.

    Examples
    --------
    >>> packed([1, 2]), packed([0.5, 1])
    (array([1, 2]), array([0.5, 1. ]))
    """
    kinds = set(map(type, values))
    if kinds == {float}:
        return np.frombuffer(array("d", values))
    if kinds == {int}:
        try:
            return whole(values)
        except OverflowError:
            pass
    return np.array(values)
