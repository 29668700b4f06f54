"""Time the generators of graphs, on the cores beside networkx and NetworKit, or on a GPU.

Usage: python -m bench.generate [--device cpu] [--models NAME ...] [--scale 1] [--rounds 3]
                                [--json FILE]

On the CPU: the seconds until there is a `Graph` (median), the edges per second, the seconds that
cores worked, and those of the peers that have the model; networkx, which makes some 10^5 edges a
second, makes a graph of a fiftieth of the size. On a GPU (``--device cuda``): the milliseconds of
the kernels by events of the GPU, those until there is a `Graph` whose ends lie there, and whether
the graph is the CPU's: SHA-256 of ends and weights. Exits 1 when a limit is missed (R-MAT of 16.8 M
arcs in 1.5 s on the CPU and 10 ms on a GPU) or a graph differs.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.machine import describe_machine
from emv import Graph, generators
from emv.config import config
from emv.imports import is_installed, optional

LIMITS_S = {"cpu": {"rmat": 1.5}, "cuda": {"rmat": 0.010}}
SMALLER = 50  # times, for networkx
Make = Callable[[float, dict[str, Any]], Graph]


def sized(count: float) -> int:
    """Return a count that a model takes."""
    return max(64, int(count))


def blocks(size: int) -> Graph:
    """Return a graph of ten blocks in which a vertex has some 60 edges in its own, and 36 out."""
    within, across = min(1.0, 60 / size), min(1.0, 4 / size)
    chances = [[within if i == j else across for i in range(10)] for j in range(10)]
    return generators.stochastic_block([size] * 10, chances)


MODELS: dict[str, Make] = {
    "rmat": lambda s, to: generators.rmat(sized(2**20 * s), sized(2**24 * s), rng=1, **to),
    "rmat weighted": lambda s, to: generators.rmat(
        sized(2**20 * s), sized(2**24 * s), rng=1, weights=(0, 100), **to
    ),
    "kronecker": lambda s, to: generators.kronecker(
        max(6, sized(2**20 * s).bit_length() - 1), **to
    ),
    "random": lambda s, to: generators.random(sized(1e6 * s), sized(16e6 * s), **to),
    "bipartite": lambda s, to: generators.bipartite(
        sized(2e6 * s), sized(2e6 * s), sized(16e6 * s), **to
    ),
    "float weights": lambda s, to: generators.random(
        sized(1e6 * s), sized(16e6 * s), weights=(0.0, 1.0), **to
    ),
    "grid": lambda s, to: generators.grid(sized(2800 * s**0.5), sized(2800 * s**0.5), **to),
    "torus": lambda s, to: generators.grid(*[sized(200 * s ** (1 / 3))] * 3, periodic=True, **to),
    "geometric": lambda s, to: generators.geometric(
        sized(5e5 * s), min(1.0, (8 / (3.14 * sized(5e5 * s))) ** 0.5), **to
    ),
}
"""Models that a GPU makes too: of a scale and of options."""

HOST_MODELS: dict[str, Make] = {
    "erdos_renyi": lambda s, to: generators.erdos_renyi(sized(1e6 * s), 16 / sized(1e6 * s), **to),
    "barabasi_albert": lambda s, to: generators.barabasi_albert(sized(1e6 * s), 8, **to),
    "watts_strogatz": lambda s, to: generators.watts_strogatz(sized(1e6 * s), 8, 0.1, **to),
    "stochastic_block": lambda s, to: blocks(sized(1e4 * s)),
    "honeycomb": lambda s, to: generators.honeycomb(sized(2900 * s**0.5), sized(2900 * s**0.5)),
    "road": lambda s, to: generators.road(sized(2e6 * s)),
    "delaunay": lambda s, to: generators.delaunay(sized(2e5 * s)),
}
"""Models that are made on the CPU only."""


@dataclass(frozen=True)
class Row:
    """One model and one maker: emv, networkx or NetworKit.

    `seconds` pass until there is a graph; `core_s` are those that the cores of the CPU worked on
    it, added up, which others on the machine disturb less.
    """

    model: str
    by: str
    device: str
    num_vertices: int
    num_edges: int
    seconds: float
    core_s: float | None = None
    kernel_s: float | None = None
    same: bool | None = None
    limit_s: float | None = None

    @property
    def is_met(self) -> bool:
        """Whether it is fast enough and the right graph."""
        taken = self.seconds if self.kernel_s is None else self.kernel_s
        return self.same is not False and (self.limit_s is None or taken <= self.limit_s)

    def line(self) -> str:
        """Return the line of the table."""
        cores = "" if self.core_s is None else f"{self.core_s:9.3f} s of cores"
        kernel = "" if self.kernel_s is None else f"{1e3 * self.kernel_s:9.3f} ms in kernels"
        same = "" if self.same is None else "  same graph" if self.same else "  ANOTHER GRAPH"
        limit = "" if self.limit_s is None else f"  limit {self.limit_s} s"
        speed = self.num_edges / max(self.seconds, 1e-9) / 1e6
        return (
            f"{self.model:<17}{self.by:<10}{self.num_edges:>12,} edges{self.seconds:9.3f} s"
            f"{speed:9.1f} M/s{cores}{kernel}{same}{limit}{'' if self.is_met else '  MISSED'}"
        )


def timed(make: Callable[[], Any], rounds: int) -> tuple[float, float, Any]:
    """Return median seconds and seconds of all cores, after a first call, and the last result.

    With no rounds the first call counts.
    """
    taken, made = [], None
    for _ in range(rounds + 1):
        start = time.perf_counter(), time.process_time()
        made = make()
        taken.append((time.perf_counter() - start[0], time.process_time() - start[1]))
    wall, cores = zip(*taken[min(1, rounds) :], strict=True)
    return statistics.median(wall), statistics.median(cores), made


def digest(graph: Graph) -> str:
    """Return the SHA-256 of the ends and all columns."""
    found = hashlib.sha256()
    for store in (graph.edges, graph.vertices):
        arrays = [*graph.edges.endpoints()] if store is graph.edges else []
        for array in [*arrays, *(store.stored(name) for name in store)]:
            found.update(array.tobytes())
    return found.hexdigest()


# The peers: models they have, made at the same size (networkx: smaller).


NETWORKIT: dict[str, Callable[[Any, float], Any]] = {
    "rmat": lambda nk, s: nk.RmatGenerator(
        sized(2**20 * s).bit_length() - 1, 16, 0.45, 0.15, 0.15, 0.25
    ),
    "erdos_renyi": lambda nk, s: nk.ErdosRenyiGenerator(sized(1e6 * s), 16 / sized(1e6 * s)),
    "barabasi_albert": lambda nk, s: nk.BarabasiAlbertGenerator(8, sized(1e6 * s)),
    "watts_strogatz": lambda nk, s: nk.WattsStrogatzGenerator(sized(1e6 * s), 4, 0.1),
}
NETWORKX: dict[str, Callable[[Any, float], Any]] = {
    "random": lambda nx, s: nx.gnm_random_graph(
        sized(1e6 * s), sized(16e6 * s), seed=1, directed=True
    ),
    "erdos_renyi": lambda nx, s: nx.fast_gnp_random_graph(
        sized(1e6 * s), 16 / sized(1e6 * s), seed=1
    ),
    "barabasi_albert": lambda nx, s: nx.barabasi_albert_graph(sized(1e6 * s), 8, seed=1),
    "watts_strogatz": lambda nx, s: nx.watts_strogatz_graph(sized(1e6 * s), 8, 0.1, seed=1),
    "grid": lambda nx, s: nx.grid_2d_graph(sized(2800 * s**0.5), sized(2800 * s**0.5)),
    "geometric": lambda nx, s: nx.random_geometric_graph(
        sized(5e5 * s), min(1.0, (8 / (3.14 * sized(5e5 * s))) ** 0.5), seed=1
    ),
}
"""Peers' models: of the library and a scale."""


def peer_rows(model: str, scale: float) -> Iterator[Row]:
    """Yield the rows of the peers that have a model; they compile nothing, so one call counts."""
    if model in NETWORKIT and is_installed("networkit"):
        nk = optional("networkit.generators")
        *seconds, G = timed(lambda: NETWORKIT[model](nk, scale).generate(), 0)
        yield Row(model, "networkit", "cpu", G.numberOfNodes(), G.numberOfEdges(), *seconds)
    if model in NETWORKX:
        import networkx as nx

        *seconds, G = timed(lambda: NETWORKX[model](nx, scale / SMALLER), 0)
        yield Row(model, "networkx", "cpu", len(G), G.number_of_edges(), *seconds)


def cpu_rows(model: str, make: Make, scale: float, rounds: int) -> Iterator[Row]:
    """Yield emv's row of a model, and those of the peers."""
    *seconds, graph = timed(lambda: make(scale, {}), rounds)
    limit = LIMITS_S["cpu"].get(model)
    counts = graph.num_vertices, graph.num_edges
    yield Row(model, "emv", "cpu", *counts, *seconds, limit_s=limit)
    yield from peer_rows(model, scale)


@contextlib.contextmanager
def kernel_events() -> Iterator[list[tuple[Any, Any, Any]]]:
    """Record an event before and one after each kernel of a generator while a block runs."""
    from emv.backends.cuda import kernels

    launch, events = kernels.launch, []

    def noted(on: Any, function: str, *given: Any, **named: Any) -> None:
        if not function.startswith("generate."):
            launch(on, function, *given, **named)
            return
        around = on.driver.new_event(), on.driver.new_event()
        on.driver.record(around[0], on.stream)
        launch(on, function, *given, **named)
        on.driver.record(around[1], on.stream)
        events.append((on, *around))

    kernels.launch = noted
    try:
        yield events
    finally:
        kernels.launch = launch


def gpu_row(model: str, make: Make, scale: float, device: str, rounds: int) -> Row:
    """Return the row of a model on a GPU, compared with the graph of the CPU."""
    options = {"device": device}
    first = make(scale, options)
    same = digest(first) == digest(make(scale, {}))
    counts = first.num_vertices, first.num_edges
    del first
    taken, in_kernels = [], []
    for _ in range(rounds):
        with kernel_events() as events:
            start = time.perf_counter()
            make(scale, options)
            taken.append(time.perf_counter() - start)
        seconds = 0.0
        for on, before, after in events:
            with on.current():
                seconds += on.driver.seconds_between(before, after)
        in_kernels.append(seconds)
    middle = statistics.median(taken), None, statistics.median(in_kernels)
    limit = LIMITS_S["cuda"].get(model)
    return Row(model, "emv", device, *counts, *middle, same, limit)


def main(arguments: list[str] | None = None) -> int:
    """Print a line per row; return 1 when a limit is missed or a graph differs."""
    parser = argparse.ArgumentParser(description="Time the generators of graphs.")
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:N")
    parser.add_argument("--models", nargs="*", default=[], metavar="NAME")
    parser.add_argument("--scale", type=float, default=1.0, help="of the sizes")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path, help="write the figures there")
    options = parser.parse_args(arguments)
    on_gpu = options.device.startswith("cuda")
    known = MODELS if on_gpu else {**MODELS, **HOST_MODELS}
    rows: list[Row] = []
    for model in options.models or known:
        if on_gpu:
            found = [gpu_row(model, known[model], options.scale, options.device, options.rounds)]
        else:
            found = cpu_rows(model, known[model], options.scale, options.rounds)
        for row in found:
            rows.append(row)
            print(row.line(), flush=True)
    if options.json:
        report = {"machine": describe_machine(), "threads": config.num_threads}
        report["rows"] = [{**asdict(row), "met": row.is_met} for row in rows]
        options.json.write_text(json.dumps(report, indent=1) + "\n")
    return int(not all(row.is_met for row in rows))


if __name__ == "__main__":
    sys.exit(main())
