"""Plain functions that compiled code cannot take along."""

from errors.expect import refuses

import emv
from emv import Vertex, f32, program, vertex
from emv.errors import LanguageError


def half(x):
    return x / 2


def third(x) -> f32:
    return x / 3


def drawn(x) -> f32:
    return x * emv.random()


def listed(x) -> f32:
    return max([x, 1.0])


class Page(Vertex):
    rank: f32 = 0.0


@vertex
def unannotated(v: Page):
    v.rank = half(v.rank)


@vertex
def miscalled(v: Page):
    v.rank = third(v.rank, 3)


@vertex
def drawing(v: Page):
    v.rank = drawn(v.rank)


@vertex
def listing(v: Page):
    v.rank = listed(v.rank)


def refused(applied, **wanted):
    @program
    def mistaken(g):
        applied(g)

    refuses(mistaken, LanguageError, file=__file__, **wanted)


def test_helper_without_return_annotation():
    refused(
        unannotated,
        at="v.rank = half(v.rank)",
        under="half(v.rank)",
        function="unannotated",
        says="half() does not say what it returns",
        remedy="Annotate it: def half(...) -> f32.",
    )


def test_helper_with_too_many_arguments():
    refused(
        miscalled,
        at="v.rank = third(v.rank, 3)",
        under="third(v.rank, 3)",
        function="miscalled",
        says="third() takes 1 arguments, not 2",
        remedy="Its parameters are: x.",
    )


def test_helper_that_draws():
    refused(
        drawing,
        at="return x * emv.random()",
        under="emv.random()",
        function="drawn",
        says="emv.random() has no place in a helper",
        remedy="Say it in the decorated function",
    )


def test_helper_with_a_list():
    refused(
        listing,
        at="return max([x, 1.0])",
        under="[x, 1.0]",
        function="listed",
        says="a list has no place in a helper",
        remedy="A helper computes with numbers",
    )
