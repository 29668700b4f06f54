"""Calls of networkx on ten nodes: what it costs to have emv installed, and to give it priority.

Usage: python -m bench.networkx_ten [--json FILE]

Such calls stay in networkx, so all that is measured is how networkx finds that out. Four ways take
turns, and the least of each counts: networkx without any backend; backends installed, but none with
priority, which is the default; emv with priority; and in its place a backend that answers all that
networkx asks with a constant, which is the least that a backend with priority costs.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import networkx as nx
from networkx.utils import backends

from bench.machine import describe_machine

ROUNDS = 60
TURN = 1e-3
"""Seconds that a turn takes at least."""

CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "is_connected": lambda G, arcs: nx.is_connected(G),
    "isolates": lambda G, arcs: list(nx.isolates(G)),
    "degree_centrality": lambda G, arcs: nx.degree_centrality(G),
    "single_source_shortest_path_length": lambda G, arcs: nx.single_source_shortest_path_length(
        G, 0
    ),
    "number_connected_components": lambda G, arcs: nx.number_connected_components(G),
    "has_path": lambda G, arcs: nx.has_path(G, 0, 9),
    "shortest_path": lambda G, arcs: nx.shortest_path(G, 0, 9),
    "dijkstra_path_length": lambda G, arcs: nx.dijkstra_path_length(G, 0, 9),
    "strongly_connected_components": lambda G, arcs: list(nx.strongly_connected_components(arcs)),
    "core_number": lambda G, arcs: nx.core_number(G),
    "triangles": lambda G, arcs: nx.triangles(G),
    "minimum_spanning_edges": lambda G, arcs: list(nx.minimum_spanning_edges(G)),
    "closeness_centrality": lambda G, arcs: nx.closeness_centrality(G),
    "clustering": lambda G, arcs: nx.clustering(G),
    "diameter": lambda G, arcs: nx.diameter(G),
    "betweenness_centrality": lambda G, arcs: nx.betweenness_centrality(G),
    "pagerank": lambda G, arcs: nx.pagerank(G),
}
"""Some of the shortest calls, and some of the longest."""

WAYS: dict[str, list[str]] = {"none": [], "default": [], "constant": ["constant"], "emv": ["emv"]}


def graphs() -> tuple[Any, Any]:
    """Return ten nodes with some thirty edges, and with thirty arcs."""
    G = nx.gnm_random_graph(10, 20, seed=1)
    nx.add_path(G, range(10))
    return G, nx.gnm_random_graph(10, 30, seed=1, directed=True)


def add_constant() -> None:
    """Add the backend that has every function, and runs none."""
    asked = {"can_run": lambda name, args, kwargs: True, "should_run": lambda name, args, kwargs: 0}
    functions = dict.fromkeys(backends._registered_algorithms)
    backends._loaded_backends["constant"] = SimpleNamespace(**functions, **asked)
    backends.backends["constant"] = backends.backends["emv"]
    backends.backend_info["constant"] = {}


def once(call: Callable[[], Any], times: int) -> float:
    """Return the microseconds of a call."""
    begin = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - begin) / times * 1e6


def measured(name: str, G: Any, arcs: Any) -> dict[str, Any]:
    """Return the row of a function: the least time of each way."""

    def call() -> Any:
        return CALLS[name](G, arcs)

    call()
    times = max(2, int(TURN / (once(call, 5) * 1e-6)))
    least = dict.fromkeys(WAYS, float("inf"))
    dispatcher: Any = backends._dispatchable
    asking = dispatcher.__call__
    for _ in range(ROUNDS):
        for way, priority in WAYS.items():
            if way == "none":
                dispatcher.__call__ = dispatcher._call_if_no_backends_installed
            with nx.config(backend_priority=priority):
                least[way] = min(least[way], once(call, times))
            dispatcher.__call__ = asking
    return {"function": name, **{f"{way}_us": round(least[way], 3) for way in WAYS}}


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    G, arcs = graphs()
    add_constant()
    with nx.config(backend_priority=["emv"]):
        nx.is_connected(G)  # loads the backend
    rows = []
    print(f"{'':<36}default us  emv x  constant x  emv's own us  default / none")
    for name in CALLS:
        row = measured(name, G, arcs)
        rows.append(row)
        plain = row["default_us"]
        print(
            f"{name:<36}{plain:>10.2f} {row['emv_us'] / plain:>6.2f} "
            f"{row['constant_us'] / plain:>11.2f} {row['emv_us'] - row['constant_us']:>13.2f} "
            f"{plain / row['none_us']:>15.2f}",
            flush=True,
        )
    if given.json:
        about = {"machine": describe_machine(), "rows": rows}
        given.json.write_text(json.dumps(about, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
