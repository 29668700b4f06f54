"""Whether a call is worth handing to emv; networkx asks it of calls that emv has priority for.

To convert a graph takes about as long as one search of networkx', so that what takes networkx no
longer is run in emv only where the graph was converted before. Nothing is run on graphs of a few
arcs, which is settled by the number of nodes where that will do: on ten nodes the question itself
would take longer than the answer. `python -m bench.networkx_calls` measures what is said here.
"""

from __future__ import annotations

from typing import Any

KEPT = set(
    """
all_pairs_shortest_path all_pairs_shortest_path_length ancestors bfs_edges bfs_layers
bfs_predecessors bfs_successors bfs_tree color connected_components core_number degree_centrality
descendants dfs_edges dfs_postorder_nodes dfs_predecessors dfs_preorder_nodes dfs_successors
dfs_tree generic_bfs_edges has_cycle in_degree_centrality is_arborescence is_bipartite
is_connected is_directed_acyclic_graph is_negatively_weighted is_tree is_weakly_connected isolates
k_core k_crust k_shell k_truss node_connected_component number_connected_components
number_of_isolates number_of_selfloops number_weakly_connected_components out_degree_centrality
shortest_path shortest_path_length single_source_shortest_path single_source_shortest_path_length
single_target_shortest_path single_target_shortest_path_length to_numpy_array
topological_generations topological_sort weakly_connected_components
""".split()
)
"""Functions that take networkx no longer than a conversion."""

ASKED = set(
    """
bidirectional_dijkstra bidirectional_shortest_path complement compose compose_all
convert_node_labels_to_integers descendants_at_distance difference dijkstra_path
dijkstra_path_length disjoint_union disjoint_union_all ego_graph from_scipy_sparse_array full_join
has_path intersection intersection_all is_isolate is_strongly_connected jaccard_coefficient
louvain_communities number_strongly_connected_components power relabel_nodes reverse
strongly_connected_components symmetric_difference to_dict_of_lists union union_all
""".split()
)
"""Functions of which networkx needs a small part of the graph only, or is faster as it is; and one
whose result is another than networkx'."""

LEAST = {True: 10_000, False: 20_000}
"""Arcs that a graph must have, by whether it was converted before."""

ROOT = 100
"""Nodes that a graph must have: fewer cannot have so many arcs."""

LEAST_KEPT = 40_000
"""Arcs that a graph must have for functions that take networkx no longer than a conversion."""

PATHS = {"shortest_path", "shortest_path_length"}

FEW = "networkx is faster on a graph of so few edges"
FRESH = "networkx is faster than the conversion of the graph"
PART = "networkx needs a small part of the graph, is faster as it is, or is asked for its draws"


def when(name: str) -> str:
    """Return where a function runs if emv has priority; ``kept`` is on converted graphs alone.

    Examples
    --------
    >>> when("pagerank"), when("bfs_edges"), when("has_path")
    ('always', 'kept', 'asked')
    """
    return "asked" if name in ASKED else "kept" if name in KEPT else "always"


def should_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Return whether emv is likely to be the faster, or the reason why not; called by networkx."""
    if name in ASKED:
        return PART
    G = args[0] if args else kwargs.get("G")
    try:
        rows = G._adj
    except AttributeError:
        return True  # what makes a graph is only asked for
    count = len(rows)
    if count < ROOT:
        return FEW
    if name in PATHS and _between(args, kwargs):
        return PART
    is_kept = "emv" in (getattr(G, "__networkx_cache__", None) or {}).get("backends", ())
    if name in KEPT and not is_kept:
        return FRESH
    least = LEAST_KEPT if name in KEPT else LEAST[is_kept]
    return FEW if sum(map(len, rows.values())) < least else True


def _between(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Return whether a path between two nodes is asked for."""
    given = dict(zip(("G", "source", "target"), args, strict=False)) | kwargs
    return given.get("source") is not None and given.get("target") is not None
