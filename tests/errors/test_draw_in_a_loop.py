"""A random draw inside a loop, where it would repeat."""

from errors.expect import refuses

import emv
from emv import Edge, EdgeList, Vertex, elist, f32, program, vertex
from emv.errors import LanguageError


class Spot(Vertex):
    depth: f32 = 0.0


def refused(function, **wanted):
    @program
    def mistaken(g):
        function(g)

    refuses(
        mistaken,
        LanguageError,
        file=__file__,
        function=function.name,
        says="a draw inside a loop would give the same number every time",
        remedy="or once per edge in: for link in links; or name it, emv.random(k).",
        **wanted,
    )


@vertex
def in_a_range(v: Spot):
    for i in range(3):
        v.depth = v.depth + i * emv.random()


@vertex
def in_a_condition(v: Spot):
    while emv.random() < 0.5:
        v.depth = v.depth + 1


@elist
def in_two_loops(v: Spot, links: EdgeList[Edge[Spot]]):
    for i in range(2):
        for link in links:
            link.send(emv.randint(6 + i))


def test_in_a_range():
    refused(in_a_range, at="v.depth = v.depth + i * emv.random()", under="emv.random()")


def test_in_the_condition_of_a_while():
    refused(in_a_condition, at="while emv.random() < 0.5:", under="emv.random()")


def test_in_a_list_inside_a_range():
    refused(in_two_loops, at="link.send(emv.randint(6 + i))", under="emv.randint(6 + i)")
