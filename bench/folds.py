"""Least tuples that spread along a path: of three numbers, which no atomic can fold, and of two.

Usage: python -m bench.folds [--device cpu] [--vertices 1048576] [--rounds 5] [--most 2.0]
           [--json FILE]

One vertex is active in every superstep, so that the time is what a superstep costs and not what the
graph does. The two programs take turns; medians of `Run.seconds` after a warm-up, and their ratio.
Both results are checked. Exits 1 where the triple takes more than --most of the pair's time.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from pathlib import Path
from typing import Any

import numpy as np

import emv
from bench.machine import describe_machine
from emv import Edge, Graph, Vertex, edge, i32, program, vertex

FAR = 2**30


class Pair(Vertex):
    """Two numbers, which one word of 64 bits holds."""

    cost: i32 = FAR
    via: i32 = FAR


class Triple(Vertex):
    """Three, which none does."""

    cost: i32 = FAR
    via: i32 = FAR
    hops: i32 = FAR


@vertex
def begin_pair(v: Pair):
    """Begin at the source."""
    v.cost, v.via = 0, v.id
    v.activate()


@edge
def offer_pair(e: Edge[Pair]):
    """Offer what comes behind the source of an arc."""
    e.send((e.src.cost + 1, e.src.id))


@vertex
def take_pair(v: Pair, best: tuple[i32, i32]):
    """Take it where it is less."""
    if best < (v.cost, v.via):
        v.cost, v.via = best[0], best[1]
        v.activate()


@program
def least_pairs(g, source):
    """Return the least pair of every vertex."""
    begin_pair(g.only(source))
    for _ in g.supersteps():
        offers = offer_pair(g.active)
        take_pair(offers.receivers, emv.min(offers))
    return g.vertices.cost, g.vertices.via


@vertex
def begin_triple(v: Triple):
    """Begin at the source."""
    v.cost, v.via, v.hops = 0, v.id, 0
    v.activate()


@edge
def offer_triple(e: Edge[Triple]):
    """Offer what comes behind the source of an arc."""
    e.send((e.src.cost + 1, e.src.id, e.src.hops + 1))


@vertex
def take_triple(v: Triple, best: tuple[i32, i32, i32]):
    """Take it where it is less."""
    if best < (v.cost, v.via, v.hops):
        v.cost, v.via, v.hops = best[0], best[1], best[2]
        v.activate()


@program
def least_triples(g, source):
    """Return the least triple of every vertex."""
    begin_triple(g.only(source))
    for _ in g.supersteps():
        offers = offer_triple(g.active)
        take_triple(offers.receivers, emv.min(offers))
    return g.vertices.cost, g.vertices.via, g.vertices.hops


def path(num_vertices: int) -> Graph:
    """Return a path from 0 on."""
    ids = np.arange(num_vertices)
    return Graph.from_edges(ids[:-1], ids[1:], num_vertices=num_vertices)


def seconds_of(made: Any, graph: Graph, num_vertices: int) -> float:
    """Return what one run takes, its result checked."""
    run = made.run(graph, 0)
    ids = np.arange(num_vertices)
    right = (ids, np.maximum(ids - 1, 0), ids)
    if not all(map(np.array_equal, map(np.asarray, run.result), right)):
        raise AssertionError(f"{made.name} is wrong")
    return float(run.seconds)


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and write what was asked for; return 1 where the triple is too slow."""
    parser = argparse.ArgumentParser(prog="bench.folds", description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--vertices", type=int, default=2**20)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--most", type=float, default=2.0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    graph = path(options.vertices).on(options.device)
    programs = {"pair": least_pairs, "triple": least_triples}
    seconds: dict[str, list[float]] = {name: [] for name in programs}
    for turn in range(options.rounds + 1):
        for name, made in programs.items():
            taken = seconds_of(made, graph, options.vertices)
            seconds[name] += [taken] if turn else []
    medians = {name: statistics.median(each) for name, each in seconds.items()}
    ratio = medians["triple"] / medians["pair"]
    told = ", ".join(f"{name} {each:.3f} s" for name, each in medians.items())
    print(f"{options.vertices:,} vertices on {options.device}: {told}; ratio {ratio:.2f}")
    if options.json:
        report = {"machine": describe_machine(), **vars(options), "json": None}
        report |= {"seconds": seconds, "ratio": ratio}
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return int(ratio > options.most)


if __name__ == "__main__":
    sys.exit(main())
