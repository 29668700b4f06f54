"""Assigning what the graph gives: ids, degrees, ends."""

from errors.expect import refuses

from emv import Vertex, f32, program, vertex
from emv.errors import LanguageError, OwnershipError


class Spot(Vertex):
    size: f32 = 1.0


@vertex
def renumber(v: Spot):
    v.id = 3


def test_assigning_an_id():
    @program
    def mistaken(g):
        renumber(g)

    refuses(
        mistaken,
        OwnershipError,
        at="v.id = 3",
        under="v.id",
        function="renumber",
        says="'id' is given by the graph",
        remedy="Declare a field of your own",
    )


def test_filling_degrees():
    @program
    def mistaken(g):
        g.vertices.out_degree[:] = 3

    refuses(
        mistaken,
        LanguageError,
        at="g.vertices.out_degree[:] = 3",
        under="g.vertices.out_degree[:]",
        function="mistaken",
        says="g.vertices.out_degree is given by the graph",
        remedy="Declare a field of your own",
    )
