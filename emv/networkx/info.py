"""What networkx asks every backend on its import: summary, functions and configuration.

Imported by every ``import networkx``, so it must stay light: nothing here loads numba.
"""

from __future__ import annotations

from typing import Any

FUNCTIONS = """
adjacency_matrix
all_pairs_bellman_ford_path_length
all_pairs_dijkstra
all_pairs_dijkstra_path
all_pairs_dijkstra_path_length
all_pairs_shortest_path
all_pairs_shortest_path_length
ancestors
average_clustering
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
bull_graph
caveman_graph
center
chvatal_graph
circular_ladder_graph
closeness_centrality
clustering
color
complement
complete_bipartite_graph
complete_graph
complete_multipartite_graph
compose
compose_all
connected_components
convert_node_labels_to_integers
core_number
cubical_graph
cycle_graph
davis_southern_women_graph
degree_centrality
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
ego_graph
eigenvector_centrality
empty_graph
florentine_families_graph
from_scipy_sparse_array
frucht_graph
full_join
generic_bfs_edges
harmonic_centrality
has_cycle
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
is_forest
is_isolate
is_negatively_weighted
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
lollipop_graph
louvain_communities
maximum_spanning_edges
maximum_spanning_tree
minimum_spanning_edges
minimum_spanning_tree
moebius_kantor_graph
multi_source_dijkstra
multi_source_dijkstra_path
multi_source_dijkstra_path_length
node_connected_component
null_graph
number_connected_components
number_of_isolates
number_of_selfloops
number_strongly_connected_components
number_weakly_connected_components
octahedral_graph
out_degree_centrality
overall_reciprocity
pagerank
pappus_graph
path_graph
periphery
petersen_graph
power
radius
reciprocity
relabel_nodes
reverse
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
weakly_connected_components
wheel_graph
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
