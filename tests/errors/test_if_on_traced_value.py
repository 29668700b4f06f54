"""A Python decision on a number that exists only while the program runs."""

from errors.expect import refuses

import emv
from emv import Vertex, f32, program, vertex
from emv.errors import TraceError


class Page(Vertex):
    rank: f32 = 0.5


@vertex
def rank_of(v: Page):
    return v.rank


def test_if_on_an_aggregate():
    @program
    def mistaken(g):
        if emv.total(rank_of(g)) > 1:
            rank_of(g)

    refuses(
        mistaken,
        TraceError,
        at="if emv.total(rank_of(g)) > 1:",
        under="emv.total(rank_of(g)) > 1",
        function="mistaken",
        says="the truth of (%2 > 1) has no value while the program is traced",
        remedy="run with backend='python'",
        run="traced",
    )


def test_if_on_the_size_of_the_graph():
    @program
    def mistaken(g):
        if g.num_vertices > 3:
            rank_of(g)

    refuses(
        mistaken,
        TraceError,
        at="if g.num_vertices > 3:",
        under="g.num_vertices > 3",
        function="mistaken",
        says="the truth of (g.num_vertices > 3)",
        remedy="@program(host_loop=True)",
        run="traced",
    )


def test_python_loop_over_the_vertices():
    @program
    def mistaken(g):
        for _ in range(g.num_vertices):
            rank_of(g)

    refuses(
        mistaken,
        TraceError,
        at="for _ in range(g.num_vertices):",
        under="range(g.num_vertices)",
        function="mistaken",
        says="g.num_vertices has no value",
        remedy="A program is traced",
        run="traced",
    )
