"""Functions of ``networkx.algorithms.minors`` that make one node of two.

Only the edges at the two nodes are looked at one by one; all others stay as they are.
"""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from emv.networkx.calls import serves
from emv.networkx.graphs import BackendGraph
from emv.networkx.operators import (
    Edges,
    changed,
    demand_kind,
    edges_of,
    graph_row,
    joined,
    made_of,
)
from emv.networkx.sparse import are_joined


class _Contraction:
    """The edges at the node that stays, as edges of the other are brought to it.

    Parameters
    ----------
    G : BackendGraph
        With both nodes.
    stays, goes : int
        The vertices.
    name : str or None
        Under which attribute the edges that fall together are kept.
    """

    def __init__(self, G: BackendGraph, stays: int, goes: int, name: Any) -> None:
        self.G, self.stays, self.goes, self.name = G, stays, goes, name
        self.edges = edges_of(G)
        at_goes = (self.edges.src == goes) | (self.edges.dst == goes)
        self.kept = np.flatnonzero(~at_goes)
        self.rows = G.all_rows()
        self.data = [self.rows[edge] for edge in self.kept.tolist()]
        self.added: list[tuple[int, int, Any]] = []
        self._place: dict[Any, list[int]] = {}  # of the edges at the node that stays
        src, dst = self.edges.src[self.kept], self.edges.dst[self.kept]
        for place in np.flatnonzero((src == stays) | (dst == stays)).tolist():
            self._note(int(src[place]), int(dst[place]), place)
        self._moved = at_goes

    def _note(self, tail: int, head: int, place: int) -> None:
        self._place.setdefault(self._pair(tail, head), []).append(place)

    def _pair(self, tail: int, head: int) -> Any:
        return (tail, head) if self.edges.directed or tail < head else (head, tail)

    def _to_move(self) -> list[tuple[int, int, int]]:
        """Return tail, head and number of the edges at the node that goes, in networkx' order."""
        src, dst, goes = self.edges.src, self.edges.dst, self.goes
        rows = self.G.ordered(is_behind=True)
        row = rows.ahead[rows.starts[goes] : rows.starts[goes + 1]].tolist()
        place = {other: each for each, other in enumerate(row)}
        if self.edges.directed:
            to = sorted(np.flatnonzero(dst == goes).tolist(), key=lambda each: place[src[each]])
            listed = np.concatenate([np.array(to, np.int64), np.flatnonzero(src == goes)])
            return [(int(src[each]), int(dst[each]), each) for each in listed.tolist()]
        found = []
        for each in np.flatnonzero(self._moved).tolist():
            other = int(dst[each] if src[each] == goes else src[each])
            found.append((goes, other, each))
        return sorted(found, key=lambda each: place[each[1]])

    def move(self, self_loops: bool) -> None:
        """Bring the edges of the node that goes to the one that stays."""
        for tail, head, edge in self._to_move():
            if {tail, head} == {self.stays, self.goes} and not self_loops:
                continue
            first, last = (self.stays if v == self.goes else v for v in (tail, head))
            there = self._place.get(self._pair(first, last), [])
            row = self.rows[edge]
            if there and self.edges.keys is None:
                if self.name is not None:
                    known = (self.G.nodes[tail], self.G.nodes[head])
                    self._keep(there[0], known, row)
                continue
            self.added.append((first, last, self._key(there)))
            self._note(first, last, len(self.data))
            self.data.append(dict(row))

    def _key(self, there: list[int]) -> Any:
        """Return the key that networkx gives to one more edge beside some."""
        if self.edges.keys is None:
            return None
        base = len(self.kept)
        taken = {
            self.added[each - base][2] if each >= base else self.edges.keys[self.kept[each]]
            for each in there
        }
        key = len(taken)
        while key in taken:
            key += 1
        return key

    def _keep(self, place: int, known: Any, row: dict[Any, Any]) -> None:
        own = self.data[place] = dict(self.data[place])
        own[self.name] = {**own.get(self.name, {}), known: row}

    def graph(self) -> BackendGraph:
        """Return the graph without the node that goes."""
        moved = np.array([ends[:2] for ends in self.added], np.int64).reshape(-1, 2).T
        keys = None if self.edges.keys is None else [ends[2] for ends in self.added]
        both = [self.edges.chosen(self.kept), Edges(moved[0], moved[1], keys, self.edges.directed)]
        edges = joined(both)
        for each in (edges.src, edges.dst):
            each[each > self.goes] -= 1
        nodes = [node for vertex, node in enumerate(self.G) if vertex != self.goes]
        data = self.G.node_rows() or [{} for _ in self.G]
        data = [dict(row) for row in data]
        if self.name is not None:
            own, gone = data[self.stays], data[self.goes]
            own[self.name] = {**own.get(self.name, {}), self.G.nodes[self.goes]: gone}
        del data[self.goes]
        return made_of(nodes, edges, data, self.data, dict(graph_row(self.G)))


def _contracted(G: BackendGraph, u: Any, v: Any, self_loops: bool, name: Any) -> BackendGraph:
    demand_kind(G)
    for node in (v, u):
        if node not in G:
            raise KeyError(node)
    if u == v:
        raise NotImplementedError("one node is contracted with itself")
    found = _Contraction(G, G.id_of[u], G.id_of[v], name)
    found.move(self_loops)
    return found.graph()


def of_networkx_in_place(arguments: dict[str, Any]) -> str | None:
    """Refuse to change a graph of networkx' own: what emv works on is a copy of it."""
    if arguments["copy"] or isinstance(arguments["G"], BackendGraph):
        return None
    return "copy=False, and G is a graph of networkx"


of_networkx_in_place.parameter = "copy"  # type: ignore[attr-defined]


@serves(of_networkx_in_place)
def contracted_nodes(
    G: BackendGraph,
    u: Any,
    v: Any,
    self_loops: bool = True,
    copy: bool = True,
    *,
    store_contraction_as: Any = "contraction",
) -> BackendGraph:
    """Return the graph in which one node has the edges of another, too, which is gone."""
    return changed(G, _contracted(G, u, v, self_loops, store_contraction_as), copy)


@serves(of_networkx_in_place)
def contracted_edge(
    G: BackendGraph,
    edge: Any,
    self_loops: bool = True,
    copy: bool = True,
    *,
    store_contraction_as: Any = "contraction",
) -> BackendGraph:
    """Return the graph in which the ends of an edge are one node."""
    u, v = edge[:2]
    ids = np.array([[G.id_of[each]] for each in (u, v) if each in G], np.int64)
    if len(ids) < 2 or not are_joined(G, *ids)[0]:
        raise ValueError(f"Edge {edge} does not exist in graph G; cannot contract it")
    return changed(G, _contracted(G, u, v, self_loops, store_contraction_as), copy)


@serves()
def stochastic_graph(G: BackendGraph, copy: bool = True, weight: Any = "weight") -> BackendGraph:
    """Return the graph whose arcs from every node weigh 1 together."""
    demand_kind(G)
    if not G.is_directed():
        raise nx.NetworkXNotImplemented("not implemented for undirected type")
    edges, rows = edges_of(G), G.all_rows()
    values = [row.get(weight, 1) for row in rows]
    total = [0] * len(G)
    for tail, value in zip(edges.src.tolist(), values, strict=True):
        total[tail] += value
    shares = [
        {**row, weight: value / total[tail] if total[tail] else 0}
        for row, value, tail in zip(rows, values, edges.src.tolist(), strict=True)
    ]
    made = made_of(G.nodes, edges, G.node_rows(), shares, dict(graph_row(G)))
    return changed(G, made, copy)
