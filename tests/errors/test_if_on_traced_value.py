"""A Python decision on a number that exists only while the program runs."""

import math

import numpy as np
from errors.expect import refuses

import emv
from emv import Vertex, f32, program, vertex
from emv.errors import TraceError, TypeMismatchError


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
        says="Python cannot decide by a number that a program computes",
        remedy="into until=, join conditions with & and |",
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
        says="Python cannot decide by a number that a program computes",
        remedy="@program(host_loop=True)",
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
        says="Python cannot have a number that a program computes",
        remedy="g.supersteps(x) for range(x)",
    )


def test_and_of_two_conditions():
    @program
    def mistaken(g):
        change = emv.total(rank_of(g))
        for _ in g.supersteps(5, until=lambda: change < 0.1 and change > 0):
            change = emv.total(rank_of(g))

    refuses(
        mistaken,
        TraceError,
        at="for _ in g.supersteps(5, until=lambda: change < 0.1 and change > 0):",
        under="change < 0.1 and change > 0",
        function="<lambda>",
        says="Python cannot decide by a number that a program computes",
        remedy="In until= conditions are joined with & and |",
    )


def test_root_by_math():
    @program
    def mistaken(g):
        return math.sqrt(emv.total(rank_of(g)))

    refuses(
        mistaken,
        TraceError,
        at="return math.sqrt(emv.total(rank_of(g)))",
        under="math.sqrt(emv.total(rank_of(g)))",
        function="mistaken",
        says="Python cannot have a number that a program computes",
        remedy="Write np.sqrt(x) for math.sqrt(x)",
    )


def test_smaller_by_python():
    @program
    def mistaken(g):
        return min(emv.total(rank_of(g)), 1.0)

    refuses(
        mistaken,
        TraceError,
        at="return min(emv.total(rank_of(g)), 1.0)",
        under="min(emv.total(rank_of(g)), 1.0)",
        function="mistaken",
        says="Python cannot decide by a number that a program computes",
        remedy="take emv.min or emv.max of numbers",
    )


def test_not_of_a_number():
    @program
    def mistaken(g):
        return ~emv.total(rank_of(g))

    refuses(
        mistaken,
        TypeMismatchError,
        at="return ~emv.total(rank_of(g))",
        under="~emv.total(rank_of(g))",
        function="mistaken",
        says="~ takes conditions, not f64",
        remedy="Compare first",
    )


def test_item_of_a_column():
    @program
    def mistaken(g):
        rank_of(g)
        return g.vertices.rank[0] + 1

    refuses(
        mistaken,
        TraceError,
        at="return g.vertices.rank[0] + 1",
        under="g.vertices.rank[0]",
        function="mistaken",
        says="an item of g.vertices.rank has no value in the text of a program",
        remedy="runs once, before it has any numbers",
    )


def test_sum_of_a_column_by_numpy():
    @program
    def mistaken(g):
        rank_of(g)
        return np.sqrt(g.vertices.rank)

    refuses(
        mistaken,
        TypeMismatchError,
        at="return np.sqrt(g.vertices.rank)",
        under="np.sqrt(g.vertices.rank)",
        function="mistaken",
        says="g.vertices.rank is a column, not a number",
        remedy="Compute in a @vertex or @edge function",
    )
