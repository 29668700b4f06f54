"""Two records of one program that give a column two types."""

from errors.expect import refuses

from emv import Vertex, f32, i32, program, vertex
from emv.errors import TypeMismatchError


class Spot(Vertex):
    depth: i32 = 0


class Place(Vertex):
    depth: f32 = 0.0


@vertex
def first(v: Spot):
    v.depth = 1


@vertex
def second(v: Place):
    v.depth = 0.5


@program
def mistaken(g):
    first(g)
    second(g)


def test_one_name_two_types():
    refuses(
        mistaken,
        TypeMismatchError,
        at="depth: f32 = 0.0",
        under="depth",
        function="<module>",
        says="Spot.depth is i32, but Place.depth is f32",
        remedy="give both one type",
    )
