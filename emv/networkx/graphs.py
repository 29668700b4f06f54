"""A networkx graph as an `emv.Graph`, and back: nodes are numbered in networkx's order.

Edges are numbered in the order of ``G.edges``, which is that in which networkx' algorithms meet
them, so that ties fall alike. A graph is read once (`Structure`), however many conversions with
other attributes networkx asks for. Attributes of edges become columns when a function asks for
them; where it asks for all of them, the networkx graph is kept at hand.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from operator import getitem
from typing import Any

import networkx as nx
import numpy as np
from networkx.utils import backends
from numpy.typing import NDArray

import emv
from emv.networkx.columns import checked, numbers
from emv.networkx.records import Records, records_of
from emv.networkx.rows import Rows
from emv.networkx.stored import demand_stored
from emv.networkx.structure import Structure

KINDS = {
    (False, False): nx.Graph,
    (False, True): nx.MultiGraph,
    (True, False): nx.DiGraph,
    (True, True): nx.MultiDiGraph,
}
"""The classes of networkx, by whether they are directed and whether multigraphs."""


class BackendGraph:
    """What a function of the backend takes: the arrays of a graph, and what its nodes are called.

    Parameters
    ----------
    structure : Structure
        Nodes and edges.
    values : mapping, optional
        Edge attributes as columns, ``any[num_edges]``.
    original : networkx.Graph, optional
        With all attributes of nodes and edges.
    graph : mapping, optional
        The attributes of the graph itself.
    is_emvs : bool
        Whether it was an `emv.Graph` when networkx was called.
    said : tuple of Records, optional
        What nodes and edges say, where that was noted for all of them.

    Attributes
    ----------
    node_data, edge_data : list of dict, optional
        The attributes of nodes and edges where they are no columns.
    keys : list, optional
        What networkx calls each of the parallel edges; by default their numbers.
    """

    __networkx_backend__ = "emv"

    def __init__(
        self,
        structure: Structure,
        values: Mapping[str, NDArray[Any]] | None = None,
        original: Any = None,
        graph: Mapping[str, Any] | None = None,
        is_emvs: bool = False,
        said: tuple[Records, Records] | None = None,
    ) -> None:
        self.structure = structure
        self.values = dict(values or {})
        self.of_numpy: set[str] = set()  # columns of bools, and of numbers that are not Python's
        self.original = original
        self.graph = dict(graph or {})
        self.said = said
        self.node_data: list[dict[str, Any]] | None = None
        self._edge_data: list[dict[str, Any]] | None = None
        self.keys: list[Any] | None = None
        self.is_emvs = is_emvs
        self._forward: BackendGraph | None = None  # the one that this was turned round from

    def __repr__(self) -> str:
        return f"<networkx backend graph of {self.arrays!r}>"

    def __len__(self) -> int:
        return len(self.structure.nodes)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.nodes)

    def __contains__(self, node: object) -> bool:
        try:
            return node in self.id_of
        except TypeError:  # not to be hashed
            return False

    @property
    def nodes(self) -> Sequence[Any]:
        """What networkx calls the vertices."""
        return self.structure.nodes

    @property
    def arrays(self) -> emv.Graph:
        """The arrays, to be run where ``nx.config.backends.emv.device`` says if it says so."""
        device = getattr(getattr(nx.config.backends, "emv", None), "device", None)
        return self.structure.arrays if device is None else self.structure.arrays.on(device)

    @property
    def id_of(self) -> dict[Any, int]:
        """The vertex of each node."""
        return self.structure.id_of

    _adj = id_of  # all that networkx.Graph.nbunch_iter needs

    def become(self, other: BackendGraph) -> BackendGraph:
        """Return this graph, which takes the nodes, edges and attributes of another."""
        self.structure, self.original, self._forward = other.structure, None, None
        self.graph, self.said, self.node_data = dict(other.graph), other.said, other.node_data
        self.edge_data, self.keys = other.edge_data, other.keys
        self.values, self.of_numpy = dict(other.values), set(other.of_numpy)
        return self

    @property
    def edge_data(self) -> list[dict[str, Any]] | None:
        """The attributes of edges where they are no columns of numbers."""
        if self._edge_data is None and self.said is not None:
            self._edge_data = self.said[1].rows()
        return self._edge_data

    @edge_data.setter
    def edge_data(self, rows: list[dict[str, Any]] | None) -> None:
        self._edge_data = rows

    def records(self) -> tuple[Records, Records]:
        """Return what nodes and edges say."""
        if self.said is not None:
            return self.said
        if self.structure.adjacency is not None and self._edge_data is None:
            return self.structure.records
        return Records.of(self.node_rows() or [{}] * len(self)), Records.of(self.all_rows())

    def is_directed(self) -> bool:
        """Return whether edges lead one way only."""
        return self.structure.arrays.directed

    def is_multigraph(self) -> bool:
        """Return whether networkx takes it for a multigraph."""
        return self.structure.is_multi

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

    def by_node(self, values: NDArray[Any], which: NDArray[Any] | None = None) -> dict[Any, Any]:
        """Return ``{node: value}``, with values of Python's; `which` are their places, if given."""
        return self.structure.by_node(values, which)

    def named(self, vertices: NDArray[Any]) -> list[Any]:
        """Return the nodes of some vertices."""
        if not self.structure.is_numbered:
            vertices = self.structure.names[vertices.astype(np.intp, copy=False)]
        listed: list[Any] = vertices.tolist()
        return listed

    def column(self, attribute: str | None) -> NDArray[Any] | int:
        """Return what an edge attribute says, ``any[num_edges]``; 1 where there is none.

        Raises
        ------
        NotImplementedError
            If it says something else than numbers.
        """
        if attribute is None:
            return 1
        if self._forward is not None:
            return self._forward.column(attribute)
        if attribute not in self.values:
            edges = self.structure.arrays.edges
            if self.structure.adjacency or self.said or self._edge_data is not None:
                self.read_column(attribute, 1)
            elif attribute in edges:
                self.values[attribute] = checked(attribute, np.asarray(edges[attribute]))
            else:
                return 1
        return self.values[attribute]

    def read_column(self, attribute: str, default: Any) -> None:
        """Read an edge attribute of the networkx graph into `values`.

        Raises
        ------
        NotImplementedError
            If it says something else than numbers.
        """
        if self._edge_data is not None:
            listed = [each.get(attribute, default) for each in self._edge_data]
        elif self.said is not None:
            listed = self.said[1].column(attribute, default)
        else:
            listed = self.structure.adjacency.attribute(attribute, default)  # type: ignore[union-attr]
        self.values[attribute] = numbers(attribute, listed)
        if not set(map(type, listed)) <= {int, float}:
            self.of_numpy.add(attribute)

    def reversed(self) -> BackendGraph:
        """Return the graph whose edges lead the other way; itself if they lead both ways."""
        if not self.is_directed():
            return self
        turned = BackendGraph(self.structure.reversed)
        turned._forward = self
        return turned

    def ordered(self, *, is_behind: bool = False) -> Rows:
        """Return the neighbours in networkx' order; behind are those against the edges."""
        return self.structure.behind if is_behind else self.structure.ahead

    def undirected(self) -> emv.Graph:
        """Return the arrays of the same edges, which lead both ways."""
        if not self.is_directed():
            return self.arrays
        return self.structure.undirected.on(self.arrays.device)

    def as_networkx(self) -> Any:
        """Return the networkx graph with the attributes of nodes and edges."""
        if self.original is not None:
            return self.original
        if self.is_emvs:
            return self.structure.arrays.to_networkx()
        G = KINDS[self.is_directed(), self.is_multigraph()]()
        G.graph.update(self.graph)
        G.add_nodes_from(zip(self.nodes, self.node_rows() or itertools.repeat({})))  # noqa: B905
        parts = [self.rows()] if self.keys is None else [self.keys, self.rows()]
        G.add_edges_from((*row[0], *row[1:]) for row in zip(self.ends(), *parts, strict=True))
        return G

    @property
    def edges(self) -> list[Any]:
        """Return the ends of every edge, in a multigraph with its key."""
        if not self.is_multigraph():
            return self.ends()
        return [(u, v, key) for (u, v), key in zip(self.ends(), self.edge_keys(), strict=True)]

    def edge_keys(self) -> list[Any]:
        """Return what networkx calls each of the edges of a multigraph beside its ends."""
        return self.structure.keys if self.keys is None else self.keys

    def number_of_nodes(self) -> int:
        """Return how many nodes there are."""
        return len(self)

    def number_of_edges(self) -> int:
        """Return how many edges there are."""
        return len(self.structure.arrays.edges)

    def ends(self) -> list[tuple[Any, Any]]:
        """Return the nodes at both ends of every edge, in the order of edge ids."""
        src, dst = map(self.named, self.structure.arrays.edges.endpoints())
        return list(zip(src, dst, strict=True))

    def node_values(self, attribute: Any, default: Any = None) -> list[Any]:
        """Return what every node says under a name."""
        rows = self.node_rows()
        return [default] * len(self) if rows is None else [r.get(attribute, default) for r in rows]

    def all_rows(self) -> list[dict[str, Any]]:
        """Return the attributes of every edge, also those that were not asked for."""
        if self.edge_data is None and self.structure.adjacency is not None:
            return list(self.structure.adjacency.data())  # type: ignore[arg-type]
        return self.rows()

    def rows_of(self, edges: NDArray[np.int64]) -> list[dict[str, Any]]:
        """Return the attributes of some edges, also those that were not asked for."""
        if self.edge_data is None and self.structure.adjacency and not self.is_multigraph():
            src, dst = (each[edges] for each in self.structure.arrays.edges.endpoints())
            stored: Any = self.structure.adjacency.rows()
            return list(map(getitem, map(stored.__getitem__, src.tolist()), self.named(dst)))
        return list(map(self.all_rows().__getitem__, edges.tolist()))

    def node_rows(self) -> list[dict[str, Any]] | None:
        """Return the attributes of every node; None if no node has any."""
        if self.node_data is not None:
            return self.node_data if any(self.node_data) else None
        if self.said is not None:
            self.node_data = self.said[0].rows()
            return self.node_rows()
        if self.structure.adjacency is not None:
            listed = self.structure.node_rows()
            return listed if any(listed) else None
        vertices = self.structure.arrays.vertices
        columns = {name: vertices[name] for name in vertices.names()}
        return records_of(columns, len(self)) if columns else None

    def rows(self) -> list[dict[str, Any]]:
        """Return the attributes of every edge that are known here, in the order of edge ids."""
        if self.edge_data is not None:
            return self.edge_data
        edges = self.structure.arrays.edges
        columns = {name: edges[name] for name in edges.names()}
        return records_of({**columns, **self.values}, len(edges))


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
    return BackendGraph(Structure(given, nodes, given.is_multigraph()), is_emvs=True)


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
    structure = _known(graph)
    if structure is None:
        demand_stored(graph)
        structure = Structure.read(graph)
    made = BackendGraph(
        structure,
        original=graph if preserve_edge_attrs or preserve_node_attrs else None,
        graph=graph.graph if preserve_graph_attrs else None,
    )
    if edge_attrs and structure.adjacency is not None and not preserve_edge_attrs:
        for each, default in edge_attrs.items():
            made.read_column(each, default)
    return made


def _known(graph: Any) -> Structure | None:
    """Return what a conversion with other attributes has read; networkx forgets stale ones."""
    known = (getattr(graph, "__networkx_cache__", None) or {}).get("backends", {}).get("emv", {})
    return next((each.structure for each in known.values() if isinstance(each, BackendGraph)), None)


def kept_with(graph: Any, converted: BackendGraph) -> None:
    """Keep with a networkx graph what it would be converted to, as networkx itself does."""
    key = backends._get_cache_key(
        edge_attrs=None,
        node_attrs=None,
        preserve_edge_attrs=True,
        preserve_node_attrs=True,
        preserve_graph_attrs=True,
    )
    backends._set_to_cache(graph.__networkx_cache__, key, converted, backend_name="emv")


def convert_to_nx(result: Any, *, name: str | None = None) -> Any:
    """Return a graph of the backend as networkx'; everything else as it is."""
    if isinstance(result, BackendGraph | emv.Graph):
        return graph_of(result).as_networkx()
    return result
