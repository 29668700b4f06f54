"""The bench of the GPU, run with numpy and the CPU in place of CuPy and the GPU."""

import json
import time

import pytest
from numpy_module import xp

from bench import gpu, gpu_figures, peer_graphs
from bench.first_call import seconds
from bench.gpu_rows import Row, table
from bench.gpu_timing import rounds_within
from bench.peer_graphs import GTGRAPH, Recipe


class Clock:
    """A clock of the host."""

    cupy = xp

    def wait(self):
        pass

    free = wait

    def ms(self, call):
        start = time.perf_counter()
        call()
        return 1000 * (time.perf_counter() - start)

    def median_ms(self, call, rounds):
        return self.ms(call)


@pytest.fixture
def bench(monkeypatch):
    recipes = {
        "rmat20": Recipe(lambda xp: peer_graphs.rmat(xp, 8, GTGRAPH, 1), False, None, 256, 0),
        "road": Recipe(lambda xp: peer_graphs.grid(xp, 12, 0.3), True, 70, 144, 0),
    }
    monkeypatch.setattr(peer_graphs, "GRAPHS", recipes)
    placed = gpu.made
    monkeypatch.setattr(gpu, "made", lambda graph: placed(graph).on("cpu"))
    return lambda name: gpu.Bench(name, Clock(), rounds=2, by_hand=False)


@pytest.mark.parametrize("algorithm", gpu_figures.ALGORITHMS)
@pytest.mark.parametrize("name", ["rmat20", "road"])
def test_rows_are_measured_and_checked(bench, name, algorithm):
    row = bench(name).row(algorithm)
    assert (row.error, row.fault) == ("", "")
    report = row.report()
    assert report["median_ms"] is not None
    assert report["call_ms"] > 0
    assert {"algorithm", "graph", "median_ms"} <= set(json.loads(json.dumps(report)))
    assert len(table([row], []).splitlines()) == 3


def test_a_failing_program_leaves_a_row_with_its_reason(bench, monkeypatch):
    def fail(graph):
        raise MemoryError("no room")

    made = bench("road")
    monkeypatch.setattr(gpu, "made", fail)
    row = made.row("bfs")
    assert row.error == "MemoryError: no room"
    assert row.report()["median_ms"] is None


def test_a_wrong_result_is_said(bench):
    made = bench("road")
    edges, _ = made.emv_graph(False)
    wrong = xp.zeros(144, xp.int32)
    for algorithm in ("bfs", "sssp", "pagerank", "components", "boruvka"):
        assert made.fault(algorithm, edges, wrong + (algorithm == "pagerank"))


def test_slow_rounds_are_fewer():
    assert [rounds_within(ms, 10) for ms in (1.0, 500.0, 9000.0)] == [10, 6, 3]
    assert rounds_within(9000.0, 2) == 2


def test_a_process_that_fails_says_why():
    assert seconds({"error": "no GPU"}) == "no GPU"
    assert seconds({"first_s": 1.234}) == "1.23 s"


def test_a_row_without_figures_is_a_line():
    assert "no" in Row("bfs", "road", error="no").line()
