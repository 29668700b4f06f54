"""A tuple where a number belongs."""

from errors.expect import refuses

from emv import Edge, Vertex, edge, i32, program, vertex
from emv.errors import TypeMismatchError


class Spot(Vertex):
    depth: i32 = 0


def test_tuple_into_a_field():
    @vertex
    def store(v: Spot):
        v.depth = (v.id, 1)

    @program
    def mistaken(g):
        store(g)

    refuses(
        mistaken,
        TypeMismatchError,
        at="v.depth = (v.id, 1)",
        under="v.depth",
        function="store",
        says="Spot.depth is i32, the value is tuple[id, int]",
        remedy="Convert it",
    )


def test_tuple_in_a_sum():
    @vertex
    def add(v: Spot, pair: tuple[i32, i32]):
        v.depth = pair + 1

    @program
    def mistaken(g):
        add(g, (1, 2))

    refuses(
        mistaken,
        TypeMismatchError,
        at="v.depth = pair + 1",
        under="pair",
        function="add",
        says="pair is a tuple[i32, i32], not a number",
        remedy="Take one of its items: pair[0].",
    )


def test_tuple_in_a_message():
    @edge
    def tell(e: Edge[Spot]):
        e.send((1, (2, 3)))

    @program
    def mistaken(g):
        tell(g)

    refuses(
        mistaken,
        TypeMismatchError,
        at="e.send((1, (2, 3)))",
        under="(2, 3)",
        function="tell",
        says="(2, 3) is a tuple[int, int], not a number",
        remedy="Take one of its items: (2, 3)[0].",
    )
