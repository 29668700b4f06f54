"""Fields that a record cannot have."""

from errors.expect import refuses

from emv import Edge, Vertex, i8, i32
from emv.errors import FieldError, TypeMismatchError


def reserved_name():
    class Spot(Vertex):
        depth: i32 = 0
        out_degree: i32 = 0


def underscored_name():
    class Spot(Vertex):
        _depth: i32 = 0


def wrong_default():
    class Spot(Vertex):
        depth: i32 = 0.5


def too_large_default():
    class Spot(Vertex):
        small: i8 = 300


def no_number():
    class Spot(Vertex):
        name: str


def wrong_ends():
    class Road(Edge[int]):
        length: i32


def test_reserved_name():
    refuses(
        reserved_name,
        FieldError,
        at="out_degree: i32 = 0",
        under="out_degree",
        function="<module>",
        says="'out_degree' is a word of the language, not a field name",
        remedy="Choose another name",
    )


def test_underscored_name():
    refuses(
        underscored_name,
        FieldError,
        at="_depth: i32 = 0",
        under="_depth",
        function="<module>",
        says="record Spot: '_depth' begins with an underscore, which no field does",
        remedy="Choose another name, such as depth_.",
    )


def test_default_of_the_wrong_type():
    refuses(
        wrong_default,
        TypeMismatchError,
        at="depth: i32 = 0.5",
        under="depth",
        function="<module>",
        says="the default 0.5 of 'depth' does not fit i32",
        remedy="Give a default that is a i32",
    )


def test_default_that_does_not_fit():
    refuses(
        too_large_default,
        TypeMismatchError,
        at="small: i8 = 300",
        under="small",
        function="<module>",
        says="the default 300 of 'small' does not fit i8",
        remedy="Give a default that is a i8",
    )


def test_field_that_is_no_number():
    refuses(
        no_number,
        TypeMismatchError,
        at="name: str",
        under="name",
        function="<module>",
        says="field 'name' has the type str, which is not a number type",
        remedy="Use bool, int, float or one of",
    )


def test_edge_between_numbers():
    refuses(
        wrong_ends,
        TypeMismatchError,
        at="class Road(Edge[int]):",
        under="Edge[int]",
        function="wrong_ends",
        says="Edge[int] needs a Vertex record",
        remedy="Write Edge[Place] with class Place(Vertex).",
    )
