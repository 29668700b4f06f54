"""Message lists against slots: the poster of Mitani, Ino and Hagihara (GPGPU 2014), measured.

Usage: python -m bench.lists [--target cpu|cuda] [--vertices N] [--rounds 3]
           [--only bellman-ford pagerank boruvka gather] [--json FILE]

Medusa keeps a slot for every arc, the poster a list for every vertex. Its figures, against Medusa
on a GTX 780: Boruvka 3 times as fast, as nothing is built anew when the graph changes; PageRank
10 to 50 % slower (the text says 50 to 90 %), as all send; Bellman-Ford between 1.3 times as fast,
as only what is sent takes room, and 50 % slower; two arenas instead of one up to 1.5 times as fast;
insertion by trees up to 3 times, and slower where messages do not meet at one vertex.

bellman-ford, pagerank
    the gallery's and `bench.ablation_programs`', by superstep; times are `Run.seconds`
boruvka
    its rounds on graphs that are contracted outside, so that each is new: building it, whatever
    index arrays the schedule needs (slots those of both directions, lists none, as they go over
    the edges), and finding every vertex's cheapest edge; contraction itself is not timed
gather
    every vertex sends to one: no slots, as that is along no arc

MB is the working space of a run and the index arrays of the graph that it uses. All variants of a
row run in one process and take turns; results must be equal, else the exit status is 1, and the
forest of Boruvka's rounds as heavy as scipy's. The road and the web-like graph have twice as many
vertices as are asked for.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

import emv
from bench.ablation_programs import rank_by_edge
from bench.ablations import busiest
from bench.study import Row, run
from bench.timing import compared, on_host
from emv import Edge, Graph, Vertex, edge, f32, i32, i64, program, vertex
from emv.algorithms import sssp

ITERATIONS = 10
WORDS = {
    "slots": emv.buffer("slots"),
    "grouped": emv.buffer("grouped"),
    "list": emv.buffer("lists", arenas=1),
    "list, two arenas": emv.buffer("lists"),
    "tree": emv.buffer("lists", insert="tree", arenas=1),
    "tree, two arenas": emv.buffer("lists", insert="tree"),
}
POSTER = {
    "bellman-ford": "lists 1.3 times as fast at best, 50 % slower at worst",
    "pagerank": "lists 10 to 50 % (50 to 90 %) slower",
    "boruvka": "lists 3 times as fast; two arenas up to 1.5 times; trees up to 3 times",
    "gather": "trees up to 3 times as fast",
}
Measured = dict[str, tuple[Callable[[], Any], Callable[[], int]]]


class Town(Vertex):
    """A vertex: its cheapest edge, and what it was told."""

    least: i64 = -1
    total: i64 = 0
    number: i64 = 0


class Way(Edge[Town]):
    """An edge with a length."""

    weight: f32


@edge
def offer(e: Way):
    """Send the edge to the other end, along both arcs."""
    e.send((e.weight, i32(e.id)))


@edge
def offer_both(e: Way):
    """Send the edge to both its ends, which needs no rows."""
    e.send_to(e.src.id, (e.weight, i32(e.id)))
    e.send_to(e.dst.id, (e.weight, i32(e.id)))


@vertex
def keep(v: Town, best: tuple[f32, i32]):
    """Keep the cheapest edge."""
    v.least = best[1]


@program
def least_by_arc(g):
    """Find the cheapest edge of every vertex, along arcs."""
    told = offer(g)
    keep(told.receivers, emv.min(told))
    return g.vertices.least


@program
def least_by_edge(g):
    """Find the cheapest edge of every vertex, edge by edge."""
    told = offer_both(g.edges)
    keep(told.receivers, emv.min(told))
    return g.vertices.least


@vertex
def tell_first(v: Town):
    """Send to vertex 0."""
    v.send_to(0, v.id % 1000)


@vertex
def take(v: Town, total: i64):
    """Add what was sent."""
    v.total += total


@program
def gathering(g):
    """Send everything to one vertex."""
    for _ in g.supersteps(ITERATIONS):
        take(g, emv.sum(tell_first(g)))
    return g.vertices.total


def made_graphs(n: int, target: str) -> Iterator[tuple[str, Graph]]:
    """Yield the poster's kinds of graphs; of the web-like one some vertices hear very many."""
    draw, more = np.random.default_rng(1), {"weights": (1, 64), "rng": 1}
    yield "road", emv.generators.road(2 * n, **more).on(target)
    yield "rmat", emv.generators.rmat(n, 16 * n, directed=False, **more).on(target)
    yield "uniform", emv.generators.random(n, 16 * n, directed=False, **more).on(target)
    src, at = draw.integers(0, 2 * n, 5 * n), draw.random(5 * n) ** 4
    weight = draw.integers(1, 65, 5 * n).astype(np.float32)
    wiki = Graph.from_edges(src, (at * 2 * n).astype(np.int64), num_vertices=2 * n, weight=weight)
    yield "wiki", wiki.on(target)


def bytes_of(made: Any, *args: Any, **named: Any) -> int:
    """Return the bytes of a program's working space and of the index arrays that it uses."""
    plan = made.memory_plan(*args, **named)
    return sum(plan.group_bytes(group) for group in ("working space", "index arrays"))


@dataclass
class Taken:
    """What a run took, and its result on the host."""

    seconds: float
    result: Any


def ran(made: Any, *args: Any, **named: Any) -> Callable[[], Taken]:
    """Return what runs a program and tells its seconds and result."""

    def run() -> Taken:
        found = made.run(*args, **named)
        return Taken(found.seconds, on_host(found.result))

    return run


def plain(made: Any, *args: Any) -> Measured:
    """Return the variants of a program."""
    return {
        name: (
            ran(made, *args, schedule=word),
            lambda word=word: bytes_of(made, *args, schedule=word),
        )
        for name, word in WORDS.items()
    }


@dataclass
class Step:
    """A graph of Boruvka's rounds: ends and lengths of its edges, every vertex's cheapest one."""

    size: int
    src: NDArray[np.int64]
    dst: NDArray[np.int64]
    weight: NDArray[np.float32]
    least: NDArray[np.int64]

    def graph(self, target: str) -> Graph:
        """Return the graph, of which nothing is built yet."""
        named = {"num_vertices": self.size, "directed": False, "weight": self.weight}
        return Graph.from_edges(self.src, self.dst, **named).on(target)


def cheapest(size: int, src: Any, dst: Any, weight: Any) -> NDArray[np.int64]:
    """Return every vertex's cheapest edge, the first of several; -1 where there is none."""
    falling = np.argsort(weight, kind="stable")[::-1]
    found = np.full(size, -1)
    found[np.stack([src[falling], dst[falling]], 1).ravel()] = np.repeat(falling, 2)
    return found


class Contraction:
    """Boruvka's rounds on one graph, each on a graph that is new.

    Raises
    ------
    ValueError
        If what the rounds choose is no smallest forest, as scipy finds it.
    """

    def __init__(self, graph: Graph, target: str) -> None:
        host, self.target = graph.on("cpu"), target
        src, dst = (np.asarray(each, np.int64) for each in host.edges.endpoints())
        weight, size = np.asarray(host.edges.weight, np.float32), graph.num_vertices
        order = np.lexsort((weight, dst, src))
        src, dst, weight = np.minimum(src, dst)[order], np.maximum(src, dst)[order], weight[order]
        pair = src * size + dst
        first = np.unique(pair, return_index=True)[1]  # of parallel edges scipy takes the sum
        first = first[src[first] != dst[first]]
        src, dst, weight = src[first], dst[first], weight[first]
        whole = coo_matrix((weight.astype(float), (src, dst)), (size, size)).tocsr()
        expected, taken, self.steps = minimum_spanning_tree(whole).sum(), 0.0, list[Step]()
        while len(src):
            least = cheapest(size, src, dst, weight)
            self.steps.append(Step(size, src, dst, weight, least))
            chosen = np.unique(least[least >= 0])
            taken += weight[chosen].sum(dtype=float)
            ends = (np.ones(len(chosen), np.int8), (src[chosen], dst[chosen]))
            size, label = connected_components(coo_matrix(ends, (size, size)), directed=False)
            src, dst = label[src].astype(np.int64), label[dst].astype(np.int64)
            apart = src != dst
            src, dst, weight = src[apart], dst[apart], weight[apart]
        if not np.isclose(taken, expected):
            raise ValueError(f"the rounds choose {taken}, scipy {expected}")

    @property
    def expected(self) -> NDArray[np.int64]:
        """Return the edges of all rounds."""
        return np.concatenate([each.least for each in self.steps])

    def run(self, made: Any, word: Any) -> Taken:
        """Return the seconds of all rounds, and what they found."""
        seconds, found = 0.0, []
        for step in self.steps:
            started = time.perf_counter()
            graph = step.graph(self.target)
            found.append(on_host(made.run(graph, schedule=word).result))
            seconds += time.perf_counter() - started
        return Taken(seconds, np.concatenate(found))

    def bytes_of(self, made: Any, word: Any) -> int:
        """Return the bytes of the first round, index arrays included."""
        graph = self.steps[0].graph(self.target)
        made.run(graph, schedule=word)
        return bytes_of(made, graph, schedule=word)

    def variants(self) -> Measured:
        """Return the variants: slots need arcs, all else goes over the edges."""
        return {
            "slots and rebuild" if name == "slots" else name: (
                lambda made=made, word=word: self.run(made, word),
                lambda made=made, word=word: self.bytes_of(made, word),
            )
            for name, word in WORDS.items()
            for made in [least_by_arc if name == "slots" else least_by_edge]
        }


def problems(
    name: str, graph: Graph, target: str, only: Sequence[str]
) -> Iterator[tuple[str, Measured, Any]]:
    """Yield the problems of a graph, their variants, and the result where it is known."""
    if "bellman-ford" in only:
        yield "bellman-ford", plain(sssp, graph, busiest(graph)), None
    if "pagerank" in only:
        yield "pagerank", plain(rank_by_edge, graph, ITERATIONS), None
    if "boruvka" in only:
        rounds = Contraction(graph, target)
        yield "boruvka", rounds.variants(), rounds.expected
    if "gather" in only and name == "road":
        few = {each: both for each, both in plain(gathering, graph).items() if each != "slots"}
        yield "gather", few, None


def lists(
    target: str = "cpu",
    vertices: int = 2**13,
    rounds: int = 3,
    only: tuple[str, ...] = tuple(POSTER),
    graphs: tuple[str, ...] = ("road", "rmat", "uniform", "wiki"),
) -> Iterator[Row]:
    """Time message lists against slots."""
    for name, graph in made_graphs(vertices, target):
        if name not in graphs:
            continue
        for problem, variants, expected in problems(name, graph, target, only):
            calls = {each: call for each, (call, _) in variants.items()}
            head = {"problem": problem, "graph": name}
            for row in compared(calls, rounds, exact=False, expected=expected):
                yield {**head, **row, "MB": variants[row["variant"]][1]() / 1e6}


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; return 1 when results differ."""
    return run("bench.lists", lists, arguments=arguments)


if __name__ == "__main__":
    sys.exit(main())
