"""Ctrl-C at random moments, and processes made while threads compile and run: part of `trust`.

A signal must be heard within a second, as a KeyboardInterrupt, and what runs next must be right. A
child must end, with the right result, however it was made.
"""

from __future__ import annotations

import collections
import itertools
import multiprocessing
import os
import random
import signal
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import emv
from emv import Vertex, generators, i64, vertex
from emv.algorithms import bfs, num_triangles

Counts = collections.Counter[str]

LATEST = 1.0  # seconds until a signal is heard
PATIENCE = 60.0  # seconds that a child gets
NUMBERS = itertools.count(int(time.time()) % 10**6 * 1000)  # a program for each has new kernels


class Node(Vertex):
    """A vertex with a number."""

    number: i64 = 0


def fresh_program(number: int) -> Any:
    """Return a program that nobody has compiled, which gives every vertex a number."""

    @vertex
    def put(v: Node):
        v.number = number

    @emv.program
    def put_number(g):
        put(g)
        return g.vertices.number

    return put_number


def is_fresh_right() -> bool:
    """Compile a new program and run it."""
    number = next(NUMBERS)
    found = fresh_program(number)(generators.path(5), backend="cpu")
    return bool((np.asarray(found) == number).all())


class Phases:
    """What is interrupted, on one graph in one folder; each returns whether it came out right."""

    def __init__(self, folder: Path, num_vertices: int) -> None:
        self.graph = generators.grid(num_vertices // 100, 100)
        self.path = folder / "grid.tsv"
        emv.write(self.graph, self.path)
        self.dense = generators.complete(min(2500, num_vertices // 10))
        self.right = np.asarray(bfs(self.graph, 0, backend="cpu"))

    def reading(self) -> bool:
        """Read the file."""
        return bool(emv.read(self.path).num_edges == self.graph.num_edges)

    def writing(self) -> bool:
        """Write the file over, and read what is there."""
        emv.write(self.graph, self.path)
        return True

    def compiling(self) -> bool:
        """Compile a new program."""
        return is_fresh_right()

    def running(self) -> bool:
        """Run one program whose launch is long and one with many short supersteps."""
        count, depth = self.dense.num_vertices, bfs(self.graph, 0, backend="cpu")
        triangles = count * (count - 1) * (count - 2) // 6
        is_right = int(num_triangles(self.dense, backend="cpu")) == triangles
        return is_right and np.array_equal(depth, self.right)


def struck(do: Callable[[], Any], seconds: float) -> str:
    """Do something and send Ctrl-C after so many seconds; return what came of it."""
    sent: list[float] = []

    def send() -> None:
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(seconds, send)
    try:
        timer.start()
        do()
        timer.join()
        time.sleep(LATEST)
    except KeyboardInterrupt:
        took = time.perf_counter() - sent[0]
        return "LATE" if took > LATEST else "heard"
    except Exception as error:
        return f"RAW {type(error).__name__}"
    return "LOST"


def interrupted(phase: str, signals: int, num_vertices: int, seed: int) -> Counts:
    """Interrupt a phase at random moments."""
    chance, counts = random.Random(f"{phase} {seed}"), Counts()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have had it ignored
    with tempfile.TemporaryDirectory() as folder:
        phases = Phases(Path(folder), num_vertices)
        do = getattr(phases, phase)
        do()
        begun = time.perf_counter()
        do()
        usual = time.perf_counter() - begun
        for _ in range(signals):
            counts[struck(do, chance.random() * usual)] += 1
            counts["right afterwards" if do() and phases.reading() else "WRONG"] += 1
    return counts


def child(answers: Any) -> None:
    """Compute something in a new process: with kernels that are there, and with new ones."""
    depth = np.asarray(bfs(generators.path(1000), 0, backend="cpu"))
    answers.put(int(depth[-1]) == 999 and is_fresh_right())


def made(how: str, times: int) -> Counts:
    """Make processes while one thread compiles and another runs."""
    context, counts, is_over = multiprocessing.get_context(how), Counts(), threading.Event()
    graph = generators.grid(300, 300)
    right = np.asarray(bfs(graph, 0, backend="cpu"))

    def repeat(do: Callable[[], bool]) -> None:
        while not is_over.is_set():
            counts["right beside" if do() else "WRONG beside"] += 1

    works = (is_fresh_right, lambda: np.array_equal(bfs(graph, 0, backend="cpu"), right))
    threads = [threading.Thread(target=repeat, args=(each,)) for each in works]
    for each in threads:
        each.start()
    try:
        for _ in range(times):
            time.sleep(random.random())
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


def faults(counts: dict[str, int]) -> dict[str, int]:
    """Return the counts of what should not be."""
    return {what: number for what, number in counts.items() if what.split()[0].isupper()}


def work(job: dict[str, Any]) -> dict[str, int]:
    """Do a job."""
    if job["what"] == "signals":
        counts = interrupted(job["name"], job["signals"], job["num_vertices"], job["seed"])
    else:
        counts = made(job["name"], job["times"])
    return dict(counts)


def jobs(signals: int, num_vertices: int, seed: int, **_: Any) -> list[dict[str, Any]]:
    """Return what there is to do."""
    size = {"num_vertices": 10 * num_vertices, "signals": signals, "seed": seed}
    found = [
        {"what": "signals", "name": each, **size}
        for each in ("reading", "compiling", "running", "writing")
    ]
    ways = [
        each for each in multiprocessing.get_all_start_methods() if signals > 4 or each == "fork"
    ]
    return found + [{"what": "made by", "name": how, "times": signals // 4} for how in ways]
