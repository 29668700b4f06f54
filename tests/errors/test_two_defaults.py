"""Two records of one program that start one column in two ways."""

from errors.expect import refuses

from emv import Vertex, f32, program, vertex
from emv.errors import TypeMismatchError


class Cold(Vertex):
    heat: f32 = 0.0


class Warm(Vertex):
    heat: f32 = 5.0


@vertex
def cool(v: Cold):
    v.heat -= 1


@vertex
def warm(v: Warm):
    v.heat += 1


def test_two_defaults_of_one_column():
    @program
    def mistaken(g):
        cool(g)
        warm(g)

    refuses(
        mistaken,
        TypeMismatchError,
        at="heat: f32 = 5.0",
        under="heat",
        function="<module>",
        says="Cold.heat starts as 0.0, but Warm.heat as 5.0",
        remedy="give both one default",
    )
