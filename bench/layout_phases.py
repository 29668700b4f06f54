"""Where a round of a layout spends its time on a GPU, phase by phase.

Usage: python -m bench.layout_phases --vertices 1000000 --edges 10000000

Of each method, in a picture that has moved for some rounds: milliseconds until the bodies stand in
line, of the tree above them, of the walks over it, each with leaves of 8, 16 and 32 bodies; of the
programs as their profile tells; of the host's part, for which the GPU is not waited for; and of
whole rounds. Then where a start by pivots spends its seconds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import emv
from bench.layout import METHODS, graph_of
from emv.algorithms import bfs
from emv.graph import Graph
from emv.viz import Layout
from emv.viz.starts import PIVOTS, by_pivots, distances, projected

LEAVES = (8, 16, 32)
NEAR = 1e-4


def milliseconds(driver: Any, work: Callable[[], Any], is_whole: bool = True) -> float:
    """Return the least time of a few that work takes; with the GPU's part, or without."""
    found = []
    for _ in range(5):
        driver.synchronize_all()
        started = time.perf_counter()
        work()
        if is_whole:
            driver.synchronize_all()
        found.append(time.perf_counter() - started)
    driver.synchronize_all()
    return 1e3 * min(found)


def pushes(moving: Layout) -> None:
    """Print what pushing takes, by phase and size of leaves."""
    from emv.backends.cuda.repulsion import lined_up, tree_above, walked

    bodies = moving._bodies
    on, mass, place = bodies.mass.device, bodies.mass, bodies.place[: moving.dim]
    with on.current():
        order, rows = lined_up(place, mass)
        took = milliseconds(on.driver, lambda: lined_up(place, mass))
        print(f"  line up             {took:8.3f} ms")
        numbers = (moving.dim, bodies.theta, NEAR)
        for leaf in LEAVES:
            tree = tree_above(rows, mass.size, moving.dim, leaf)
            built = milliseconds(
                on.driver, lambda leaf=leaf: tree_above(rows, mass.size, moving.dim, leaf)
            )
            took = milliseconds(
                on.driver, lambda leaf=leaf, tree=tree: walked(*tree, rows, order, numbers, leaf)
            )
            print(f"  leaves of {leaf:2}: tree {built:8.3f} ms, walk {took:8.3f} ms")
    whole = milliseconds(on.driver, lambda: bodies.pushes(NEAR))
    host = milliseconds(on.driver, lambda: bodies.pushes(NEAR), is_whole=False)
    print(f"  all pushes          {whole:8.3f} ms, the host's part {host:.3f} ms")


def programs(moving: Layout) -> None:
    """Print what the programs of a round take: whole calls, the host's part, and phases."""
    bodies, seen = moving._bodies, []
    run = bodies.run

    def noted(program: Any, **named: Any) -> Any:
        seen.append((program, named))
        return run(program, **named)

    bodies.run = noted  # type: ignore[method-assign]
    moving.step()
    bodies.run = run  # type: ignore[method-assign]
    for program, named in seen:
        driver = bodies.mass.device.driver
        whole = milliseconds(driver, lambda program=program, named=named: run(program, **named))
        host = milliseconds(
            driver, lambda program=program, named=named: run(program, **named), is_whole=False
        )
        print(f"  {program.__name__:20}{whole:8.3f} ms, the host's part {host:.3f} ms")
        print(program.profile(bodies.graph, **bodies.coordinates(), **named))


def rounds(moving: Layout, count: int) -> None:
    """Print what whole rounds take, and how much of it the processor works."""
    driver = moving._bodies.mass.device.driver
    driver.synchronize_all()
    started, busy = time.perf_counter(), time.process_time()
    moving.step(count)
    driver.synchronize_all()
    took, busy = time.perf_counter() - started, time.process_time() - busy
    each = 1e3 / count
    print(f"  a whole round       {took * each:8.3f} ms, of the processor {busy * each:.3f} ms")


def start(graph: Graph) -> None:
    """Print what a start by pivots takes."""
    whole = graph.both_ways()
    bfs(whole, 0)  # compiles it
    steps = (
        ("searches", lambda: distances(whole, None)),
        ("one of them", lambda: bfs(whole, 0)),
        ("projection", lambda: projected(found, 2)),
        ("all", lambda: by_pivots(graph, 2, 0, None)),
    )
    found = np.tile(np.arange(graph.num_vertices, dtype=np.int32), (PIVOTS, 1))
    print("a start by pivots")
    for name, work in steps:
        started = time.perf_counter()
        work()
        print(f"  {name:20}{1e3 * (time.perf_counter() - started):8.1f} ms")


def main(arguments: list[str] | None = None) -> None:
    """Print tables."""
    parser = argparse.ArgumentParser(description="Where a round of a layout spends its time.")
    parser.add_argument("--graph", help="a file; by default a random geometric graph")
    parser.add_argument("--kind", default="geometric", choices=("geometric", "rmat"))
    parser.add_argument("--vertices", type=int, default=1_000_000)
    parser.add_argument("--edges", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=20, help="before and while it is timed")
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args(arguments)
    graph = graph_of(options).on(options.device)
    print(graph, "emv", emv.__version__)
    start(graph)
    for method in METHODS:
        moving = Layout(graph, method, theta=0.8, iterations=500)
        moving.step(options.rounds)
        print(method, "width", np.ptp(moving.positions, axis=0))
        pushes(moving)
        programs(moving)
        rounds(moving, options.rounds)


if __name__ == "__main__":
    main()
