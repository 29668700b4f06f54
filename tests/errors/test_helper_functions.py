"""Plain functions that compiled code cannot take along."""

from math import tan as tangent

from errors.expect import refuses

import emv
from emv import Edge, Vertex, edge, f32, program, vertex
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
        remedy="It computes with numbers",
    )


class Scales:
    fine = 0.5


TABLE = {1: 2}


def scaled(x) -> f32:
    return x * Scales.fine


def looked_up(x) -> f32:
    return TABLE[1] * x


def unknown(x) -> f32:
    return nowhere(x)


def clashing(math) -> f32:
    return tangent(math)


def refused_helper(helper, **wanted):
    @vertex
    def applied(v: Page):
        v.rank = helper(v.rank)

    refused(applied, function=helper.__name__, **wanted)


def test_helper_that_names_a_class():
    refused_helper(
        scaled,
        at="return x * Scales.fine",
        under="Scales",
        says="Scales is a class, which has no place in a helper",
        remedy="It may name numbers",
    )


def test_helper_that_names_a_dict():
    refused_helper(
        looked_up,
        at="return TABLE[1] * x",
        under="TABLE",
        says="TABLE is a dict, which has no place in a helper",
        remedy="functions of math and numpy, and plain functions",
    )


def test_helper_that_names_nothing():
    refused_helper(
        unknown,
        at="return nowhere(x)",
        under="nowhere",
        says="the name 'nowhere' is not defined in a helper",
        remedy="import it",
    )


def test_helper_whose_variable_is_called_like_a_module():
    refused_helper(
        clashing,
        at="return tangent(math)",
        under="tangent",
        says="math is a variable of clashing() and what tangent is called in compiled code",
        remedy="Give the variable another name",
    )


calling = emv.combiner(lambda a, b: third(a) + b, 0.0)
scaling = emv.combiner(lambda a, b: max(a, b) * Scales.fine / 0.5, 0.0)


@vertex
def take(v: Page, rank: f32):
    v.rank = rank


@edge
def send(e: Edge[Page]):
    e.send(e.src.rank)


def test_combiner_that_calls_a_helper():
    @program
    def mistaken(g):
        take(g, calling(send(g)))

    refuses(
        mistaken,
        LanguageError,
        file=__file__,
        at="calling = emv.combiner(lambda a, b: third(a) + b, 0.0)",
        under="third",
        function=calling.name,
        says="third() cannot be called in a combiner's function",
        remedy="Write what it computes",
    )


def test_combiner_that_names_a_class():
    @program
    def mistaken(g):
        take(g, scaling(send(g)))

    refuses(
        mistaken,
        LanguageError,
        file=__file__,
        at="scaling = emv.combiner(lambda a, b: max(a, b) * Scales.fine / 0.5, 0.0)",
        under="Scales",
        function=scaling.name,
        says="Scales is a class, which has no place in a combiner's function",
        remedy="and functions of math and numpy.",
    )
