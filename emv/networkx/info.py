"""What networkx asks every backend on its import: summary, functions and configuration.

Imported by every ``import networkx``, so it must stay light: nothing here loads numba.
"""

from __future__ import annotations

from typing import Any

FUNCTIONS = """
adamic_adar_index
adjacency_matrix
all_pairs_bellman_ford_path_length
all_pairs_dijkstra
all_pairs_dijkstra_path
all_pairs_dijkstra_path_length
all_pairs_shortest_path
all_pairs_shortest_path_length
all_triangles
ancestors
attribute_assortativity_coefficient
attribute_mixing_dict
attribute_mixing_matrix
average_clustering
average_degree_connectivity
average_neighbor_degree
barbell_graph
bellman_ford_path
bellman_ford_path_length
betweenness_centrality
bfs_edges
bfs_layers
bfs_predecessors
bfs_successors
bfs_tree
bidirectional_dijkstra
bidirectional_shortest_path
boundary_expansion
bull_graph
caveman_graph
center
chvatal_graph
circular_ladder_graph
closeness_centrality
clustering
cn_soundarajan_hopcroft
color
common_neighbor_centrality
complement
complete_bipartite_graph
complete_graph
complete_multipartite_graph
compose
compose_all
conductance
connected_components
constraint
convert_node_labels_to_integers
core_number
cubical_graph
cut_size
cycle_graph
davis_southern_women_graph
degree_assortativity_coefficient
degree_centrality
degree_mixing_dict
degree_mixing_matrix
degree_pearson_correlation_coefficient
desargues_graph
descendants
descendants_at_distance
dfs_edges
dfs_postorder_nodes
dfs_predecessors
dfs_preorder_nodes
dfs_successors
dfs_tree
diameter
diamond_graph
difference
dijkstra_path
dijkstra_path_length
disjoint_union
disjoint_union_all
dodecahedral_graph
eccentricity
edge_betweenness_centrality
edge_boundary
edge_expansion
effective_size
ego_graph
eigenvector_centrality
empty_graph
florentine_families_graph
from_scipy_sparse_array
frucht_graph
full_join
generalized_degree
generic_bfs_edges
harmonic_centrality
has_cycle
has_eulerian_path
has_path
heawood_graph
hits
house_graph
house_x_graph
icosahedral_graph
in_degree_centrality
intersection
intersection_all
is_arborescence
is_bipartite
is_branching
is_connected
is_directed_acyclic_graph
is_dominating_set
is_edge_cover
is_eulerian
is_forest
is_isolate
is_k_regular
is_matching
is_maximal_matching
is_negatively_weighted
is_perfect_matching
is_regular
is_semieulerian
is_simple_path
is_strongly_connected
is_tree
is_weakly_connected
isolates
jaccard_coefficient
k_core
k_crust
k_shell
k_truss
karate_club_graph
katz_centrality
krackhardt_kite_graph
ladder_graph
les_miserables_graph
local_constraint
lollipop_graph
louvain_communities
maximum_spanning_edges
maximum_spanning_tree
minimum_spanning_edges
minimum_spanning_tree
mixing_expansion
moebius_kantor_graph
multi_source_dijkstra
multi_source_dijkstra_path
multi_source_dijkstra_path_length
node_attribute_xy
node_boundary
node_connected_component
node_degree_xy
node_expansion
normalized_cut_size
null_graph
number_connected_components
number_of_isolates
number_of_selfloops
number_strongly_connected_components
number_weakly_connected_components
numeric_assortativity_coefficient
octahedral_graph
out_degree_centrality
overall_reciprocity
pagerank
pappus_graph
path_graph
periphery
petersen_graph
power
preferential_attachment
ra_index_soundarajan_hopcroft
radius
reciprocity
relabel_nodes
resource_allocation_index
reverse
rich_club_coefficient
sedgewick_maze_graph
shortest_path
shortest_path_length
single_source_bellman_ford
single_source_bellman_ford_path
single_source_bellman_ford_path_length
single_source_dijkstra
single_source_dijkstra_path
single_source_dijkstra_path_length
single_source_shortest_path
single_source_shortest_path_length
single_target_shortest_path
single_target_shortest_path_length
square_clustering
star_graph
strongly_connected_components
symmetric_difference
tadpole_graph
tetrahedral_graph
to_dict_of_lists
to_numpy_array
to_scipy_sparse_array
topological_generations
topological_sort
transitivity
triangles
trivial_graph
truncated_cube_graph
truncated_tetrahedron_graph
turan_graph
tutte_graph
union
union_all
volume
weakly_connected_components
wheel_graph
within_inter_cluster
""".split()
"""The functions that the backend has, by networkx' names."""


def get_info() -> dict[str, Any]:
    """Return what networkx wants to know of the backend.

    Returns
    -------
    dict
        ``functions`` by name, and ``default_config``: ``device``, where programs run, by default
        as ``EMV_BACKEND`` says.
    """
    return {
        "backend_name": "emv",
        "project": "emv",
        "package": "emv.networkx",
        "short_summary": "Programs compiled for CPU or GPU; results are those of networkx.",
        "functions": {name: {} for name in FUNCTIONS},
        "default_config": {"device": None},
    }
