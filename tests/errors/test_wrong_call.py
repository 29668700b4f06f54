"""A call that does not match the function's parameters."""

from errors.expect import refuses

from emv import Vertex, f32, program, vertex
from emv.errors import TypeMismatchError


class Page(Vertex):
    rank: f32 = 0.0


@vertex
def update(v: Page, received: f32, lost: f32):
    v.rank = received + lost


def test_too_few():
    @program
    def mistaken(g):
        update(g, 1.0)

    refuses(
        mistaken,
        TypeMismatchError,
        at="update(g, 1.0)",
        under="update(g, 1.0)",
        function="mistaken",
        says="update() takes a domain, received, lost, but the call gives a domain and 1 more",
        remedy="Missing: lost.",
    )


def test_too_many():
    @program
    def mistaken(g):
        update(g, 1.0, 2.0, 3.0)

    refuses(
        mistaken,
        TypeMismatchError,
        at="update(g, 1.0, 2.0, 3.0)",
        under="update(g, 1.0, 2.0, 3.0)",
        function="mistaken",
        says="but the call gives a domain and 3 more",
        remedy="Leave out what is too much.",
    )


def test_unknown_name():
    @program
    def mistaken(g):
        update(g, received=1.0, lots=2.0)

    refuses(
        mistaken,
        TypeMismatchError,
        at="update(g, received=1.0, lots=2.0)",
        under="update(g, received=1.0, lots=2.0)",
        function="mistaken",
        says="and lots=",
        remedy="Missing: lost. It has no parameter lots.",
    )
