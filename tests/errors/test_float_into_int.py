"""A float stored in an integer field."""

from errors.expect import refuses

from emv import Vertex, i32, program, vertex
from emv.errors import TypeMismatchError


class Spot(Vertex):
    depth: i32 = 0


@vertex
def halve(v: Spot):
    v.depth = v.depth / 2


@program
def mistaken(g):
    halve(g)


def test_float_into_an_integer_field():
    refuses(
        mistaken,
        TypeMismatchError,
        at="v.depth = v.depth / 2",
        under="v.depth",
        function="halve",
        says="Spot.depth is i32, the value is float",
        remedy="Convert it: i32(...)",
    )


def test_filling_an_integer_column_with_a_float():
    @vertex
    def touch(v: Spot):
        v.depth = 1

    @program
    def mistaken(g):
        g.vertices.depth[:] = 0.5
        touch(g)

    refuses(
        mistaken,
        TypeMismatchError,
        at="g.vertices.depth[:] = 0.5",
        under="g.vertices.depth[:]",
        function="mistaken",
        says="Spot.depth is i32, the values are f64",
        remedy="Convert the values",
    )
