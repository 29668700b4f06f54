"""Some edges of a graph as networkx lists them, and the networkx graph of a part.

Only what is chosen is named and copied; networkx' own views look every edge up.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import emv
from emv.networkx.graphs import KINDS as GRAPHS
from emv.networkx.graphs import BackendGraph, kept_with
from emv.networkx.later import KINDS, made_later, plain_kind
from emv.networkx.pause import uncollected
from emv.networkx.rows import Ids
from emv.networkx.structure import Structure


def edges_of(G: BackendGraph, chosen: Ids, *, keys: bool, data: bool) -> Iterator[Any]:
    """Return some edges as networkx lists them.

    Parameters
    ----------
    G : BackendGraph
        Its networkx graph must be at hand if it has attributes that matter.
    chosen : int64[num_chosen]
        Their numbers, in the order in which they are listed.
    keys : bool
        Whether the keys of parallel edges stand there; not unless `G` is a multigraph.
    data : bool
        Whether the attributes do.
    """
    columns = [G.named(each[chosen]) for each in G.arrays.edges.endpoints()]
    if keys and G.is_multigraph():
        named = G.edge_keys()
        columns.append([named[edge] for edge in chosen.tolist()])
    if data:
        columns.append(G.rows_of(chosen))
    return zip(*columns, strict=True)


def part_of(G: BackendGraph, is_in: NDArray[np.bool_], is_kept: NDArray[np.bool_]) -> Any:
    """Return the networkx graph of some nodes and some of the edges between them.

    A plain one is filled when somebody looks at it; until then it is arrays.

    Parameters
    ----------
    G : BackendGraph
        With its networkx graph, if it was made of one.
    is_in : bool[num_vertices]
        Which nodes.
    is_kept : bool[num_edges]
        Which edges; both ends of each are among the nodes.
    """
    kind = GRAPHS[G.is_directed(), G.is_multigraph()]
    if G.original is not None:
        kind = plain_kind(G.original)
    if kind not in KINDS:
        return _copied(G, np.flatnonzero(is_in), np.flatnonzero(is_kept))
    nodes, place = G.named(np.flatnonzero(is_in)), np.cumsum(is_in) - 1
    src, dst = (place[each[is_kept]] for each in G.arrays.edges.endpoints())
    of_nodes, of_edges = G.records()
    said = of_nodes.chosen(is_in), of_edges.chosen(is_kept)
    arrays = emv.Graph.from_edges(src, dst, num_vertices=len(nodes), directed=G.is_directed())
    own = G.graph if G.original is None else G.original.graph
    part = made_later(kind, own, lambda: _filled(kind(), nodes, (src, dst), said))
    made = BackendGraph(Structure(arrays, nodes, False), original=part, graph=own, said=said)
    kept_with(part, made)
    return part


def _copied(G: BackendGraph, nodes: Ids, edges: Ids) -> Any:
    """Return some nodes and edges as a multigraph, or a graph of a class of the user's own."""
    whole = G.as_networkx()
    part = whole.__class__()
    part.graph.update(whole.graph)
    part.add_nodes_from((node, whole._node[node]) for node in G.named(nodes))
    part.add_edges_from(edges_of(G, edges, keys=True, data=True))
    return part


def _filled(part: Any, nodes: list[Any], ends: tuple[Ids, Ids], said: tuple[Any, Any]) -> Any:
    """Return a networkx graph that had nothing, with some nodes and edges, by numbers of nodes."""
    src, dst = ends
    with uncollected():
        of_nodes, of_edges = (each.rows() for each in said)
        rows, numbers = np.fromiter(of_edges, object, len(src)), np.arange(len(src))
        part._node.update(zip(nodes, of_nodes, strict=True))
        if part.is_directed():
            part._adj.update(_dicts(nodes, src, dst, numbers, rows))
            part._pred.update(_dicts(nodes, dst, src, numbers, rows))
        else:
            tails, heads = (np.stack(each, axis=1).ravel() for each in (ends, ends[::-1]))
            part._adj.update(_dicts(nodes, tails, heads, np.repeat(numbers, 2), rows))
    return part


def _dicts(
    nodes: list[Any], tails: Ids, heads: Ids, numbers: Ids, rows: NDArray[np.object_]
) -> Iterator[tuple[Any, dict[Any, Any]]]:
    """Return every node with its neighbours, in the order of the arcs, and what each arc says."""
    from scipy.sparse import coo_array

    shape = (len(nodes), len(tails))
    places = np.arange(len(tails))
    by_tail = coo_array((np.ones(len(tails), bool), (tails, places)), shape=shape).tocsr()
    order = by_tail.indices
    named = np.fromiter(nodes, object, len(nodes))[heads[order]]
    arcs = zip(named.tolist(), rows[numbers[order]].tolist(), strict=True)
    rows_of_arcs = map(itertools.islice, itertools.repeat(arcs), np.diff(by_tail.indptr).tolist())
    return zip(nodes, map(dict, rows_of_arcs), strict=True)
