"""Plain functions that compiled code cannot take along."""

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


SCALES = Scales()


TABLE = {1: 2}


def scaled(x) -> f32:
    return x * SCALES.fine


def looked_up(x) -> f32:
    return TABLE[1] * x


def unknown(x) -> f32:
    return nowhere(x)


def lost(x) -> f32:
    while x > 0:
        x = x - 1
        if x == 3:
            return x


def paired(x) -> f32:
    return (x, x)


def masked(x) -> f32:
    return x & 1


def counted(x: int) -> f32:
    return x / 2


def refused_helper(helper, **wanted):
    @vertex
    def applied(v: Page):
        v.rank = helper(v.rank)

    refused(applied, function=helper.__name__, **wanted)


def test_helper_that_names_an_object():
    refused_helper(
        scaled,
        at="return x * SCALES.fine",
        under="SCALES",
        says="SCALES is a Scales, which has no place in a helper",
        remedy="It may name numbers",
    )


def test_helper_that_names_a_dict():
    refused_helper(
        looked_up,
        at="return TABLE[1] * x",
        under="TABLE",
        says="TABLE is a dict, which has no place in a helper",
        remedy="functions of math, and plain functions",
    )


def test_helper_that_names_nothing():
    refused_helper(
        unknown,
        at="return nowhere(x)",
        under="nowhere",
        says="the name 'nowhere' is not defined",
        remedy="import it",
    )


def test_helper_that_may_return_nothing():
    refused_helper(
        lost,
        at="def lost(x) -> f32:",
        under="lost",
        says="lost() returns a value on some ways through it and none on others",
        remedy="End every way with a return statement",
    )


def test_helper_that_returns_a_pair():
    refused_helper(
        paired,
        at="return (x, x)",
        under="return (x, x)",
        says="paired() returns f32, and tuple[f32, f32]",
        remedy="Return a f32 on every way.",
    )


def test_helper_that_is_no_good_for_what_it_is_given():
    refused_helper(
        masked,
        at="return x & 1",
        under="x & 1",
        says="& works on integers, not on f32 and int",
        remedy="Convert with int(x)",
    )


@vertex
def miscounted(v: Page):
    v.rank = counted(v.rank)


def test_helper_whose_annotation_is_not_what_it_is_given():
    refused(
        miscounted,
        at="v.rank = counted(v.rank)",
        under="counted(v.rank)",
        function="miscounted",
        says="'x' of counted() is i64, but the call gives f32",
        remedy="Declare x with the type it receives",
    )


calling = emv.combiner(lambda a, b: third(a) + b, 0.0)
scaling = emv.combiner(lambda a, b: max(a, b) * SCALES.fine / 0.5, 0.0)


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


def test_combiner_that_names_an_object():
    @program
    def mistaken(g):
        take(g, scaling(send(g)))

    refuses(
        mistaken,
        LanguageError,
        file=__file__,
        at="scaling = emv.combiner(lambda a, b: max(a, b) * SCALES.fine / 0.5, 0.0)",
        under="SCALES",
        function=scaling.name,
        says="SCALES is a Scales, which has no place in a combiner's function",
        remedy="and functions of math.",
    )
