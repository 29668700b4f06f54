"""Who waits for a job runs it, in its turn only; what is promised of jobs stays."""

from __future__ import annotations

import asyncio
import itertools
import linecache
import os
import signal
import sys
import threading
import time
from concurrent.futures import CancelledError, wait
from types import SimpleNamespace

import numpy as np
import pytest
from endless import forever
from watching import watch

from emv.algorithms import bfs, pagerank
from emv.errors import CapacityError
from emv.runtime import admission
from emv.service import Limits, Service
from emv.service.turns import Turns

LONG = 60  # seconds that a test waits for what comes at once


@pytest.fixture
def threads_of_bfs(monkeypatch):
    """Say on which threads searches run; what is put in `fails` is raised before one does."""
    run, told = bfs.run, SimpleNamespace(threads=[], fails=[])

    def noted(*args, **named):
        told.threads.append(threading.get_ident())
        if told.fails:
            raise told.fails.pop()
        return run(*args, **named)

    monkeypatch.setattr(bfs, "run", noted, raising=False)
    return told


@pytest.fixture
def gate(monkeypatch):
    """Keep workers from looking for jobs until it is set."""
    gate, after = threading.Event(), Turns.next

    def next_behind(turns):
        gate.wait(LONG)
        return after(turns)

    monkeypatch.setattr(Turns, "next", next_behind)
    yield gate
    gate.set()


def is_idle(service):
    """Return whether all places and all memory are free again."""
    state = service.state
    free = len(state.places) == len(service.hands.threads)
    return free and not (state.heads or state.running or state.handed or state.ledger.own)


def sleeping(service):
    """Wait until no worker is about to look for jobs."""
    for _ in range(10_000):
        with service.turns.lock:
            if len(service.turns.changed._waiters) == len(service.hands.threads):
                return
        time.sleep(0.001)
    raise AssertionError("workers never sleep")


def test_who_asks_at_once_runs_the_job(graph, threads_of_bfs, gate):
    right = bfs(graph, 0)
    del threads_of_bfs.threads[:]
    with Service("cpu") as service:
        jobs = []
        for _ in range(3):
            jobs.append(service.submit(bfs, graph, 0))
            assert np.array_equal(jobs[-1].result(), right)
        assert threads_of_bfs.threads == [threading.get_ident()] * 3
        assert all(job.run.program == "bfs" for job in jobs)
        assert service.report()[""].ended == 3
        assert jobs[0].exception() is None
        assert is_idle(service)
        gate.set()


def test_no_worker_is_woken_for_what_is_asked_for_at_once(graph):
    with Service("cpu") as service:
        service.state.is_asked = True
        service.turns.wake()
        sleeping(service)
        woken, notify_all = [], service.turns.changed.notify_all
        service.turns.changed.notify_all = lambda: woken.append(notify_all())
        for _ in range(10):
            service.submit(bfs, graph, 0).result()
        assert len(woken) < 8  # a worker that looks may find one, which is the next one's to ask


def test_who_waits_with_a_limit_or_asks_nothing_lets_workers_run_it(graph, threads_of_bfs):
    with Service("cpu") as service:
        for ask in (
            lambda job: job.result(LONG),
            lambda job: job.exception(LONG),
            lambda job: wait([job], LONG),
        ):
            service.submit(bfs, graph, 0).result()  # by this thread, mostly
            sleeping(service)
            del threads_of_bfs.threads[:]
            job = service.submit(bfs, graph, 0)
            ask(job)
            assert job.done()
            assert threading.get_ident() not in threads_of_bfs.threads


def test_a_coroutine_is_not_held_up(graph, threads_of_bfs):
    async def several():
        return [await service.submit(bfs, graph, 0) for _ in range(5)]

    with Service("cpu") as service:
        service.submit(bfs, graph, 0).result()
        del threads_of_bfs.threads[:]
        asyncio.run(several())
    assert len(threads_of_bfs.threads) == 5
    assert threading.get_ident() not in threads_of_bfs.threads


def test_what_is_not_asked_for_runs_although_nobody_was_woken(graph):
    with Service("cpu") as service:
        for _ in range(3):
            service.submit(bfs, graph, 0).result()
            job = service.submit(bfs, graph, 0)
            for _ in range(1000 * LONG):
                if job._state == "FINISHED":  # done() says nothing to the service either
                    break
                time.sleep(0.001)
            assert job.done()


def test_workers_stop_looking_when_nothing_comes(graph):
    with Service("cpu") as service:
        service.state.is_asked = True
        service.turns.wake()
        for _ in range(1000 * LONG):
            if not service.state.is_asked:
                break
            time.sleep(0.001)
        sleeping(service)
        assert (service.state.is_asked, service.state.is_watched) == (False, False)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_ctrl_c_ends_the_waiting_and_not_the_job(graph, threads_of_bfs, gate, error):
    right = bfs(graph, 0)
    with Service("cpu") as service:
        job = service.submit(bfs, graph, 0)
        threads_of_bfs.fails.append(error("while it runs"))
        with pytest.raises(error, match="while it runs"):
            job.result()
        assert job.running()
        gate.set()
        assert np.array_equal(job.result(LONG), right)
        assert threads_of_bfs.threads[-1] != threading.get_ident()
        sleeping(service)
        assert is_idle(service)
        assert service.report()[""].ended == 1


@pytest.mark.parametrize("is_alone", [False, True])
def test_ctrl_c_may_come_at_any_line(graph, is_alone):
    """At the first line of the service that is run, at the second ..., until there are no more."""
    right, heard, place = bfs(graph, 0), True, 0
    with Service("cpu") as service:
        service.turns.is_plain = is_alone
        while heard:
            if is_alone:
                watch(service)
            job = service.submit(bfs, graph, 0)
            assert (service.state.alone is job) == (is_alone and place > 0)
            place, heard = place + 1, False
            lines = itertools.count(1)

            def interrupt(frame, event, _):
                nonlocal heard
                if not frame.f_globals.get("__name__", "").startswith("emv.service"):
                    return None
                if frame.f_code.co_name in ("left", "share_out", "put_down"):
                    return None
                text = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
                # a line of `with` is told of again before the lock is given back, where none comes
                is_one = event == "line" and not text.startswith("with ")
                if is_one and next(lines) == place:
                    heard = True
                    raise KeyboardInterrupt
                return interrupt

            before = sys.gettrace()
            try:
                sys.settrace(interrupt)
                job.result()
            except KeyboardInterrupt:
                pass
            finally:
                sys.settrace(before)
            assert np.array_equal(job.result(LONG), right)
            with service.turns.lock:
                service.turns.changed.wait_for(lambda: is_idle(service), LONG)
            assert is_idle(service)
            assert not any(service.state.waiting.running.values())
            assert admission._ASKED.get() is None
    assert place > (25 if is_alone else 40)


def test_a_signal_is_heard_while_who_asked_runs_the_job(graph, gate):
    with Service("cpu") as service:
        job = service.submit(forever, graph)
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            job.result()
        gate.set()
        assert job.running()
        assert job.cancel()
        with pytest.raises(CancelledError):
            job.result(LONG)


def test_a_job_that_its_asker_runs_can_be_called_off_and_has_a_deadline(graph, gate):
    with Service("cpu") as service:
        job = service.submit(forever, graph)
        threading.Timer(0.3, job.cancel).start()
        with pytest.raises(CancelledError):
            job.result()
        with pytest.raises(TimeoutError, match=r"deadline of 0\.3 s"):
            service.submit(forever, graph, deadline=0.3).result()
        assert is_idle(service)
        gate.set()


def test_an_error_comes_out_once(graph, threads_of_bfs, gate):
    with Service("cpu") as service:
        threads_of_bfs.fails.append(ZeroDivisionError("mine"))
        job = service.submit(bfs, graph, 0)
        with pytest.raises(ZeroDivisionError, match="mine"):
            job.result()
        assert isinstance(job.exception(), ZeroDivisionError)
        assert (service.report()[""].failed, is_idle(service)) == (1, True)
        gate.set()


def test_a_job_may_wait_for_another_though_there_is_one_worker(graph):
    def outer(g):
        return service.submit(bfs, g, 0).result(), service.submit(middle, g, memory=1).result()

    def middle(g):
        return service.submit(bfs, g, 1).result()

    with Service("cpu") as service:
        both = service.submit(outer, graph, memory=1)
        others = [service.submit(pagerank, graph, user="other") for _ in range(3)]
        found = both.result(LONG)
        assert [np.array_equal(each, bfs(graph, k)) for k, each in enumerate(found)] == [True] * 2
        wait(others, LONG)
        sleeping(service)
        assert is_idle(service)
        assert service.report()[""].ended == 4


def test_jobs_that_wait_for_each_others_memory_are_told_so(graph):
    need = bfs.memory_plan(graph, 0).peak_bytes

    def outer(g):
        gate.wait(LONG)
        return service.submit(bfs, g, 0).result()

    for number in (1, 2):
        gate = threading.Barrier(number)
        with Service("cpu", workers=number, memory=number * need) as service:
            jobs = [service.submit(outer, graph, memory=need) for _ in range(number)]
            assert isinstance(jobs[0].exception(LONG), CapacityError)
            wait(jobs, LONG)
            assert all(job.done() for job in jobs)


def test_a_job_cannot_wait_for_its_service_to_end(graph, gate):
    found = []

    def ends(_):
        try:
            service.shutdown()
        except RuntimeError as error:
            found.append(str(error))

    with Service("cpu") as service:
        job = service.submit(bfs, graph, 0)
        job.add_done_callback(ends)
        job.result()
        gate.set()
    assert found == ["a job waits for its service to end, which waits for the job"]


def test_shutdown_waits_for_jobs_that_their_askers_run(graph, gate):
    service = Service("cpu")
    job = service.submit(forever, graph)
    asker = threading.Thread(target=job.exception)
    asker.start()
    while job.began is None:
        time.sleep(0.001)
    gate.set()
    service.shutdown(cancel=True)
    assert job.done()
    asker.join(LONG)
    assert not any(thread.is_alive() for thread in service.hands.threads)


def test_who_is_told_that_a_job_is_late_may_ask_for_another(graph):
    found = []

    def told(_):
        endless.cancel()
        found.append(other.result(10))

    with Service("cpu", workers=2, limits={"": Limits(running=1)}) as service:
        endless = service.submit(forever, graph)
        other = service.submit(bfs, graph, 0)
        late = service.submit(bfs, graph, 0, deadline=0.05)
        late.add_done_callback(told)
        assert isinstance(late.exception(LONG), TimeoutError)
        assert np.array_equal(other.result(LONG), bfs(graph, 0))
    assert len(found) == 1


def test_who_is_interrupted_leaves_what_others_run_alone(graph):
    with Service("cpu", workers=2) as service:
        job = service.submit(forever, graph)
        while job.began is None:
            time.sleep(0.001)
        assert not service.turns.mine(job)
        service.turns.left(job)
        assert (service.state.handed, service.state.heads) == ([], [job])
        job.cancel()
        assert isinstance(job.exception(LONG), CancelledError)
    assert is_idle(service)
