"""What the algorithms' tests share: the real graphs, and the same graph for the oracles."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import networkx as nx
import numpy as np
from backends_available import BACKENDS

import emv
from emv import Graph

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "tests" / "data"
SMALL = {
    "karate": DATA / "mtx" / "karate.mtx",
    "Ragusa16 (loops)": DATA / "mtx" / "Ragusa16.mtx",
    "gap-4 (loops, repeats)": DATA / "edgelist" / "gap-4.wel",
    "LFAT5 (3 components)": DATA / "mtx" / "LFAT5.mtx",
    "football": DATA / "mtx" / "football.mtx",
}
LARGE = {
    "jagmesh7": DATA / "mtx" / "jagmesh7.mtx",
    "netscience": DATA / "mtx" / "netscience.mtx",
    "email-Eu-core": DATA / "edgelist" / "email-Eu-core.csv",
    "as20graph": DATA / "edgelist" / "as20graph.txt.gz",
    "wiki-Vote": ROOT / "bench" / "graphs" / "wiki-Vote.txt.gz",
}
"""Too large for the eager backend, which takes microseconds per arc."""

REAL_CASES = [
    (backend, name)
    for backend in BACKENDS
    for name in (SMALL if backend == "python" else SMALL | LARGE)
]
"""Every backend with every real graph that it runs in a second."""


@cache
def real_graph(name: str) -> Graph:
    """Read a real graph; it has the column ``cost``: small whole numbers, many of them equal."""
    graph = emv.read((SMALL | LARGE)[name])
    graph.edges.cost = np.random.default_rng(7).integers(1, 20, graph.num_edges).astype(float)
    return graph


def busiest_vertex(graph: Graph) -> int:
    """Return the vertex with the most out-arcs."""
    return int(np.argmax(graph.out_degrees()))


def networkx_of(
    graph: Graph, column: str | None = None, directed: bool | None = None
) -> nx.MultiGraph:
    """Return the graph for networkx, all repeats and loops kept, a column as ``weight``.

    With ``directed=False`` directions are dropped. Every edge has its number for a key: networkx's
    own ``to_undirected`` lets ``(u, v)`` and ``(v, u)`` of one key overwrite each other.
    """
    directed = graph.directed if directed is None else directed
    oracle = nx.MultiDiGraph() if directed else nx.MultiGraph()
    oracle.add_nodes_from(range(graph.num_vertices))
    src, dst = (ends.tolist() for ends in graph.edges.endpoints())
    weights = [1.0] * graph.num_edges if column is None else graph.edges[column].tolist()
    edges = enumerate(zip(src, dst, weights, strict=True))
    oracle.add_edges_from((u, v, number, {"weight": w}) for number, (u, v, w) in edges)
    return oracle


def by_vertex(found: dict[int, float], num_vertices: int, missing: float) -> np.ndarray:
    """Return a networkx result as an array."""
    return np.array([found.get(vertex, missing) for vertex in range(num_vertices)])
