"""How the threads of the CPU backend wait."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

RUN = """
import os
from emv import Graph
from emv.algorithms import pagerank
from emv.backends.cpu import openmp_vendor
print(pagerank(Graph.from_edges([0, 1], [1, 2]), backend="cpu").sum())
print("GOMP_SPINCOUNT" in os.environ, openmp_vendor())
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
