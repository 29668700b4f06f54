"""Louvain, Leiden, closeness and harmonic centrality: time, quality and arcs a second, by peers.

On cores emv takes turns with networkit (PLM, ParallelLeiden, ApproxCloseness) and igraph
(multilevel, leiden) in one process, all on as many threads as `EMV_NUM_THREADS` says but igraph,
which has one; the least of the rounds counts, and of qualities the mean, as every round has another
seed. On a GPU emv runs alone: what others have published, docs/design/measured_library.md tells.
Every result is checked. An arc is a direction of an edge, which is what Sahu calls an edge.

rmat17   2^17 vertices, 10^6 edges, R-MAT with GTgraph's chances: hardly any communities
planted  2^15 vertices, 16 edges a vertex, four of five of them within groups of 64
world    50,000 vertices, Watts and Strogatz's small world: 10 neighbours, a fifth drawn anew
kron22   2^22 vertices, 2^26 edges, Graph500's
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.study import Row, run
from bench.timing import in_turn
from emv import Graph
from emv.algorithms import (
    check_closeness_centrality,
    check_leiden,
    check_louvain,
    closeness_centrality,
    harmonic_centrality,
    leiden,
    louvain,
)
from emv.config import config
from emv.generators import kronecker, rmat, watts_strogatz

SAMPLE, OF_PEER = 1000, 100
"""Sources of a centrality where not all vertices are, and those that networkit is asked for."""

ALL_WITHIN = {"cpu": 2**15, "cuda": 2**17}
"""Vertices up to which all of them are sources."""

Call = Callable[[int], Any]


def planted() -> Graph:
    """Return a graph of groups; see the module's text."""
    draw, n, group = np.random.default_rng(5), 2**15, 64
    src = draw.integers(0, n, 16 * n)
    near = src // group * group + draw.integers(0, group, len(src))
    dst = np.where(draw.random(len(src)) < 0.8, near, draw.integers(0, n, len(src)))
    is_edge = src != dst
    return Graph.from_edges(src[is_edge], dst[is_edge], num_vertices=n, directed=False)


GRAPHS: dict[str, Callable[[], Graph]] = {
    "rmat17": lambda: rmat(2**17, 10**6, rng=1, directed=False),
    "planted": planted,
    "world": lambda: watts_strogatz(50_000, 10, 0.2, rng=1),
    "kron22": lambda: kronecker(22, 16, rng=1),
}
OF_TARGET = {"cpu": ("rmat17", "planted", "world"), "cuda": ("rmat17", "planted", "kron22")}
CHECKED_EDGES = 2**24
"""Edges up to which numpy checks communities in seconds."""


def in_rounds(calls: dict[str, Call], rounds: int) -> dict[str, tuple[float, list[Any]]]:
    """Return the least seconds of every call and what it found; a round's number is its seed."""
    found: dict[str, list[Any]] = {name: [] for name in calls}

    def seeded(name: str) -> Callable[[], None]:
        return lambda: found[name].append(calls[name](len(found[name])))

    ms = in_turn({name: seeded(name) for name in calls}, rounds)
    return {name: (min(ms[name]) / 1000, found[name][1:]) for name in calls}


def of_networkit(graph: Graph) -> Any:
    """Return the graph as networkit's."""
    import networkit

    networkit.setNumberOfThreads(config.num_threads)
    src, dst = (ends.astype(np.uint64) for ends in graph.edges.endpoints())
    made = networkit.Graph(graph.num_vertices)
    made.addEdges((src, dst))
    return made


def communities_of_peers(graph: Graph) -> dict[str, Call]:
    """Return the calls of networkit and igraph that find communities: one for each vertex."""
    import igraph
    import networkit

    src, dst = graph.edges.endpoints()
    one = of_networkit(graph)
    other = igraph.Graph(graph.num_vertices, np.stack([src, dst], 1))

    def by_networkit(make: Callable[[], Any], seed: int) -> NDArray[Any]:
        networkit.setSeed(seed, False)
        run = make()
        run.run()
        return np.asarray(run.getPartition().getVector())

    def by_leiden(seed: int) -> NDArray[Any]:
        return np.asarray(other.community_leiden("modularity", n_iterations=2).membership)

    return {
        "louvain networkit PLM": lambda seed: by_networkit(
            lambda: networkit.community.PLM(one, refine=True), seed
        ),
        "louvain igraph": lambda seed: np.asarray(other.community_multilevel().membership),
        "leiden networkit": lambda seed: by_networkit(
            lambda: networkit.community.ParallelLeiden(one), seed
        ),
        "leiden igraph": by_leiden,
    }


def worth(graph: Graph, community: NDArray[Any]) -> float:
    """Return the modularity of communities whose names are any numbers."""
    from emv.algorithms import modularity

    _, number = np.unique(community, return_inverse=True)
    return float(modularity(graph, number, weight=1))


def community_rows(name: str, graph: Graph, target: str, rounds: int) -> list[Row]:
    """Return the rows of Louvain and Leiden on a graph."""
    calls: dict[str, Call] = {
        "louvain emv": lambda seed: louvain(graph, weight=1, rng=seed),
        "leiden emv": lambda seed: leiden(graph, weight=1, rng=seed),
    }
    if target == "cpu":
        calls |= communities_of_peers(graph)
    rows = []
    for call, (seconds, found) in in_rounds(calls, rounds).items():
        problem, _, who = call.partition(" ")
        if who == "emv":
            if graph.num_edges <= CHECKED_EDGES:
                check: Any = check_leiden if problem == "leiden" else check_louvain
                check(graph, *found[-1], weight=1)
            quality = float(np.mean([value for _, value in found]))
        else:
            quality = float(np.mean([worth(graph, each) for each in found]))
        row = {"graph": name, "problem": problem, "who": who, "seconds": seconds}
        rows.append(row | {"modularity": quality, "arcs_per_s": graph.num_arcs / seconds})
    return rows


def centrality_rows(name: str, graph: Graph, target: str, rounds: int) -> list[Row]:
    """Return the rows of closeness and harmonic centrality: from all vertices, or a sample."""
    n = graph.num_vertices
    sources = None
    if n > ALL_WITHIN[target]:
        sources = np.sort(np.random.default_rng(0).choice(n, SAMPLE, replace=False))
    count = n if sources is None else len(sources)
    calls: dict[str, Call] = {
        "closeness emv": lambda seed: closeness_centrality(graph, sources=sources),
        "harmonic emv": lambda seed: harmonic_centrality(graph, sources=sources),
    }
    if target == "cpu":
        import networkit

        peer = of_networkit(graph)
        calls["closeness networkit"] = lambda seed: networkit.centrality.ApproxCloseness(
            peer, OF_PEER
        ).run()
    rows = []
    for call, (seconds, found) in in_rounds(calls, rounds).items():
        problem, _, who = call.partition(" ")
        searched = count if who == "emv" else OF_PEER
        if call == "closeness emv" and sources is None:
            check_closeness_centrality(graph, np.asarray(found[-1]))
        row = {"graph": name, "problem": problem, "who": who, "seconds": seconds}
        rows.append(row | {"sources": searched, "searches_per_s": searched / seconds})
    return rows


def communities(target: str = "cpu", graph: tuple[str, ...] = (), rounds: int = 3) -> Iterator[Row]:
    """Time communities and closeness beside other libraries, or on a GPU beside what they say."""
    for name in graph or OF_TARGET[target]:
        placed = GRAPHS[name]().on(target)
        yield from community_rows(name, placed, target, rounds)
        yield from centrality_rows(name, placed, target, rounds)


if __name__ == "__main__":
    raise SystemExit(run(communities))
