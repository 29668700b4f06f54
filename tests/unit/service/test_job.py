"""A job begins in whatever way it is waited for, and tells whoever waits that it has ended."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from concurrent.futures import CancelledError, as_completed, wait

import numpy as np
import pytest
from watching import watch

from emv.algorithms import bfs, icm
from emv.service import Claim, Service, turns
from emv.service.job import Job, Shape
from emv.service.together import alike

LONG = 60  # seconds that a test waits for what comes at once


@pytest.fixture
def watched(monkeypatch):
    """Make services whose worker looks after ten minutes, for what nobody has woken it for."""
    monkeypatch.setattr(turns, "LOOK_S", 10 * LONG)
    with Service("cpu") as service:
        watch(service)
        yield service


WAYS = {
    "wait": lambda job: wait([job], LONG),
    "as_completed": lambda job: next(as_completed([job], LONG)),
    "done": lambda job: polled(job.done),
    "a callback": lambda job: called(job.add_done_callback),
    "await": lambda job: asyncio.run(awaited(job)),
    "result": lambda job: job.result(LONG),
    "exception": lambda job: job.exception(LONG),
}


def polled(is_over):
    for _ in range(1000 * LONG):
        if is_over():
            return
        time.sleep(0.001)


def called(add):
    heard = threading.Event()
    add(lambda _: heard.set())
    heard.wait(LONG)


async def awaited(job):
    return await job


@pytest.mark.parametrize("way", WAYS)
def test_to_wait_in_any_way_begins_a_job_though_nobody_looks(graph, watched, way):
    for _ in range(5):
        job = watched.submit(bfs, graph, 0)
        WAYS[way](job)
        assert job._state == "FINISHED"
        watch(watched)


def test_a_job_that_is_waited_for_ends_behind_its_lock(graph):
    """`wait` counts who has not ended, and would count one twice that ends meanwhile."""
    for end in (lambda job: job.end("found"), lambda job: job.cancel()):
        job = Job((bfs, graph, (0,), {}), Shape(Claim(0), hears=True), "", 0, None)
        with job._condition:
            other = threading.Thread(target=end, args=(job,))
            other.start()
            for _ in range(50):
                time.sleep(0.001)
                assert job._state not in ("FINISHED", "CANCELLED_AND_NOTIFIED")
        other.join(LONG)
        assert job._state in ("FINISHED", "CANCELLED_AND_NOTIFIED")


def test_a_job_is_called_off_and_cancelled_at_once(graph, watched):
    """What is called off and not cancelled a worker would take for late, and end with it."""
    job = watched.submit(bfs, graph, 0)
    with watched.turns.lock:
        other = threading.Thread(target=job.cancel)
        other.start()
        for _ in range(50):
            time.sleep(0.001)
            assert (job.is_called_off, job._state) == (False, "PENDING")
    other.join(LONG)
    assert (job.is_called_off, job.cancelled()) == (True, True)


def test_wait_returns_once_all_have_ended(graph):
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with Service("cpu", workers=2) as service:
            for turn in range(300):
                jobs = [service.submit(bfs, graph, k) for k in range(12)]
                if turn % 2:
                    jobs[turn % 12].cancel()
                assert not wait(jobs, LONG).not_done
    finally:
        sys.setswitchinterval(before)


def test_a_plain_function_is_not_left_to_who_looks(graph, watched):
    heard = threading.Event()
    watched.submit(lambda g: heard.set(), graph, memory=1)
    assert heard.wait(LONG)


def test_calls_are_alike_by_types_and_signs_and_arrays_have_no_key(graph):
    layouts, key = graph.layouts, lambda *args, **named: alike((bfs, graph, args, named), layouts)
    assert key(3) == key(5)
    assert key(3, 0) != key(3, False)
    assert key(3, x=0.0) != key(3, x=-0.0)
    assert key(3, x=(0.0, 1)) != key(3, x=(-0.0, 1))
    assert key(3, x=(1, 2)) == key(4, x=(1, 2))
    assert key(tol=0.0) == key(tol=0.0)
    with pytest.raises(TypeError, match="unhashable"):
        hash(key(np.arange(3))[0])
    seeds = np.arange(3)
    with Service("cpu") as service:
        for _ in range(2):
            found = service.submit(icm, graph, seeds).result()
            assert np.array_equal(found, icm(graph, seeds))


def test_a_job_has_no_lock_where_its_asker_runs_it(graph, watched):
    job = watched.submit(bfs, graph, 0)
    job.result()
    assert "_condition" not in vars(job)
    assert job.done()


def test_a_cancelled_job_is_told_at_once(graph, monkeypatch):
    heard, after = [], turns.Turns.next
    gate = threading.Event()
    monkeypatch.setattr(turns.Turns, "next", lambda each: gate.wait(LONG) and after(each))
    with Service("cpu") as service:
        job = service.submit(bfs, graph, 0)
        job.add_done_callback(heard.append)
        asker = threading.Thread(target=lambda: heard.append(wait([job], LONG).done))
        asker.start()
        while not job._waiters:
            time.sleep(0.001)
        assert job.cancel()
        asker.join(LONG)
        assert (job.cancelled(), job.cancel(), job in heard, {job} in heard) == (True,) * 4
        with pytest.raises(CancelledError):
            job.result()
        gate.set()
    assert not service.state.waiting.items


def test_whoever_begins_to_wait_while_a_job_ends_hears_of_it(graph, watched):
    """Threads ask in every way, from before it begins until after it has ended."""
    heard, number = [], 200
    barrier = threading.Barrier(3)

    def ask(job, way):
        barrier.wait(LONG)
        way(job)
        heard.append(job)

    for k in range(number):
        job = watched.submit(bfs, graph, 0)
        ways = [*WAYS.values()][k % 6 : k % 6 + 2]
        threads = [threading.Thread(target=ask, args=(job, way)) for way in ways]
        for each in threads:
            each.start()
        barrier.wait(LONG)
        job.result()
        for each in threads:
            each.join(LONG)
    assert len(heard) == 2 * number


def test_a_job_that_is_asked_for_at_once_takes_few_steps(graph, watched):
    """Each is cold behind a kernel: with three times as many a service took twice as long."""
    calls = []

    def heard(frame, event, _):
        if event == "call" and "emv/service" in frame.f_code.co_filename.replace("\\", "/"):
            calls.append(frame.f_code.co_qualname)

    for _ in range(3):  # the first plans its memory, the second finds what is alike
        del calls[:]
        before = sys.getprofile()
        sys.setprofile(heard)
        try:
            watched.submit(bfs, graph, 0).result()
        finally:
            sys.setprofile(before)
    assert len(calls) <= 9, calls
