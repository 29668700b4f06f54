"""A limit that is no whole number, an until that is no function, or one that calls."""

from errors.expect import refuses

import emv
from emv import Vertex, f32, program, vertex
from emv.errors import LanguageError, TypeMismatchError


class Page(Vertex):
    rank: f32 = 0.5


@vertex
def rank_of(v: Page):
    return v.rank


def test_fraction_as_limit():
    @program
    def mistaken(g):
        for _ in g.supersteps(2.5):
            rank_of(g)

    refuses(
        mistaken,
        TypeMismatchError,
        at="for _ in g.supersteps(2.5):",
        under="g.supersteps(2.5)",
        function="mistaken",
        says="limit= is a number of supersteps, not f64",
        remedy="limit=int(x)",
    )


def test_until_that_is_no_function():
    @program
    def mistaken(g):
        for _ in g.supersteps(until=True):
            rank_of(g)

    refuses(
        mistaken,
        TypeMismatchError,
        at="for _ in g.supersteps(until=True):",
        under="g.supersteps(until=True)",
        function="mistaken",
        says="until= takes a function without arguments, not True",
        remedy="until=lambda: change < tol",
    )


def test_until_that_applies_a_function():
    @program
    def mistaken(g):
        for _ in g.supersteps(until=lambda: emv.total(rank_of(g)) < 1):
            rank_of(g)

    refuses(
        mistaken,
        LanguageError,
        at="for _ in g.supersteps(until=lambda: emv.total(rank_of(g)) < 1):",
        under="rank_of(g)",
        function="<lambda>",
        says="until= applies a function",
        remedy="Apply it in the loop",
    )
