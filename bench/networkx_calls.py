"""Every function that emv serves as a backend of networkx, beside networkx itself.

Usage: python -m bench.networkx_calls [--edges 10000 100000] [--only NAME ...] [--most 60]
                                      [--json FILE]

Random graphs of ten ends of edges a node: plain, of arcs, without cycles, trees, as the function
wants. Each call is made once to compile; then networkx and emv take turns, emv once with the
conversion and once with the graph converted already, three rounds, of which the least counts.
`runs` is what the backend itself answers where networkx asks whether it should run: never, once the
graph is converted (kept), or also with the conversion. Exits 1 where a call that it would run takes
longer than networkx's. Functions that take networkx more than --most seconds stop there.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
from networkx.utils.backends import _registered_algorithms

from emv.networkx.calls import MAKES
from emv.networkx.functions import FUNCTIONS
from emv.networkx.worth import should_run

ROUNDS = 3
ROW = ("function", "edges", "networkx_s", "converting_s", "kept_s", "runs")
FEW = 3
"""Items taken of what goes on for every node."""

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
    "is_partition modularity": {"communities": [range(0, 10**9, 2), range(1, 10**9, 2)]},
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
common_neighbor_centrality
""".split()
"""Those that search from every node before they return."""
TWO = """
compose difference disjoint_union full_join intersection symmetric_difference union
""".split()
LISTS = "compose_all disjoint_union_all intersection_all union_all".split()
CUBIC = """
communicability communicability_betweenness_centrality floyd_warshall second_order_centrality
floyd_warshall_predecessor_and_distance
""".split()
"""Those that take networkx minutes on 500 nodes; they get 60."""


def drawn(edges: int) -> Callable[[str], Any]:
    """Return the function that gives the graph for a function of networkx."""
    count = edges // 5
    plain = nx.gnm_random_graph(count, edges, seed=1)
    plain.add_edges_from(itertools.pairwise(range(count)))
    draw = random.Random(4)
    for node, data in plain.nodes(data=True):
        data["colour"] = node % 7
        if node % 9 == 0:
            data["label"] = "even" if node % 2 else "odd"
    for *_, data in plain.edges(data=True):
        data["weight"] = 0.1 + draw.random()
    arcs = nx.gnm_random_graph(count, edges, seed=2, directed=True)
    graphs = {
        "plain": plain,
        "arcs": arcs,
        "acyclic": nx.DiGraph((u, v) for u, v in arcs.edges if u < v),
        "sides": nx.Graph((u, v) for u, v in plain.edges if (u + v) % 2),
        "tree": nx.path_graph(edges),
        "branching": nx.path_graph(edges, create_using=nx.DiGraph),
        "cube": nx.gnm_random_graph(60, 600, seed=5),
        "square": nx.gnm_random_graph(500, min(edges, 100_000), seed=3),
    }
    kinds = {
        **dict.fromkeys(OF_ARCS, "arcs"),
        **dict.fromkeys(ACYCLIC, "acyclic"),
        **dict.fromkeys(TWO_SIDED, "sides"),
        **dict.fromkeys(TREES, "tree"),
        **dict.fromkeys(BRANCHING, "branching"),
        **dict.fromkeys(SQUARE, "square"),
        **dict.fromkeys(CUBIC, "cube"),
    }
    return lambda name: graphs[kinds.get(name, "plain")]


def function_of(name: str) -> Callable[..., Any]:
    """Return networkx' function."""
    function: Callable[..., Any] = getattr(nx, name, None) or _registered_algorithms[name]
    return function


def graphs_of(name: str, G: Any) -> tuple[Any, ...]:
    """Return what a function takes for its graph or graphs."""
    if name in LISTS:
        return ([G, nx.relabel_nodes(G, str) if name == "union_all" else G],)
    if name in TWO:
        return G, nx.relabel_nodes(G, str) if name in ("union", "full_join") else G
    return (G,)


def seconds(name: str, graphs: tuple[Any, ...], backend: str) -> float:
    """Return how long a call takes whose result is used."""
    begin = time.perf_counter()
    found = function_of(name)(*graphs, **ARGUMENTS.get(name, {}), backend=backend)
    if hasattr(found, "__next__"):
        limit = FEW if name.startswith("all_pairs") else 100_000
        list(itertools.islice(found, limit))
    return time.perf_counter() - begin


def measured(name: str, G: Any) -> tuple[float, float, float]:
    """Return networkx' seconds, and emv's with the conversion and without."""
    graphs = graphs_of(name, G)
    seconds(name, graphs, "emv")
    best = [float("inf")] * 3
    for _ in range(ROUNDS):
        best[0] = min(best[0], seconds(name, graphs, "networkx"))
        G.__networkx_cache__.clear()
        best[1] = min(best[1], seconds(name, graphs, "emv"))
        best[2] = min(best[2], seconds(name, graphs, "emv"))
        if best[0] > 1:
            break
    return best[0], best[1], best[2]


def answer(name: str, G: Any) -> str:
    """Return when the backend would run a call."""
    G.__networkx_cache__.clear()
    if name in TWO or name in LISTS:
        return "no" if should_run(name, (G,), {}) is not True else "yes"
    if should_run(name, (G,), ARGUMENTS.get(name, {})) is True:
        return "yes"
    nx.is_isolate(G, next(iter(G)), backend="emv")
    return "kept" if should_run(name, (G,), ARGUMENTS.get(name, {})) is True else "no"


def main() -> int:
    """Print the table, and return 1 if a call that would run is slower than networkx's."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--edges", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--most", type=float, default=60)
    parser.add_argument("--json", type=Path, help="write every row there, in seconds")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    names = [name for name in sorted(FUNCTIONS) if name not in MAKES]
    if given.only:
        names = [name for name in names if name in given.only]
    slower, slow, rows = [], set(), []
    for edges in given.edges:
        graph_for = drawn(edges)
        print(f"{edges} edges{'':<33} networkx ms  converted x  kept x  runs")
        for name in names:
            if name in slow or (name in ALL_PAIRS and edges > 20_000):
                continue
            try:
                plain, converting, kept = measured(name, graph_for(name))
            except (NotImplementedError, nx.NetworkXException) as error:
                print(f"  {name:<40} refused: {error}"[:99], flush=True)
                slower.append(name)
                continue
            runs = answer(name, graph_for(name))
            lost = (runs == "yes" and converting > plain) or (runs != "no" and kept > plain)
            rows.append(dict(zip(ROW, (name, edges, plain, converting, kept, runs), strict=True)))
            if lost:
                slower.append(name)
            if plain > given.most:
                slow.add(name)
            print(
                f"  {name:<40} {plain * 1e3:>11.2f} {plain / converting:>12.2f} "
                f"{plain / kept:>7.2f}  {runs}{'  SLOWER' if lost else ''}",
                flush=True,
            )
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    return int(bool(slower))


if __name__ == "__main__":
    sys.exit(main())
