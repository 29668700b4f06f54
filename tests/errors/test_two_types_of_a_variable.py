"""A variable or operation that mixes kinds that have no common type."""

from errors.expect import refuses

from emv import Vertex, i32, program, vertex
from emv.errors import LanguageError, TypeMismatchError


class Spot(Vertex):
    depth: i32 = 0


def test_a_number_and_a_tuple():
    @vertex
    def update(v: Spot):
        best = 0
        best = (1, 2)

    @program
    def mistaken(g):
        update(g)

    refuses(
        mistaken,
        LanguageError,
        at="best = (1, 2)",
        under="best = (1, 2)",
        function="update",
        says="'best' is int and takes tuple[int, int]",
        remedy="Use two names",
    )


def test_or_of_numbers_as_a_value():
    @vertex
    def update(v: Spot):
        v.depth = v.in_degree or v.id

    @program
    def mistaken(g):
        update(g)

    refuses(
        mistaken,
        TypeMismatchError,
        at="v.depth = v.in_degree or v.id",
        under="v.in_degree",
        function="update",
        says="or as a value joins truth values; v.in_degree is i64",
        remedy="or choose with: a if c else b.",
    )


def test_bits_of_a_float():
    @vertex
    def update(v: Spot):
        v.depth = v.id & 0.5

    @program
    def mistaken(g):
        update(g)

    refuses(
        mistaken,
        TypeMismatchError,
        at="v.depth = v.id & 0.5",
        under="v.id & 0.5",
        function="update",
        says="& works on integers, not on id and float",
        remedy="Convert with int(x)",
    )


def test_negative_power_of_an_integer():
    @vertex
    def update(v: Spot):
        v.depth = v.id**-1

    @program
    def mistaken(g):
        update(g)

    refuses(
        mistaken,
        TypeMismatchError,
        at="v.depth = v.id**-1",
        under="v.id**-1",
        function="update",
        says="an integer to the power of -1 is no integer",
        remedy="Write v.id ** -1.0.",
    )
