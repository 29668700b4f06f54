"""GasCL's two programs on its five graphs, on cores and on a GPU, with and without the bus.

S165, S166: the same text on both sides, as in the paper (OpenCL on both). A time is that of the
whole call with graph and result where the program runs; *with the bus* the graph goes up and the
result comes down in it, reading and preparing on the host left out, as in the paper. On cores
nothing goes over a bus. S. Che: GasCL: A Vertex-Centric Graph Model for GPUs, HPEC 2014.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import emv
from bench.study import Row
from bench.suite_graphs import TINY_SCALE
from bench.timing import in_turn
from emv import Edge, EdgeList, Graph, Mask, Vertex, datasets, f32, gas, inf, program
from emv.gas import apply, gather, scatter

GRAPHS = ("delaunay", "flickr", "email-enron", "g2-circuit", "mesh-deform")
ITERATIONS = 30
SAID = {
    "pagerank": "GPU 0.8 (delaunay) to 5.5 times (flickr) 4 cores; the bus 5 % (email-Enron) to 40",
    "sssp": "GPU 0.3 (G2-circuit) to 4.7 times (mesh-deform) 4 cores",
}


class Page(Vertex):
    """Has a rank."""

    value: f32 = 1.0


@scatter
def send_share(v: Page, links: EdgeList[Edge[Page]]):
    """Share the rank out."""
    for link in links:
        link.send(v.value / v.out_degree)


@gather(emv.sum)
def update_rank(v: Page, received: f32):
    """Take the sum."""
    v.value = 0.15 + 0.85 * received


@program
def gas_pagerank(g, limit):
    """PageRank in GasCL's phases."""
    for _ in g.supersteps(limit):
        gas.superstep(g, send_share, update_rank)
    return g.vertices.value


class Place(Vertex):
    """Has a distance, and may be in front."""

    dist: f32 = inf
    frontier: Mask


class Road(Edge[Place]):
    """Has a length."""

    weight: f32


@apply
def begin(v: Place):
    """Begin here."""
    v.dist = 0.0
    v.frontier.set()


@scatter
def offer_path(v: Place, roads: EdgeList[Road]):
    """Offer paths, if in front."""
    if v.frontier:
        v.frontier.unset()
        for road in roads:
            road.send(v.dist + road.weight)
            road.dst.frontier.set()


@gather(emv.min)
def keep_shorter(v: Place, dist: f32):
    """Keep a shorter path and stay in front; the paper's listing, repaired."""
    if v.frontier:
        if dist < v.dist:
            v.dist = dist
        else:
            v.frontier.unset()


@program
def gas_sssp(g, source):
    """SSSP in GasCL's phases."""
    begin(g.only(source))
    for _ in g.supersteps(g.num_vertices, until=lambda: emv.count(g.vertices.frontier) == 0):
        gas.superstep(g, offer_path, keep_shorter, over=g.vertices.frontier, receivers=True)
    return g.vertices.dist


def made_graph(name: str, tiny: bool) -> tuple[Graph, int, str]:
    """Return a graph with weights, a source, and whether it is the real one."""
    found = datasets.load(name, scale=TINY_SCALE * 10 if tiny else 1.0)
    weight = np.random.default_rng(4).integers(1, 65, found.graph.num_edges).astype(np.float32)
    made = again(found.graph, weight)
    return made, int(np.argmax(made.out_degrees())), found.kind


def again(graph: Graph, weight: Any) -> Graph:
    """Return another graph of the same edges."""
    named = {"num_vertices": graph.num_vertices, "directed": graph.directed, "weight": weight}
    return Graph.from_edges(*graph.edges.endpoints(), **named)


def times(
    program: Any, given: Any, graph: Graph, device: str, rounds: int
) -> tuple[Any, dict[str, float]]:
    """Return a result on the host, and the milliseconds of a call, on a GPU with the bus too."""
    placed = graph.on(device)
    result = np.asarray(program(placed, given))
    calls = {f"{device}, ms": lambda: program(placed, given)}
    if device.startswith("cuda"):
        others = [again(graph, graph.edges["weight"]) for _ in range(rounds + 1)]
        for other in others:  # what a graph keeps goes up anew; what is prepared is not counted
            other.layouts.out_rows  # noqa: B018
        calls[f"{device} with the bus, ms"] = lambda: np.asarray(
            program(others.pop().on(device), given)
        )
    taken = in_turn(calls, rounds)
    return result, {name: statistics.median(each) for name, each in taken.items()}


def rows_of(names: Sequence[str], devices: Sequence[str], rounds: int, tiny: bool) -> Iterator[Row]:
    """Run both programs on the five graphs: on cores, and on a GPU where that is the target."""
    for name in names:
        graph, source, kind = made_graph(name, tiny)
        programs = (("pagerank", gas_pagerank, ITERATIONS), ("sssp", gas_sssp, source))
        for title, made, given in programs:
            row: Row = {"row": "S165", "what": f"{title} on {name}"}
            results, measured = [], dict[str, float]()
            for device in devices:
                result, found = times(made, given, graph, device, rounds)
                results.append(result)
                measured |= found
            if len(results) == 2:
                cores, alone, bus = measured.values()
                measured["cores over GPU"] = cores / bus
                measured["share of the bus"] = 1 - alone / bus
                row["fault"] = "" if np.allclose(*results, rtol=1e-3) else "results differ"
            yield {**row, **measured, "paper": SAID[title], "note": f"graph {kind}"}
