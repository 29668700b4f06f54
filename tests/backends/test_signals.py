"""Signals are heard within a second, whatever runs; what they end leaves nothing behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from fake_cuda import at

from emv import Graph, Vertex, f64, i64, program, vertex
from emv.backends import compiling
from emv.backends.cuda.around import Around
from emv.backends.cuda.device import device
from emv.config import config
from emv.graph import index_arrays
from emv.graph.build import first_positions
from emv.graph.io.ahead import worked_ahead
from emv_kernels import aside
from emv_kernels.cpu.renumber import mark

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are sent by os.kill")
SECOND = 10.0  # on a machine that may be busy with other tests; tests.stress.trust has the figure
ROOT = Path(__file__).resolve().parents[2]


class Node(Vertex):
    x: f64 = 1.0
    steps: i64 = 0


@vertex
def shrink(v: Node, rounds: i64):
    for _ in range(rounds):
        v.x = v.x * 0.999 + 1.0


@program
def long_launch(g, rounds):
    shrink(g, rounds)
    return g.vertices.x


@vertex
def look_for(v: Node, wanted: i64):
    while v.steps != wanted:
        v.steps = (v.steps + 1) % 4


@program
def while_in_body(g, wanted):
    look_for(g, wanted)
    return g.vertices.steps


def until_found(wanted: i64) -> i64:
    state = 0  # kernels hand it something that they call so
    while state != wanted:
        state = (state + 1) % 4
    return state


def found_twice(wanted: i64) -> i64:
    return until_found(wanted) + until_found(3)


@vertex
def look_in_helper(v: Node, wanted: i64):
    v.steps = found_twice(wanted)


@program
def while_in_helper(g, wanted):
    look_in_helper(g, wanted)
    return g.vertices.steps


@vertex
def shrink_twice(v: Node, rounds: i64):
    for _ in range(3):
        for k in range(rounds, 0, -1):
            if k % 2 == 0:
                continue
            v.x = v.x * 0.999 + 1.0


@program
def nested_ranges(g, rounds):
    shrink_twice(g, rounds)
    return g.vertices.x


def shrunk(x: f64, rounds: i64, rounds_: i64) -> f64:
    for _ in range(rounds):
        x = x * 0.999 + 1.0
    return x


@vertex
def shrink_in_helper(v: Node, rounds: i64):
    v.x = shrunk(v.x, rounds, 0)


@program
def range_in_helper(g, rounds):
    shrink_in_helper(g, rounds)
    return g.vertices.x


def points(count: int) -> Graph:
    return Graph.from_edges([], [], num_vertices=count)


class Sent:
    """A signal that was sent: when, and how long after it something happened."""

    at = 0.0

    @property
    def seconds_ago(self) -> float:
        return time.perf_counter() - self.at


@contextlib.contextmanager
def sent_after(seconds: float, number: int = signal.SIGINT):
    """Send this process a signal after so many seconds."""
    sent = Sent()

    def send() -> None:
        sent.at = time.perf_counter()
        os.kill(os.getpid(), number)

    timer = threading.Timer(seconds, send)
    timer.start()
    try:
        yield sent
    finally:
        timer.join()


@contextlib.contextmanager
def handled(number: int, handler):
    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)


def interrupted(work) -> float:
    """Return how many seconds after Ctrl-C some work ended by it."""
    with pytest.raises(KeyboardInterrupt), sent_after(0.3) as sent:
        work()
    return sent.seconds_ago


@pytest.mark.parametrize("threads", [1, 2])
def test_a_long_launch_is_left(threads):
    with config.using(num_threads=threads):
        g = points(2_000_000)
        right = long_launch(g, 2, backend="cpu")
        seconds = interrupted(lambda: long_launch(g, 10_000, backend="cpu"))
        assert seconds < SECOND
        np.testing.assert_array_equal(long_launch(g, 2, backend="cpu"), right)


@pytest.mark.parametrize("run", [long_launch, nested_ranges, range_in_helper])
def test_one_block_that_counts_far_is_left(run):
    g = points(10)
    right = run(g, 70_000, backend="cpu")  # more than are counted between two times of asking
    assert interrupted(lambda: run(g, 10**13, backend="cpu")) < SECOND
    np.testing.assert_array_equal(run(g, 70_000, backend="cpu"), right)
    np.testing.assert_array_equal(run(g, 50, backend="cpu"), run(g, 50, backend="python"))


@pytest.mark.parametrize("count", [10, 50_000])
@pytest.mark.parametrize(("run", "right"), [(while_in_body, 2), (while_in_helper, 5)])
def test_an_endless_while_is_left(run, right, count):
    g = points(count)
    assert set(run(g, 2, backend="cpu")) == {right}
    assert interrupted(lambda: run(g, -1, backend="cpu")) < SECOND
    assert set(run(g, 2, backend="cpu")) == {right}


@pytest.mark.parametrize(("run", "right"), [(while_in_body, 2), (while_in_helper, 5)])
def test_plain_python_agrees(run, right):
    assert set(run(points(10), 2, backend="python")) == {right}


def test_a_handler_that_returns_ends_nothing():
    g, heard = points(1_000_000), []
    long_launch(g, 2, backend="cpu")
    hear = handled(signal.SIGUSR1, lambda *_: heard.append(time.perf_counter()))
    with hear, sent_after(0.1, signal.SIGUSR1) as sent:
        found = long_launch(g, 1_000, backend="cpu")
        ended = time.perf_counter()
    assert heard[0] - sent.at < SECOND
    assert heard[0] < ended, "it was heard in the midst of the launch, or that is too short"
    np.testing.assert_array_equal(found, long_launch(points(3), 1_000, backend="cpu")[0])


def test_what_a_handler_raises_is_raised():
    def handler(*_):
        raise TimeoutError("too long")

    g = points(2_000_000)
    long_launch(g, 2, backend="cpu")
    refused = pytest.raises(TimeoutError, match="too long")
    with handled(signal.SIGUSR1, handler), refused, sent_after(0.1, signal.SIGUSR1):
        long_launch(g, 10_000, backend="cpu")


def test_other_threads_are_left_alone():
    g, found = points(1_000_000), []
    long_launch(g, 2, backend="cpu")
    worker = threading.Thread(target=lambda: found.append(long_launch(g, 500, backend="cpu")))
    worker.start()
    with pytest.raises(KeyboardInterrupt), sent_after(0.1) as sent:
        time.sleep(60)
    assert sent.seconds_ago < SECOND
    worker.join()
    np.testing.assert_array_equal(found[0], long_launch(points(3), 500, backend="cpu")[0])


def test_a_launch_on_a_gpu_is_asked_to_end(fake_cuda, monkeypatch):
    """The stand-in for a GPU is busy until it is told that its budget is used up."""
    g, run, on = points(5), fresh(80), device("cuda")
    assert run(g, backend="cuda").tolist() == [80] * 5
    is_busy, told, copy, launch = threading.Event(), threading.Event(), on.driver.copy, []

    def copied(target, source, nbytes, stream):
        copy(target, source, nbytes, stream)
        if stream == on.beside:
            launch.append(at(target, 1, np.dtype(np.int64))[0])
            told.set()

    def synchronized(stream):
        if stream == on.stream and is_busy.is_set():
            assert told.wait(60)

    def launched(*arguments):
        is_busy.set()

    with monkeypatch.context() as patch:
        patch.setattr(on.driver, "copy", copied)
        patch.setattr(on.driver, "synchronize", synchronized)
        patch.setattr(on.driver, "launch", launched)
        patch.setattr(Around, "is_done", lambda around: not is_busy.is_set())
        assert interrupted(lambda: run(g, backend="cuda")) < SECOND
    left = [1, 0, 1, 0]  # it is being left, and there is no superstep more
    assert launch == 2 * left, "where it is waited for, and where the run is given up"
    assert run(g, backend="cuda").tolist() == [80] * 5


def slowly(monkeypatch) -> list[threading.Thread]:
    """Let compiling take a second and a half; return the threads that do it."""
    threads, real = [], compiling.for_cores

    def compile_slowly(function, *args):
        threads.append(threading.current_thread())
        for _ in range(15):
            time.sleep(0.1)
        return real(function, *args)

    monkeypatch.setattr(compiling, "for_cores", compile_slowly)
    return threads


def fresh(addend: int):
    """Return a program whose kernels are its own."""

    @vertex
    def put(v: Node):
        v.steps = addend

    @program
    def fresh_program(g):
        put(g)
        return g.vertices.steps

    return fresh_program


def test_a_compilation_is_not_waited_for(monkeypatch):
    run, g, threads = fresh(77), points(3), slowly(monkeypatch)
    assert interrupted(lambda: run(g, backend="cpu")) < SECOND
    assert threads[0] is not threading.main_thread(), "no exception meets numba's own code"
    assert list(run(g, backend="cpu")) == [77] * 3


def test_a_kernel_of_the_package_is_compiled_on_another_thread(monkeypatch):
    ids, words, threads = np.array([1, 70], np.int16), np.zeros(2, np.uint64), []
    compile_it = type(mark).compile

    def slowly_compiled(kernel, types):
        if kernel is mark:
            threads.append(threading.current_thread())
            time.sleep(1.5)
        return compile_it(kernel, types)

    monkeypatch.setattr(type(mark), "compile", slowly_compiled)
    assert interrupted(lambda: mark(ids, words)) < SECOND
    assert threads[0] is not threading.main_thread()
    mark(ids, words)
    assert words.tolist() == [2, 64]


def test_large_graphs_are_built_on_another_thread(monkeypatch):
    threads = []

    def noted(*arguments):
        threads.append(threading.current_thread())
        return first_positions(*arguments)

    monkeypatch.setattr(index_arrays, "first_positions", noted)
    monkeypatch.setattr(aside, "LONG", 3)
    for count in (2, 3):
        layouts = Graph.from_edges(np.arange(count), np.arange(count)[::-1]).layouts
        assert layouts.out_rows.first.tolist() == list(range(count + 1))
    assert threads[0] is threading.main_thread()
    assert threads[1] is not threading.main_thread()


def test_what_nobody_waits_for_goes_on():
    begun, ended = threading.Event(), threading.Event()

    def work():
        begun.set()
        time.sleep(0.5)  # of another thread: nothing interrupts it
        ended.set()

    with pytest.raises(KeyboardInterrupt), sent_after(0.1):
        aside.leavable(work)
    assert begun.is_set()
    assert ended.wait(SECOND)


def test_threads_that_read_ahead_are_not_waited_for():
    release = threading.Event()
    with config.using(num_threads=2):
        pieces = worked_ahead(lambda piece: release.wait(4 * SECOND), iter(range(3)))
        assert interrupted(lambda: list(pieces)) < SECOND
    release.set()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_fork_waits_for_a_compilation_of_another_thread(monkeypatch):
    g, threads = points(3), slowly(monkeypatch)
    compile_one = threading.Thread(target=lambda: fresh(78)(g, backend="cpu"))
    compile_one.start()
    while not threads:
        time.sleep(0.01)
    child = os.fork()
    if child == 0:
        os._exit(0 if list(fresh(79)(g, backend="cpu")) == [79] * 3 else 1)
    compile_one.join()
    deadline = time.monotonic() + 60
    while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < deadline:
        time.sleep(0.05)
    if ended == (0, 0):
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert ended == (child, 0)


def test_work_aside_is_waited_for_where_it_can_be_left():
    asked = threading.Event()
    with pytest.raises(KeyboardInterrupt), sent_after(0.1):
        aside.aside(asked.wait, asked.set)
    assert asked.is_set()
    assert aside.aside(lambda: 5) == 5
    with pytest.raises(ValueError, match="seven"):
        aside.aside(lambda: int("seven"))


@pytest.mark.parametrize("phase", ["compiling", "writing"])
def test_random_moments(phase):
    """Runs apart, as the whole of it does: the full form is `tests.stress.trust`."""
    text = (
        f"from tests.stress import trust_signals as t; import sys; t.LATEST = {SECOND}\n"
        f"sys.exit(bool(t.faults(t.interrupted({phase!r}, 2, 1000, 1))))"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
