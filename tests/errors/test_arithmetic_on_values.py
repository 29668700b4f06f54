"""Arithmetic in the program with values that there is one of per vertex."""

from errors.expect import refuses

from emv import Vertex, f32, program, vertex
from emv.errors import TypeMismatchError


class Page(Vertex):
    rank: f32 = 0.0


@vertex
def rank_of(v: Page):
    return v.rank


@program
def mistaken(g):
    ranks = rank_of(g)
    return ranks / 2


def test_arithmetic_with_values_per_vertex():
    refuses(
        mistaken,
        TypeMismatchError,
        at="return ranks / 2",
        under="ranks / 2",
        function="mistaken",
        says="messages and values per vertex are not numbers",
        remedy="Compute with them in a @vertex function",
    )
