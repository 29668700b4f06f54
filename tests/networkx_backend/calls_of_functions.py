"""Arguments of a call of every function that the backend has and that takes a graph."""

from __future__ import annotations

from typing import Any

CALLS: dict[str, dict[str, Any]] = {
    "adjacency_matrix": {},
    "all_pairs_bellman_ford_path": {},
    "all_pairs_dijkstra": {"cutoff": 3},
    "all_pairs_dijkstra_path": {},
    "all_pairs_shortest_path": {"cutoff": 2},
    "bellman_ford_path": {"source": "d", "target": "a"},
    "bfs_edges": {"source": "d", "reverse": True},
    "bfs_layers": {"sources": ["a", "d"]},
    "bfs_predecessors": {"source": "d", "depth_limit": 2},
    "bfs_successors": {"source": "d"},
    "bfs_tree": {"source": "d", "depth_limit": 1},
    "bidirectional_dijkstra": {"source": "d", "target": 5},
    "bidirectional_shortest_path": {"source": "a", "target": "d"},
    "degree_centrality": {},
    "dfs_edges": {},
    "dfs_postorder_nodes": {},
    "dfs_predecessors": {"source": "d"},
    "dfs_preorder_nodes": {"source": "d"},
    "dfs_successors": {},
    "dfs_tree": {"source": "d"},
    "dijkstra_path": {"source": "d", "target": "a"},
    "generic_bfs_edges": {"source": "d"},
    "in_degree_centrality": {},
    "is_arborescence": {},
    "is_branching": {},
    "is_forest": {},
    "is_isolate": {"n": "a"},
    "is_negatively_weighted": {},
    "is_tree": {},
    "isolates": {},
    "multi_source_dijkstra": {"sources": ["a", "d"]},
    "multi_source_dijkstra_path": {"sources": ["d", "a"], "cutoff": 2},
    "number_of_isolates": {},
    "number_of_selfloops": {},
    "out_degree_centrality": {},
    "overall_reciprocity": {},
    "reciprocity": {"nodes": ["a", "d"]},
    "shortest_path": {"target": "d"},
    "single_source_bellman_ford": {"source": "d"},
    "single_source_bellman_ford_path": {"source": "d"},
    "single_source_dijkstra": {"source": "d"},
    "single_source_dijkstra_path": {"source": "d", "cutoff": 2.5},
    "single_source_shortest_path": {"source": "d", "cutoff": 1.5},
    "single_target_shortest_path": {"target": "d"},
    "to_dict_of_lists": {},
    "to_numpy_array": {},
    "to_scipy_sparse_array": {"weight": "weight"},
    "all_pairs_bellman_ford_path_length": {},
    "all_pairs_dijkstra_path_length": {},
    "all_pairs_shortest_path_length": {"cutoff": 2},
    "ancestors": {"source": "d"},
    "average_clustering": {},
    "betweenness_centrality": {"normalized": False},
    "bellman_ford_path_length": {"source": "d", "target": "a"},
    "center": {},
    "closeness_centrality": {},
    "clustering": {"nodes": ["a", "d", "zz"]},
    "color": {},
    "connected_components": {},
    "core_number": {},
    "descendants": {"source": "d"},
    "descendants_at_distance": {"source": "d", "distance": 2},
    "diameter": {"weight": "weight"},
    "dijkstra_path_length": {"source": "d", "target": "a"},
    "edge_betweenness_centrality": {},
    "ego_graph": {"n": "d", "radius": 1},
    "eccentricity": {"v": ["a", "d"]},
    "eigenvector_centrality": {},
    "harmonic_centrality": {},
    "has_cycle": {},
    "has_path": {"source": "a", "target": "d"},
    "is_bipartite": {},
    "is_connected": {},
    "is_directed_acyclic_graph": {},
    "is_strongly_connected": {},
    "is_weakly_connected": {},
    "jaccard_coefficient": {"ebunch": [("a", "d")]},
    "k_core": {},
    "k_crust": {},
    "k_shell": {"k": 1},
    "k_truss": {"k": 3},
    "katz_centrality": {"beta": 0.5},
    "maximum_spanning_edges": {},
    "maximum_spanning_tree": {},
    "minimum_spanning_edges": {"data": True},
    "minimum_spanning_tree": {},
    "multi_source_dijkstra_path_length": {"sources": ["a", "d"], "cutoff": 2.5},
    "node_connected_component": {"n": "d"},
    "number_connected_components": {},
    "number_strongly_connected_components": {},
    "number_weakly_connected_components": {},
    "pagerank": {"weight": None, "tol": 1e-10},
    "periphery": {},
    "radius": {},
    "shortest_path_length": {"target": "d", "weight": "weight"},
    "single_source_bellman_ford_path_length": {"source": "d"},
    "single_source_dijkstra_path_length": {"source": "d", "cutoff": 2.5},
    "single_source_shortest_path_length": {"source": "d", "cutoff": 1.5},
    "single_target_shortest_path_length": {"target": "d"},
    "strongly_connected_components": {},
    "topological_generations": {},
    "topological_sort": {},
    "transitivity": {},
    "triangles": {},
    "weakly_connected_components": {},
}
"""By name. hits(), whose scores are often open, and Louvain's method have tests of their own."""

SOME = ["d", "a"]
PLAIN = """
all_pairs_lowest_common_ancestor average_degree_connectivity average_neighbor_degree
average_shortest_path_length barycenter centroid dag_longest_path dag_longest_path_length
degree_assortativity_coefficient degree_mixing_dict degree_mixing_matrix dfs_labeled_edges edge_bfs
edge_dfs effective_graph_resistance eigenvector_centrality_numpy estrada_index find_cycle
flow_hierarchy floyd_warshall floyd_warshall_numpy floyd_warshall_predecessor_and_distance
generalized_degree girth global_efficiency global_reaching_centrality google_matrix gutman_index
harmonic_diameter has_eulerian_path hyper_wiener_index is_aperiodic is_empty is_eulerian is_regular
is_semiconnected is_semieulerian is_tournament is_weighted katz_centrality_numpy kemeny_constant
local_efficiency node_degree_xy number_of_spanning_trees s_metric schultz_index score_sequence
second_order_centrality square_clustering stochastic_graph subgraph_centrality tournament_matrix
voterank communicability communicability_exp simrank_similarity spectral_bipartivity
tree_all_pairs_lowest_common_ancestor wiener_index constraint effective_size laplacian_centrality
""".split()
"""Functions that are called with a graph alone."""
CALLS |= {name: {} for name in PLAIN}
GROUPS: dict[str, dict[str, Any]] = {
    "adamic_adar_index preferential_attachment resource_allocation_index": {"ebunch": [("a", "d")]},
    "cn_soundarajan_hopcroft ra_index_soundarajan_hopcroft within_inter_cluster": {
        "ebunch": [("a", "d")],
        "community": "colour",
    },
    """attribute_assortativity_coefficient attribute_mixing_dict node_attribute_xy
    numeric_assortativity_coefficient""": {"attribute": "colour"},
    """boundary_expansion conductance cut_size edge_expansion group_closeness_centrality
    group_degree_centrality group_in_degree_centrality group_out_degree_centrality mixing_expansion
    node_expansion normalized_cut_size volume""": {"S": SOME},
    "edge_boundary node_boundary": {"nbunch1": SOME},
    "dominance_frontiers immediate_dominators": {"start": "d"},
    "harmonic_function local_and_global_consistency": {"label_name": "half"},
    "is_matching is_maximal_matching is_perfect_matching": {
        "matching": {("d", "a"), (5, ("x", 1))}
    },
    "bipartite_betweenness_centrality bipartite_degree_centrality": {"nodes": ["d"]},
    "is_partition modularity": {"communities": [{"d"}, {"a", 5}]},
}
"""Functions that are called alike."""
CALLS |= {name: given for names, given in GROUPS.items() for name in names.split()}
CALLS |= {
    "attribute_mixing_matrix": {"attribute": "colour", "mapping": {1: 0, 2: 1, 3: 2}},
    "common_neighbor_centrality": {"ebunch": [("a", "d")], "alpha": 0.5},
    "all_shortest_paths": {"source": "d", "target": "a"},
    "all_triangles": {"nbunch": SOME},
    "biadjacency_matrix": {"row_order": ["d", 5], "column_order": ["c", "a"]},
    "birank": {"nodes": SOME, "max_iter": 9, "tol": 1},
    "contracted_edge": {"edge": ("d", "a")},
    "contracted_nodes": {"u": "d", "v": "a", "self_loops": False},
    "degree_pearson_correlation_coefficient": {"weight": "weight"},
    "efficiency": {"u": "d", "v": "a"},
    "get_edge_attributes": {"name": "weight", "default": 3},
    "get_node_attributes": {"name": "half"},
    "is_dominating_set": {"nbunch": SOME},
    "is_edge_cover": {"cover": [SOME]},
    "is_k_regular": {"k": 2},
    "is_simple_path": {"nodes": SOME},
    "local_constraint": {"u": "d", "v": "a"},
    "local_reaching_centrality": {"v": "d"},
    "lowest_common_ancestor": {"node1": "d", "node2": "a"},
    "non_randomness": {"k": 1},
    "number_of_walks": {"walk_length": 3},
    "predecessor": {"source": "d", "cutoff": 2, "return_seen": True},
    "resistance_distance": {"nodeA": "d", "weight": "weight"},
    "rich_club_coefficient": {"normalized": False},
    "voronoi_cells": {"center_nodes": ["a", "d"]},
}

PAIRS = {
    "compose": {},
    "difference": {},
    "disjoint_union": {},
    "full_join": {"rename": ("G", "H")},
    "intersection": {},
    "symmetric_difference": {},
    "union": {"rename": ("G", "H")},
}
"""Of functions that take two graphs."""

LISTS = {
    "compose_all": {},
    "disjoint_union_all": {},
    "intersection_all": {},
    "union_all": {"rename": ("G", "H")},
}
"""Of functions that take a list of graphs."""

CHANGED = {"complement", "convert_node_labels_to_integers", "power", "relabel_nodes", "reverse"}
"""Functions that return a changed graph, see `test_changed`."""

WRITING = {"set_edge_attributes", "set_node_attributes"}
"""Functions that change a graph, see `test_changed`."""
