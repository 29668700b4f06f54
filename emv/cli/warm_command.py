"""``emv warm``: fill the folder of compiled kernels before anybody waits for one.

What a program is compiled to depends on the program, on where it runs, and on the types of the
columns that it reads, and on no graph; so each runs once on a small one for every usual type of
weight. Processes of their own share the programs out: a compiler uses one core. What is in the
folder already is read and not compiled again.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import signal
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np

from emv import generators
from emv.backends.cuda import cuda_available
from emv.cli.arguments import parameters_of
from emv.cli.functions import RUNNABLE
from emv.cli.graph_file import check_device, duration
from emv.cli.own_program import is_own
from emv.config import config
from emv.errors import ArgumentError, GraphError, did_you_mean
from emv.graph import Graph

NUM_VERTICES = 256
LARGE = 1 << 16
EQUAL = 3  # calls, of which the last fills large arrays by a kernel
"""Vertices of the graph whose index arrays are built as those of large graphs are."""

WEIGHTS = (np.float32, np.float64, np.int32, np.int64)
GIVEN: dict[str, Any] = {
    "source": 0,
    "sources": [0],
    "seeds": [0],
    "starts": [0],
    "k": 3,
    "length": 4,
    "fanout": [2],
    "side": np.arange(NUM_VERTICES) * 2 // NUM_VERTICES,
    "community": np.arange(NUM_VERTICES) % 4,
}
"""What programs take that have no default."""


def execute(options: argparse.Namespace) -> str:
    """Run every program that is named, by default all, and tell how long each took."""
    names = options.algorithms or list(RUNNABLE)
    for name in names:
        check_name(name)
    check_device(options.device)
    if options.jobs is not None and options.jobs < 1:
        raise ArgumentError(f"--jobs {options.jobs}: at least one process is needed")
    device = options.device or config.backend
    if device == "auto":
        device = "cuda" if cuda_available() else "cpu"
    if device == "python":
        raise ArgumentError("plain Python compiles nothing, name a device such as --device cpu")
    jobs = min(options.jobs or config.num_threads, len(names))
    began = time.perf_counter()
    seconds = dict(zip(names, all_warmed(names, device, jobs), strict=True))
    whole = time.perf_counter() - began
    if options.json:
        told = {"device": device, "cache": str(config.cache), "jobs": jobs, "seconds": whole}
        return json.dumps({**told, "algorithms": seconds}) + "\n"
    width = max(map(len, names))
    lines = [f"{name:<{width}}  {duration(each):>8}" for name, each in seconds.items()]
    done = f"{len(names)} programs for {device} in {duration(whole)}, kept in {config.cache}"
    return "\n".join([*lines, done]) + "\n"


def check_name(name: str) -> None:
    """Refuse what is no algorithm of the library.

    Raises
    ------
    ArgumentError
        If it is none.
    """
    if is_own(name):
        raise ArgumentError(f"{name}: a program of your own is kept once it has run")
    if name not in RUNNABLE:
        raise ArgumentError(
            f"there is no algorithm '{name}'.{did_you_mean(name, RUNNABLE)}",
            remedy=f"There are: {', '.join(RUNNABLE)}.",
        )


def all_warmed(names: list[str], device: str, jobs: int) -> list[float]:
    """Return the seconds that each took, in processes of their own."""
    spawn = multiprocessing.get_context("spawn")  # a fork would share a GPU's context
    with ProcessPoolExecutor(jobs, mp_context=spawn, initializer=quiet) as pool:
        try:
            return list(pool.map(warmed, names, [device] * len(names)))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def quiet() -> None:
    """Leave Ctrl-C to the first process, and say nothing of results that nobody sees."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore")


def warmed(name: str, device: str) -> float:
    """Run an algorithm on small graphs, and return how long that took."""
    began = time.perf_counter()
    algorithm = RUNNABLE[name]
    given = {
        key: GIVEN[key]
        for key, each in parameters_of(algorithm).items()
        if each.default is each.empty
    }
    weights = WEIGHTS if algorithm.bind else WEIGHTS[:1]
    for weight in weights:
        run_on_either(algorithm, weight, device, given)
    if name == "bfs":
        many = generators.rmat(LARGE, 8 * LARGE, rng=1, directed=True)
        for _ in range(EQUAL):
            algorithm.run(many, backend=device, rng=1, source=0)
    return time.perf_counter() - began


def run_on_either(algorithm: Any, weight: type, device: str, given: dict[str, Any]) -> None:
    """Run it on edges that lead both ways, or where it refuses these, on a graph without cycles."""
    for graph in graphs(weight):
        try:
            algorithm.run(graph, backend=device, rng=1, **given)
            return
        except GraphError as error:
            refused = error
    raise refused


def graphs(weight: type) -> Iterator[Graph]:
    """Yield a graph of edges that lead both ways, and one that is directed and has no cycle."""
    rng = np.random.default_rng(1)
    left = rng.integers(0, NUM_VERTICES // 2, 8 * NUM_VERTICES)
    right = rng.integers(NUM_VERTICES // 2, NUM_VERTICES, len(left))
    for directed in (False, True):
        yield Graph.from_edges(
            left,
            right,
            num_vertices=NUM_VERTICES,
            directed=directed,
            weight=rng.integers(1, 9, len(left)).astype(weight),
        )
