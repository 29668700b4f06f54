"""Ids that no vertex has, or that are no ids."""

from errors.expect import refuses

from emv import Vertex, i32, program, vertex
from emv.errors import ArgumentError


class Spot(Vertex):
    depth: i32 = 0


@vertex
def settle(v: Spot):
    v.depth = 1


def test_id_beyond_the_last():
    @program
    def mistaken(g):
        settle(g.only(7))

    refuses(
        mistaken,
        ArgumentError,
        at="settle(g.only(7))",
        under="g.only(7)",
        function="mistaken",
        says="there is no vertex 7",
        remedy="The graph's vertex ids are 0..2.",
        run="eager",
    )


def test_negative_id():
    @program
    def mistaken(g):
        settle(g.only([0, -1]))

    refuses(
        mistaken,
        ArgumentError,
        at="settle(g.only([0, -1]))",
        under="g.only([0, -1])",
        function="mistaken",
        says="there is no vertex -1",
        remedy="The graph's vertex ids are 0..2.",
        run="eager",
    )


def test_fractions():
    @program
    def mistaken(g):
        settle(g.only([0.5]))

    refuses(
        mistaken,
        ArgumentError,
        at="settle(g.only([0.5]))",
        under="g.only([0.5])",
        function="mistaken",
        says="g.only() takes a vertex id or a list of ids, not [0.5]",
        remedy="Ids are whole numbers from 0 on",
    )


def test_far_access_beyond_the_last():
    @vertex
    def look(v: Spot):
        v.depth = Spot.at(v.id + 1).depth

    @program
    def mistaken(g):
        look(g)

    refuses(
        mistaken,
        ArgumentError,
        at="v.depth = Spot.at(v.id + 1).depth",
        under="Spot.at(v.id + 1)",
        function="look",
        says="Spot.at(3): the ids of the vertices are 0..2",
        remedy="Test the id before: if v.best >= 0",
        run="eager",
    )


def test_message_to_nobody():
    @vertex
    def tell(v: Spot):
        v.send_to(v.id - 1, 1)

    @program
    def mistaken(g):
        tell(g)

    refuses(
        mistaken,
        ArgumentError,
        at="v.send_to(v.id - 1, 1)",
        under="v.send_to(v.id - 1, 1)",
        function="tell",
        says="send_to(-1, ...): the ids of the vertices are 0..2",
        remedy="Test the id before: if v.best >= 0",
        run="eager",
    )
