"""What a program computes from its own numbers is the same everywhere, at the edges, too."""

from __future__ import annotations

import math

import numpy as np
import pytest
from backends.plain_graphs import path

import emv
from emv import Vertex, f64, i64, program, u64, vertex

LEAST = -(2**63)


class Spot(Vertex):
    x: f64 = 0.0
    n: i64 = 0
    big: u64 = 0


@vertex
def put(v: Spot, x: f64, n: i64):
    v.x = x
    v.n = n
    v.big = n


@program
def of_numbers(g, x: float, n: int, k: int):
    put(g.only(0), x, n)
    total, whole, big = emv.total(g.vertices.x), emv.total(g.vertices.n), emv.total(g.vertices.big)
    signs = total > 1, whole < n + 1, (total > 0) ^ (whole > 0), (n > k) & (x > 0), ~(n > k)
    floats = total / n, n / k, total // 2, total % 3, -total, abs(total), total**2, np.hypot(x, n)
    roots = np.sqrt(total), np.log(whole), np.exp(-abs(total)), np.float64(2.0) * total, total + k
    wholes = n // k, n % k, n << k, n >> k, n**k, -whole, abs(whole), n & k, n | k, n ^ k, 7 // n
    rounded = math.floor(total), math.ceil(total), math.trunc(total), round(total), math.floor(n)
    least = emv.min(total, n), emv.max(n, k), np.maximum(total, k), *divmod(n, k)
    bigs = big + 1, big // 2, big - 6, big > 3
    return *signs, *floats, *roots, *wholes, *rounded, *least, *bigs


CASES = [(2.5, 7, 2), (-2.5, -7, 3), (0.0, 0, 0), (1e300, LEAST, -1), (math.inf, 2**62, 70)]


@pytest.mark.parametrize(("x", "n", "k"), CASES)
def test_numbers_of_a_program(compiled, x, n, k):
    wanted = of_numbers(path(2), x, n, k, backend="python")
    found = of_numbers(path(2), x, n, k, backend=compiled)
    for position, (one, other) in enumerate(zip(wanted, found, strict=True)):
        assert type(one) is type(other)
        is_same = one == other or (one != one and other != other)
        assert is_same or math.isclose(one, other, rel_tol=1e-14), position


def test_numbers_are_those_of_python():
    found = of_numbers(path(2), -2.5, -7, 3, backend="python")
    assert found[:5] == (False, True, False, False, True)
    assert found[5:13] == (-2.5 / -7, -7 / 3, -2.0, 0.5, 2.5, 2.5, 6.25, math.hypot(2.5, 7))
    assert found[18:29] == (-3, 2, -56, -1, -343, 7, 7, -7 & 3, -7 | 3, -7 ^ 3, -1)
    assert found[29:34] == (-3, -2, -2, -2, -7)
    assert found[34:] == (-7, 3, 3, -3, 2, 2**64 - 6, (2**64 - 7) // 2, 2**64 - 13, True)


def test_a_number_is_shown():
    shown = []

    @program
    def showing(g):
        number = emv.total(g.vertices.x) / 4
        shown.append(f"{number!r} {number} {number:.3f} {g.num_vertices}")
        put(g, number, 1)
        return number

    assert showing(path(3), backend="python") == 0
    assert shown == ["0.0 0.0 0.000 3"]


def test_the_host_may_ask(backend):
    @program(host_loop=True)
    def halved(g):
        put(g, 8.0, 1)
        steps = 0
        while emv.total(g.vertices.x) > 1:
            put(g, emv.total(g.vertices.x) / 8, 1)
            steps += 1
        return steps, math.sqrt(emv.total(g.vertices.n)), int(emv.total(g.vertices.x) * 100)

    assert halved(path(2), backend=backend) == (2, math.sqrt(2), 100)
