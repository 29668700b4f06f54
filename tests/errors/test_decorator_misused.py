"""A decorator with parentheses, or around something that is no def."""

from errors.expect import refuses

from emv import Vertex, edge, f32, program, vertex
from emv.errors import LanguageError


class Page(Vertex):
    rank: f32 = 0.0


def with_parentheses():
    @edge()
    def later(v: Page):
        v.rank = 1.0


def around_a_lambda():
    return vertex(lambda v: v.rank)


def around_a_number():
    return program(3)


def test_parentheses():
    refuses(
        with_parentheses,
        LanguageError,
        at="@edge()",
        under="edge()",
        function="with_parentheses",
        says="@edge decorates a plain def",
        remedy="Write @edge without parentheses above a def.",
    )


def test_lambda():
    refuses(
        around_a_lambda,
        LanguageError,
        at="return vertex(lambda v: v.rank)",
        under="vertex(lambda v: v.rank)",
        function="around_a_lambda",
        says="@vertex decorates a plain def, not <function around_a_lambda.<locals>.<lambda>",
        remedy="above a def",
    )


def test_program_around_a_number():
    refuses(
        around_a_number,
        LanguageError,
        at="return program(3)",
        under="program(3)",
        function="around_a_number",
        says="@program decorates a plain def, not 3",
        remedy="above a def",
    )
