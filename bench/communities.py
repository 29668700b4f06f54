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
    modularity,
)
from emv.config import config
from emv.generators import kronecker, rmat, watts_strogatz

SAMPLE, OF_PEER = 1000, 100  # sources where not all vertices are, and those asked of networkit
ALL_WITHIN = {"cpu": 2**15, "cuda": 2**17}  # vertices up to which all of them are sources
CHECKED_EDGES = 2**24  # up to which numpy checks communities in seconds
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


def networkit_graph(graph: Graph) -> Any:
    """Return the graph as networkit's."""
    import networkit

    networkit.setNumberOfThreads(config.num_threads)
    src, dst = (ends.astype(np.uint64) for ends in graph.edges.endpoints())
    made = networkit.Graph(graph.num_vertices)
    made.addEdges((src, dst))
    return made


def community_calls(graph: Graph, target: str) -> dict[str, Call]:
    """Return the calls that find communities; those of peers return one for each vertex."""
    calls: dict[str, Call] = {
        "louvain emv": lambda seed: louvain(graph, weight=1, rng=seed),
        "leiden emv": lambda seed: leiden(graph, weight=1, rng=seed),
    }
    if target != "cpu":
        return calls
    import igraph
    import networkit
    from networkit.community import PLM, ParallelLeiden

    one, ends = networkit_graph(graph), graph.edges.endpoints()
    other = igraph.Graph(graph.num_vertices, np.stack(ends, 1))

    def parts(run: Any, seed: int) -> Any:
        networkit.setSeed(seed, False)
        return np.asarray(run.run().getPartition().getVector())

    return calls | {
        "louvain networkit PLM": lambda seed: parts(PLM(one, refine=True), seed),
        "louvain igraph": lambda seed: np.asarray(other.community_multilevel().membership),
        "leiden networkit": lambda seed: parts(ParallelLeiden(one), seed),
        "leiden igraph": lambda seed: np.asarray(
            other.community_leiden("modularity", n_iterations=2).membership
        ),
    }


def judged(graph: Graph, problem: str, who: str, found: list[Any]) -> Row:
    """Check communities and return their mean modularity."""
    if who != "emv":
        numbers = (np.unique(each, return_inverse=True)[1] for each in found)  # any names
        return {"modularity": np.mean([modularity(graph, each, weight=1) for each in numbers])}
    if graph.num_edges <= CHECKED_EDGES:
        check: Any = check_leiden if problem == "leiden" else check_louvain
        check(graph, *found[-1], weight=1)
    return {"modularity": np.mean([value for _, value in found])}


def centrality_calls(graph: Graph, target: str, sources: Any) -> dict[str, Call]:
    """Return the calls that find closeness and harmonic centrality."""
    calls: dict[str, Call] = {
        "closeness emv": lambda seed: closeness_centrality(graph, sources=sources),
        "harmonic emv": lambda seed: harmonic_centrality(graph, sources=sources),
    }
    if target != "cpu":
        return calls
    from networkit.centrality import ApproxCloseness

    peer = networkit_graph(graph)
    return calls | {"closeness networkit": lambda seed: ApproxCloseness(peer, OF_PEER).run()}


def in_rounds(graph: str, calls: dict[str, Call], rounds: int) -> Iterator[tuple[Row, list[Any]]]:
    """Yield the head of a row, with the least seconds, and what was found; a round is its seed."""
    found: dict[str, list[Any]] = {name: [] for name in calls}

    def seeded(name: str) -> Callable[[], None]:
        return lambda: found[name].append(calls[name](len(found[name])))

    for name, ms in in_turn({name: seeded(name) for name in calls}, rounds).items():
        problem, _, who = name.partition(" ")
        head = {"graph": graph, "problem": problem, "who": who, "seconds": min(ms) / 1000}
        yield head, found[name][1:]


def communities(target: str = "cpu", graph: tuple[str, ...] = (), rounds: int = 3) -> Iterator[Row]:
    """Time communities and closeness beside other libraries, or on a GPU beside what they say."""
    for name in graph or OF_TARGET[target]:
        on = GRAPHS[name]().on(target)
        for head, found in in_rounds(name, community_calls(on, target), rounds):
            rate = {"arcs_per_s": on.num_arcs / head["seconds"]}
            yield head | judged(on, head["problem"], head["who"], found) | rate
        every, sources = on.num_vertices, None
        if every > ALL_WITHIN[target]:
            sources = np.sort(np.random.default_rng(0).choice(every, SAMPLE, replace=False))
            every = SAMPLE
        for head, found in in_rounds(name, centrality_calls(on, target, sources), rounds):
            if (head["problem"], head["who"]) == ("closeness", "emv") and sources is None:
                check_closeness_centrality(on, np.asarray(found[-1]))
            count = every if head["who"] == "emv" else OF_PEER
            yield head | {"sources": count, "searches_per_s": count / head["seconds"]}


if __name__ == "__main__":
    raise SystemExit(run(communities))
