"""Work on another thread, while the main thread waits and Python runs the handlers of signals.

Python runs them in its main thread, between bytecodes. Work that does not come back to bytecodes,
or that must not meet an exception where one arrives by chance, is therefore done by another thread.
What compiles is such work: numba's callbacks swallow an exception, and tables that it has half
changed make later compilations fail. So are launches that may never come back by themselves, and
the sorts and walks of which large graphs are built. What somebody no longer waits for goes on to
its end, and nobody sees what it gives.
"""

from __future__ import annotations

import contextlib
import contextvars
import os
import queue
import threading
from collections.abc import Callable, Iterable
from typing import Any

LONG = 2**21  # entries from which a sort or a walk may last a fraction of a second
IDLE: list[Hand] = []
MAIN = [threading.main_thread().ident]  # asked at every launch; a child made by fork has another


class Task:
    """A piece of work for another thread; `end` is free once it is done."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self.work: Callable[[], Any] | None = work
        self.context = contextvars.copy_context()  # numpy's ways with errors are kept there
        self.is_done = False
        self.result: Any = None
        self.error: BaseException | None = None
        self.end = threading.Lock()
        self.end.acquire()

    def do(self) -> None:
        """Do it, and keep what comes of it."""
        assert self.work is not None
        try:
            self.result = self.context.run(self.work)
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


def idle_hand() -> Hand:
    """Return a thread that waits for work, begun now if there is none."""
    try:
        return IDLE.pop()
    except IndexError:
        return Hand()


def begin(work: Callable[[], Any]) -> None:
    """Let another thread do some work; nobody sees what it gives, and what it raises."""
    idle_hand().tasks.put(Task(work))


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
    task, heard, is_given = Task(work), None, False
    hand = idle_hand()
    while not task.is_done:
        try:  # from where the work begins on, what a handler raises is caught
            if not is_given:
                is_given = True
                hand.tasks.put(task)
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


def leavable(work: Callable[[], Any], size: int = LONG) -> Any:
    """Return what some work gives; the main thread need not wait for its end if it is long.

    Parameters
    ----------
    work : callable
        What changes nothing but what it returns, and may go on when nobody waits any more.
    size : int, optional
        How many entries it is about; fewer than `LONG` are worked on here.
    """
    return aside(work) if size >= LONG and is_main() else work()


def all_at_once(
    task: Callable[..., Any],
    *arguments: Iterable[Any],
    num_threads: int | None = None,
    size: int = LONG,
) -> list[Any]:
    """Return what a task gives for each row of its arguments, worked on by several threads.

    Parameters
    ----------
    task : callable
        What releases the GIL, and changes nothing that is seen where it is not waited for.
    *arguments : iterable
        What it is given each time.
    num_threads : int, optional
        Threads at most; by default one for each row.
    size : int, optional
        How many entries all of them are about, as `leavable` takes it.

    Examples
    --------
    >>> all_at_once(pow, [2, 3], [3, 2])
    [8, 9]
    """
    rows = list(zip(*arguments, strict=True))

    def work() -> list[Any]:
        if len(rows) < 2 or num_threads == 1:
            return [task(*row) for row in rows]
        return shared_out(task, rows, min(num_threads or len(rows), len(rows)))

    return leavable(work, size)


def shared_out(task: Callable[..., Any], rows: list[Any], count: int) -> list[Any]:
    """Return what a task gives for each row, of which this thread and others take the next."""
    results: list[Any] = [None] * len(rows)
    numbers: queue.SimpleQueue[int] = queue.SimpleQueue()
    for number in range(len(rows)):
        numbers.put(number)

    def serve() -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                number = numbers.get_nowait()
                results[number] = task(*rows[number])

    others = [Task(serve) for _ in range(count - 1)]
    for each in others:
        idle_hand().tasks.put(each)
    try:
        serve()
    finally:
        for each in others:
            each.end.acquire()
    for each in others:
        if each.error is not None:
            raise each.error
    return results


def after_fork_in_child() -> None:
    """Forget threads that are the parent's."""
    IDLE.clear()
    MAIN[0] = threading.get_ident()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=after_fork_in_child)
