"""A notebook: one cell defines a function anew, another runs the program again."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from emv import Graph, Vertex, f32, i32, program, vertex
from emv.errors import Loc, TypeMismatchError

STEP = 1


class Counter(Vertex):
    count: i32 = 0


@vertex
def increase(v: Counter):
    v.count = v.count + STEP


def apply_it(g):
    increase(g)


@program
def counting(g):
    apply_it(g)
    for _ in g.supersteps(ROUNDS):
        increase(g)
    return g.vertices.count


ROUNDS = 2


def test_what_names_mean_now_is_what_runs(backend, monkeypatch):
    g = Graph.from_edges([0], [1])
    assert counting(g, backend=backend).tolist() == [3, 3]

    @vertex
    def by_ten(v: Counter):
        v.count = v.count + 10

    with monkeypatch.context() as patched:
        patched.setitem(globals(), "increase", by_ten)
        assert counting(g, backend=backend).tolist() == [30, 30]
    with monkeypatch.context() as patched:
        patched.setitem(globals(), "STEP", 5)
        assert counting(g, backend=backend).tolist() == [15, 15]
    with monkeypatch.context() as patched:
        patched.setitem(globals(), "ROUNDS", 0)
        assert counting(g, backend=backend).tolist() == [1, 1]
    assert counting(g, backend=backend).tolist() == [3, 3]


class Share(Vertex):
    share: f32 = 0.1
    is_tenth: bool = False


TENTH = 0.1


@vertex
def compare(v: Share):
    v.is_tenth = v.share == TENTH


@program
def tenths(g):
    compare(g)
    return g.vertices.is_tenth


def test_a_number_of_another_type_is_another_number(backend, monkeypatch):
    g = Graph.from_edges([0], [1])
    assert tenths(g, backend=backend).tolist() == [True, True]
    monkeypatch.setitem(globals(), "TENTH", np.float64(0.1))  # compared in double precision
    assert tenths(g, backend=backend).tolist() == [False, False]


def records(first: float):
    """Define a record, as a cell does each time that it is run."""

    class Place(Vertex):
        share: f32 = first

    return Place


Older = records(0.0)


@vertex
def of_older(v: Older):
    v.share += 1


Newer = records(1.0)


@vertex
def of_newer(v: Newer):
    v.share += 1


@program
def of_both(g):
    of_older(g)
    of_newer(g)
    return g.vertices.share


def test_records_of_one_name_are_told_from_two_records(monkeypatch):
    monkeypatch.setattr(Older, "loc", Loc("Cell In[2]", 1))
    with pytest.raises(TypeMismatchError, match=r"defined twice, here and at Cell In\[2\]:1"):
        of_both(Graph.from_edges([0], [1]), backend="python")


def test_a_function_is_shown_as_the_users():
    assert inspect.unwrap(increase) is increase.python
    assert str(inspect.signature(increase)) == "(v: 'Counter')"
