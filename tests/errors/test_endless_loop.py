"""A loop without a limit in which nothing can end it."""

from errors.expect import refuses

from emv import Vertex, f32, program, vertex
from emv.errors import EndlessLoopError


class Page(Vertex):
    rank: f32 = 0.5


@vertex
def touch(v: Page):
    v.rank = v.rank / 2


@program
def mistaken(g):
    for _ in g.supersteps():
        touch(g)


def test_loop_that_cannot_end():
    refuses(
        mistaken,
        EndlessLoopError,
        at="for _ in g.supersteps():",
        under="g.supersteps()",
        function="mistaken",
        says="this loop can never end",
        remedy="g.supersteps(100)",
    )
