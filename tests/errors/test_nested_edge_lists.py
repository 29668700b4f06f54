"""A loop over the edge list inside another one."""

from errors.expect import refuses

from emv import Edge, EdgeList, Vertex, elist, i32, program
from emv.errors import LanguageError


class Spot(Vertex):
    depth: i32 = 0


@elist
def pairs(v: Spot, links: EdgeList[Edge[Spot]]):
    for link in links:
        for other in links:
            link.send(other.dst.id)


@program
def mistaken(g):
    pairs(g)


def test_a_list_inside_a_list():
    refuses(
        mistaken,
        LanguageError,
        at="for other in links:",
        under="for other in links:",
        function="pairs",
        says="a loop over the edge list inside another one is not supported",
        remedy="Collect what the first loop finds",
    )
