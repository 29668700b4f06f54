"""Work on another thread, while the main thread waits and Python runs the handlers of signals.

Python runs them in its main thread, between bytecodes. Work that does not come back to bytecodes,
or that must not meet an exception where one arrives by chance, is therefore done by another thread.
What compiles is such work: numba's callbacks swallow an exception, and tables that it has half
changed make later compilations fail. So are launches that may never come back by themselves.
"""

from __future__ import annotations

import atexit
import os
import queue
import threading
from collections.abc import Callable
from typing import Any

from llvmlite.binding import ffi
from numba.core.compiler_lock import global_compiler_lock

from emv.backends import files, lean

IDLE: list[Hand] = []
MAIN = [threading.main_thread().ident]  # asked at every launch; a child made by fork has another


class Task:
    """A piece of work for another thread; `end` is free once it is done."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self.work: Callable[[], Any] | None = work
        self.is_done = False
        self.result: Any = None
        self.error: BaseException | None = None
        self.end = threading.Lock()
        self.end.acquire()

    def do(self) -> None:
        """Do it, and keep what comes of it."""
        assert self.work is not None
        try:
            self.result = self.work()
        except BaseException as error:  # whoever waits raises it
            self.error = error
        self.work = None
        self.is_done = True
        self.end.release()


class Hand(threading.Thread):
    """A thread that does one piece of work after another.

    It is kept, as GNU's OpenMP begins threads anew for every thread that calls it.
    """

    def __init__(self) -> None:
        super().__init__(name="emv-aside", daemon=True)
        self.tasks: queue.SimpleQueue[Task] = queue.SimpleQueue()
        self.start()

    def run(self) -> None:
        """Do what comes."""
        while True:
            task = self.tasks.get()
            task.do()
            del task  # and with it the arrays that its work names
            IDLE.append(self)


def is_main() -> bool:
    """Return whether this is the thread in which Python runs the handlers of signals."""
    return threading.get_ident() == MAIN[0]


def aside(work: Callable[[], Any], leave: Callable[[], Any] | None = None) -> Any:
    """Return what some work gives, done by another thread while this one hears signals.

    Parameters
    ----------
    work : callable
        What is done.
    leave : callable, optional
        Asks the work to end soon, which is then waited for. Without it, the work goes on by itself
        where a handler of a signal raises.
    """
    task, heard = Task(work), None
    try:
        hand = IDLE.pop()
    except IndexError:
        hand = Hand()
    hand.tasks.put(task)
    while not task.is_done:
        try:
            task.end.acquire()
        except BaseException as error:  # of a handler
            heard = heard or error
            if leave is None:
                break
            leave()
    if heard is not None:
        raise heard
    if task.error is not None:
        raise task.error
    return task.result


# A process that another thread makes by fork, or that ends, while a thread compiles.

HELD: list[Any] = []  # what was taken before a fork, in order


def locks() -> list[Any]:
    """Return the locks behind which kernels are imported and compiled, in the order of taking."""
    return [files.IMPORTING, global_compiler_lock, ffi.lib._lock, lean.LOCK]


def before_fork() -> None:
    """Wait until no thread is in the midst of compiling, which a child could never end."""
    for lock in locks():
        lock.__enter__()
        HELD.append(lock)


def after_fork() -> None:
    """Give back what was taken before, in the parent and in the child."""
    while HELD:
        HELD.pop().__exit__(None, None, None)


def after_fork_in_child() -> None:
    """Forget threads that are the parent's."""
    IDLE.clear()
    MAIN[0] = threading.get_ident()
    after_fork()


def at_exit() -> None:
    """Let no thread enter LLVM any more, whose memory goes while other threads may still run."""
    ffi.lib._lock.__enter__()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=before_fork, after_in_parent=after_fork, after_in_child=after_fork_in_child
    )
atexit.register(at_exit)
