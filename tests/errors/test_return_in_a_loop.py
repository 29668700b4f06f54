"""A return inside a loop of a user function, or only on some ways."""

from errors.expect import refuses

from emv import Edge, EdgeList, Vertex, elist, i32, program, vertex
from emv.errors import LanguageError


class Spot(Vertex):
    depth: i32 = 0


@elist
def first_deep(v: Spot, links: EdgeList[Edge[Spot]]):
    for link in links:
        if link.dst.depth > 0:
            return link.dst.id
    return -1


@vertex
def sometimes(v: Spot):
    if v.depth > 0:
        return v.depth


def test_return_in_a_loop():
    @program
    def mistaken(g):
        first_deep(g)

    refuses(
        mistaken,
        LanguageError,
        at="return link.dst.id",
        under="return link.dst.id",
        function="first_deep",
        says="return inside a loop is not supported",
        remedy="Set a variable, break, and return after the loop.",
    )


def test_value_on_some_ways_only():
    @program
    def mistaken(g):
        sometimes(g)

    refuses(
        mistaken,
        LanguageError,
        at="def sometimes(v: Spot):",
        under="sometimes",
        function="sometimes",
        says="sometimes() returns a value on some ways through it and none on others",
        remedy="End every way with a return statement",
    )
