"""How long layouts take, and how good they are.

Usage: python -m bench.layout --vertices 1000000 --edges 10000000 --rounds 500 --device cuda
       python -m bench.layout --graph tests/data/mtx/netscience.mtx --rounds 200 --drl
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import shortest_path

import emv
from bench.study import Row, run
from bench.timing import timed
from emv import Graph
from emv.algorithms import bfs
from emv.config import config
from emv.viz import Layout
from tests.oracles.pictures import least_stress

PAIRS = 200_000
METHODS = ("fruchterman_reingold", "forceatlas2")


def graph_of(graph: str, kind: str, vertices: int, edges: int, device: str) -> Graph:
    """Return the graph of a file, or a random one with so many vertices and edges."""
    if graph:
        return emv.read(graph, directed=False)
    if kind == "rmat":
        where = device if device.startswith("cuda") else None
        return emv.generators.rmat(vertices, edges, rng=1, device=where)
    radius = float(np.sqrt(2 * edges / vertices / (np.pi * vertices)))
    return emv.generators.geometric(vertices, radius, rng=1)


def stress(graph: Graph, where: NDArray[Any], count: int = 30) -> float:
    """Return the stress of a picture, by distances from so many vertices, found by scipy."""
    sources = np.random.default_rng(0).permutation(graph.num_vertices)[:count]
    if not len(sources):
        return float("nan")
    wanted = shortest_path(graph.to_scipy(None), directed=False, unweighted=True, indices=sources)
    return least_stress(wanted, where[sources], where)


def crossing(graph: Graph, where: NDArray[Any]) -> float:
    """Return the share of pairs of edges that cross, of some drawn at random."""
    src, dst = graph.edges.endpoints()
    one, other = np.random.default_rng(0).integers(0, len(src), (2, PAIRS))
    a, b, c, d = (where[each] for each in (src[one], dst[one], src[other], dst[other]))

    def side(p: Any, q: Any, r: Any) -> Any:
        return np.sign((q - p)[:, 0] * (r - p)[:, 1] - (q - p)[:, 1] * (r - p)[:, 0])

    cross = (side(a, b, c) * side(a, b, d) < 0) & (side(c, d, a) * side(c, d, b) < 0)
    return float(cross.mean())


def measured(graph: Graph, name: str, rounds: int, lay: Callable[[], Any], sources: int) -> Row:
    """Return what a layout takes and how good it is."""
    ms, where = timed(lay)
    each = {"ms a round": ms / rounds} if rounds else {}
    quality = {"stress": stress(graph, where, sources), "crossing": crossing(graph, where)}
    return {"name": name, "seconds": ms / 1000, "rounds": rounds, **each, **quality}


def layout(
    graph: str = "",
    kind: str = "geometric",
    vertices: int = 10_000,
    edges: int = 50_000,
    rounds: int = 100,
    device: str = "cpu",
    pos: str = "pivots",
    theta: float | None = None,
    threads: tuple[int, ...] = (config.num_threads,),
    methods: tuple[str, ...] = METHODS,
    sources: int = 30,
    drl: bool = False,
    networkx: bool = False,
) -> Iterator[Row]:
    """Time layouts from places to places, and judge the pictures.

    Of the picture the stress (Gansner, Koren, North 2004, of distances from ``--sources`` vertices,
    at the best scale; none for 0) and the share of pairs of edges, drawn at random, that cross.
    The paper compares with four threads of a Xeon W3565. ``--drl`` adds igraph's drl,
    ``--networkx`` its spring_layout.
    """
    made = graph_of(graph, kind, vertices, edges, device)
    is_gpu = device.startswith("cuda")
    for method in methods:
        for count in (1,) if is_gpu else threads:
            name = f"{method} on {device if is_gpu else f'{count} threads'}"
            with config.using(num_threads=count):
                placed = made.on(device)
                named: dict[str, Any] = {"method": method, "theta": theta, "iterations": rounds}
                Layout(placed, pos="random", **named).step()  # compiles
                bfs(placed.both_ways(), 0)
                ms, moving = timed(functools.partial(Layout, placed, pos=pos, **named))
                lay = functools.partial(lambda m: m.step(rounds).positions, moving)
                row = measured(made, name, rounds, lay, sources)
            yield row | {"start, s": ms / 1000}
    if drl:
        import igraph

        g = igraph.Graph(made.num_vertices, np.stack(made.edges.endpoints(), 1).tolist())
        yield measured(made, "igraph drl", 0, lambda: np.array(g.layout_drl().coords), sources)
    if networkx:
        import networkx as nx

        G = made.to_networkx()

        def spring() -> Any:
            found = nx.spring_layout(G, iterations=rounds, method="force", seed=1)
            return np.array([found[v] for v in G])

        yield measured(made, "networkx spring_layout", rounds, spring, sources)


if __name__ == "__main__":
    raise SystemExit(run(layout))
