"""What a person waits for before a first result, in fresh processes."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from bench.machine import ROOT
from bench.study import Row, run

GRAPH = ROOT / "bench" / "graphs" / "wiki-Vote.txt.gz"
IMPORT = (
    "import time, numpy; start = time.process_time(); "
    "import emv; print(time.process_time() - start)"
)
MAIN_JOB = [sys.executable, "-m", "emv", "run", "pagerank", str(GRAPH)]
CALL = "import sys; from bench.first_call import timed_call; print(*timed_call(*sys.argv[1:]))"
MOST_S = {"import emv beyond numpy": 0.15, "first run, empty cache": 10.0, "second process": 1.5}
MOST_WARM_S, MOST_COLD_S = 0.3, {"cpu": 2.0, "cuda": 3.0}
ROUNDS = 3  # warm processes, of which the median counts


def process(command: list[str], environment: dict[str, str]) -> tuple[float, str]:
    """Run a process that must succeed; return its seconds and output.

    Raises
    ------
    RuntimeError
        If it fails, with its last line.
    """
    start, given = time.perf_counter(), {"cwd": ROOT, "env": {**os.environ, **environment}}
    done = subprocess.run(command, capture_output=True, text=True, **given)
    seconds = time.perf_counter() - start
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or ["no message"])[-1])
    return seconds, done.stdout


def caches(folder: str) -> dict[str, str]:
    """Return where kernels are kept, and byte code, as pip does where it installs a package."""
    kept = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": f"{folder}/python"}
    return {"EMV_CACHE": f"{folder}/emv", "NUMBA_CACHE_DIR": f"{folder}/numba", **kept}


def start(rounds: int = 5) -> Iterator[Row]:
    """Time ``import emv``, and ``emv run pagerank`` with empty caches and with those it filled.

    The import is in seconds of the processor beyond those of ``import numpy``.
    """
    with tempfile.TemporaryDirectory() as folder:
        kept = caches(folder)
        imports = [process([sys.executable, "-c", IMPORT], kept)[1] for _ in range(rounds + 1)][1:]
        cold, *warm = [process(MAIN_JOB, kept)[0] for _ in range(rounds + 1)]
    taken = [statistics.median(map(float, imports)), cold, statistics.median(warm)]
    for (what, most), seconds in zip(MOST_S.items(), taken, strict=True):
        yield {"what": what, "seconds": seconds, "limit, s": most, "missed": seconds > most}


def timed_call(algorithm: str, device: str) -> tuple[float, float]:
    """Return the seconds of this process's first call, and those of the processor.

    From the finished graph on the host.
    """
    import numpy as np

    from bench.graphs import load
    from bench.suite_graphs import emv_graph, given_to
    from emv import algorithms

    made = load("rmat14")
    given = given_to(algorithm, made.source)
    program, graph = getattr(algorithms, algorithm), emv_graph(made).on(device)
    began, worked = time.perf_counter(), time.process_time()
    np.asarray(program(graph, *given))
    return time.perf_counter() - began, time.process_time() - worked


def calls(
    algorithms: tuple[str, ...] = ("bfs", "sssp", "pagerank", "components", "boruvka"),
    device: str = "cuda",
) -> Iterator[Row]:
    """Time first calls (R-MAT, 2^14 vertices), with an empty cache and with the one it filled.

    A first call starts CUDA where it runs there, compiles or reads the cache, copies the graph, and
    runs. Modules are there as byte code: a process before has loaded them all. What other work on
    the machine adds is not in the seconds of the processor; those of all threads are.
    """
    for algorithm in algorithms:
        row: Row = {"algorithm": algorithm}
        command = [sys.executable, "-c", CALL, algorithm, device]
        try:
            with tempfile.TemporaryDirectory() as folder:
                process(command, caches(folder) | {"EMV_CACHE": f"{folder}/before"})
                said = [process(command, caches(folder))[1] for _ in range(1 + ROUNDS)]
        except RuntimeError as error:
            yield {**row, "fault": str(error)}
            continue
        (cold, cold_work), *warm = [tuple(map(float, each.split())) for each in said]
        again, again_work = map(statistics.median, zip(*warm, strict=True))
        row |= {"cold, s": cold, "cold, processor's s": cold_work}
        row |= {"warm, s": again, "warm, processor's s": again_work}
        missed = cold > MOST_COLD_S[device.partition(":")[0]] or again > MOST_WARM_S
        yield {**row, "missed": missed}


STUDIES = (start, calls)

if __name__ == "__main__":
    raise SystemExit(run(*STUDIES))
