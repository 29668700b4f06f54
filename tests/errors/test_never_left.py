"""``while True`` that nothing leaves, in a program and in a function."""

import pytest
from errors.expect import path, refuses

from emv import Vertex, i32, program, vertex
from emv.errors import EndlessLoopError


class Page(Vertex):
    count: i32 = 0


@vertex
def touch(v: Page):
    v.count += 1


@program
def mistaken(g):
    while "rounds":
        for k in range(3):
            if k:
                break
        touch(g)


def test_program_that_is_never_left():
    refuses(
        mistaken,
        EndlessLoopError,
        run="eager",
        at='while "rounds":',
        under='"rounds"',
        function="mistaken",
        says="this loop can never end: nothing in it breaks or returns",
        remedy="g.supersteps(100)",
    )


@vertex
def spin(v: Page):
    while 1:
        v.count += 1


@program
def spins(g):
    spin(g)


def test_function_that_is_never_left():
    refuses(
        spins,
        EndlessLoopError,
        at="while 1:",
        under="1",
        function="spin",
        says="this loop can never end",
        remedy="break out of it",
    )


@program(host_loop=True)
def left_by_an_exception(g, ids):
    numbers = iter(ids)
    try:
        while True:
            touch(g.only(next(numbers)))
    except StopIteration:
        pass
    return g.vertices.count


@program(host_loop=True)
def left_behind_an_inner_loop(g, limit):
    number = 0
    while True:
        for _ in range(2):
            touch(g)
        else:
            number += 1
            if number == limit:
                break
    return g.vertices.count


@program(host_loop=True)
def left_by_an_assertion(g, limit):
    number = 0
    while True:
        touch(g)
        number += 1
        assert number < limit


def test_loops_that_end_run():
    for backend in ("python", "cpu"):
        counted = left_by_an_exception(path(), (0, 2), backend=backend)
        assert counted.tolist() == [1, 0, 1]
        assert left_behind_an_inner_loop(path(), 2, backend=backend).tolist() == [4, 4, 4]
        with pytest.raises(AssertionError):
            left_by_an_assertion(path(), 2, backend=backend)
