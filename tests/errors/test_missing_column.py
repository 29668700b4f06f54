"""A record used with a graph that lacks the column."""

from errors.expect import path, refuses

import emv
from emv import Edge, Vertex, edge, f32, program
from emv.errors import ColumnError


class Place(Vertex):
    dist: f32 = 0.0


class Road(Edge[Place]):
    length: f32


@edge
def offer(road: Road):
    road.send(road.length)


@program
def mistaken(g):
    return emv.total(emv.min(offer(g)))


def test_a_column_that_the_graph_lacks():
    g = path()
    g.edges.lenght = 1.0
    with_column = path()
    with_column.edges.length = 1.0
    assert mistaken(with_column, backend="python") == float("inf")  # vertex 0 hears nothing
    refuses(
        lambda: mistaken(g, backend="python"),
        ColumnError,
        at="length: f32",
        under="length",
        function="<module>",
        says="Road.length needs the column 'length', which the graph's edges lack",
        remedy="They have: lenght. Did you mean 'lenght'?",
    )
