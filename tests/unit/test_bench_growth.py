"""Growth: a row for every size and problem, checked, with the memory that was taken and planned."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import emv
from bench import growth
from bench.machine import ROOT
from bench.memory import pool_peak
from bench.study import run
from bench.suite_problems import GAP, page_of

TAKES = """
import numpy as np
from bench.memory import process_peak
with process_peak() as peak:
    np.ones(50_000_000, np.uint8)
print(peak.nbytes)
"""


@pytest.fixture
def in_plain_python(monkeypatch):
    def made(scale, target):
        n = 1 << scale
        return emv.generators.rmat(n, 8 * n, rng=1, directed=False, weights=(1, 64)).on("python")

    monkeypatch.setattr(growth, "made", made)
    monkeypatch.setattr(growth, "compile_all", lambda target, problems: None)
    for page in ("bfs", "sssp"):  # of plain Python there is no plan
        monkeypatch.setattr(page_of(growth.PROBLEMS[page]), "memory_plan", lambda *_, **__: Plan())


class Plan:
    peak_bytes = 5


@pytest.mark.paper("S164")
def test_every_size_has_a_row_that_is_checked(in_plain_python, tmp_path, capsys):
    file = tmp_path / "growth.json"
    given = ["--scales", "4", "5", "--rounds", "1", "--only", "bfs", "sssp", "--json", str(file)]
    assert run(growth.growth, arguments=given) == 0
    rows = json.loads(file.read_text())["rows"]
    assert [(row["scale"], row["problem"]) for row in rows] == [
        (scale, problem) for scale in (4, 5) for problem in ("bfs", "sssp")
    ]
    assert all(row["ms"] > 0 and row["num_arcs"] == 16 << row["scale"] for row in rows)
    assert capsys.readouterr().out.count(" planned_bytes 5") == 4
    assert run(growth.growth, arguments=[*given, "--limit", "0"]) == 0


def test_a_wrong_result_is_told():
    graph = emv.generators.rmat(32, 256, rng=1, directed=False, weights=(1, 64)).on("python")
    arcs = growth.checkable(graph, np)
    for problem in GAP:
        given = growth.arguments(problem, [0, 1, 2, 3])
        result = page_of(growth.PROBLEMS[problem])(graph, **given)
        assert growth.fault(problem, graph, result, given, arcs) == "", problem
        assert growth.fault(problem, graph, np.asarray(result) + 1, given, arcs), problem


class Pool:
    used_bytes = 100

    def taken(self, nbytes, place):
        self.used_bytes += nbytes
        return self


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="only Linux tells the peak")
def test_peaks_of_a_pool_and_of_the_process():
    pool = Pool()
    with pool_peak(pool) as peak:
        pool.taken(50, 0)
        pool.used_bytes -= 50
        pool.taken(20, 0)
    assert peak.nbytes == 50
    found = subprocess.run(  # of its own, as large processes take again what they gave back
        [sys.executable, "-c", TAKES], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert 45e6 < int(found.stdout) < 90e6
