"""Jobs side by side on a simulated GPU: a stream and a share of the blocks each, right results."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from simulated_gpu import SimulatedDriver, install
from watching import watch

from emv import Graph
from emv.algorithms import bfs, pagerank, sssp
from emv.backends.cuda.beside import beside, here
from emv.backends.cuda.device import device
from emv.runtime.targets.gpu import Gpu
from emv.runtime.targets.gpu_resident import GpuResident
from emv.service import Service


@pytest.fixture
def gpu(monkeypatch):
    install(SimulatedDriver(), monkeypatch)
    return device()


def small_graph():
    draw = np.random.default_rng(12)
    src, dst = draw.integers(0, 40, (2, 150))
    return Graph.from_edges(src, dst, num_vertices=40, weight=draw.random(150))


@pytest.mark.paper("S110")
def test_places_have_streams_and_shares_of_their_own(gpu, monkeypatch):
    blocks, right = [], bfs(small_graph(), 3, backend="python")
    made = GpuResident.__init__

    def noted(self, plan, target):
        monkeypatch.setattr(gpu, "num_blocks", lambda entries, kernel: 8)
        made(self, plan, target)
        blocks.append((target.stream, self.blocks, self.kernel.most_blocks))

    monkeypatch.setattr(GpuResident, "__init__", noted)
    graph = small_graph().on("cuda")
    assert np.array_equal(np.asarray(bfs(graph, 3)), right)
    for number, share in ((0, 1.0), (1, 0.5)):
        with beside(number, share):
            assert (Gpu("cuda").stream, Gpu("cuda").share) == (gpu.stream_apart(number), share)
            assert np.array_equal(np.asarray(bfs(graph, 3)), right)
    assert here() is None
    assert len({stream for stream, *_ in blocks}) == 2  # the first two share what is kept
    assert blocks[-1][1] == max(1, blocks[-1][2] // 2)


def test_memory_is_taken_again_in_the_same_place_only(gpu):
    with beside(0):
        block = gpu.pool.take(4096)
        address = block.address
        del block
    assert gpu.pool.take(4096).address != address
    with beside(1):
        assert gpu.pool.take(4096).address != address
    with beside(0):
        assert gpu.pool.take(4096).address == address
    gpu.pool.free_all()
    assert gpu.pool.kept_bytes() == 0


@pytest.mark.paper("S107", "S109", "S111")
def test_jobs_of_two_workers_and_batches_have_the_results_of_runs_alone(gpu):
    graph, calls = small_graph(), [(bfs, 3), (bfs, 7), (bfs, 9), (bfs, 11), (sssp, 4), (sssp, 5)]
    right = {(made, given): made(graph, given, backend="python") for made, given in calls}
    ranks = pagerank(graph, max_iter=3, tol=0.0, backend="python")
    seen, gate = [], threading.Event()
    with Service("cuda", workers=2, batch=4) as service:
        ended = service.turns.ended

        def noted(jobs):
            seen.append((len(jobs), len(service.state.heads), jobs[0].share))
            ended(jobs)

        service.turns.ended = noted
        for _ in range(2):  # each has to run alone first, and its first run counts for nothing
            for made in (bfs, sssp):
                service.submit(made, graph, 3).result()
        service.submit(lambda g: gate.wait(60), graph, memory=1)
        jobs = [(service.submit(made, graph, given), made, given) for made, given in calls]
        rank = service.submit(pagerank, graph, max_iter=3, tol=0.0)
        gate.set()
        for job, made, given in jobs:
            assert np.array_equal(np.asarray(job.result()), right[made, given])
        assert np.allclose(np.asarray(rank.result()), ranks, rtol=1e-5)
    assert max(size for size, *_ in seen) == 4
    assert service.state.ledger.own == {}


def test_what_the_only_job_took_is_known_once_somebody_looks(gpu):
    graph = small_graph()
    right = bfs(graph, 3, backend="python")
    with Service("cuda") as service:
        service.submit(bfs, graph, 3).result(60)
        for _ in range(3):
            watch(service)
            job = service.submit(bfs, graph, 3)
            assert service.state.alone is job
            assert np.array_equal(np.asarray(job.result()), right)
        assert len(service.state.past) == 1  # a worker that was woken has looked between
        assert service.report()[""].ended == 4
        times = service.turns.pairing.alone.values()
        assert [each.count for each in times] == [3]  # the first run compiles
