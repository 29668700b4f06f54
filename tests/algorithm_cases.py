"""What the algorithms' tests share: the real graphs, and the oracles of `emv.testing`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from backends_available import BACKENDS

import emv
from emv import Graph
from emv.testing import by_vertex, networkx_of

__all__ = [
    "LARGE",
    "REAL_CASES",
    "SMALL",
    "busiest_vertex",
    "by_vertex",
    "networkx_of",
    "real_graph",
]

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
    for name in (SMALL | LARGE if backend in ("cpu", "cuda") else SMALL)
]
"""Every backend with every real graph that it runs in a second; a simulated GPU is Python, too."""


@cache
def real_graph(name: str) -> Graph:
    """Read a real graph; it has the column ``cost``: small whole numbers, many of them equal."""
    graph = emv.read((SMALL | LARGE)[name])
    graph.edges.cost = np.random.default_rng(7).integers(1, 20, graph.num_edges).astype(float)
    return graph


def busiest_vertex(graph: Graph) -> int:
    """Return the vertex with the most out-arcs."""
    return int(np.argmax(graph.out_degrees()))
