"""Jobs of many users have the results of runs alone, whatever becomes of the others."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import CancelledError, wait
from contextvars import copy_context

import numpy as np
import pytest
from endless import Spot, forever

import emv
from emv import Edge, Graph, MessageList, edge, i64, mlist, program, vertex
from emv.algorithms import bfs, components, pagerank
from emv.errors import ArgumentError, CallError, CapacityError
from emv.runtime.admission import ask_in_context
from emv.service import Limits, Service


@vertex
def divide(v: Spot):
    v.x = v.id


@program
def once(g):
    divide(g)
    return g.vertices.x


@pytest.fixture(scope="module")
def graphs():
    draw = np.random.default_rng(3)
    return [
        Graph.from_edges(draw.integers(0, n, 4 * n), draw.integers(0, n, 4 * n), num_vertices=n)
        for n in (1, 40, 300)
    ]


@pytest.mark.paper("S107")
def test_jobs_of_many_threads_have_the_results_of_runs_alone(graphs):
    found = []

    def user(name):
        for k in range(12):
            g = graphs[k % 3]
            for made, given in ((bfs, (0,)), (pagerank, ()), (components, ())):
                found.append((service.submit(made, g, *given, user=name), made, g, given))

    with Service("cpu", workers=2) as service:
        users = [threading.Thread(target=user, args=(name,)) for name in "abc"]
        for each in users:
            each.start()
        for each in users:
            each.join()
        wait([job for job, *_ in found], timeout=120)
    assert len(found) == 108
    for job, made, g, given in found:
        assert np.array_equal(job.result(), made(g, *given, backend="cpu"))
        assert job.run.program == made.name
    report = service.report()
    assert {user: each.ended for user, each in report.items()} == dict.fromkeys("abc", 36)
    assert not service.state.ledger.own


def test_an_error_is_the_jobs_alone(graphs):
    def fails(g):
        raise ZeroDivisionError("mine")

    with Service("cpu") as service:
        bad = service.submit(fails, graphs[1], memory=0, user="a")
        good = service.submit(bfs, graphs[1], 0, user="b")
        assert isinstance(bad.exception(60), ZeroDivisionError)
        assert np.array_equal(good.result(60), bfs(graphs[1], 0))
        assert (service.report()["a"].failed, service.report()["b"].ended) == (1, 1)


def test_what_runs_can_be_called_off_and_has_a_deadline(graphs):
    with Service("cpu") as service:
        endless = service.submit(forever, graphs[1])
        waiting = service.submit(bfs, graphs[1], 0)
        late = service.submit(bfs, graphs[1], 0, deadline=0.05)
        while endless.began is None:
            time.sleep(0.01)
        assert not endless.done()
        assert waiting.cancel()
        assert waiting.cancelled()
        time.sleep(0.1)
        assert endless.cancel()
        with pytest.raises(CancelledError):
            endless.result(60)
        with pytest.raises(TimeoutError, match=r"deadline of 0\.05 s"):
            late.result(60)
        slow = service.submit(forever, graphs[1], deadline=0.5)
        with pytest.raises(TimeoutError, match=r"deadline of 0\.5 s"):
            slow.result(60)
        assert service.submit(once, graphs[1]).result(60).tolist() == list(range(40))


@pytest.mark.paper("S112")
def test_memory_is_that_of_the_plans_and_a_graphs_arrays_count_once(graphs):
    g = graphs[2].on("cpu").subgraph(np.arange(300))  # nothing is built yet
    plan = pagerank.memory_plan(g)
    index = plan.group_bytes("index arrays")
    assert index > 0
    with Service("cpu", memory=10 * plan.peak_bytes) as service:
        jobs = [service.submit(pagerank, g) for _ in range(5)]
        wait(jobs, timeout=60)
        assert 0 < service.state.ledger.kept <= index
        assert all(np.array_equal(job.result(), jobs[0].result()) for job in jobs)
    with Service("cpu", memory=plan.peak_bytes // 2) as service, pytest.raises(CapacityError):
        service.submit(pagerank, Graph.from_edges(*map(np.asarray, g.arcs()), num_vertices=300))


def test_a_job_that_needs_more_gives_back_first(graphs):
    plan = bfs.memory_plan(graphs[1], 0)
    more = threading.Event()

    def grows(g):
        from emv.runtime import admission

        more.set()
        admission.ask(lambda: plan)
        return service.state.ledger.own.copy()

    with Service("cpu", memory=2 * plan.peak_bytes) as service:
        held = service.submit(grows, graphs[1], memory=plan.peak_bytes + 1).result(60)
        assert more.is_set()
        assert 0 < sum(held.values()) <= plan.peak_bytes
    with Service("cpu", memory=plan.peak_bytes // 2) as service:
        job = service.submit(grows, graphs[1], memory=1)
        with pytest.raises(CapacityError, match="the job needs"):
            job.result(60)
        assert not service.state.ledger.own


def test_a_run_that_begins_anew_asks():
    @edge
    def tell(e: Edge[Spot]):
        k = 0
        while k < 2000:
            e.send(e.id)
            k += 1

    @mlist
    def hear(v: Spot, heard: MessageList[i64]):
        for each in heard:
            v.x += each

    @program
    def chatter(g):
        hear(g, tell(g.edges))
        return g.vertices.x

    g = Graph.from_edges([0, 1, 2], [1, 2, 0])
    planned, asked = chatter.memory_plan(g).peak_bytes, []

    def heard():
        ask_in_context(lambda plan: asked.append(plan.peak_bytes))
        return chatter(g, backend="cpu")

    found = copy_context().run(heard)
    assert found.tolist() == [4000, 0, 2000]
    assert asked  # the first room was too small
    assert asked[-1] > planned


def test_limits_of_a_user(graphs):
    limits = {"small": Limits(running=1, waiting=2), "": Limits(nbytes=10)}
    with Service("cpu", workers=2, limits=limits) as service:
        endless = service.submit(forever, graphs[0], user="small")
        while endless.began is None:
            time.sleep(0.01)
        second = [service.submit(once, graphs[1], user="small") for _ in range(2)]
        with pytest.raises(CapacityError, match="2 jobs of small wait already"):
            service.submit(once, graphs[1], user="small")
        with pytest.raises(CapacityError, match="may have 10 B"):
            service.submit(once, graphs[1], user="other")
        time.sleep(0.05)
        assert second[0].began is None  # although a worker is free
        endless.cancel()
        wait(second, timeout=60)
        assert all(job.done() for job in second)


def test_coroutines_await_jobs(graphs):
    async def both():
        first, second = service.submit(bfs, graphs[1], 0), service.submit(bfs, graphs[1], 1)
        return await first, await second

    with Service("cpu") as service:
        found = asyncio.run(both())
    assert [np.array_equal(each, bfs(graphs[1], k)) for k, each in enumerate(found)] == [True, True]


def test_mistakes_are_told_at_once(graphs):
    with Service("cpu") as service:
        with pytest.raises(CallError, match="sauce"):
            service.submit(bfs, graphs[1], sauce=0)
        with pytest.raises(ArgumentError, match="takes no backend="):
            service.submit(bfs, graphs[1], 0, backend="cpu")
        with pytest.raises(ArgumentError, match="does not say what memory it takes"):
            service.submit(print, graphs[1])
        with pytest.raises(ArgumentError, match="passed already"):
            service.submit(bfs, graphs[1], 0, deadline=0)
    with pytest.raises(RuntimeError, match="shut down"):
        service.submit(bfs, graphs[1], 0)
    with pytest.raises(ArgumentError, match="0 workers"):
        Service("cpu", workers=0)
    with pytest.raises(ArgumentError, match="plain Python"):
        Service("python")
    with pytest.raises(ArgumentError, match="none ever would"):
        Limits(running=0)


def test_shutdown_cancels_where_it_is_asked_to(graphs):
    service = Service("cpu")
    jobs = [service.submit(forever, graphs[1]) for _ in range(3)]
    while jobs[0].began is None:
        time.sleep(0.01)
    service.shutdown(cancel=True)
    assert all(job.done() for job in jobs)


def test_batches_run_as_one_job(graphs):
    with Service("cpu") as service:
        found = service.submit(bfs, graphs[1], emv.batch([0, 1, 2])).result(60)
    assert np.array_equal(found, bfs.batch(graphs[1], [0, 1, 2]))
