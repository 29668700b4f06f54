"""What networkx asks every backend on its import: summary, functions and configuration.

Imported by every ``import networkx``, so it must stay light: nothing here loads numba.
"""

from __future__ import annotations

from typing import Any

FUNCTIONS = """
all_pairs_bellman_ford_path_length
all_pairs_dijkstra_path_length
all_pairs_shortest_path_length
ancestors
average_clustering
bellman_ford_path_length
betweenness_centrality
center
closeness_centrality
clustering
color
connected_components
core_number
descendants
descendants_at_distance
diameter
dijkstra_path_length
eccentricity
edge_betweenness_centrality
ego_graph
eigenvector_centrality
harmonic_centrality
has_cycle
has_path
hits
is_bipartite
is_connected
is_directed_acyclic_graph
is_strongly_connected
is_weakly_connected
jaccard_coefficient
k_core
k_crust
k_shell
k_truss
katz_centrality
maximum_spanning_edges
maximum_spanning_tree
minimum_spanning_edges
minimum_spanning_tree
multi_source_dijkstra_path_length
node_connected_component
number_connected_components
number_strongly_connected_components
number_weakly_connected_components
pagerank
periphery
radius
shortest_path_length
single_source_bellman_ford_path_length
single_source_dijkstra_path_length
single_source_shortest_path_length
single_target_shortest_path_length
strongly_connected_components
topological_generations
topological_sort
transitivity
triangles
weakly_connected_components
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
