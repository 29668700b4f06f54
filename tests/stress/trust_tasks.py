"""What is interrupted, phase by phase: part of `trust`.

Each task says whether it came out right, and has a check that is short: what runs after a signal
must be right, and need not take as long as what was interrupted.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import emv
from emv import Graph, Vertex, f64, generators, i64, vertex
from emv.algorithms import betweenness_centrality, bfs, num_triangles, pagerank, sssp
from tests.stress.trust_writers import FILES, graph_for, summary_of

PHASES = ("reading", "building", "writing", "compiling", "running", "threads", "cold")

NUM_COLD = 4  # tasks of ``cold``

NUMBERS = itertools.count(os.getpid() * 10**9 + int(time.time()))
"""A program for each has kernels that nobody has compiled."""


@dataclasses.dataclass(frozen=True)
class Task:
    """Something to interrupt.

    Attributes
    ----------
    name : str
        What it is called where it goes wrong.
    do : callable
        Does it, and returns whether it came out right.
    check : callable
        Does a little of the same; whether that came out right.
    is_endless : bool
        Whether nothing but a signal ends it.
    """

    name: str
    do: Callable[[], bool]
    check: Callable[[], bool]
    is_endless: bool = False


class Node(Vertex):
    """A vertex with numbers."""

    number: i64 = 0
    x: f64 = 1.0


@vertex
def shrink(v: Node, rounds: i64):
    """Count far in one block of work."""
    for _ in range(rounds):
        v.x = v.x * 0.999 + 1.0


@vertex
def look_for(v: Node, wanted: i64):
    """Look for a number, for ever if there is none."""
    while v.number != wanted:
        v.number = (v.number + 1) % 4


@vertex
def count_on(v: Node):
    """Vote for another superstep, whatever happens."""
    v.number += 1
    emv.keep_going()


@emv.program
def long_block(g, rounds):
    """Run one block of work for long."""
    shrink(g, rounds)
    return g.vertices.x


@emv.program
def seeking(g, wanted):
    """Run a loop that may have no end."""
    look_for(g, wanted)
    return g.vertices.number


@emv.program
def counting(g, most):
    """Run many short supersteps."""
    for _ in g.supersteps(most):
        count_on(g)
    return g.vertices.number


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


def are_triangles_right(count: int) -> bool:
    """Count the triangles of a complete graph: one long launch."""
    triangles = count * (count - 1) * (count - 2) // 6
    return int(num_triangles(generators.complete(count), backend="cpu")) == triangles


def is_right(function: Any, graph: Graph, *args: Any) -> Callable[[], bool]:
    """Return what compares a program with its first result, which is made now."""
    right = np.asarray(function(graph, *args, backend="cpu"))
    return lambda: np.allclose(function(graph, *args, backend="cpu"), right, rtol=1e-9)


def reading(folder: Path, size: int) -> list[Task]:
    """Return tasks that read a file of each format."""

    def task(name: str) -> Task:
        graph, path = graph_for(name, size, 1), folder / name
        emv.write(graph, path)
        right = summary_of(emv.read(path))

        def do() -> bool:
            return summary_of(emv.read(path)) == right

        return Task(name, do, do)

    return [task(name) for name in FILES]


def writing(folder: Path, size: int) -> list[Task]:
    """Return tasks that write a file of each format over an old one, which are then read."""

    def task(name: str) -> Task:
        graph, path = graph_for(name, size, 1), folder / name
        emv.write(graph, path)
        right = summary_of(emv.read(path))

        def do() -> bool:
            emv.write(graph, path)
            return True

        return Task(name, do, lambda: summary_of(emv.read(path)) == right)

    return [task(name) for name in FILES]


def building(folder: Path, size: int) -> list[Task]:
    """Return tasks that build what programs need of a graph, and make one simple."""
    chance = np.random.default_rng(1)
    src, dst = chance.integers(0, size, (2, 20 * size))

    def built(count: int) -> tuple[int, ...]:
        layouts = Graph.from_edges(src[:count], dst[:count], num_vertices=size).layouts
        return int(layouts.slot_of_arc[::97].sum()), int(layouts.sorted_dst[::89].sum())

    def simple(count: int) -> tuple[int, ...]:
        graph = Graph.from_edges(src[:count], dst[:count], num_vertices=size, directed=False)
        return (graph.prepared(dedup="first").num_edges,)

    def renumbered(count: int) -> tuple[int, ...]:
        graph = Graph.from_edges(src[:count] * 10**9, dst[:count] * 10**9, renumber=True)
        return (graph.num_vertices,)

    def task(name: str, make: Callable[[int], tuple[int, ...]]) -> Task:
        whole, part = make(len(src)), make(size)
        return Task(name, lambda: make(len(src)) == whole, lambda: make(size) == part)

    makes = {"layouts": built, "simple": simple, "renumbered": renumbered}
    return [task(*each) for each in makes.items()]


def compiling(folder: Path, size: int) -> list[Task]:
    """Return the task that compiles a new program."""
    return [Task("a new program", is_fresh_right, is_fresh_right)]


def running(folder: Path, size: int) -> list[Task]:
    """Return tasks that run: long launches, long blocks, loops of all kinds, plain Python."""
    few, wide = generators.path(10), generators.star(10 * size)
    grid = generators.grid(size // 50, 50, weights=(1, 9))
    dense, rounds = min(900, size // 20), 200 * size
    small = generators.grid(20, 20)
    searched = is_right(bfs, small, 0)

    def runs(program: Any, *args: Any) -> Callable[[], bool]:
        return lambda: bool(len(program(few, *args, backend="cpu")))

    levels, ways, hub = is_right(bfs, grid, 0), is_right(sssp, grid, 0), is_right(pagerank, wide)
    paths = is_right(betweenness_centrality, generators.grid(30, 30))
    plain = np.asarray(bfs(small, 0))

    def in_python() -> bool:
        return np.array_equal(bfs(small, 0, backend="python"), plain)

    return [
        Task("triangles", lambda: are_triangles_right(dense), lambda: are_triangles_right(50)),
        Task("a long block", runs(long_block, rounds), runs(long_block, 2)),
        Task("while", runs(seeking, -1), runs(seeking, 2), is_endless=True),
        Task("bfs", levels, searched),
        Task("votes", runs(counting, 10**12), runs(counting, 3), is_endless=True),
        Task("sssp", ways, searched),
        Task("a hub", hub, searched),
        Task("betweenness", paths, searched),
        Task("Python", in_python, searched),
    ]


def cold(folder: Path, size: int) -> list[Task]:
    """Return tasks that need kernels of every kind; nothing is compiled before them."""
    path = folder / "grid.tsv"
    ends = np.repeat(np.arange(2**19), 2)
    text = "".join(f"{each} {each + 1}\n" for each in range(2000))
    path.write_text(text)

    def build() -> bool:
        layouts = Graph.from_edges(ends, ends[::-1], directed=False).layouts
        return len(layouts.sorted_dst) == layouts.num_arcs

    def search() -> bool:
        return int(np.asarray(bfs(generators.path(50), 0, backend="cpu"))[-1]) == 49

    def read() -> bool:
        return bool(emv.read(path).num_edges == 2000)

    return [Task("reading", read, read), Task("building", build, build),
            Task("searching", search, search),
            Task("a new program", is_fresh_right, is_fresh_right)]  # fmt: skip


@contextlib.contextmanager
def tasks_of(phase: str, folder: str, num_vertices: int) -> Iterator[list[Task]]:
    """Give the tasks of a phase; those of ``threads`` are done while two others run programs.

    Parameters
    ----------
    phase : str
        One of `PHASES`.
    folder : str
        Where files are put.
    num_vertices : int
        Of the larger graphs, about.
    """
    if phase != "threads":
        yield globals()[phase](Path(folder), num_vertices)
        return
    is_over, graph = threading.Event(), generators.grid(100, 100)
    beside, wrong = is_right(bfs, graph, 0), list[str]()

    def repeat() -> None:
        while not is_over.is_set():
            if not beside():
                wrong.append("beside")

    threads = [threading.Thread(target=repeat) for _ in range(2)]
    for each in threads:
        each.start()
    try:
        yield running(Path(folder), num_vertices)
    finally:
        is_over.set()
        for each in threads:
            each.join()
    assert not wrong, "what ran on other threads came out wrong"
