"""GasCL's two programs on its five graphs, on cores and on a GPU, with and without the bus.

S165, S166: the same text on both sides, as in the paper (OpenCL on both). A time is that of the
whole call with graph and result where the program runs; *with the bus* the graph goes up and the
result comes down in it, reading and preparing on the host left out, as in the paper. On cores
nothing goes over a bus. S. Che: GasCL: A Vertex-Centric Graph Model for GPUs, HPEC 2014.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import emv
from bench.papers_setting import Setting
from bench.study import Row
from bench.suite_graphs import TINY_SCALE
from bench.timing import in_turn
from emv import Edge, EdgeList, Graph, Mask, Vertex, datasets, f32, gas, inf, program
from emv.config import config
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
    src, dst = found.graph.edges.endpoints()
    draw = np.random.default_rng(4)
    weight = draw.integers(1, 65, len(src)).astype(np.float32)
    made = Graph.from_edges(
        src,
        dst,
        num_vertices=found.graph.num_vertices,
        directed=found.graph.directed,
        weight=weight,
    )
    return made, int(np.argmax(made.out_degrees())), found.kind


def times(
    program: Any, given: Any, graph: Graph, device: str, rounds: int
) -> tuple[Any, dict[str, float]]:
    """Return a result on the host, and the milliseconds of a call, on a GPU with the bus too."""
    placed = graph.on(device)
    result = np.asarray(program(placed, given))
    taken = in_turn({"call": lambda: program(placed, given)}, rounds)["call"]
    found = {f"{device}, ms": statistics.median(taken)}
    if device.startswith("cuda"):

        def whole() -> Any:  # another graph of the same arrays: what it keeps goes up anew
            edges = graph.edges
            again = Graph.from_edges(
                *edges.endpoints(),
                num_vertices=graph.num_vertices,
                directed=graph.directed,
                weight=edges["weight"],
            )
            again.layouts.out_rows  # noqa: B018  # prepared on the host, and not counted
            began = time.perf_counter()
            np.asarray(program(again.on(device), given))
            return 1000 * (time.perf_counter() - began)

        whole()
        found[f"{device} with the bus, ms"] = statistics.median(whole() for _ in range(3))
    return result, found


def gascl(setting: Setting) -> Iterator[Row]:
    """Run both programs on the five graphs: on cores, and on a GPU where that is the target."""
    devices = ["cpu"] if setting.device == "cpu" else [setting.device]
    if setting.on_gpu:
        devices = ["cpu", setting.device]
    for name in setting.graphs or GRAPHS:
        graph, source, kind = made_graph(name, setting.tiny)
        for title, made, given in (
            ("pagerank", gas_pagerank, ITERATIONS),
            ("sssp", gas_sssp, source),
        ):
            row: Row = {"row": "S165", "what": f"{title} on {name}"}
            results, measured = [], dict[str, float]()
            for device in devices:
                result, found = times(made, given, graph, device, min(setting.rounds, 5))
                results.append(result)
                measured |= found
            if len(results) == 2:
                cores, alone, bus = measured.values()
                measured["cores over GPU"] = cores / bus
                measured["share of the bus"] = 1 - alone / bus
                row["fault"] = "" if np.allclose(*results, rtol=1e-3) else "results differ"
            note = f"graph {kind}, {config.num_threads} threads"
            yield {**row, **measured, "paper": SAID[title], "note": note}
