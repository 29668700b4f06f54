"""Python that the language of user functions lacks."""

from math import nan

from errors.expect import refuses

from emv import Vertex, f32, program, vertex
from emv.errors import LanguageError


class Page(Vertex):
    rank: f32 = 0.0


@vertex
def uses_try(v: Page):
    try:
        v.rank = 1.0
    except ValueError:
        pass


def test_try():
    refuses_in(
        uses_try,
        at="try:",
        under="try:",
        says="try has no place in a user function",
        remedy="Use assignments, if, for over range()",
    )


KINDS = (1, 2)


@vertex
def asks_a_tuple_from_outside(v: Page):
    if v.id in KINDS:
        v.rank = 1.0


@vertex
def asks_what_is_read(v: Page):
    if v.id in (1, v.out_degree):
        v.rank = 1.0


@vertex
def asks_for_no_number(v: Page):
    if v.rank in (1.0, nan):
        v.rank = 1.0


def test_in_something_else():
    for function, among in (
        (asks_a_tuple_from_outside, "v.id in KINDS"),
        (asks_what_is_read, "v.id in (1, v.out_degree)"),
        (asks_for_no_number, "v.rank in (1.0, nan)"),
    ):
        refuses_in(
            function,
            at=f"if {among}:",
            under=among,
            says="in asks whether a number is one of some that are written there",
            remedy="Write x in (1, 2), or x == a or x == b where a and b are no constants.",
        )


@vertex
def assigns_in_a_test(v: Page):
    if (rank := v.rank + 1) > 2:
        v.rank = rank


def test_assignment_in_a_test():
    refuses_in(
        assigns_in_a_test,
        at="if (rank := v.rank + 1) > 2:",
        under="rank := v.rank + 1",
        says=":= has no place in a user function",
        remedy="Assign on a line of its own, above.",
    )


@vertex
def uses_with(v: Page):
    with v.rank:
        pass


def test_with():
    refuses_in(
        uses_with,
        at="with v.rank:",
        under="with v.rank:",
        says="with has no place in a user function",
        remedy="Use assignments, if, for over range()",
    )


@vertex
def uses_list_comprehension(v: Page):
    v.rank = max([x + 1 for x in (1, 2)])


def test_list_comprehension():
    refuses_in(
        uses_list_comprehension,
        at="v.rank = max([x + 1 for x in (1, 2)])",
        under="[x + 1 for x in (1, 2)]",
        says="a list comprehension has no place in a user function",
        remedy="Use arithmetic, comparisons",
    )


@vertex
def uses_dict(v: Page):
    v.rank = {1: 2.0}[1]


def test_dict():
    refuses_in(
        uses_dict,
        at="v.rank = {1: 2.0}[1]",
        under="{1: 2.0}",
        says="a dict has no place in a user function",
        remedy="Use arithmetic, comparisons",
    )


@vertex
def uses_f_string(v: Page):
    name = f"{v.id}"


def test_f_string():
    refuses_in(
        uses_f_string,
        at='name = f"{v.id}"',
        under='f"{v.id}"',
        says="an f-string has no place in a user function",
        remedy="Use arithmetic, comparisons",
    )


@vertex
def uses_lambda(v: Page):
    half = lambda x: x / 2  # noqa: E731


def test_lambda():
    refuses_in(
        uses_lambda,
        at="half = lambda x: x / 2",
        under="lambda x: x / 2",
        says="a lambda has no place in a user function",
        remedy="Use arithmetic, comparisons",
    )


@vertex
def uses_yield(v: Page):
    yield v.rank


def test_yield():
    refuses_in(
        uses_yield,
        at="yield v.rank",
        under="yield v.rank",
        says="yield has no place in a user function",
        remedy="Use arithmetic, comparisons",
    )


@vertex
def uses_global(v: Page):
    global LIMIT


def test_global():
    refuses_in(
        uses_global,
        at="global LIMIT",
        under="global LIMIT",
        says="global has no place in a user function",
        remedy="Use assignments, if, for over range()",
    )


@vertex
def uses_del(v: Page):
    del v.rank


def test_del():
    refuses_in(
        uses_del,
        at="del v.rank",
        under="del v.rank",
        says="del has no place in a user function",
        remedy="Use assignments, if, for over range()",
    )


@vertex
def uses_inner_function(v: Page):
    def half(x):
        return x / 2


def test_inner_function():
    refuses_in(
        uses_inner_function,
        at="def half(x):",
        under="def half(x):",
        says="a function inside the function has no place in a user function",
        remedy="Use assignments, if, for over range()",
    )


@vertex
def uses_raise(v: Page):
    raise ValueError


def test_raise():
    refuses_in(
        uses_raise,
        at="raise ValueError",
        under="raise ValueError",
        says="raise has no place in a user function",
        remedy="Use assignments, if, for over range()",
    )


@vertex
def uses_text(v: Page):
    name = "rank"


def test_text():
    refuses_in(
        uses_text,
        at='name = "rank"',
        under='"rank"',
        says="'rank' is not a number",
        remedy="Compiled code computes with numbers",
    )


def refuses_in(function, **wanted):
    @program
    def mistaken(g):
        function(g)

    refuses(mistaken, LanguageError, function=function.name, file=__file__, **wanted)
