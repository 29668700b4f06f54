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
all_pairs_shortest_path all_pairs_shortest_path_length ancestors average_neighbor_degree bfs_edges
bfs_layers bfs_predecessors bfs_successors bfs_tree biadjacency_matrix color connected_components
core_number degree_centrality descendants dfs_edges dfs_postorder_nodes dfs_predecessors
dfs_preorder_nodes dfs_successors dfs_tree edge_bfs edge_dfs flow_hierarchy generic_bfs_edges
group_closeness_centrality has_cycle in_degree_centrality is_aperiodic is_arborescence
is_bipartite is_connected is_directed_acyclic_graph is_negatively_weighted is_semiconnected
is_tree is_weakly_connected isolates k_core k_crust k_shell k_truss local_reaching_centrality
modularity node_connected_component number_connected_components number_of_isolates
number_of_selfloops number_of_walks number_weakly_connected_components out_degree_centrality
predecessor rich_club_coefficient s_metric score_sequence shortest_path shortest_path_length
single_source_shortest_path single_source_shortest_path_length single_target_shortest_path
single_target_shortest_path_length to_numpy_array topological_generations topological_sort
tournament_matrix weakly_connected_components
""".split()
)
"""Functions that take networkx no longer than a conversion."""

ASKED = set(
    """
adamic_adar_index all_pairs_bellman_ford_path all_pairs_lowest_common_ancestor all_shortest_paths
all_triangles attribute_assortativity_coefficient attribute_mixing_dict attribute_mixing_matrix
bidirectional_dijkstra bidirectional_shortest_path bipartite_degree_centrality birank
boundary_expansion centroid cn_soundarajan_hopcroft communicability_exp complement compose
compose_all conductance contracted_edge contracted_nodes convert_node_labels_to_integers cut_size
dag_longest_path dag_longest_path_length descendants_at_distance dfs_labeled_edges difference
dijkstra_path dijkstra_path_length disjoint_union disjoint_union_all dominance_frontiers
edge_boundary edge_expansion efficiency ego_graph find_cycle from_biadjacency_matrix
from_dict_of_lists from_scipy_sparse_array full_join get_edge_attributes get_node_attributes girth
group_degree_centrality group_in_degree_centrality group_out_degree_centrality gutman_index
has_eulerian_path has_path hyper_wiener_index immediate_dominators intersection intersection_all
is_dominating_set is_edge_cover is_empty is_eulerian is_isolate is_k_regular is_matching
is_maximal_matching is_partition is_perfect_matching is_regular is_semieulerian is_simple_path
is_strongly_connected is_tournament is_weighted jaccard_coefficient katz_centrality_numpy
leiden_communities local_constraint louvain_communities lowest_common_ancestor mixing_expansion
node_attribute_xy node_boundary node_degree_xy node_expansion non_randomness normalized_cut_size
number_strongly_connected_components numeric_assortativity_coefficient power preferential_attachment
ra_index_soundarajan_hopcroft relabel_nodes resource_allocation_index reverse set_edge_attributes
set_node_attributes simrank_similarity stochastic_graph strongly_connected_components
symmetric_difference to_dict_of_lists tree_all_pairs_lowest_common_ancestor union union_all volume
within_inter_cluster
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
    G: Any = args[0] if args else kwargs.get("G")
    try:
        rows = G.__dict__["_adj"]
    except (AttributeError, KeyError):
        return True  # what makes a graph is only asked for, and what is not filled is arrays
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
