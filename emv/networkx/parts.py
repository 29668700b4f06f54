"""Some edges of a graph as networkx lists them, and the networkx graph of a part.

Only what is chosen is named and copied; networkx' own views look every edge up.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.networkx.graphs import BackendGraph


def edges_of(G: BackendGraph, chosen: NDArray[np.int64], *, keys: bool, data: bool) -> list[Any]:
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
    ids: list[int] = chosen.tolist()
    columns = [G.named(each[chosen]) for each in G.arrays.edges.endpoints()]
    if keys and G.is_multigraph():
        named = G.edge_keys()
        columns.append([named[edge] for edge in ids])
    if data:
        rows = G.all_rows()
        columns.append([rows[edge] for edge in ids])
    return list(zip(*columns, strict=True))


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
    part.add_nodes_from((node, stored[node]) for node in G.named(np.flatnonzero(is_in)))
    part.add_edges_from(edges_of(G, np.flatnonzero(is_kept), keys=True, data=True))
    return part
