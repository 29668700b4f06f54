"""`callback=`: told how far a run is, it may end it, or raise."""

from __future__ import annotations

import pytest
from backends.plain_graphs import path

import emv
from emv import Vertex, i32, program, vertex
from emv.algorithms import bfs
from emv.runtime.admission import only_asked


class Counter(Vertex):
    count: i32 = 0
    last: i32 = 0


@vertex
def add(v: Counter):
    v.count += 1
    emv.keep_going()


@vertex
def finish(v: Counter):
    v.last = v.count
    return v.count


@program
def counting(g):
    for _ in g.supersteps(10**9):
        add(g)
    return emv.largest(finish(g)), g.vertices.last


@program
def nested(g):
    for _ in g.supersteps(10**9):
        for _ in g.supersteps(10**9):
            add(g)
    for _ in g.supersteps(10**9):
        add(g)
    return emv.largest(finish(g))


def test_told_of_the_last_superstep(backend):
    told = []
    run = bfs.run(
        path(5), 0, backend=backend, callback=lambda step, info: told.append((step, info))
    )
    steps = [step for step, _ in told]
    assert steps == sorted(steps)
    assert steps[-1] == run.supersteps == 5
    assert run.stopped == "converged"
    assert told[-1][1]["active"] == 0
    lines = bfs.python.__code__
    assert lines.co_firstlineno < told[-1][1]["line"]


def test_something_true_ends_the_run_with_what_it_has(backend):
    run = counting.run(path(3), backend=backend, callback=lambda step, info: step >= 3)
    assert run.stopped == "callback"
    assert run.supersteps >= 3
    largest, last = run.result
    assert largest == run.supersteps  # what follows the loop has run
    assert last.tolist() == run.vertices.count.tolist() == [run.supersteps] * 3


def test_it_ends_all_loops_and_is_not_called_again(backend):
    told = []
    run = nested.run(
        path(3), backend=backend, callback=lambda step, info: told.append(step) or True
    )
    assert run.stopped == "callback"
    assert len(told) == 1
    assert run.result == run.supersteps - 1 == told[0] - 1  # one superstep is the outer loop's


def test_one_that_is_only_asked_hears_nothing_of_what_has_ended(compiled):
    told = []

    @only_asked
    def asked(_, info):
        told.append(info)
        return True

    run = bfs.run(path(5), 0, backend=compiled, callback=asked)
    assert (run.stopped, run.supersteps, told) == ("converged", 5, [])
    run = counting.run(path(3), backend=compiled, callback=asked)
    assert (run.stopped, told) == ("callback", [{}])


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_what_it_raises_leaves_graph_and_program_usable(backend, error):
    g = path(20)
    expected = bfs(g, 0, backend=backend).tolist()

    def interrupt(step, info):
        raise error

    for _ in range(2):
        with pytest.raises(error):
            bfs.run(g, 0, backend=backend, callback=interrupt)
        assert bfs(g, 0, backend=backend).tolist() == expected
        assert counting.run(g, backend=backend, callback=lambda *_: True).stopped == "callback"
