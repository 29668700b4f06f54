"""Every function that emv serves as a backend of networkx, beside networkx itself.

Usage: python -m bench.networkx_calls [--edges 10000 100000 1000000] [--only NAME ...] [--asked]
                                      [--json FILE]

Random graphs of ten ends of edges a node: plain, of arcs, without cycles, trees, as the function
wants; those that take or make a matrix of all pairs get as few nodes as so many edges allow. emv
takes its turn first, once with the conversion and once with the graph converted already. networkx
is stopped when it has taken twice as long as the conversion and the call, which decides the row;
where it comes back sooner they take turns again, and the least of each counts.

`runs` is what the backend itself answers where networkx asks whether it should run: `yes`, `kept`
once the graph is converted, `no`, or `asked`, where emv has the function for those that ask by name
and networkx keeps it otherwise; these are measured with --asked alone. Exits 1 where a call that it
would run takes longer than networkx's.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import json
import random
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import networkx as nx
from networkx.utils.backends import _registered_algorithms

from bench.machine import describe_machine
from emv.networkx.calls import MAKES
from emv.networkx.functions import FUNCTIONS
from emv.networkx.worth import should_run, when

ROUNDS = 3
ENOUGH = 2
"""networkx is stopped when it has taken so many times as long as emv with the conversion."""
BRIEF = 0.05
"""Seconds that networkx has in any case, as the first call of emv compiles."""
PATIENCE = 120
"""Seconds after which emv is stopped, and has lost."""
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
KINDS = {
    **dict.fromkeys(OF_ARCS, "arcs"),
    **dict.fromkeys(ACYCLIC, "acyclic"),
    **dict.fromkeys(TWO_SIDED, "sides"),
    **dict.fromkeys(TREES, "tree"),
    **dict.fromkeys(BRANCHING, "branching"),
    **dict.fromkeys(SQUARE, "square"),
}


def kind_of(name: str, edges: int) -> str:
    """Return which graph a function gets."""
    if name in ALL_PAIRS and edges > 100_000:
        return "square"
    return KINDS.get(name, "plain")


def drawn(kind: str, edges: int) -> Any:
    """Return a graph of a kind."""
    count = edges // 5
    if kind in ("arcs", "acyclic"):
        arcs = nx.gnm_random_graph(count, edges, seed=2, directed=True)
        return arcs if kind == "arcs" else nx.DiGraph((u, v) for u, v in arcs.edges if u < v)
    if kind in ("tree", "branching"):
        return nx.path_graph(edges, create_using=nx.Graph if kind == "tree" else nx.DiGraph)
    if kind == "square":
        return nx.gnm_random_graph(max(500, int(1.5 * edges**0.5)), edges, seed=3)
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


class Stopped(BaseException):
    """A call has taken as long as it may; no function of networkx' catches it."""


@contextmanager
def stopped_after(limit: float) -> Iterator[None]:
    """Stop what is done after so many seconds, as soon as Python has the word again."""

    def stop(*_: object) -> None:
        raise Stopped

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@dataclass
class Row:
    """What a function takes on one graph, in seconds.

    Attributes
    ----------
    function, graph : str
        Their names.
    edges : int
        Of the graph, as asked for.
    runs : str
        When emv runs it, see the module; or why it did not.
    networkx_s, converting_s, kept_s : float
        What networkx takes, and emv with the conversion and without.
    is_stopped : bool
        Whether networkx was stopped after `networkx_s`, and would have taken longer.
    """

    function: str
    graph: str
    edges: int
    runs: str
    networkx_s: float = float("inf")
    converting_s: float = float("inf")
    kept_s: float = float("inf")
    is_stopped: bool = False

    @property
    def is_lost(self) -> bool:
        """Whether emv takes longer where it would run."""
        emv_s = {"yes": self.converting_s, "kept": self.kept_s}.get(self.runs, 0)
        return emv_s >= self.networkx_s or self.runs.startswith("refused")

    def __str__(self) -> str:
        if self.kept_s == float("inf"):
            return f"  {self.function:<40} {self.runs}"
        more = ">" if self.is_stopped else " "
        return (
            f"  {self.function:<40} {more}{self.networkx_s * 1e3:>10.2f} "
            f"{more}{self.networkx_s / self.converting_s:>8.2f} "
            f"{more}{self.networkx_s / self.kept_s:>8.2f}  {self.runs}"
            f"{'  SLOWER' if self.is_lost else ''}"
        )


def take_turns(row: Row, graphs: tuple[Any, ...]) -> None:
    """Measure emv and networkx in a row until it is plain which of them is faster."""
    name, G = row.function, graphs[0]
    for _ in range(ROUNDS):
        with stopped_after(PATIENCE):
            row.converting_s = min(row.converting_s, converting(name, graphs))
            row.kept_s = min(row.kept_s, seconds(name, graphs, "emv"))
        if row.runs != "yes" and should_run(name, (G,), ARGUMENTS.get(name, {})) is True:
            row.runs = "kept"
        limit = max(ENOUGH * row.converting_s, BRIEF)
        try:
            with stopped_after(limit):
                plain = seconds(name, graphs, "networkx")
        except Stopped:
            if row.networkx_s == float("inf"):
                row.networkx_s, row.is_stopped = limit, True
            return
        row.networkx_s = min(row.networkx_s, plain)


def converting(name: str, graphs: tuple[Any, ...]) -> float:
    """Return how long a call of emv takes that converts the graph."""
    graphs_in = graphs[0] if name in LISTS else graphs
    for each in graphs_in:
        each.__networkx_cache__.clear()
    return seconds(name, graphs, "emv")


def measured(name: str, kind: str, G: Any, edges: int) -> Row:
    """Return the row of a function."""
    G.__networkx_cache__.clear()
    answer = should_run(name, (G,), ARGUMENTS.get(name, {}))
    runs = "asked" if when(name) == "asked" else "yes" if answer is True else "no"
    row = Row(name, kind, edges, runs)
    try:
        take_turns(row, graphs_of(name, G))
    except (NotImplementedError, nx.NetworkXException) as error:
        row.runs = f"refused: {error}"
    except Stopped:
        row.runs = f"refused: emv takes longer than {PATIENCE} s"
    return row


def rows_of(names: list[str], edges: int) -> Iterator[Row]:
    """Yield the rows of some functions, graph by graph, as those of many edges fill the memory."""
    for kind in sorted({kind_of(name, edges) for name in names}):
        G = drawn(kind, edges)
        for name in names:
            if kind_of(name, edges) == kind:
                yield measured(name, kind, G, edges)
        del G
        gc.collect()


def main() -> int:
    """Print the table, and return 1 if a call that would run is slower than networkx's."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--edges", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--asked", action="store_true", help="also what runs by name alone")
    parser.add_argument("--json", type=Path, help="write machine and rows there, in seconds")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    names = [name for name in sorted(FUNCTIONS) if name not in MAKES]
    left = [name for name in names if when(name) == "asked"]
    if given.only:
        names = [name for name in names if name in given.only]
    elif not given.asked:
        names = [name for name in names if name not in left]
        print(f"left to networkx, as it needs a part of the graph or is faster: {', '.join(left)}")
    about = {"machine": describe_machine(), "asked": left}
    rows: list[Row] = []
    for edges in given.edges:
        print(f"{edges} edges{'':<33} networkx ms  converted x    kept x  runs")
        for row in rows_of(names, edges):
            print(row, flush=True)
            rows.append(row)
            if given.json:
                written = {**about, "rows": [asdict(each) for each in rows]}
                given.json.write_text(json.dumps(written, indent=1) + "\n", "utf-8")
    lost = [row for row in rows if row.is_lost]
    print(f"{len(rows)} rows, {len(lost)} of them slower than networkx")
    return int(bool(lost))


if __name__ == "__main__":
    sys.exit(main())
