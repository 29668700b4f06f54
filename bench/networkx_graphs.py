"""What `bench.networkx_calls` calls the functions of networkx with: graphs and arguments.

Random graphs of ten ends of edges a node: plain, of arcs, without cycles, trees, as the function
wants; for those that take or make a matrix of all pairs, as few nodes as so many edges allow.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import random
from collections.abc import Callable
from typing import Any

import networkx as nx
from networkx.utils.backends import _registered_algorithms

PAIRS = [(node, node + 1) for node in range(400)]
ANCESTORS = [(0, node) for node in range(1, 20)]
NEEDED: tuple[tuple[str, Any], ...] = (  # what a function gets for a parameter it must have
    ("source u n node1 values", 1),
    ("target v node2", 2),
    ("k distance walk_length", 3),
    ("start", 0),
    ("sources", [1, 2]),
    ("center_nodes", [1, 2, 3]),
    ("edge", (1, 2)),
    ("cover", [(0, 1)]),
    ("matching", {(0, 1), (2, 3)}),
    ("nodes row_order", range(0, 400, 2)),
    ("nbunch nbunch1 S", range(100)),
    ("attribute name", "colour"),
    ("mapping", str),
)
BY_NAME = {name: value for names, value in NEEDED for name in names.split()}
# what it gets for one that it need not have, and what some get besides, or in place of that
ALSO: dict[str, Any] = {"ebunch": PAIRS, "pairs": ANCESTORS, "label_name": "label"}
MORE: dict[str, dict[str, Any]] = {
    """dfs_edges dfs_labeled_edges dfs_postorder_nodes dfs_predecessors dfs_preorder_nodes
    dfs_successors dfs_tree shortest_path""": {"source": 1},
    "single_target_shortest_path single_target_shortest_path_length": {"target": 1},
    """cn_soundarajan_hopcroft ra_index_soundarajan_hopcroft within_inter_cluster""": {
        "community": "colour"
    },
    "betweenness_centrality edge_betweenness_centrality": {"k": 4, "seed": 1},
    "non_randomness power": {"k": 2},
    "set_node_attributes set_edge_attributes": {"name": "new"},
    "shortest_path_length": {"source": 1, "weight": "weight"},
    "all_triangles": {"nbunch": range(100)},
    "biadjacency_matrix": {"column_order": range(1, 400, 2)},
    "birank": {"tol": 1},
    "ego_graph": {"radius": 2},
    "eigenvector_centrality": {"max_iter": 1000},
    "get_edge_attributes": {"name": "weight"},
    "is_simple_path": {"nodes": range(50)},
    "jaccard_coefficient": {"ebunch": [(node, node + 1) for node in range(500)]},
    "katz_centrality": {"alpha": 0.01},
    "local_reaching_centrality": {"v": 1},
    "rich_club_coefficient": {"normalized": False},
    "voterank": {"number_of_nodes": 10},
}
GRAPHS = {  # of functions that get no plain one; those of square take or make all pairs' matrix
    "arcs": """
        dominance_frontiers flow_hierarchy group_in_degree_centrality group_out_degree_centrality
        immediate_dominators in_degree_centrality is_aperiodic is_semiconnected
        is_strongly_connected is_tournament is_weakly_connected
        number_strongly_connected_components number_weakly_connected_components
        out_degree_centrality overall_reciprocity reciprocity reverse score_sequence
        stochastic_graph strongly_connected_components tournament_matrix
        weakly_connected_components""",
    "acyclic": """
        dag_longest_path dag_longest_path_length has_cycle is_directed_acyclic_graph
        topological_generations topological_sort""",
    "sides": """
        biadjacency_matrix bipartite_betweenness_centrality bipartite_degree_centrality birank
        color is_bipartite""",
    "tree": "centroid is_forest is_tree",
    "branching": """
        all_pairs_lowest_common_ancestor is_arborescence is_branching lowest_common_ancestor
        tree_all_pairs_lowest_common_ancestor""",
    "square": """
        average_shortest_path_length barycenter communicability communicability_exp complement
        degree_mixing_matrix effective_graph_resistance eigenvector_centrality_numpy estrada_index
        floyd_warshall floyd_warshall_numpy floyd_warshall_predecessor_and_distance girth
        global_efficiency global_reaching_centrality google_matrix gutman_index harmonic_diameter
        hyper_wiener_index katz_centrality_numpy kemeny_constant laplacian_centrality
        local_efficiency non_randomness number_of_spanning_trees number_of_walks power
        resistance_distance schultz_index second_order_centrality simrank_similarity
        spectral_bipartivity subgraph_centrality to_numpy_array trophic_levels wiener_index""",
}
KINDS = {name: kind for kind, names in GRAPHS.items() for name in names.split()}
# those that search from every node before they return; those that take two graphs, or a list
ALL_PAIRS = """
closeness_centrality harmonic_centrality diameter radius center periphery eccentricity
common_neighbor_centrality bipartite_betweenness_centrality
""".split()
TWO = """
compose difference disjoint_union full_join intersection symmetric_difference union
""".split()
LISTS = "compose_all disjoint_union_all intersection_all union_all".split()


def function_of(name: str) -> Callable[..., Any]:
    """Return networkx' function."""
    function: Callable[..., Any] = getattr(nx, name, None) or _registered_algorithms[name]
    return function


@functools.cache
def usual_arguments(name: str) -> dict[str, Any]:
    """Return what a function gets besides the graph, by its signature."""
    _, *taken = inspect.signature(function_of(name)).parameters.values()
    found = {
        each.name: BY_NAME[each.name] if each.default is each.empty else ALSO[each.name]
        for each in taken[1 if name in TWO else 0 :]
        if each.name in (BY_NAME if each.default is each.empty else ALSO)
    }
    more = (given for names, given in MORE.items() if name in names.split())
    return found | next(more, {})


def arguments_of(name: str, G: Any) -> dict[str, Any]:
    """Return what a function gets besides the graph."""
    if name in ("is_partition", "modularity"):
        return {"communities": [range(0, len(G), 2), range(1, len(G), 2)]}
    return usual_arguments(name)


def kind_of(name: str, edges: int) -> str:
    """Return which graph a function gets."""
    if name in ALL_PAIRS and edges > 100_000:
        return "square sides" if KINDS.get(name) == "sides" else "square"
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
