"""Work that threads do or whoever waits for it, in order, and that a fork and an end wait for."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import pytest

from emv_kernels import llvm_threads
from emv_kernels.llvm_threads import Rest, begin, do_one, help_until, num_threads, outcome


@pytest.fixture(autouse=True)
def rested():
    with Rest():
        pass
    yield
    with Rest():
        pass


def test_work_is_done_in_order_by_threads_that_end_with_it():
    done: list[tuple[int, str]] = []

    def piece(number):
        return lambda: done.append((number, threading.current_thread().name)) or number

    found = [begin(piece(number)) for number in range(9)]
    assert [outcome(each) for each in found] == [*range(9)]
    assert sorted(number for number, _ in done) == [*range(9)]
    names = {"emv-llvm", threading.current_thread().name}
    assert {name.split(" ")[0] for _, name in done} <= names
    for thread in threading.enumerate():
        if thread.name == "emv-llvm":
            thread.join(5)
            assert not thread.is_alive()


def test_whoever_waits_does_what_waits_before_it(monkeypatch):
    monkeypatch.setattr(llvm_threads, "num_threads", lambda: 0)  # nobody else does anything
    done: list[int] = []
    for number in range(3):
        last = begin(lambda number=number: done.append(number))
    after = begin(lambda: done.append(3))
    outcome(last)
    assert done == [0, 1, 2]
    assert not after.done()
    assert do_one()
    assert after.done()
    assert not do_one()


def test_whoever_has_something_else_to_do_helps_only_where_much_waits(monkeypatch):
    monkeypatch.setattr(llvm_threads, "num_threads", lambda: 0)
    found = [begin(int) for _ in range(5)]
    monkeypatch.setattr(llvm_threads, "num_threads", lambda: 1)
    monkeypatch.setattr(llvm_threads, "ENOUGH", 2)
    help_until(lambda: False)
    assert [each.done() for each in found] == [True] * 3 + [False] * 2
    monkeypatch.setattr(llvm_threads, "ENOUGH", 0)
    help_until(lambda: True)
    assert [each.done() for each in found] == [True] * 3 + [False] * 2


def test_whoever_waits_is_told_what_went_wrong():
    def fail():
        raise ZeroDivisionError("of this piece")

    wrong, right = begin(fail), begin(lambda: 7)
    assert outcome(right) == 7
    with pytest.raises(ZeroDivisionError, match="of this piece"):
        outcome(wrong)


def test_there_is_a_core_for_the_front_end():
    assert 1 <= num_threads() <= llvm_threads.MOST_THREADS


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_fork_waits_for_all_that_was_asked_for():
    done: list[int] = []
    for number in range(4):
        begin(lambda number=number: time.sleep(0.05) or done.append(number))
    child = os.fork()
    if child == 0:
        own = begin(lambda: 5)
        os._exit(0 if (len(done), outcome(own)) == (4, 5) else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


END = """
import threading, time
from emv_kernels.llvm_threads import begin

is_begun = threading.Event()

def work():
    is_begun.set()
    time.sleep(0.2)
    print("done", flush=True)

for _ in range(40):
    begin(work)
is_begun.wait()
"""


def test_where_the_process_ends_nothing_more_is_begun():
    run = subprocess.run([sys.executable, "-c", END], capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stderr) == (0, "")
    assert 1 <= len(run.stdout.splitlines()) <= num_threads()
