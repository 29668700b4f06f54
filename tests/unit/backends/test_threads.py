"""How the threads of the CPU backend wait."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

RUN = """
import os
from emv import Graph
from emv.algorithms import pagerank
from emv.backends.cpu import openmp_vendor
print(pagerank(Graph.from_edges([0, 1], [1, 2]), backend="cpu").sum())
print("GOMP_SPINCOUNT" in os.environ, openmp_vendor())
"""

MEET = """
import os
from emv import generators
from emv.algorithms import pagerank
from emv.backends import compiling
from emv.config import config

def threads_after(graph, number):
    config.num_threads = number
    pagerank(graph, tol=0.0, max_iter=2, backend="cpu")
    return len(os.listdir("/proc/self/task"))

small, large = generators.grid(20, 20), generators.grid(200, 200)
alone = threads_after(small, 2)  # with what has compiled
again, together = threads_after(small, 2), threads_after(large, 2)
compiling.compile_kernel = None
print(again - alone, together - alone, threads_after(large, 3) - together)
"""


def said(**variables: str) -> tuple[str, str]:
    """Return what a process prints that has run a program, and what its OpenMP says of itself."""
    left_out = {"GOMP_SPINCOUNT", "OMP_WAIT_POLICY"} - variables.keys()
    environment = {name: value for name, value in os.environ.items() if name not in left_out}
    environment |= {"OMP_DISPLAY_ENV": "verbose", "NUMBA_THREADING_LAYER": "omp", **variables}
    done = subprocess.run(
        [sys.executable, "-c", RUN], capture_output=True, text=True, check=True, env=environment
    )
    if "GNU" not in done.stdout:
        pytest.skip("numba was built with another OpenMP")
    return done.stdout, done.stderr


def test_threads_that_wait_sleep_soon():
    printed, told = said()
    assert "False" in printed  # nothing is left in the environment
    assert "GOMP_SPINCOUNT = '1000'" in told


def test_user_may_say_how_threads_wait():
    assert "GOMP_SPINCOUNT = '77'" in said(GOMP_SPINCOUNT="77")[1]


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="Linux tells of threads")
def test_small_graphs_wake_nobody_and_another_number_compiles_nothing():
    environment = {**os.environ, "NUMBA_THREADING_LAYER": "omp", "NUMBA_NUM_THREADS": "4"}
    command = [sys.executable, "-c", MEET]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == "0 1 1"
