"""Programs on one GPU and on several, side by side; the ways of dividing graphs; a model of both.

Usage: python -m bench.gpus [--gpus 2] [--names cuda:0 cuda:0] [--graphs kron22 road ...]
           [--only pagerank ...] [--exchange auto|host|peer] [--rounds 10] [--json FILE]
       python -m bench.gpus --predict [--graphs kron22 road] [--one FILE] [--json FILE]
       python -m bench.gpus --partitioners [--graphs ...] [--parts 8] [--json FILE]

The first prints milliseconds of each program on 1, 2, 4 ... GPUs, medians by the GPU's clock, and
how many times faster that is. Results on one are checked by `bench.gpu_checks`, those on several
must be the same; exits 1 where one is not. ``--names`` gives the GPUs of the last place itself; one
that is named twice has two parts. PageRank is per iteration.

The second needs no GPU: what an iteration or a search should take on 2, 4 and 8, from what it takes
on one (``--one`` a file of the first form; else figures of docs/design/measured_gpu.md), the parts
of the graph, and what a meeting and a link cost (``LINK``, measured on two H200 with NVLink).

The third runs on cores: time, cut, balance and replicas of every way on five graphs.

Graphs: kronN (R-MAT .57 .19 .19, undirected, simple), rmatN (the same, directed, as drawn), randN,
roadN and hexN (a grid with holes and a honeycomb, N vertices wide), road = road1400.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

try:
    import cupy  # which makes graphs on a GPU
except ImportError:
    cupy = None

import emv
from bench import gpu_checks, graphs
from bench.machine import describe_machine
from emv.algorithms import bfs, components, num_triangles, pagerank, sssp
from emv.graph.parts import Costs

ITERATIONS, SEARCHES = 20, 64
LINK = {"meeting_s": 3.6e-6, "bytes_per_s": 334e9}
"""A barrier over two H200, and stores to the other, one way."""

ONE = {
    "kron22": {"pagerank": 0.76e-3, "bfs": 0.75e-3, "sssp": 6.0e-3, "components": 0.92e-3},
    "road": {"bfs": 11.5e-3},
}
"""Seconds on one H200, where no file is given."""

SUPERSTEPS = {("road", "bfs"): 2800, ("kron22", "bfs"): 7, ("kron22", "sssp"): 60}
MEETINGS = 2  # of a superstep: what came of it, and that all is handed on
PARTITIONED = ("kron18", "rmat18", "rand18", "road700", "hex700")


@dataclass
class Case:
    """A graph, and what checks and searches need of it."""

    name: str
    graph: Any
    xp: Any
    src: Any
    dst: Any
    weight: Any
    source: int

    def arcs(self, *more: Any) -> Any:
        """Return the arcs in pieces."""
        return gpu_checks.pieces(self.src, self.dst, *more)


def skewed(xp: Any, scale: int) -> Any:
    """Draw R-MAT edges with Graph500's chances."""
    if xp is np:
        return 1 << scale, *graphs.rmat(scale, graphs.GRAPH500, seed=2)
    return graphs.device_rmat(xp, scale, graphs.GRAPH500, 2)


def made(name: str, xp: Any) -> Case:
    """Make a graph."""
    kind, size = re.fullmatch(r"([a-z]+)(\d*)", name).groups()  # type: ignore[union-attr]
    number = int(size or 1400)
    makers: dict[str, Callable[[], Any]] = {
        **dict.fromkeys(("kron", "rmat"), lambda: skewed(xp, number)),
        "rand": lambda: graphs.uniform(xp, 1 << number, 16 << number, 4),
        "road": lambda: graphs.grid(xp, number, 0.30),
        "hex": lambda: graphs.grid(xp, number, 0.0, honeycomb=True),
    }
    if kind not in makers:
        raise SystemExit(f"{name!r} is no graph; there are {', '.join(makers)}, with a number")
    num_vertices, src, dst = makers[kind]()
    directed = kind in ("rmat", "rand")
    if not directed:
        src, dst = xp.concatenate([src, dst]), xp.concatenate([dst, src])
    src, dst = graphs.sorted_ends(xp, src, dst, once=not directed)
    weight = graphs.edge_weights(src, dst)
    once = slice(None) if directed else src < dst
    ends = [graphs.to_numpy(each[once]) for each in (src, dst, weight)]
    graph = emv.Graph.from_edges(*ends[:2], num_vertices=num_vertices, directed=directed)
    graph.edges.weight = ends[2]
    source = int(xp.bincount(src, minlength=num_vertices).argmax())
    return Case(name, graph, xp, src, dst, weight, source)


# Several GPUs.


Program = tuple[Callable[[Any], Any], Callable[[Any], str]]
"""How a program is run on a graph, and what is wrong with its result."""


def calls(case: Case) -> dict[str, Program]:
    """Return the programs."""
    xp = case.xp
    sources = np.argsort(-case.graph.out_degrees(), kind="stable")[:SEARCHES]

    def wrong_ranks(rank: Any) -> str:
        right = gpu_checks.power_iteration(xp, case.arcs(), len(rank), ITERATIONS)
        return gpu_checks.rank_fault(xp, right, rank)

    def wrong_distances(far: Any) -> str:
        return gpu_checks.sssp_fault(xp, case.arcs(case.weight), far, case.source)

    found: dict[str, Program] = {
        "pagerank": (lambda g: pagerank.run(g, max_iter=ITERATIONS, tol=0.0), wrong_ranks),
        "bfs": (
            lambda g: bfs.run(g, case.source),
            lambda depth: gpu_checks.bfs_fault(xp, case.arcs(), depth, case.source),
        ),
        "sssp": (lambda g: sssp.run(g, case.source), wrong_distances),
        "components": (
            components.run,
            lambda group: gpu_checks.components_fault(xp, case.arcs(), group),
        ),
        "bfs64": (lambda g: bfs.run(g, emv.batch(list(map(int, sources)))), lambda _: ""),
    }
    if not case.graph.directed:
        found["triangles"] = (num_triangles.run, lambda _: "")
    return found


def timed(call: Callable[[Any], Any], place: Any, rounds: int) -> tuple[float, Any]:
    """Return the median seconds of a program by the clock of its run, and its result."""
    call(place)
    runs = [call(place) for _ in range(rounds)]
    return statistics.median(run.seconds for run in runs), runs[-1].result


def compare(case: Case, places: list[Any], only: list[str], rounds: int) -> Iterator[dict]:
    """Yield a row for each program: seconds on each place, and what is wrong."""
    for name, (call, fault) in calls(case).items():
        if only and name not in only:
            continue
        row: dict[str, Any] = {"graph": case.name, "program": name, "seconds": {}, "faults": []}
        first = None
        for place in places:
            try:
                seconds, result = timed(call, place, rounds)
            except emv.EmvError as error:
                row["faults"].append(f"{place.device}: {error}")
                continue
            row["seconds"][place.device] = seconds / (ITERATIONS if name == "pagerank" else 1)
            result = np.asarray(result)
            if first is None:
                first = result
                row["faults"] += [wrong] if (wrong := fault(case.xp.asarray(result))) else []
            elif not np.allclose(result, first, rtol=1e-6, atol=0, equal_nan=True):
                row["faults"].append(f"{place.device}: another result than on {places[0].device}")
        yield row


def places_of(graph: Any, gpus: int, names: list[str] | None, exchange: str) -> list[Any]:
    """Return the graph on one GPU, and on 2, 4 ... of them."""
    if names:
        return [graph.on(names[0]), graph.on("cuda", gpus=names, exchange=exchange)]
    numbers = sorted({*(1 << k for k in range(gpus.bit_length()) if 1 << k <= gpus), gpus})
    return [
        graph.on("cuda:0") if k == 1 else graph.on("cuda", gpus=k, exchange=exchange)
        for k in numbers
    ]


def told(row: dict) -> str:
    """Return a line of the table."""
    times = list(row["seconds"].values())
    each = [f"{1e3 * t:10.3f} ms{times[0] / t:6.2f} x" for t in times]
    return f"{row['graph']:<9}{row['program']:<12}" + "".join(each) + "  ".join(row["faults"])


# The model.


def predicted(case: Case, program: str, one_s: float) -> dict:
    """Return what a program should take on 2, 4 and 8 GPUs, given what it takes on one.

    What is done is shared out as the arcs are; a superstep adds its meetings. PageRank hands on
    all replicas in every iteration, a traversal each once.
    """
    steps = 1 if program == "pagerank" else SUPERSTEPS.get((case.name, program), 20)
    found = {}
    meetings_s = steps * MEETINGS * LINK["meeting_s"]
    costs = Costs(one_s / case.graph.num_arcs, 0.0, 0.0, meetings_s, LINK["bytes_per_s"])
    for number in (2, 4, 8):
        seconds = case.graph.parts(number).seconds(costs, 8 if program == "pagerank" else 4)
        found[str(number)] = float(seconds[0])
    return {"graph": case.name, "program": program, "one": one_s, "predicted": found}


def known(path: Path | None) -> dict[str, dict[str, float]]:
    """Return seconds on one GPU by graph and program, out of a file or as published."""
    if path is None:
        return ONE
    found: dict[str, dict[str, float]] = {}
    for row in json.loads(path.read_text())["rows"]:
        found.setdefault(row["graph"], {})[row["program"]] = next(iter(row["seconds"].values()))
    return found


# The ways of dividing.


def divided(name: str, number: int) -> Iterator[dict]:
    """Yield time, cut, balance and replicas of each way of dividing a graph."""
    graph = made(name, np).graph
    graph.layouts.degrees("in")  # kept with the graph, and none of a way's time
    for way in ("ranges", "hash", "metis"):
        began = time.perf_counter()
        owner = emv.graph.partition.owners_of(graph, number, way)
        seconds = time.perf_counter() - began
        parts = graph.parts(number, owner, hops=2)
        yield {
            "graph": name,
            "vertices": graph.num_vertices,
            "arcs": graph.num_arcs,
            "way": way,
            "parts": number,
            "seconds": seconds,
            "cut": parts.cut_share,
            "largest": parts.balance,
            "replicas": [int(each) / graph.num_vertices for each in parts.replicas.sum(axis=1)],
        }


def main(arguments: list[str] | None = None) -> int:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for word in ("--partitioners", "--predict"):
        parser.add_argument(word, action="store_true")
    parser.add_argument("--gpus", type=int, default=2)
    parser.add_argument("--names", nargs="+")
    parser.add_argument("--graphs", nargs="+")
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--exchange", choices=("auto", "host", "peer"), default="auto")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--parts", type=int, default=8)
    parser.add_argument("--one", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    rows: list[dict] = []
    if options.partitioners:
        ways = (divided(name, options.parts) for name in options.graphs or PARTITIONED)
        for row in itertools.chain.from_iterable(ways):
            rows.append(row)
            hops = ", ".join(f"{each:.3g}" for each in row["replicas"])
            head = f"{row['graph']:<9}{row['way']:<8}{row['seconds']:8.3f} s  cut {row['cut']:6.1%}"
            large = f"largest {row['largest']['arcs']:.3f} x in arcs"
            print(f"{head}  {large}  replicas of a vertex: {hops}", flush=True)
    elif options.predict:
        one = known(options.one)
        for case in (made(name, np) for name in options.graphs or ONE):
            for program, seconds in one.get(case.name, {}).items():
                rows.append(row := predicted(case, program, seconds))
                each = [f"{1e3 * t:8.3f} on {k}" for k, t in row["predicted"].items()]
                print(f"{case.name:<9}{program:<12}{1e3 * seconds:8.3f} ms on 1", *each)
    else:
        for name in options.graphs or ["kron22", "road"]:
            case = made(name, cupy or np)
            places = places_of(case.graph, options.gpus, options.names, options.exchange)
            for row in compare(case, places, options.only, options.rounds):
                rows.append(row)
                print(told(row), flush=True)
    if options.json is not None:
        said = {"machine": describe_machine(), "link": LINK, "rows": rows}
        options.json.write_text(json.dumps(said, indent=1) + "\n")
    return int(any(row.get("faults") for row in rows))


if __name__ == "__main__":
    sys.exit(main())
