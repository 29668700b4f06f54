"""Threads that do LLVM's part of compilations, while others go on in Python.

A piece of work has a context of LLVM's to itself, so it needs none of the locks that llvmlite takes
for each question. Pieces are begun in the order in which they were asked for. Whoever waits for one
does what waits meanwhile, so that with one thread for LLVM there are two.

What was asked for ahead goes on while a program runs. A fork waits for all of it. Where the process
ends, Python waits for the pieces that are under way, and nobody does the others.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

from llvmlite.binding import ffi

from emv_kernels import forks, patches

SWITCH_S = 2e-4  # in which Python lets such a thread ask for the next thing; 5 ms by default
MOST_THREADS = 3
ENOUGH = 4  # pieces of work for each thread, beyond which whoever waits helps
HERE = threading.local()  # whether this thread is LLVM's
WAITING: deque[tuple[Future[Any], Callable[[], Any]]] = deque()  # that nobody has begun to do
ASKED_FOR: list[Future[Any]] = []  # some of which may be over
AT_WORK: list[int] = []  # the processes of threads: a child made by fork has none
LOCK = threading.Lock()  # of the list before, taken for an instant


def ask_llvm(self: Any, *args: Any) -> Any:
    """Call a function of LLVM and tell nobody: in place of ``_lib_fn_wrapper.__call__``."""
    if is_here():
        return self._cfn(*args)
    with self._lock._lock:
        return self._cfn(*args)


ASKED = [(ffi._lib_fn_wrapper, "__call__", ask_llvm)]


def begin(work: Callable[[], Any]) -> Future[Any]:
    """Let a thread of LLVM's do some work, or whoever waits for it."""
    future = Future[Any]()
    ASKED_FOR[:] = [each for each in ASKED_FOR if not each.done()]
    ASKED_FOR.append(future)
    WAITING.append((future, work))
    with LOCK:
        is_needed = AT_WORK.count(os.getpid()) < num_threads()
        if is_needed:
            AT_WORK.append(os.getpid())
    if is_needed:
        try:
            threading.Thread(target=work_off, name="emv-llvm").start()
        except RuntimeError:  # the process ends, or may have no more threads
            AT_WORK.remove(os.getpid())
    return future


def work_off() -> None:
    """Do what waits, as a thread of LLVM's that ends with it."""
    HERE.is_llvm = True
    while True:
        while threading.main_thread().is_alive() and do_one():
            pass
        with LOCK:
            if not WAITING or not threading.main_thread().is_alive():
                AT_WORK.remove(os.getpid())
                return


def do_one() -> bool:
    """Do the first piece of work that nobody has begun; return whether there was one."""
    try:
        future, work = WAITING.popleft()
    except IndexError:
        return False
    try:
        with patches.changed(list(ASKED)):
            found = work()
    except BaseException as error:  # whoever waits raises it
        future.set_exception(error)
    else:
        future.set_result(found)
    return True


def outcome(future: Future[Any]) -> Any:
    """Return what came of some work; what nobody has begun is done here meanwhile."""
    while not future.done() and do_one():
        pass
    return future.result()


def help_until(is_made: Callable[[], bool]) -> None:
    """Do what waits as long as there is more than the threads will soon come to."""
    while len(WAITING) > ENOUGH * num_threads() and not is_made() and do_one():
        pass


def num_threads() -> int:
    """Return how many threads LLVM has: numba's front end has a core, too."""
    is_known = hasattr(os, "sched_getaffinity")
    cores = len(os.sched_getaffinity(0)) if is_known else os.cpu_count() or 1
    return min(MOST_THREADS, max(1, cores - 1))


def is_here() -> bool:
    """Return whether this is a thread of LLVM's."""
    return getattr(HERE, "is_llvm", False)


@contextlib.contextmanager
def soon() -> Iterator[None]:
    """Let threads of LLVM's have their turns soon, beside one that is at work in Python."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(min(SWITCH_S, before))
    try:
        yield
    finally:
        sys.setswitchinterval(before)


class Rest:
    """Is taken, as a lock is, by whoever needs that no work is under way."""

    def __enter__(self) -> None:
        for future in ASKED_FOR:
            with contextlib.suppress(BaseException):  # which whoever waits for it raises
                outcome(future)
        ASKED_FOR.clear()

    def __exit__(self, *_: object) -> None:
        """Let others begin."""


forks.wait_for(Rest(), 2)  # behind numba's lock: whoever begins work has it
forks.wait_for(LOCK, 6)
