"""Where the loop of a program should run: one BFS kernel under three loops, time per level.

Usage: python -m bench.loops [--rounds 5] [--json FILE]

host          a launch and 4 bytes read back for every level
graph         a CUDA graph with a conditional WHILE node: the level's kernel, and one thread that
              sets the condition; started once
cooperative   one launch of all levels, a grid-wide barrier between them, 1, 2 or 4 blocks of
              256 threads on every multiprocessor

On a 1414 x 1414 grid (thousands of tiny levels) and an R-MAT graph of 2^20 vertices (few large
ones). Depths are compared between the three. The kernels are those of `bench.loop_kernels`; the
decision that rests on these figures is in ``docs/design``.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench import peer_graphs
from bench.gpu_checks import bfs_fault, pieces
from bench.gpu_timing import DeviceClock, describe_gpu
from bench.peer_graphs import PeerGraph, Recipe, build

GRAPHS = {
    "grid": Recipe(lambda xp: peer_graphs.grid(xp, 1414, 0.0), True, 0, 1_999_396, 7_991_928),
    "rmat20": peer_graphs.GRAPHS["rmat20"],
}
BLOCKS = (1, 2, 4)


@dataclass
class Timing:
    """What one loop needed on one graph."""

    graph: str
    loop: str
    median_ms: float = 0.0
    levels: int = 0
    us_per_level: float = 0.0
    fault: str = ""
    error: str = ""

    def line(self) -> str:
        """Return the line of the table."""
        if self.error:
            return f"{self.graph:<8}{self.loop:<16}{self.error[:90]}"
        return (
            f"{self.graph:<8}{self.loop:<16}{self.median_ms:>10.3f} ms{self.levels:>7} levels"
            f"{self.us_per_level:>9.2f} us a level  {self.fault or 'right'}"
        )


class Search:
    """The arrays of a search, and the three loops over its levels."""

    def __init__(self, graph: PeerGraph, xp: Any) -> None:
        from numba import cuda

        self.cuda, self.source = cuda, graph.source
        self.kept = [xp.ascontiguousarray(array) for array in graph.rows(xp)[:2]]
        self.rows = [cuda.as_cuda_array(array, sync=False) for array in self.kept]
        self.depth = cuda.device_array(graph.num_vertices, np.int32)
        self.queue = cuda.device_array(2 * graph.num_vertices, np.uint32)
        self.sizes = cuda.to_device(np.zeros(4, np.uint32))
        self.arrived = cuda.to_device(np.zeros(1, np.uint32))
        self.arrays = (*self.rows, self.depth, self.queue, self.sizes)
        self.multiprocessors = cuda.get_current_device().MULTIPROCESSOR_COUNT

    def begin(self) -> None:
        """Reset depths and queue."""
        from bench.baselines.launch import THREADS, blocks_of
        from bench.loop_kernels import start

        blocks = blocks_of(self.depth.size)
        start[blocks, THREADS](self.depth, self.queue, self.sizes, self.source)

    def host_loop(self) -> Callable[[], None]:
        """Return the search with a launch and a read for every level."""
        from bench.baselines.launch import THREADS
        from bench.loop_kernels import one_level

        blocks, found = 4 * self.multiprocessors, np.zeros(4, np.uint32)

        def search() -> None:
            self.begin()
            level, queued = 0, 1
            while queued:
                one_level[blocks, THREADS](*self.arrays, level)
                level += 1
                self.sizes.copy_to_host(found)
                queued = int(found[level % 3])

        return search

    def graph_loop(self) -> Callable[[], None]:
        """Return the search as a replayed CUDA graph with a WHILE node."""
        from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

        from bench.baselines.launch import THREADS
        from bench.loop_kernels import DECIDE, one_level

        self.begin()
        one_level[1, THREADS](*self.arrays, -1)  # compiled before the capture
        self.cuda.synchronize()
        device = Device()
        device.set_current()
        arch = "sm_" + "".join(map(str, device.compute_capability))
        options = ProgramOptions(std="c++17", arch=arch)
        decide = Program(DECIDE, "c++", options=options).compile("cubin").get_kernel("decide")
        stream = device.create_stream()
        builder = stream.create_graph_builder().begin_building()
        condition = builder.create_condition(default_value=1)
        body = builder.while_loop(condition).begin_building()
        captured = self.cuda.external_stream(int(body.stream.handle))
        one_level[4 * self.multiprocessors, THREADS, captured](*self.arrays, -1)
        address = self.sizes.device_ctypes_pointer.value
        launch(body, LaunchConfig(grid=1, block=1), decide, condition, address)
        body.end_building()
        graph = builder.end_building().complete()
        graph.upload(stream)

        def search() -> None:
            self.begin()
            self.cuda.synchronize()
            graph.launch(stream)
            stream.sync()

        return search

    def cooperative_loop(self, per_multiprocessor: int) -> Callable[[], None]:
        """Return the search as one launch."""
        from bench.baselines.launch import THREADS, cooperative_blocks
        from bench.loop_kernels import KERNELS

        kernel, signature = KERNELS["all_levels"]
        blocks = cooperative_blocks(kernel, signature, THREADS, per_multiprocessor)

        def search() -> None:
            self.begin()
            kernel[blocks, THREADS](*self.arrays, self.arrived)

        return search

    def loops(self) -> dict[str, Callable[[], Callable[[], None]]]:
        """Return what prepares each loop."""
        found: dict[str, Callable[[], Callable[[], None]]] = {
            "host": self.host_loop,
            "graph": self.graph_loop,
        }
        for blocks in BLOCKS:
            found[f"cooperative {blocks}"] = lambda blocks=blocks: self.cooperative_loop(blocks)
        return found


def measure(graph: PeerGraph, clock: DeviceClock, rounds: int) -> list[Timing]:
    """Time every loop on a graph; one that fails says why."""
    from bench.loop_kernels import LEVEL

    search, timings = Search(graph, clock.cupy), []
    for name, prepare in search.loops().items():
        timing = Timing(graph.name, name)
        try:
            run = prepare()
            run()
            clock.wait()
            arcs = pieces(graph.src, graph.dst)
            depth = clock.cupy.asarray(search.depth)
            timing.fault = bfs_fault(clock.cupy, arcs, depth, graph.source)
            timing.levels = int(search.sizes.copy_to_host()[LEVEL])
            cleared = statistics.median(clock.ms(search.begin) for _ in range(5))
            timing.median_ms = clock.median_ms(run, rounds) - cleared
            timing.us_per_level = 1000 * timing.median_ms / max(timing.levels, 1)
        except Exception as error:
            traceback.print_exc()
            timing.error = f"{type(error).__name__}: {error}".splitlines()[0]
        timings.append(timing)
    return timings


def main(arguments: list[str] | None = None) -> int:
    """Print the table; return 1 when a depth is wrong or a loop failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, help="also write the figures there")
    options = parser.parse_args(arguments)
    clock = DeviceClock()
    timings = []
    for name, recipe in GRAPHS.items():
        timings += measure(build(name, recipe, clock.cupy), clock, options.rounds)
    print("\n".join(timing.line() for timing in timings))
    if options.json:
        report = {"machine": describe_gpu(), "rows": [asdict(timing) for timing in timings]}
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return int(any(timing.fault or timing.error for timing in timings))


if __name__ == "__main__":
    sys.exit(main())
