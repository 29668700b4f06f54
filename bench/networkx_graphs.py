"""What `bench.networkx_calls` calls the functions of networkx with: graphs and arguments.

Random graphs of ten ends of edges a node; for functions that take or make a matrix of all pairs, as
few nodes as so many edges allow.
"""

from __future__ import annotations

import itertools
import random
from typing import Any

import networkx as nx

GIVEN: dict[str, dict[str, Any]] = {
    """bfs_edges bfs_predecessors bfs_successors bfs_tree generic_bfs_edges dfs_edges
    dfs_postorder_nodes dfs_predecessors dfs_preorder_nodes dfs_successors dfs_tree ancestors
    descendants shortest_path single_source_shortest_path single_source_shortest_path_length
    single_source_dijkstra single_source_dijkstra_path single_source_dijkstra_path_length
    single_source_bellman_ford single_source_bellman_ford_path
    single_source_bellman_ford_path_length""": {"source": 1},
    """bellman_ford_path bellman_ford_path_length dijkstra_path dijkstra_path_length has_path
    bidirectional_dijkstra bidirectional_shortest_path""": {"source": 1, "target": 2},
    "single_target_shortest_path single_target_shortest_path_length": {"target": 1},
    """multi_source_dijkstra multi_source_dijkstra_path multi_source_dijkstra_path_length
    bfs_layers""": {"sources": [1, 2]},
}
GIVEN |= {
    """contracted_nodes efficiency local_constraint""": {"u": 1, "v": 2},
    "all_shortest_paths": {"source": 1, "target": 2},
    "predecessor dfs_labeled_edges": {"source": 1},
    "dominance_frontiers immediate_dominators": {"start": 0},
    """adamic_adar_index common_neighbor_centrality preferential_attachment
    resource_allocation_index""": {"ebunch": [(node, node + 1) for node in range(400)]},
    """cn_soundarajan_hopcroft ra_index_soundarajan_hopcroft within_inter_cluster""": {
        "ebunch": [(node, node + 1) for node in range(400)],
        "community": "colour",
    },
    """attribute_assortativity_coefficient attribute_mixing_dict attribute_mixing_matrix
    node_attribute_xy numeric_assortativity_coefficient""": {"attribute": "colour"},
    """boundary_expansion conductance cut_size edge_expansion group_closeness_centrality
    group_degree_centrality group_in_degree_centrality group_out_degree_centrality mixing_expansion
    node_expansion normalized_cut_size volume""": {"S": range(100)},
    "edge_boundary node_boundary": {"nbunch1": range(100)},
    "harmonic_function local_and_global_consistency": {"label_name": "label"},
    "is_matching is_maximal_matching is_perfect_matching": {"matching": {(0, 1), (2, 3)}},
    "get_node_attributes": {"name": "colour"},
    "get_edge_attributes": {"name": "weight"},
    "set_node_attributes set_edge_attributes": {"values": 1, "name": "new"},
}
ARGUMENTS: dict[str, dict[str, Any]] = {
    **{name: given for names, given in GIVEN.items() for name in names.split()},
    "shortest_path_length": {"source": 1, "weight": "weight"},
    "all_pairs_lowest_common_ancestor": {"pairs": [(0, node) for node in range(1, 20)]},
    "all_triangles": {"nbunch": range(100)},
    "biadjacency_matrix": {"row_order": range(0, 400, 2), "column_order": range(1, 400, 2)},
    "bipartite_betweenness_centrality": {"nodes": range(0, 400, 2)},
    "bipartite_degree_centrality": {"nodes": range(0, 400, 2)},
    "birank": {"nodes": range(0, 400, 2), "tol": 1},
    "contracted_edge": {"edge": (1, 2)},
    "is_dominating_set": {"nbunch": range(100)},
    "is_edge_cover": {"cover": [(0, 1)]},
    "is_k_regular": {"k": 3},
    "is_simple_path": {"nodes": range(50)},
    "local_reaching_centrality": {"v": 1},
    "lowest_common_ancestor": {"node1": 1, "node2": 2},
    "non_randomness": {"k": 2},
    "number_of_walks": {"walk_length": 3},
    "power": {"k": 2},
    "relabel_nodes": {"mapping": str},
    "rich_club_coefficient": {"normalized": False},
    "tree_all_pairs_lowest_common_ancestor": {"pairs": [(0, node) for node in range(1, 20)]},
    "voronoi_cells": {"center_nodes": [1, 2, 3]},
    "voterank": {"number_of_nodes": 10},
    "descendants_at_distance": {"source": 1, "distance": 3},
    "betweenness_centrality": {"k": 4, "seed": 1},
    "edge_betweenness_centrality": {"k": 4, "seed": 1},
    "ego_graph": {"n": 1, "radius": 2},
    "eigenvector_centrality": {"max_iter": 1000},
    "is_isolate": {"n": 1},
    "jaccard_coefficient": {"ebunch": [(node, node + 1) for node in range(500)]},
    "k_truss": {"k": 3},
    "katz_centrality": {"alpha": 0.01},
    "node_connected_component": {"n": 1},
}
OF_ARCS = """
dominance_frontiers flow_hierarchy group_in_degree_centrality group_out_degree_centrality
immediate_dominators in_degree_centrality is_aperiodic is_semiconnected is_strongly_connected
is_tournament is_weakly_connected number_strongly_connected_components
number_weakly_connected_components out_degree_centrality overall_reciprocity reciprocity reverse
score_sequence stochastic_graph strongly_connected_components tournament_matrix
weakly_connected_components
""".split()
ACYCLIC = """
dag_longest_path dag_longest_path_length has_cycle is_directed_acyclic_graph
topological_generations topological_sort
""".split()
TWO_SIDED = """
biadjacency_matrix bipartite_betweenness_centrality bipartite_degree_centrality birank color
is_bipartite
""".split()
TREES = "centroid is_forest is_tree".split()
BRANCHING = """
all_pairs_lowest_common_ancestor is_arborescence is_branching lowest_common_ancestor
tree_all_pairs_lowest_common_ancestor
""".split()
SQUARE = """
average_shortest_path_length barycenter communicability communicability_exp complement
degree_mixing_matrix effective_graph_resistance eigenvector_centrality_numpy estrada_index
floyd_warshall floyd_warshall_numpy floyd_warshall_predecessor_and_distance girth global_efficiency
global_reaching_centrality google_matrix gutman_index harmonic_diameter hyper_wiener_index
katz_centrality_numpy kemeny_constant laplacian_centrality local_efficiency non_randomness
number_of_spanning_trees number_of_walks power resistance_distance schultz_index
second_order_centrality simrank_similarity spectral_bipartivity subgraph_centrality to_numpy_array
trophic_levels wiener_index
""".split()
"""Those that take or make a matrix of all pairs, on 500 nodes."""
ALL_PAIRS = """
closeness_centrality harmonic_centrality diameter radius center periphery eccentricity
common_neighbor_centrality bipartite_betweenness_centrality
""".split()
"""Those that search from every node before they return."""
TWO = """
compose difference disjoint_union full_join intersection symmetric_difference union
""".split()
LISTS = "compose_all disjoint_union_all intersection_all union_all".split()
KINDS = {
    **dict.fromkeys(OF_ARCS, "arcs"),
    **dict.fromkeys(ACYCLIC, "acyclic"),
    **dict.fromkeys(TWO_SIDED, "sides"),
    **dict.fromkeys(TREES, "tree"),
    **dict.fromkeys(BRANCHING, "branching"),
    **dict.fromkeys(SQUARE, "square"),
}


def arguments_of(name: str, G: Any) -> dict[str, Any]:
    """Return what a function gets besides the graph."""
    if name in ("is_partition", "modularity"):
        return {"communities": [range(0, len(G), 2), range(1, len(G), 2)]}
    return ARGUMENTS.get(name, {})


def kind_of(name: str, edges: int) -> str:
    """Return which graph a function gets."""
    if name in ALL_PAIRS and edges > 100_000:
        return "square sides" if name in TWO_SIDED else "square"
    return KINDS.get(name, "plain")


def drawn(kind: str, edges: int) -> Any:
    """Return a graph of a kind."""
    count = edges // 5
    if kind in ("arcs", "acyclic"):
        arcs = nx.gnm_random_graph(count, edges, seed=2, directed=True)
        if kind == "acyclic":
            return nx.DiGraph((u, v) for u, v in arcs.edges if u < v)
        nx.add_cycle(arcs, range(count))  # strongly connected
        return arcs
    if kind in ("tree", "branching"):
        return nx.path_graph(edges, create_using=nx.Graph if kind == "tree" else nx.DiGraph)
    if kind == "square":
        return nx.gnm_random_graph(max(500, int(1.5 * edges**0.5)), edges, seed=3)
    if kind == "square sides":  # of 0, 2, 4 ... and 1, 3, 5 ...
        side = int(1.1 * edges**0.5) + 1
        chosen = random.Random(5).sample(range(side**2), edges)
        return nx.Graph((2 * (pair // side), 2 * (pair % side) + 1) for pair in chosen)
    plain = nx.gnm_random_graph(count, edges, seed=1)
    plain.add_edges_from(itertools.pairwise(range(count)))
    if kind == "sides":
        return nx.Graph((u, v) for u, v in plain.edges if (u + v) % 2)
    draw = random.Random(4)
    for node, data in plain.nodes(data=True):
        data["colour"] = node % 7
        if node % 9 == 0:
            data["label"] = "even" if node % 2 else "odd"
    for *_, data in plain.edges(data=True):
        data["weight"] = 0.1 + draw.random()
    return plain
