"""Ways through a function and numbers of the program: branches, loops, helpers, scalars."""

from __future__ import annotations

import numpy as np
from backends.plain_graphs import many, path

import emv
from emv import Vertex, f32, f64, i32, i64, inf, program, vertex

SCALE = 3


def clamp(x: f64, low: f64) -> f64:
    """Keep x in [low, low + SCALE]."""
    if x < low:
        return low
    return at_most(x, low + SCALE)


def at_most(x, bound) -> f64:
    return x if x < bound else bound


def digits(n: int) -> int:
    count = 0
    while n > 0:
        n //= 10
        count += 1
    return count


class Control(Vertex):
    n: i32
    clamped: f64 = 0.0
    digits: i32 = 0
    squares: i64 = 0
    down: i64 = 0
    steps: i32 = 0
    odd: i32 = 0
    fib: i64 = 0
    grade: i32 = 0


@vertex
def compute_control(v: Control):
    v.clamped = clamp(v.n / 2, 1.0)
    v.digits = digits(v.n)
    squares, down = 0, 0
    for i in range(v.n):
        squares += i * i
    for i in range(v.n, 0, -3):
        down = down * 10 + i
    for i in range(2, v.n):
        if i % 2 == 0:
            continue
        if i > 7:
            break
        v.odd += i
    v.squares, v.down = squares, down
    n, steps = v.n, 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
        if steps > 100:
            break
    v.steps = steps


@vertex
def compute_grade(v: Control):
    a, b = 0, 1
    for _ in range(v.n):
        a, b = b, a + b
    pair = (a, b)
    v.fib = pair[0] + pair[-1]
    v.grade = -1
    if v.n < 2:
        return
    v.grade = 1
    if v.n > 5:
        if v.n > 8:
            v.grade = 3
            return
        v.grade = 2
    v.grade += 10


@vertex
def grade_of(v: Control):
    if v.n < 2:
        return 0.5
    if v.n < 6:
        if v.n == 3:
            return 3
        half = v.n / 2
    else:
        half = 1.0
    return half + 1


@program
def controls(g):
    compute_control(g)
    compute_grade(g)
    return grade_of(g)


def test_branches_loops_and_helpers(backend):
    n = [0, 1, 2, 3, 5, 7, 9, 12]
    run = controls.run(many(n=np.array(n)), backend=backend)
    columns = run.vertices
    assert columns.clamped.tolist() == [min(max(each / 2, 1), 4) for each in n]
    assert columns.digits.tolist() == [len(str(each)) if each else 0 for each in n]
    assert columns.squares.tolist() == [sum(i * i for i in range(each)) for each in n]
    down = [int("".join(map(str, range(each, 0, -3))) or 0) for each in n[:-1]]
    assert columns.down.tolist()[:-1] == down
    assert columns.odd.tolist() == [sum({3, 5, 7} & set(range(2, each))) for each in n]
    assert columns.steps.tolist() == [0, 0, 1, 7, 5, 16, 19, 9]
    assert columns.fib.tolist() == [1, 2, 3, 5, 13, 34, 89, 377]
    assert columns.grade.tolist() == [-1, -1, 11, 11, 11, 12, 3, 3]
    assert run.result.tolist() == [0.5, 0.5, 2, 3, 3.5, 2, 2, 2]


class Target(Vertex):
    got: f64 = 0.0
    whole: i64 = 0
    near: f32 = 0.0
    pair: f64 = 0.0


@vertex
def take(v: Target, got: f64, whole: int, near: f32, pair: tuple[f64, i64]):
    v.got = got
    v.whole = whole
    v.near = near
    v.pair = pair[0] + pair[1]


@vertex
def one(v: Target):
    return 1


@program
def scalars(g, a, b, n):
    ones = emv.total(one(g))
    take(g, (a + 1) / b - a * 2, n // 2 + n % 3 - -n, a**2, pair=(ones / g.num_vertices, 2 * ones))
    return {
        "inverse": 1 / b,
        "power": 2.0**n,
        "less": a < b,
        "small": abs(a - b) < 5,
        "both": (a < b) & (n != 3),
        "sizes": g.num_vertices + 10 * g.num_edges + 100 * g.num_arcs,
        "whole": -7 // n,
    }


def test_numbers_of_the_program(backend):
    run = scalars.run(path(3, directed=False), 0.1, 4.0, 5, backend=backend)
    columns, result = run.vertices, run.result
    assert columns.got.tolist() == [(0.1 + 1) / 4.0 - 0.1 * 2] * 3
    assert columns.whole.tolist() == [2 + 2 + 5] * 3
    assert columns.near.tolist() == [float(np.float32(0.1**2))] * 3
    assert columns.pair.tolist() == [7.0] * 3
    expected = {"inverse": 0.25, "power": 32.0, "less": True, "small": True, "both": True}
    assert result == expected | {"sizes": 3 + 20 + 400, "whole": -2}
    assert scalars(path(3), 0.1, 0.0, 5, backend=backend)["inverse"] == inf
