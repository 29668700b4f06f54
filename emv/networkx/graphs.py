"""A networkx graph as an `emv.Graph`, and back: nodes are numbered in networkx's order.

Edges are numbered in the order of ``G.edges``, which is that in which networkx' algorithms meet
them, so that ties fall alike. Attributes of edges become columns when a function asks for them;
where it asks for all of them, the networkx graph is kept at hand.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

import emv

EXACT = 2**53
"""Whole numbers below it are exact in f64."""


WHOLE = (int, np.integer)

KINDS = {
    (False, False): nx.Graph,
    (False, True): nx.MultiGraph,
    (True, False): nx.DiGraph,
    (True, True): nx.MultiDiGraph,
}
"""The classes of networkx, by whether they are directed and whether multigraphs."""

NEIGHBOURS = ("adj", "adjacency", "neighbors", "__getitem__", "edges", "nodes", "__iter__")
"""What classes of networkx' users may redefine, so that a graph is another than it stores."""


class BackendGraph:
    """What a function of the backend takes: the arrays of a graph, and what its nodes are called.

    Parameters
    ----------
    arrays : emv.Graph
        Vertices in the order of `nodes`.
    nodes : sequence
        What networkx calls them.
    values : dict
        Edge attributes as columns, ``any[num_edges]``.
    original : networkx.Graph, optional
        With all attributes of nodes and edges.
    is_multi : bool
        Whether networkx takes it for a multigraph.
    graph : dict, optional
        The attributes of the graph itself.
    is_emvs : bool
        Whether it was an `emv.Graph` when networkx was called.
    """

    __networkx_backend__ = "emv"

    def __init__(
        self,
        arrays: emv.Graph,
        nodes: Sequence[Any],
        values: Mapping[str, NDArray[Any]],
        original: Any = None,
        is_multi: bool = False,
        graph: Mapping[str, Any] | None = None,
        is_emvs: bool = False,
    ) -> None:
        self._arrays = arrays
        self.nodes = nodes
        self.values = dict(values)
        self.original = original
        self.graph = dict(graph or {})
        self._is_multi = is_multi
        self._is_emvs = is_emvs
        self._id_of: dict[Any, int] | None = None
        self._reversed: BackendGraph | None = None
        self._undirected: emv.Graph | None = None

    def __repr__(self) -> str:
        return f"<networkx backend graph of {self.arrays!r}>"

    def __len__(self) -> int:
        return self._arrays.num_vertices

    def __iter__(self) -> Iterator[Any]:
        return iter(self.nodes)

    def __contains__(self, node: object) -> bool:
        try:
            return node in self.id_of
        except TypeError:  # not to be hashed
            return False

    @property
    def arrays(self) -> emv.Graph:
        """The arrays, to be run where ``nx.config.backends.emv.device`` says if it says so."""
        device = getattr(getattr(nx.config.backends, "emv", None), "device", None)
        return self._arrays if device is None else self._arrays.on(device)

    @property
    def id_of(self) -> dict[Any, int]:
        """The vertex of each node."""
        if self._id_of is None:
            self._id_of = {node: vertex for vertex, node in enumerate(self.nodes)}
        return self._id_of

    _adj = id_of  # all that networkx.Graph.nbunch_iter needs

    def is_directed(self) -> bool:
        """Return whether edges lead one way only."""
        return self.arrays.directed

    def is_multigraph(self) -> bool:
        """Return whether networkx takes it for a multigraph."""
        return self._is_multi

    def ids_in(self, nbunch: Any) -> tuple[list[Any], NDArray[np.int64]]:
        """Return the nodes of a bunch as networkx reads it, and their vertices.

        Raises
        ------
        networkx.NetworkXError
            If it is neither a node nor a container of nodes.
        """
        if nbunch is None:
            return list(self.nodes), np.arange(len(self))
        bunch = list(nx.Graph.nbunch_iter(self, nbunch))
        return bunch, np.array([self.id_of[node] for node in bunch], np.int64)

    def by_node(self, values: NDArray[Any]) -> dict[Any, Any]:
        """Return ``{node: value}``, with values of Python's."""
        return dict(zip(self.nodes, values.tolist(), strict=True))

    def named(self, vertices: NDArray[Any]) -> list[Any]:
        """Return the nodes of some vertices."""
        return [self.nodes[vertex] for vertex in vertices.tolist()]

    def column(self, attribute: str | None) -> NDArray[Any] | int:
        """Return what an edge attribute says, ``any[num_edges]``; 1 where there is none.

        Raises
        ------
        NotImplementedError
            If it says something else than numbers.
        """
        if attribute is None:
            return 1
        if attribute not in self.values:
            if self.original is not None:
                rows = [data for *_, data in self.original.edges(data=True)]
                self.values[attribute] = numbers(attribute, rows, 1)
            elif attribute in self.arrays.edges:
                column = np.asarray(self._arrays.edges[attribute])
                self.values[attribute] = checked(attribute, column)
            else:
                return 1
        return self.values[attribute]

    def reversed(self) -> BackendGraph:
        """Return the graph whose edges lead the other way; itself if they lead both ways."""
        if not self.is_directed():
            return self
        if self._reversed is None:
            src, dst = self.arrays.edges.endpoints()
            turned = emv.Graph.from_edges(dst, src, num_vertices=len(self))
            self._reversed = BackendGraph(turned, self.nodes, {})
            self._reversed.values = self.values
            self._reversed.original = self.original
        return self._reversed

    def undirected(self) -> emv.Graph:
        """Return the arrays of the same edges, which lead both ways."""
        if not self.is_directed():
            return self.arrays
        if self._undirected is None:
            src, dst = self._arrays.edges.endpoints()
            self._undirected = emv.Graph.from_edges(
                src, dst, num_vertices=len(self), directed=False
            )
        return self._undirected.on(self.arrays.device)

    def as_networkx(self) -> Any:
        """Return the networkx graph with the attributes of nodes and edges."""
        if self.original is not None:
            return self.original
        if self._is_emvs:
            return self._arrays.to_networkx()
        G = KINDS[self.is_directed(), self._is_multi](**self.graph)
        G.add_nodes_from(self.nodes)
        G.add_edges_from((*ends, data) for ends, data in zip(self.ends(), self.rows(), strict=True))
        return G

    def ends(self) -> list[tuple[Any, Any]]:
        """Return the nodes at both ends of every edge, in the order of edge ids."""
        src, dst = map(self.named, self._arrays.edges.endpoints())
        return list(zip(src, dst, strict=True))

    def rows(self) -> list[dict[str, Any]]:
        """Return the attributes of every edge that are known as columns."""
        edges = self._arrays.edges
        columns = {**{name: edges[name] for name in edges.names()}, **self.values}
        listed = zip(*(np.asarray(each).tolist() for each in columns.values()), strict=True)
        found = [dict(zip(columns, row, strict=True)) for row in listed]
        return found if columns else [{} for _ in range(len(edges))]


def computed(program: Any, G: BackendGraph, *args: Any, **named: Any) -> NDArray[Any]:
    """Run a program and return its result as an array on the host, without emv's warnings."""
    run = getattr(program, "attempt", program.run)
    return np.asarray(run(G.arrays, *args, **named).result)


def graph_of(given: Any) -> BackendGraph:
    """Return what functions of the backend take, also for an `emv.Graph`."""
    if isinstance(given, BackendGraph):
        return given
    labels = given.labels
    nodes: Sequence[Any] = range(given.num_vertices) if labels is None else labels.tolist()
    return BackendGraph(given, nodes, {}, None, given.is_multigraph(), is_emvs=True)


def convert_from_nx(
    graph: Any,
    *,
    edge_attrs: Mapping[str, Any] | None = None,
    node_attrs: Mapping[str, Any] | None = None,
    preserve_edge_attrs: bool = False,
    preserve_node_attrs: bool = False,
    preserve_graph_attrs: bool = False,
    name: str | None = None,
    graph_name: str | None = None,
) -> BackendGraph:
    """Return a networkx graph as the backend takes it; called by networkx.

    Parameters
    ----------
    edge_attrs, node_attrs : dict, optional
        Attributes that are asked for, with what counts where there is none. No function of the
        backend asks for some of the nodes' attributes.
    preserve_edge_attrs, preserve_node_attrs, preserve_graph_attrs : bool
        Whether all attributes are asked for.
    name, graph_name : str, optional
        Of the function and its parameter.

    Raises
    ------
    NotImplementedError
        If an attribute that is asked for is no number, or the graph is of a class that has other
        neighbours than those it stores.
    """
    kind, stored = type(graph), KINDS[bool(graph.is_directed()), bool(graph.is_multigraph())]
    for each in NEIGHBOURS:
        if getattr(kind, each, None) is not getattr(stored, each):
            raise NotImplementedError(f"{kind.__name__} has a {each} of its own")
    if type(graph._adj) is not dict:
        graph.__networkx_cache__ = None  # a view is not told when its graph changes
        if not graph.is_directed() and not _reads_alike(graph):
            raise NotImplementedError("a view that shows an edge in one direction otherwise")
    nodes = list(graph)
    id_of = {node: vertex for vertex, node in enumerate(nodes)}
    src, dst, keep = _ends(graph, id_of)
    values = {}
    if edge_attrs and not preserve_edge_attrs:
        rows = _rows(graph, keep)
        values = {each: numbers(each, rows, default) for each, default in edge_attrs.items()}
    arrays = emv.Graph.from_edges(
        src, dst, num_vertices=len(nodes), directed=bool(graph.is_directed())
    )
    made = BackendGraph(
        arrays,
        nodes,
        values,
        graph if preserve_edge_attrs or preserve_node_attrs else None,
        bool(graph.is_multigraph()),
        graph.graph if preserve_graph_attrs else None,
    )
    made._id_of = id_of
    return made


def convert_to_nx(result: Any, *, name: str | None = None) -> Any:
    """Return a graph of the backend as networkx'; everything else as it is."""
    if isinstance(result, BackendGraph | emv.Graph):
        return graph_of(result).as_networkx()
    return result


def _ends(
    graph: Any, id_of: dict[Any, int]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_] | None]:
    """Return both ends of the edges, in the order of ``graph.edges``; and which arcs are edges."""
    rows = _adjacency(graph)
    degrees = np.fromiter(map(len, rows), np.int64, len(rows))
    heads = np.fromiter(map(id_of.__getitem__, graph._adj), np.int64, len(rows))
    src = np.repeat(heads, degrees)
    reached = itertools.chain.from_iterable(rows)
    dst = np.fromiter(map(id_of.__getitem__, reached), np.int64, len(src))
    keep = None
    if not graph.is_directed():
        keep = src <= dst  # of the two arcs the one that networkx lists
        src, dst = src[keep], dst[keep]
    if graph.is_multigraph():
        parallel = _compressed((each for row in rows for each in row.values()), keep)
        counts = np.fromiter(map(len, parallel), np.int64, len(src))
        src, dst = np.repeat(src, counts), np.repeat(dst, counts)
    return src, dst, keep


def _adjacency(graph: Any) -> list[Mapping[Any, Any]]:
    """Return the neighbours of every node with the attributes; those of a view are looked up."""
    if type(graph._adj) is dict:
        return list(graph._adj.values())
    if graph.is_multigraph():
        found = graph._adj.values()
        return [{node: dict(keys.items()) for node, keys in row.items()} for row in found]
    return [dict(row.items()) for row in graph._adj.values()]


def _reads_alike(graph: Any) -> bool:
    """Return whether both directions of every edge of a view have the same attributes."""
    rows = dict(zip(graph._adj, _adjacency(graph), strict=True))
    named = _names_of_parallel if graph.is_multigraph() else id
    return all(
        named(rows[other].get(node)) == named(data)
        for node, row in rows.items()
        for other, data in row.items()
    )


def _names_of_parallel(edges: Mapping[Any, Any] | None) -> dict[Any, int]:
    """Return which dicts hold the attributes of parallel edges, by their keys."""
    return {key: id(data) for key, data in (edges or {}).items()}


def _compressed(values: Iterable[Any], keep: NDArray[np.bool_] | None) -> Iterable[Any]:
    return values if keep is None else itertools.compress(values, keep.tolist())


def _rows(graph: Any, keep: NDArray[np.bool_] | None) -> list[Mapping[str, Any]]:
    """Return the attributes of every edge, in the order of ``graph.edges``."""
    found = _compressed((each for row in _adjacency(graph) for each in row.values()), keep)
    if graph.is_multigraph():
        return [data for parallel in found for data in parallel.values()]
    return list(found)


def numbers(attribute: str, rows: Sequence[Mapping[str, Any]], default: Any) -> NDArray[Any]:
    """Return an attribute of edges as i64[num_edges] if all are whole, else as f64.

    Raises
    ------
    NotImplementedError
        If one is no number, or does not fit.
    """
    listed = [row.get(attribute, default) for row in rows]
    try:
        column = np.array(listed if listed else [1])
    except (ValueError, OverflowError):
        column = np.array(None)
    if column.ndim != 1 or column.dtype.kind not in "biuf" or column.dtype.itemsize > 8:
        raise NotImplementedError(f"the edge attribute {attribute!r} is not all numbers")
    if column.dtype.kind == "f":  # whole numbers among others have become f64
        demand_exact(attribute, sum(abs(each) for each in listed if isinstance(each, WHOLE)))
    return checked(attribute, column[: len(listed)])


def checked(attribute: str, column: NDArray[Any]) -> NDArray[Any]:
    """Return a column as i64 if it holds whole numbers, else as f64.

    Raises
    ------
    NotImplementedError
        If sums of whole numbers would round.
    """
    if column.dtype.kind == "f":
        return column.astype(np.float64)
    demand_exact(attribute, np.abs(column.astype(np.float64)).sum())
    return column.astype(np.int64)


def demand_exact(attribute: str, total: Any) -> None:
    """Refuse whole numbers whose sums f64 would round."""
    if total >= EXACT:
        raise NotImplementedError(f"the edge attribute {attribute!r} has sums of 2**53 and more")
