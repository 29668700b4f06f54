"""Filling a part of a column, replacing it, or filling with something else."""

from errors.expect import refuses

from emv import Edge, Vertex, edge, f32, program
from emv.errors import LanguageError, TypeMismatchError


class Page(Vertex):
    rank: f32 = 0.0


class Link(Edge[Page]):
    weight: f32 = 1.0


@edge
def touch(e: Link):
    e.send(e.weight + e.src.rank)


def test_one_item():
    @program
    def mistaken(g):
        touch(g)
        g.vertices.rank[0] = 1.0

    refuses(
        mistaken,
        LanguageError,
        at="g.vertices.rank[0] = 1.0",
        under="g.vertices.rank[0]",
        function="mistaken",
        says="only whole columns are filled in a program",
        remedy="Write g.vertices.rank[:] = value, or apply a @vertex function to g.only(ids).",
    )


def test_replacing_a_column():
    @program
    def mistaken(g):
        touch(g)
        g.vertices.rank = 1.0

    refuses(
        mistaken,
        LanguageError,
        at="g.vertices.rank = 1.0",
        under="g.vertices.rank",
        function="mistaken",
        says="a column is filled, not replaced: rank",
        remedy="Write g.vertices.rank[:] = value.",
    )


def test_a_column_of_edges_into_one_of_vertices():
    @program
    def mistaken(g):
        touch(g)
        g.vertices.rank[:] = g.edges.weight

    refuses(
        mistaken,
        TypeMismatchError,
        at="g.vertices.rank[:] = g.edges.weight",
        under="g.vertices.rank[:]",
        function="mistaken",
        says="g.edges.weight has another length than g.vertices.rank",
        remedy="Fill a column with one of the same kind",
    )


def test_messages_into_a_column():
    @program
    def mistaken(g):
        g.vertices.rank[:] = touch(g)

    refuses(
        mistaken,
        TypeMismatchError,
        at="g.vertices.rank[:] = touch(g)",
        under="g.vertices.rank[:]",
        function="mistaken",
        says="what touch() gives is not a value per vertex",
        remedy="combined messages",
    )


def test_text_into_a_column():
    @program
    def mistaken(g):
        touch(g)
        g.vertices.rank[:] = "high"

    refuses(
        mistaken,
        TypeMismatchError,
        at='g.vertices.rank[:] = "high"',
        under="g.vertices.rank[:]",
        function="mistaken",
        says="'high' is not a number",
        remedy="Numbers are parameters of the program",
    )
