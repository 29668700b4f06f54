"""A run of a large graph takes at most 1.3 times the memory that its plan says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MEASURE = """
import gc, sys
import numpy as np
from emv import Graph
from emv.algorithms import bfs, pagerank

def status(name):
    lines = open("/proc/self/status").read().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(name + ":"))

def graph(num_vertices, num_edges):
    ends = np.random.default_rng(1).integers(0, num_vertices, (2, num_edges), np.int32)
    return Graph.from_edges(*ends, num_vertices=num_vertices)

program, arguments = {"bfs": (bfs, (0,)), "pagerank": (pagerank, ())}[sys.argv[1]]
program.run(graph(10_000, 300_000), *arguments, backend="cpu")  # loads kernels and builders
large = graph(250_000, 4_000_000).on("cpu")
gc.collect()
planned = program.memory_plan(large, *arguments).peak_bytes
open("/proc/self/clear_refs", "w").write("5")  # the peak begins anew
before = status("VmRSS")
program.run(large, *arguments, backend="cpu")
print(status("VmHWM") - before, planned)
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="only Linux tells the peak")
@pytest.mark.parametrize("algorithm", ["bfs", "pagerank"])
def test_peak_of_a_run(algorithm):
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, algorithm], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    measured, planned = map(int, done.stdout.split())
    assert planned > 40 * 2**20
    assert 0.3 * planned < measured < 1.3 * planned
