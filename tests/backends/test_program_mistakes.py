"""What programs get wrong: the same error, at the line, whether they run or are traced."""

from __future__ import annotations

import numpy as np
import pytest
from backends.plain_graphs import path

import emv
from emv import Vertex, i32, program, vertex
from emv.errors import EmvError, TraceError


class Spot(Vertex):
    x: i32 = 0


@vertex
def grow(v: Spot):
    v.x += 1
    return v.x


@vertex
def put(v: Spot, number: i32):
    v.x = number


@program
def multiplied(g):
    grow(g)
    return g.vertices.x * 2


@program
def summed(g):
    grow(g)
    return g.vertices.x.sum()


@program
def compared(g):
    grow(g)
    return g.vertices.x > 1


@program
def equal(g):
    grow(g)
    return g.vertices.x == 1


@program
def measured(g):
    grow(g)
    return len(g.vertices.x)


@program
def column_given(g):
    put(g, g.vertices.x)
    return g.vertices.x


@program
def array_given(g, values=(1, 2, 3)):
    put(g, values)
    return g.vertices.x


@program
def text_given(g):
    put(g, "one")
    return g.vertices.x


@program
def within(g):
    summed(g)
    return g.vertices.x


WRONG = {
    multiplied: ("g.vertices.x is a column, not a number", "return g.vertices.x * 2"),
    summed: ("g.vertices.x has no 'sum' in a program", "return g.vertices.x.sum()"),
    compared: ("g.vertices.x is a column, not a number", "return g.vertices.x > 1"),
    equal: ("g.vertices.x is a column, not a number", "return g.vertices.x == 1"),
    measured: ("g.vertices.x is a column, not a number", "return len(g.vertices.x)"),
    column_given: ("not a column: g.vertices.x", "put(g, g.vertices.x)"),
    array_given: ("not a list of numbers", "put(g, values)"),
    text_given: ("not str 'one'", 'put(g, "one")'),
    within: ("summed() is a program, and is called in another", "summed(g)"),
}


@pytest.mark.parametrize("made", WRONG, ids=lambda made: made.name)
def test_mistakes_are_named_at_their_lines(backend, made):
    what, line = WRONG[made]
    with pytest.raises(EmvError) as caught:
        made(path(3), backend=backend)
    assert what in caught.value.what
    assert caught.value.loc is not None
    assert caught.value.loc.text.strip() == line
    assert caught.value.remedy


def test_a_column_has_no_value_to_compare_with_numpy(backend):
    @program
    def numpy_of(g):
        return np.sqrt(g.vertices.x)

    with pytest.raises((EmvError, TypeError)):
        numpy_of(path(3), backend=backend)


def test_until_says_how_conditions_are_joined(compiled):
    @program
    def either(g):
        size = 0
        for _ in g.supersteps(9, until=lambda: size > 3 or size < 0):
            size = emv.total(grow(g))
        return size

    @program
    def joined(g):
        size = 0
        for _ in g.supersteps(9, until=lambda: (size > 3) | (size < 0)):
            size = emv.total(grow(g))
        return size

    with pytest.raises(TraceError, match=r"joined with & and \|"):
        either(path(2), backend=compiled)
    assert joined(path(2), backend=compiled) == joined(path(2), backend="python")


@program
def broken(g):
    for _ in g.supersteps(3):
        grow(g)
        break
    return g.vertices.x


@program(host_loop=True)
def broken_by_the_host(g):
    for _ in g.supersteps(3):
        grow(g)
        break
    return g.vertices.x


def test_only_the_host_leaves_loops(backend):
    with pytest.raises(TraceError, match="a superstep loop is left early") as caught:
        broken(path(2), backend=backend)
    assert caught.value.loc.text.strip() == "break"
    assert broken_by_the_host(path(2), backend="python").tolist() == [1, 1]


@program
def shifted(g, ids):
    grow(g.only(ids + 1))


@program
def counted(g, ids):
    for each in ids:
        grow(g.only(each))


@program
def rooted(g, ids):
    grow(g.only(np.sqrt(ids)))


@pytest.mark.parametrize("mistaken", [shifted, counted, rooted], ids=lambda each: each.name)
def test_a_list_of_ids_is_for_only(backend, mistaken):
    with pytest.raises(EmvError, match="ids is a list of vertex ids, with which") as refused:
        mistaken(path(3), [0, 1], backend=backend)
    assert "Write g.only(ids)" in refused.value.remedy
    assert "ids" in refused.value.loc.text
