"""Every function that emv serves as a backend of networkx, beside networkx itself.

Usage: python -m bench.networkx_calls [--edges 10000 100000] [--only NAME ...] [--most 60]

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
import random
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import networkx as nx

from emv.networkx.calls import MAKES
from emv.networkx.functions import FUNCTIONS
from emv.networkx.worth import should_run

ROUNDS = 3
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
ARGUMENTS: dict[str, dict[str, Any]] = {
    **{name: given for names, given in GIVEN.items() for name in names.split()},
    "shortest_path_length": {"source": 1, "weight": "weight"},
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
in_degree_centrality is_arborescence is_branching is_strongly_connected is_weakly_connected
number_strongly_connected_components number_weakly_connected_components out_degree_centrality
overall_reciprocity reciprocity strongly_connected_components weakly_connected_components
""".split()
ACYCLIC = "topological_generations topological_sort is_directed_acyclic_graph has_cycle".split()
TWO_SIDED = ("color", "is_bipartite")
TREES = ("is_tree", "is_forest")
SQUARE = ("to_numpy_array",)
ALL_PAIRS = """
closeness_centrality harmonic_centrality diameter radius center periphery eccentricity
""".split()
"""Those that search from every node before they return."""


def drawn(edges: int) -> Callable[[str], Any]:
    """Return the function that gives the graph for a function of networkx."""
    count = edges // 5
    plain = nx.gnm_random_graph(count, edges, seed=1)
    plain.add_edges_from(itertools.pairwise(range(count)))
    draw = random.Random(4)
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
        "square": nx.gnm_random_graph(500, min(edges, 100_000), seed=3),
    }
    kinds = {
        **dict.fromkeys(OF_ARCS, "arcs"),
        **dict.fromkeys(ACYCLIC, "acyclic"),
        **dict.fromkeys(TWO_SIDED, "sides"),
        **dict.fromkeys(TREES, "tree"),
        **dict.fromkeys(("is_arborescence", "is_branching"), "branching"),
        **dict.fromkeys(SQUARE, "square"),
    }
    return lambda name: graphs[kinds.get(name, "plain")]


def function_of(name: str) -> Callable[..., Any]:
    """Return networkx' function."""
    where = {"color": nx.bipartite, "has_cycle": nx.algorithms.dag}.get(name, nx)
    function: Callable[..., Any] = getattr(where, name)
    return function


def seconds(name: str, G: Any, backend: str) -> float:
    """Return how long a call takes whose result is used."""
    begin = time.perf_counter()
    found = function_of(name)(G, **ARGUMENTS.get(name, {}), backend=backend)
    if hasattr(found, "__next__"):
        limit = FEW if name.startswith("all_pairs") else None
        list(itertools.islice(found, limit))
    return time.perf_counter() - begin


def measured(name: str, G: Any) -> tuple[float, float, float]:
    """Return networkx' seconds, and emv's with the conversion and without."""
    seconds(name, G, "emv")
    best = [float("inf")] * 3
    for _ in range(ROUNDS):
        best[0] = min(best[0], seconds(name, G, "networkx"))
        G.__networkx_cache__.clear()
        best[1] = min(best[1], seconds(name, G, "emv"))
        best[2] = min(best[2], seconds(name, G, "emv"))
        if best[0] > 1:
            break
    return best[0], best[1], best[2]


def answer(name: str, G: Any) -> str:
    """Return when the backend would run a call."""
    G.__networkx_cache__.clear()
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
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    names = [name for name in sorted(FUNCTIONS) if name not in MAKES]
    if given.only:
        names = [name for name in names if name in given.only]
    slower, slow = [], set()
    for edges in given.edges:
        graph_for = drawn(edges)
        print(f"{edges} edges{'':<33} networkx ms  converted x  kept x  runs")
        for name in names:
            if name in slow or (name in ALL_PAIRS and edges > 20_000):
                continue
            try:
                plain, converting, kept = measured(name, graph_for(name))
            except NotImplementedError:
                print(f"  {name:<40} refused", flush=True)
                slower.append(name)
                continue
            runs = answer(name, graph_for(name))
            lost = (runs == "yes" and converting > plain) or (runs != "no" and kept > plain)
            if lost:
                slower.append(name)
            if plain > given.most:
                slow.add(name)
            print(
                f"  {name:<40} {plain * 1e3:>11.2f} {plain / converting:>12.2f} "
                f"{plain / kept:>7.2f}  {runs}{'  SLOWER' if lost else ''}",
                flush=True,
            )
    return int(bool(slower))


if __name__ == "__main__":
    sys.exit(main())
