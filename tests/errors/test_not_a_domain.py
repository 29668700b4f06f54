"""A function applied to something that is no domain."""

from errors.expect import refuses

from emv import Edge, Message, Vertex, edge, f32, message, program, vertex
from emv.errors import TypeMismatchError


class Page(Vertex):
    rank: f32 = 0.0


@vertex
def update(v: Page):
    v.rank = 1.0


@edge
def tell(e: Edge[Page]):
    e.send(e.src.rank)


@message
def damp(m: Message[f32]):
    m.value = m.value / 2


def test_a_number():
    @program
    def mistaken(g):
        update(5)

    refuses(
        mistaken,
        TypeMismatchError,
        at="update(5)",
        under="update(5)",
        function="mistaken",
        says="update() is applied to a domain, not to 5",
        remedy="A domain is g, g.active, g.only(ids), g.edges or messages.receivers.",
    )


def test_nothing():
    @program
    def mistaken(g):
        update()

    refuses(
        mistaken,
        TypeMismatchError,
        at="update()",
        under="update()",
        function="mistaken",
        says="update() is applied to a domain, not to nothing",
        remedy="A domain is g, g.active, g.only(ids), g.edges or messages.receivers.",
    )


def test_vertex_function_over_edges():
    @program
    def mistaken(g):
        update(g.edges)

    refuses(
        mistaken,
        TypeMismatchError,
        at="update(g.edges)",
        under="update(g.edges)",
        function="mistaken",
        says="@vertex function update() cannot be applied to edges",
        remedy="Only @edge functions visit edges.",
    )


def test_vertex_function_over_messages():
    @program
    def mistaken(g):
        update(tell(g))

    refuses(
        mistaken,
        TypeMismatchError,
        at="update(tell(g))",
        under="update(tell(g))",
        function="mistaken",
        says="@vertex function update() cannot be applied to",
        remedy="Apply it to messages.receivers",
    )


def test_message_function_over_the_graph():
    @program
    def mistaken(g):
        damp(g)

    refuses(
        mistaken,
        TypeMismatchError,
        at="damp(g)",
        under="damp(g)",
        function="mistaken",
        says="@message function damp() cannot be applied to all",
        remedy="A @message function is applied to messages: damp(paths).",
    )
