"""bind= that names no parameter of the program."""

from errors.expect import refuses

from emv import Edge, Vertex, f32, i32, program
from emv.errors import ArgumentError


class Spot(Vertex):
    depth: i32 = 0


class Road(Edge[Spot]):
    length: f32


def define():
    @program(bind={"wieght": Road.length})
    def lengths(g, weight="length"):
        return g.edges.length


def test_bind_to_a_missing_parameter():
    refuses(
        define,
        ArgumentError,
        at='def lengths(g, weight="length"):',
        under="lengths",
        function="lengths",
        says="bind= names 'wieght', which is no parameter of lengths()",
        remedy="Did you mean 'weight'?",
    )
