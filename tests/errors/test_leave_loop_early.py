"""Breaking out of a superstep loop, or returning from inside it."""

from errors.expect import refuses

import emv
from emv import Vertex, f32, program, vertex
from emv.errors import TraceError


class Page(Vertex):
    rank: f32 = 0.5


@vertex
def touch(v: Page):
    v.rank = 1.0
    emv.keep_going()


def test_break():
    @program
    def mistaken(g):
        for _ in g.supersteps():
            touch(g)
            break

    refuses(
        mistaken,
        TraceError,
        at="break",
        under="break",
        function="mistaken",
        says="a superstep loop is left early",
        remedy="vote with emv.halt(), use until=",
        run="traced",
    )


def test_return():
    @program
    def mistaken(g):
        for _ in g.supersteps():
            touch(g)
            return g.vertices.rank

    refuses(
        mistaken,
        TraceError,
        at="return g.vertices.rank",
        under="return g.vertices.rank",
        function="mistaken",
        says="a superstep loop is left early",
        remedy="@program(host_loop=True)",
        run="traced",
    )
