"""A program that returns something else than columns and numbers."""

from errors.expect import refuses

from emv import Vertex, i32, program, vertex
from emv.errors import TypeMismatchError


class Spot(Vertex):
    depth: i32 = 0


@vertex
def settle(v: Spot):
    v.depth = 1


@program
def mistaken(g):
    settle(g)
    return {"depth": g.vertices.depth, "name": "settled"}


def test_text_as_result():
    refuses(
        mistaken,
        TypeMismatchError,
        at="def mistaken(g):",
        under="mistaken",
        function="mistaken",
        says="mistaken() returns 'settled'",
        remedy="Return columns (g.vertices.rank)",
    )
