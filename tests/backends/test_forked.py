"""A process made by fork runs programs as its parent did, on one thread if it lost the others."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytest.importorskip("numba")

pytestmark = pytest.mark.skipif(not hasattr(os, "register_at_fork"), reason="there is no fork here")

PROGRAM = """
import multiprocessing, sys
import numba
import numpy as np
import emv
from emv.algorithms import bfs, components, pagerank

PROGRAMS = {"bfs": lambda graph: bfs(graph, 0), "pagerank": pagerank}
KEPT = emv.generators.rmat(100_000, 300_000, rng=1)

def found(*names):
    graph = emv.generators.rmat(300, 3000, rng=1)
    with emv.config.using(backend="cpu", num_threads=2):
        return [PROGRAMS[name](graph) for name in names]

def equal():
    with emv.config.using(backend="cpu", num_threads=2):
        return components(KEPT)

if __name__ == "__main__":
    found(*sys.argv[1:])
    for _ in range(4 if sys.argv[1:] else 0):
        right = equal()
    with multiprocessing.get_context("fork").Pool(1) as pool:
        there = [pool.apply_async(found, ["bfs", "pagerank"]).get(60) for _ in range(2)]
        if sys.argv[1:]:  # as the last one of the parent, which has begun large arrays by threads
            np.testing.assert_array_equal(pool.apply_async(equal).get(60), right)
    for each in there:
        for mine, other in zip(found("bfs", "pagerank"), each, strict=True):
            np.testing.assert_allclose(mine, other, rtol=1e-6)
    print(numba.threading_layer())
"""


def run(folder, *before, **variables):
    """Run the program in a process of its own, and return what it printed and said."""
    path = folder / "forks.py"
    path.write_text(PROGRAM)
    variables["NUMBA_NUM_THREADS"] = "2"  # on a machine of one core, too
    command, knobs = [sys.executable, str(path), *before], {**os.environ, **variables}
    done = subprocess.run(
        command, env=knobs, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr


def test_a_forked_process_runs_on_one_thread_and_says_so_once(tmp_path):
    layer, said = run(tmp_path, "bfs", "pagerank")
    assert said.count('"spawn"') == (layer == "omp" and sys.platform == "linux")


def test_a_forked_process_compiles(tmp_path):
    run(tmp_path, "bfs", EMV_CACHE=str(tmp_path))


@pytest.mark.parametrize(
    ("before", "layer"), [(["bfs"], "workqueue"), ([], "default")], ids=["safe", "unused"]
)
def test_a_forked_process_keeps_threads_that_work(tmp_path, before, layer):
    _, said = run(tmp_path, *before, NUMBA_THREADING_LAYER=layer)
    assert "spawn" not in said
