"""A name that means nothing, or something that is no number."""

from errors.expect import refuses

from emv import Vertex, f32, program, vertex
from emv.errors import LanguageError, TypeMismatchError


class Page(Vertex):
    rank: f32 = 0.0


TABLE = [1.0, 2.0]


def test_undefined_name():
    @vertex
    def update(v: Page, received: f32):
        v.rank = recieved

    @program
    def mistaken(g):
        update(g, 1.0)

    refuses(
        mistaken,
        LanguageError,
        at="v.rank = recieved",
        under="recieved",
        function="update",
        says="the name 'recieved' is not defined",
        remedy="Did you mean 'received'?",
    )


def test_a_list_of_the_module():
    @vertex
    def update(v: Page):
        v.rank = TABLE[v.id]

    @program
    def mistaken(g):
        update(g)

    refuses(
        mistaken,
        TypeMismatchError,
        at="v.rank = TABLE[v.id]",
        under="TABLE",
        function="update",
        says="TABLE is not a number that compiled code can hold",
        remedy="or use a column",
    )


def test_an_unknown_function():
    @vertex
    def update(v: Page):
        v.rank = sorted(v.rank)

    @program
    def mistaken(g):
        update(g)

    refuses(
        mistaken,
        LanguageError,
        at="v.rank = sorted(v.rank)",
        under="sorted(v.rank)",
        function="update",
        says="sorted cannot be called in a user function",
        remedy="Known are abs, min, max",
    )
