"""Two ways of writing a field of other elements that do not agree."""

import pytest
from errors.expect import refuses

from emv import Edge, Vertex, edge, i32, program, vertex
from emv.errors import OwnershipError


class Spot(Vertex):
    mark: i32 = 0


@edge
def paint(e: Edge[Spot]):
    e.src.mark = 1
    e.dst.mark = 2


@edge
def mix(e: Edge[Spot]):
    e.src.mark += 1
    e.dst.mark = 5


@vertex
def own_too(v: Spot):
    v.mark = v.id
    Spot.at(0).mark += 1


@pytest.mark.paper("S16")
def test_two_constants():
    @program
    def mistaken(g):
        paint(g)

    refuses(
        mistaken,
        OwnershipError,
        at="e.dst.mark = 2",
        under="e.dst.mark",
        function="paint",
        says="written in two ways that do not agree: constant 1 and constant 2",
        remedy="all writers use one constant, or one operator",
    )


def test_an_operator_and_a_constant():
    @program
    def mistaken(g):
        mix(g)

    refuses(
        mistaken,
        OwnershipError,
        at="e.dst.mark = 5",
        under="e.dst.mark",
        function="mix",
        says="operator add and constant 5",
        remedy="all writers use one constant, or one operator",
    )


def test_own_value_and_anothers_operator():
    @program
    def mistaken(g):
        own_too(g)

    refuses(
        mistaken,
        OwnershipError,
        at="v.mark = v.id",
        under="v.mark",
        function="own_too",
        says="operator add and a value of its own",
        remedy="Split the function in two",
    )
