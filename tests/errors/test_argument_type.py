"""An argument of a type that the parameter does not take."""

from errors.expect import refuses

import emv
from emv import Edge, MessageList, Vertex, edge, f32, i32, mlist, program, vertex
from emv.errors import TypeMismatchError


class Spot(Vertex):
    depth: i32 = 0
    size: f32 = 0.5


@vertex
def settle(v: Spot, depth: i32):
    v.depth = depth


@vertex
def size_of(v: Spot):
    return v.size


@edge
def tell(e: Edge[Spot]):
    e.send(e.src.depth)


@edge
def weigh(e: Edge[Spot]):
    return e.src.size


@mlist
def hear(v: Spot, heard: MessageList[i32]):
    for m in heard:
        v.depth = m


def test_float_for_an_integer():
    @program
    def mistaken(g):
        settle(g, 0.5)

    refuses(
        mistaken,
        TypeMismatchError,
        at="settle(g, 0.5)",
        under="settle(g, 0.5)",
        function="mistaken",
        says="'depth' of settle() is i32, but the call gives f64",
        remedy="Declare depth with the type it receives",
    )


def test_float_per_vertex_for_an_integer():
    @program
    def mistaken(g):
        settle(g, size_of(g))

    refuses(
        mistaken,
        TypeMismatchError,
        at="settle(g, size_of(g))",
        under="settle(g, size_of(g))",
        function="mistaken",
        says="'depth' of settle() is i32, but the call gives f32",
        remedy="Declare depth with the type it receives",
    )


def test_text_for_a_number():
    @program
    def mistaken(g):
        settle(g, "deep")

    refuses(
        mistaken,
        TypeMismatchError,
        at='settle(g, "deep")',
        under='settle(g, "deep")',
        function="mistaken",
        says="'depth' of settle() is i32, not str 'deep'",
        remedy="Numbers are parameters of the program",
    )


def test_messages_not_combined():
    @program
    def mistaken(g):
        settle(g, tell(g))

    refuses(
        mistaken,
        TypeMismatchError,
        at="settle(g, tell(g))",
        under="settle(g, tell(g))",
        function="mistaken",
        says="but tell() sent messages",
        remedy="Combine them: emv.sum(messages)",
    )


def test_values_per_edge():
    @program
    def mistaken(g):
        settle(g, weigh(g))

    refuses(
        mistaken,
        TypeMismatchError,
        at="settle(g, weigh(g))",
        under="settle(g, weigh(g))",
        function="mistaken",
        says="@edge function weigh() returns one per edge",
        remedy="Send it along the edge",
    )


def test_combined_messages_for_a_list():
    @program
    def mistaken(g):
        messages = tell(g)
        hear(messages.receivers, emv.min(messages))

    refuses(
        mistaken,
        TypeMismatchError,
        at="hear(messages.receivers, emv.min(messages))",
        under="hear(messages.receivers, emv.min(messages))",
        function="mistaken",
        says="'heard' of hear() takes messages",
        remedy="not combined",
    )
