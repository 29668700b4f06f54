"""Some edges of a graph as networkx lists them, and the networkx graph of a part.

Only what is chosen is named and copied; networkx' own views look every edge up.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from emv.networkx.graphs import BackendGraph
from emv.networkx.pause import uncollected
from emv.networkx.rows import Ids

FEW = 0.5
"""Which share of the edges is looked up one by one, as that is sooner than to pass over all."""


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

    Parameters
    ----------
    G : BackendGraph
        With its networkx graph, if it was made of one.
    is_in : bool[num_vertices]
        Which nodes.
    is_kept : bool[num_edges]
        Which edges; both ends of each are among the nodes.
    """
    whole = G.as_networkx()
    part = whole.__class__()
    part.graph.update(whole.graph)
    stored = whole._node
    nodes, chosen = G.named(np.flatnonzero(is_in)), np.flatnonzero(is_kept)
    if type(part) not in (nx.Graph, nx.DiGraph):
        part.add_nodes_from((node, stored[node]) for node in nodes)
        part.add_edges_from(edges_of(G, chosen, keys=True, data=True))
        return part
    place = np.cumsum(is_in) - 1
    ends = [place[each[chosen]] for each in G.arrays.edges.endpoints()]
    with uncollected():
        part._node.update((node, stored[node].copy()) for node in nodes)
        rows = map(dict.copy, _rows_where(G, is_kept))
        _store(part, nodes, ends, np.fromiter(rows, object, len(chosen)))
    return part


def _rows_where(G: BackendGraph, is_kept: NDArray[np.bool_]) -> list[dict[str, Any]]:
    """Return the attributes of the edges that are kept, in their order."""
    if np.count_nonzero(is_kept) < FEW * len(is_kept):
        return G.rows_of(np.flatnonzero(is_kept))
    return list(itertools.compress(G.all_rows(), is_kept.tobytes()))


def _store(part: Any, nodes: list[Any], ends: list[Ids], rows: NDArray[np.object_]) -> None:
    """Put edges into a networkx graph of some nodes that has none, by numbers of the nodes."""
    numbers = np.arange(len(rows))
    if part.is_directed():
        src, dst = ends
        part._adj.update(_dicts(nodes, src, dst, numbers, rows))
        part._pred.update(_dicts(nodes, dst, src, numbers, rows))
        return
    tails, heads = (np.stack(each, axis=1).ravel() for each in (ends, ends[::-1]))
    part._adj.update(_dicts(nodes, tails, heads, np.repeat(numbers, 2), rows))


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
    ahead, said = named.tolist(), rows[numbers[order]].tolist()
    for node, (begin, end) in zip(nodes, itertools.pairwise(by_tail.indptr.tolist()), strict=True):
        yield node, dict(zip(ahead[begin:end], said[begin:end], strict=True))
