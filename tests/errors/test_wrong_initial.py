"""A start value that the messages cannot be folded into."""

from errors.expect import refuses

import emv
from emv import Edge, Vertex, edge, i32, program, vertex
from emv.errors import TypeMismatchError


class Spot(Vertex):
    depth: i32 = 0


@edge
def tell(e: Edge[Spot]):
    e.send(e.src.depth)


@vertex
def settle(v: Spot, depth: i32):
    v.depth = depth


def test_float_start_of_integers():
    @program
    def mistaken(g):
        told = tell(g)
        settle(g, emv.sum(told, initial=0.5))

    refuses(
        mistaken,
        TypeMismatchError,
        at="settle(g, emv.sum(told, initial=0.5))",
        under="emv.sum(told, initial=0.5)",
        function="mistaken",
        says="initial= of emv.sum is f64, the messages are i32",
        remedy="another type",
    )


def test_start_of_another_shape():
    @program
    def misshapen(g):
        settle(g, emv.min(tell(g), initial=(0, 1)))

    refuses(
        misshapen,
        TypeMismatchError,
        at="settle(g, emv.min(tell(g), initial=(0, 1)))",
        under="emv.min(tell(g), initial=(0, 1))",
        function="misshapen",
        says="initial= of emv.min is tuple[i64, i64], the messages are i32",
        remedy="another type",
    )
