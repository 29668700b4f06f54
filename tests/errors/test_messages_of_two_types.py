"""A function that sends messages of two types, or none where one is expected."""

from errors.expect import refuses

from emv import Edge, Message, Vertex, edge, i32, message, program
from emv.errors import LanguageError, TypeMismatchError


class Spot(Vertex):
    depth: i32 = 0


def test_a_number_and_a_tuple():
    @edge
    def tell(e: Edge[Spot]):
        e.send(1)
        e.send((e.id, 2))

    @program
    def mistaken(g):
        tell(g)

    refuses(
        mistaken,
        TypeMismatchError,
        at="e.send((e.id, 2))",
        under="e.send((e.id, 2))",
        function="tell",
        says="this message is tuple[id, int], an earlier one int",
        remedy="All messages of a function have one type",
    )


def test_two_values_in_one_send():
    @edge
    def tell(e: Edge[Spot]):
        e.send(e.src.depth, e.id)

    @program
    def mistaken(g):
        tell(g)

    refuses(
        mistaken,
        LanguageError,
        at="e.send(e.src.depth, e.id)",
        under="e.send(e.src.depth, e.id)",
        function="tell",
        says="send() takes one message",
        remedy="Several values travel as a tuple",
    )


def test_sending_for_another():
    @edge
    def tell(e: Edge[Spot]):
        e.src.send(1)

    @program
    def mistaken(g):
        tell(g)

    refuses(
        mistaken,
        LanguageError,
        at="e.src.send(1)",
        under="e.src.send(1)",
        function="tell",
        says="only the instance itself sends",
        remedy="Write e.send(x) or v.send(x).",
    )


def test_message_function_of_another_type():
    @edge
    def tell(e: Edge[Spot]):
        e.send((1, 2))

    @message
    def damp(m: Message[i32]):
        m.value = m.value // 2

    @program
    def mistaken(g):
        damp(tell(g))

    refuses(
        mistaken,
        TypeMismatchError,
        at="damp(tell(g))",
        under="damp(tell(g))",
        function="mistaken",
        says="'m' of damp() is i32, but the call gives tuple[i64, i64]",
        remedy="Declare m with the type it receives",
    )
