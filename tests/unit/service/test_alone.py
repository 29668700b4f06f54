"""The only job that there is goes a quick way, and is like any other once somebody else looks."""

from __future__ import annotations

import threading
import time
from concurrent.futures import CancelledError, wait

import numpy as np
import pytest
from endless import forever
from watching import watch

from emv.algorithms import bfs
from emv.service import Limits, Service, alone, turns

LONG = 60  # seconds that a test waits for what comes at once


@pytest.fixture
def service(monkeypatch, graph):
    """Make a service whose worker looks after ten minutes, for what nobody has woken it for."""
    monkeypatch.setattr(turns, "LOOK_S", 10 * LONG)
    with Service("cpu") as service:
        service.submit(bfs, graph, 0).result(LONG)  # the first counts what its graph keeps
        watch(service)
        yield service


def until(is_so):
    for _ in range(1000 * LONG):
        if is_so():
            return
        time.sleep(0.001)
    raise AssertionError("it never is so")


def test_the_only_job_is_one_entry_until_it_has_ended(graph, service):
    state = service.state
    for _ in range(3):
        job = service.submit(bfs, graph, 0)
        assert (state.alone, state.waiting.items, state.ledger.own) == (job, [], {})
        assert np.array_equal(job.result(), bfs(graph, 0))
        assert (state.alone, state.heads, state.running) == (None, [], [])
    assert len(state.past) == 3
    assert service.report()[""].ended == 4
    assert not state.past


def test_a_second_job_makes_it_like_any_other(graph, service):
    state, (first, second) = service.state, (service.submit(bfs, graph, k) for k in (0, 1))
    assert state.alone is None
    wait([first, second], LONG)
    for k, each in enumerate((first, second)):
        assert np.array_equal(each.result(), bfs(graph, k))
    assert service.report()[""].ended == 3


def test_who_is_run_by_an_asker_is_counted_when_another_comes(graph, monkeypatch, service):
    state, begun, go = service.state, threading.Event(), threading.Event()
    run = bfs.run

    def slow(*args, **named):
        begun.set()
        go.wait(LONG)
        return run(*args, **named)

    job = service.submit(bfs, graph, 0)
    monkeypatch.setattr(bfs, "run", slow, raising=False)
    asker = threading.Thread(target=job.result)
    asker.start()
    begun.wait(LONG)
    assert (state.alone, state.heads) == (job, [])
    other = service.submit(bfs, graph, 1)
    with service.turns.lock:
        assert (state.alone, state.heads, state.running) == (None, [job], [job])
        assert (state.ledger.own, state.places, job.place) == ({job: job.claim.own}, [], 0)
        assert dict(state.waiting.running) == {"": 1}
    go.set()
    asker.join(LONG)
    assert np.array_equal(other.result(LONG), bfs(graph, 1))
    until(lambda: not state.heads)
    assert (state.ledger.own, state.places, service.report()[""].ended) == ({}, [0], 3)
    assert not any(state.waiting.running.values())


def test_it_may_be_cancelled_before_it_begins(graph, service):
    job = service.submit(bfs, graph, 0)
    assert service.state.alone is job
    assert job.cancel()
    with pytest.raises(CancelledError):
        job.result()
    assert np.array_equal(service.submit(bfs, graph, 1).result(), bfs(graph, 1))
    until(lambda: service.state.alone is None)
    assert service.report()[""].ended == 2


def test_it_may_be_called_off_while_it_runs(graph, service):
    service.submit(forever, graph, deadline=0.1).exception(LONG)
    watch(service)
    job = service.submit(forever, graph)
    assert service.state.alone is job
    threading.Timer(0.3, job.cancel).start()
    with pytest.raises(CancelledError):
        job.result()
    assert service.report()[""].failed == 2


def test_what_is_called_off_in_its_last_superstep_is_cancelled(graph, monkeypatch, service):
    run = bfs.run

    def ends(*args, **named):
        found = run(*args, **named)
        job.cancel()
        return found

    job = service.submit(bfs, graph, 0)
    monkeypatch.setattr(bfs, "run", ends, raising=False)
    with pytest.raises(CancelledError):
        job.result()


def test_what_nobody_asks_for_is_found(graph):
    with Service("cpu") as service:
        service.submit(bfs, graph, 0).result(LONG)
        watch(service)
        job = service.submit(bfs, graph, 1)
        until(lambda: job._state == "FINISHED")


def test_what_many_have_had_is_put_down_though_nobody_asks(graph, service):
    for _ in range(alone.MOST_PAST + 5):
        service.submit(bfs, graph, 0).result()
    assert len(service.state.past) < 10


@pytest.mark.parametrize("given", [{"deadline": LONG}, {"memory": 1}, {"user": "new"}])
def test_what_is_not_simple_goes_the_other_way(graph, service, given):
    job = service.submit(bfs, graph, 0, **given)
    assert service.state.alone is None
    assert np.array_equal(job.result(LONG), bfs(graph, 0))


def test_with_limits_there_is_no_quick_way(graph):
    with Service("cpu", limits={"": Limits(running=1)}) as service:
        service.submit(bfs, graph, 0).result(LONG)
        watch(service)
        job = service.submit(bfs, graph, 0)
        assert service.state.alone is None
        job.result(LONG)


def test_what_graphs_keep_leaves_no_room_for_is_not_begun(graph, service):
    service.state.ledger.sizes["another"] = service.state.ledger.capacity
    job = service.submit(bfs, graph, 0)
    assert service.state.alone is None
    assert "keep" in str(job.exception(LONG))
    del service.state.ledger.sizes["another"]
