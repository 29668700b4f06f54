"""Processes made by fork, spawn and forkserver while threads compile and run: part of `trust`."""

from __future__ import annotations

import collections
import multiprocessing
import random
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from emv import generators
from emv.algorithms import bfs
from tests.stress.trust_tasks import is_fresh_right, is_right

Counts = collections.Counter[str]

PATIENCE = 120.0  # seconds that a child gets
PAUSE_S = 0.2  # at most, between two processes, and between what goes on beside them
WAYS = tuple(multiprocessing.get_all_start_methods())


def child(answers: Any) -> None:
    """Compute something in a new process: with kernels that are there, and with new ones."""
    depth = np.asarray(bfs(generators.path(1000), 0, backend="cpu"))
    answers.put(int(depth[-1]) == 999 and is_fresh_right())


def made(how: str, times: int) -> Counts:
    """Make processes while one thread compiles and another runs."""
    context, counts, is_over = multiprocessing.get_context(how), Counts(), threading.Event()
    if how == "forkserver":
        context.set_forkserver_preload(["numba.core.codegen", __name__])

    def repeat(do: Callable[[], bool]) -> None:
        while not is_over.wait(random.random() * PAUSE_S):
            counts["right beside" if do() else "WRONG beside"] += 1

    works = (is_fresh_right, is_right(bfs, generators.grid(100, 100), 0))
    threads = [threading.Thread(target=repeat, args=(each,)) for each in works]
    for each in threads:
        each.start()
    try:
        for _ in range(times):
            time.sleep(random.random() * PAUSE_S)
            counts[one_child(context)] += 1
    finally:
        is_over.set()
        for each in threads:
            each.join()
    return counts


def one_child(context: Any) -> str:
    """Return what became of one process."""
    answers = context.Queue()
    process = context.Process(target=child, args=(answers,))
    process.start()
    process.join(PATIENCE)
    if process.is_alive():
        process.kill()
        process.join()
        return "HUNG"
    if process.exitcode:
        return f"ENDED {process.exitcode}"
    return "right" if answers.get(timeout=5) else "WRONG"
