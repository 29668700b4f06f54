"""A column of the program that no record declares."""

from errors.expect import refuses

from emv import Vertex, f32, program, vertex
from emv.errors import FieldError


class Page(Vertex):
    rank: f32 = 0.0


@vertex
def touch(v: Page):
    v.rank = 1.0


def test_filling_an_undeclared_column():
    @program
    def mistaken(g):
        g.vertices.rnak[:] = 1.0
        touch(g)

    refuses(
        mistaken,
        FieldError,
        at="g.vertices.rnak[:] = 1.0",
        under="g.vertices.rnak[:]",
        function="mistaken",
        says="no record of mistaken() declares 'rnak'",
        remedy="Declared are: rank. Did you mean 'rank'?",
    )


def test_a_column_on_the_graph_itself():
    @program
    def mistaken(g):
        touch(g)
        return g.rank

    refuses(
        mistaken,
        FieldError,
        at="return g.rank",
        under="g.rank",
        function="mistaken",
        says="the g of a program has no 'rank'",
        remedy="Columns are reached as g.vertices.rank",
    )


def test_returning_an_undeclared_column():
    @program
    def mistaken(g):
        touch(g)
        return g.vertices.rnak

    refuses(
        mistaken,
        FieldError,
        at="return g.vertices.rnak",
        under="g.vertices.rnak",
        function="mistaken",
        says="no record of mistaken() declares 'rnak'",
        remedy="Declared are: rank. Did you mean 'rank'?",
    )
