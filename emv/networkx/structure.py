"""The nodes and edges of a graph that networkx hands over, and what is made of them once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import emv
from emv.graph.of_networkx import Adjacency
from emv.networkx.records import Records
from emv.networkx.rows import Rows, rows_made, rows_read

MANY = 2**13
"""Nodes from which on a dict is filled by compiled code, which is to be loaded first."""


class Structure:
    """The nodes and edges of a graph, and what is made of them once.

    Parameters
    ----------
    arrays : emv.Graph
        Vertices in the order of `nodes`.
    nodes : sequence
        What networkx calls them.
    is_multi : bool
        Whether networkx takes it for a multigraph.
    adjacency : Adjacency, optional
        The networkx graph that it was read from.
    forward : Structure, optional
        That whose edges were turned round.
    """

    def __init__(
        self,
        arrays: emv.Graph,
        nodes: Sequence[Any],
        is_multi: bool,
        adjacency: Adjacency | None = None,
        forward: Structure | None = None,
    ) -> None:
        self.arrays = arrays
        self.nodes = nodes
        self.is_multi = is_multi
        self.adjacency = adjacency
        self._forward = forward

    @classmethod
    def read(cls, G: Any) -> Structure:
        """Return that of a networkx graph."""
        adjacency = Adjacency(G)
        arrays = emv.Graph.from_edges(
            *adjacency.ends(), num_vertices=len(adjacency.nodes), directed=bool(G.is_directed())
        )
        return cls(arrays, adjacency.nodes, bool(G.is_multigraph()), adjacency)

    @cached_property
    def id_of(self) -> dict[Any, int]:
        """The vertex of each node."""
        if self.adjacency is not None:
            return self.adjacency.vertex_of
        return {node: vertex for vertex, node in enumerate(self.nodes)}

    @cached_property
    def blank(self) -> dict[Any, None]:
        """Every node, with nothing about it."""
        return dict.fromkeys(self.id_of)

    def by_node(self, values: NDArray[Any], which: NDArray[Any] | None) -> dict[Any, Any]:
        """Return ``{node: value}``, with values of Python's; `which` are their places, if given."""
        found: dict[Any, Any] = self.blank.copy()  # has room for all: half to do
        boxed = np.ascontiguousarray(values, object)
        if len(found) >= MANY:
            from emv_kernels.cpu.dicts import set_values

            set_values(found, boxed, which)
        else:
            listed = boxed if which is None else boxed[which]
            found.update(zip(self.nodes, listed.tolist(), strict=True))
        return found

    @cached_property
    def is_numbered(self) -> bool:
        """Whether every node is called by its number."""
        if self.adjacency is not None:
            return self.adjacency.is_numbered
        return self.nodes == range(len(self.nodes))

    @cached_property
    def names(self) -> NDArray[Any]:
        """What networkx calls the vertices, ``object[num_vertices]``, or int64 if all are such."""
        if set(map(type, self.nodes)) == {int}:
            with suppress(OverflowError):
                return np.fromiter(self.nodes, np.int64, len(self.nodes))
        return np.fromiter(self.nodes, object, len(self.nodes))

    @cached_property
    def counts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """How many edges start and how many end at every vertex, ``int64[num_vertices]`` each."""
        src, dst = self.arrays.edges.endpoints()
        size = len(self.nodes)
        return np.bincount(src, minlength=size), np.bincount(dst, minlength=size)

    @cached_property
    def loops(self) -> NDArray[np.int64]:
        """How many edges lead back to where they start, ``int64[num_vertices]``."""
        src, dst = self.arrays.edges.endpoints()
        return np.bincount(src[src == dst], minlength=len(self.nodes))

    @cached_property
    def matrix(self) -> Any:
        """How many edges start at a vertex and end at another, as SciPy's ``int32[n, n]``."""
        from scipy.sparse import coo_array

        src, dst = self.arrays.edges.endpoints()
        count = len(self.nodes)
        found = coo_array((np.ones(len(src), np.int32), (src, dst)), shape=(count, count)).tocsr()
        found.sum_duplicates()  # rows in order, whatever is done with it
        return found

    @cached_property
    def turned(self) -> Any:
        """The transpose of `matrix`."""
        return self.matrix.T.tocsr()

    @property
    def keys(self) -> list[Any]:
        """What networkx calls each of parallel edges; by default how many were there before."""
        if self.adjacency is not None:
            return [key for *_, key in self.adjacency.graph.edges(keys=True)]
        seen: Counter[tuple[int, int]] = Counter()
        found = []
        for u, v in zip(*(each.tolist() for each in self.arrays.edges.endpoints()), strict=True):
            pair = (u, v) if self.arrays.directed else (min(u, v), max(u, v))
            found.append(seen[pair])
            seen[pair] += 1
        return found

    def node_rows(self) -> list[Any]:
        """Return what networkx stores with every node."""
        stored = self.adjacency.graph._node  # type: ignore[union-attr]
        return [stored[node] for node in self.nodes]

    @cached_property
    def records(self) -> tuple[Records, Records]:
        """What nodes and edges of the networkx graph say, as it is when this is first asked."""
        return Records.of(self.node_rows()), Records.of(list(self.adjacency.data()))  # type: ignore[union-attr]

    @cached_property
    def undirected(self) -> emv.Graph:
        """The arrays of the same edges, which lead both ways."""
        ends = self.arrays.edges.endpoints()
        return emv.Graph.from_edges(*ends, num_vertices=len(self.nodes), directed=False)

    @cached_property
    def reversed(self) -> Structure:
        """The structure whose edges lead the other way."""
        src, dst = self.arrays.edges.endpoints()
        turned = emv.Graph.from_edges(dst, src, num_vertices=len(self.nodes))
        return Structure(turned.on(self.arrays.device), self.nodes, self.is_multi, forward=self)

    @cached_property
    def ahead(self) -> Rows:
        """The neighbours in networkx' order."""
        return self._rows(is_behind=False) if self._forward is None else self._forward.behind

    @cached_property
    def behind(self) -> Rows:
        """The neighbours against the direction of edges."""
        return self._rows(is_behind=True) if self.arrays.directed else self.ahead

    def _rows(self, *, is_behind: bool) -> Rows:
        if self.adjacency is not None:
            return rows_read(self.adjacency, is_behind)
        return rows_made(self.arrays, is_behind)
