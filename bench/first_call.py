"""First calls of emv in fresh processes, and the device memory of a search.

Usage: python -m bench.first_call ALGORITHM      one process: seconds of its first call, as JSON
       python -m bench.first_call --memory       one process: bytes of a search on kron22, as JSON

A first call is timed from the finished graph on the host (2^14 vertices, R-MAT) to the result on
the host: it starts CUDA, compiles or reads the cache, copies the graph, and runs. Cold is with an
empty cache, warm the next process with the cache that the first one filled.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
MOST_WARM_S, MOST_COLD_S = 1.0, 6.0
MOST_MEMORY = 2.2  # of the bytes of the CSR
ROUNDS = 3  # warm processes, of which the median counts


def timed_call(algorithm: str) -> dict[str, float]:
    """Time this process's first call."""
    import numpy as np

    start = time.perf_counter()
    from emv import algorithms

    imported = time.perf_counter()
    from bench.graphs import directed_rmat
    from bench.suite_graphs import emv_graph

    made = directed_rmat(14)
    graph = emv_graph(made).on("cuda")
    arguments = (made.source,) if algorithm in ("bfs", "sssp") else ()
    program = getattr(algorithms, algorithm)
    begin = time.perf_counter()
    np.asarray(program(graph, *arguments))
    first = time.perf_counter()
    np.asarray(program(graph, *arguments))
    second = time.perf_counter()
    return {"import_s": imported - start, "first_s": first - begin, "second_s": second - first}


def searched_bytes() -> dict[str, Any]:
    """Measure the device memory that a search on kron22 takes, its graph included.

    The least free memory there is at any time of the first two searches is compared with what
    there was before; a thread looks every millisecond.
    """
    import cupy

    from bench.graphs import peer_graph
    from bench.suite_graphs import emv_graph
    from emv.algorithms import bfs

    peer = peer_graph("kron22", cupy)
    edges, source, num_arcs = peer.on_host(), peer.source, int(peer.src.size)
    del peer
    cupy.get_default_memory_pool().free_all_blocks()
    graph = emv_graph(edges).on("cuda")
    before = cupy.cuda.runtime.memGetInfo()[0]
    least, done = [before], threading.Event()

    def watch() -> None:
        cupy.cuda.Device(0).use()
        while not done.wait(0.001):
            least[0] = min(least[0], cupy.cuda.runtime.memGetInfo()[0])

    watcher = threading.Thread(target=watch)
    watcher.start()
    kept = [bfs(graph, source) for _ in range(2)]
    cupy.cuda.runtime.deviceSynchronize()
    after = cupy.cuda.runtime.memGetInfo()[0]
    done.set()
    watcher.join()
    del kept
    csr_bytes = 4 * (edges.num_vertices + 1 + num_arcs)
    peak_bytes = before - min(least[0], after)
    try:
        planned = bfs.memory_plan(graph, source).peak_bytes
    except Exception as error:  # what was measured counts
        planned = f"{type(error).__name__}: {error}"
    return {
        "csr_bytes": csr_bytes,
        "peak_bytes": peak_bytes,
        "resident_bytes": before - after,
        "planned_peak_bytes": planned,
        "ratio": peak_bytes / csr_bytes,
        "limit": MOST_MEMORY,
    }


def fresh_process(words: list[str], environment: dict[str, str]) -> dict[str, Any]:
    """Run this module in another process; return its JSON, or why there is none."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "bench.first_call", *words],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        return {"error": (done.stderr.strip().splitlines() or ["no message"])[-1]}
    figures: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return figures | {"process_s": time.perf_counter() - start}


def first_calls(algorithms: list[str], lines: list[str]) -> list[dict[str, Any]]:
    """Measure cold and warm first calls of every algorithm; add a line of text for each."""
    rows = []
    for algorithm in algorithms:
        with tempfile.TemporaryDirectory() as folder:
            caches = {"EMV_CACHE": f"{folder}/emv", "NUMBA_CACHE_DIR": f"{folder}/numba"}
            cold = fresh_process([algorithm], caches)
            tries = [fresh_process([algorithm], caches) for _ in range(ROUNDS)]
        warm = sorted(tries, key=lambda figures: figures.get("first_s", 1e9))[ROUNDS // 2]
        rows.append({"algorithm": algorithm, "cold": cold, "warm": warm})
        lines.append(
            f"first {algorithm:<11} cold {seconds(cold)} of {MOST_COLD_S} s, "
            f"warm {seconds(warm)} of {MOST_WARM_S} s"
        )
        print(lines[-1], flush=True)
    return rows


def seconds(figures: dict[str, Any]) -> str:
    """Return the seconds of a first call, or why there are none."""
    return f"{figures['first_s']:.2f} s" if "first_s" in figures else figures["error"]


def device_memory(lines: list[str]) -> dict[str, Any]:
    """Measure the memory of a search on kron22 in a fresh process; add a line of text."""
    figures = fresh_process(["--memory"], {})
    if "error" in figures:
        lines.append(f"memory of bfs on kron22: {figures['error']}")
    else:
        lines.append(
            f"memory of bfs on kron22: {figures['peak_bytes'] / 2**20:,.0f} MiB at most, "
            f"{figures['ratio']:.2f} x its CSR, limit {figures['limit']}"
        )
    print(lines[-1], flush=True)
    return figures


if __name__ == "__main__":
    asked = sys.argv[1]
    print(json.dumps(searched_bytes() if asked == "--memory" else timed_call(asked)))
