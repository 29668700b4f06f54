"""A float where the id of an element belongs."""

from errors.expect import refuses

from emv import Vertex, f32, program, vertex
from emv.errors import TypeMismatchError


class Spot(Vertex):
    depth: f32 = 0.0
    size: f32 = 0.0


def test_send_to_a_float():
    @vertex
    def tell(v: Spot):
        v.send_to(v.depth, 1)

    @program
    def mistaken(g):
        tell(g)

    refuses(
        mistaken,
        TypeMismatchError,
        at="v.send_to(v.depth, 1)",
        under="v.depth",
        function="tell",
        says="send_to() takes the integer id of a vertex first, not f32",
        remedy="Write v.send_to(int(x), message)",
    )


def test_at_a_float():
    @vertex
    def look(v: Spot):
        v.depth = Spot.at(v.size).depth

    @program
    def mistaken(g):
        look(g)

    refuses(
        mistaken,
        TypeMismatchError,
        at="v.depth = Spot.at(v.size).depth",
        under="v.size",
        function="look",
        says="Spot.at takes an integer id, not f32",
        remedy="Spot.at(int(x))",
    )
