"""A while loop of Python's in a program, where supersteps belong."""

from errors.expect import refuses

import emv
from emv import Vertex, f32, program, vertex
from emv.errors import TraceError


class Page(Vertex):
    rank: f32 = 0.5


@vertex
def change_of(v: Page):
    v.rank = v.rank / 2
    return v.rank


@program
def mistaken(g, tol=0.1):
    change = emv.total(change_of(g))
    while change > tol:
        change = emv.total(change_of(g))


def test_while_on_an_aggregate():
    refuses(
        mistaken,
        TraceError,
        at="while change > tol:",
        under="change > tol",
        function="mistaken",
        says="Python cannot decide by a number that a program computes",
        remedy="into until=",
    )
