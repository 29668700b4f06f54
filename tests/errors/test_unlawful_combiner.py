"""A combiner whose function cannot fold messages in groups."""

from errors.expect import refuses

import emv
from emv import Edge, Message, Vertex, edge, f32, i32, program, vertex
from emv.errors import LanguageError


class Spot(Vertex):
    x: f32 = 1.0


class Line(Edge[Spot]):
    length: f32 = 1.0


@edge
def tell(e: Line):
    e.send(e.src.x + e.length)


@vertex
def settle(v: Spot, x: f32):
    v.x = x


mean = emv.combiner(lambda a, b: (a + b) / 2, 0)


def test_mean_of_messages():
    @program
    def averaging(g):
        settle(g, mean(tell(g)))

    refuses(
        averaging,
        LanguageError,
        at="mean = emv.combiner(lambda a, b: (a + b) / 2, 0)",
        under="emv.combiner(lambda a, b: (a + b) / 2, 0)",
        function="<module>",
        says="emv.combiner cannot fold f32: f(0.0, 1.0) is 0.5, so 0.0 changes it",
        remedy="an identity that changes no message folded into it",
    )


class News(Message):
    label: i32
    weight: f32


@edge
def tell_news(e: Line):
    e.send(News(1, e.length))


@vertex
def hear(v: Spot, heard: News):
    v.x = heard.weight


heavier = emv.combiner(lambda a, b: a if a.weight > b.weight else b, (0, 0.0))


def test_fields_of_a_record_by_name():
    @program
    def choosing(g):
        hear(g, heavier(tell_news(g)))

    refuses(
        choosing,
        LanguageError,
        run="traced",
        at="heavier = emv.combiner(lambda a, b: a if a.weight > b.weight else b, (0, 0.0))",
        under="a.weight",
        function=heavier.name,
        says="a has no field that compiled code can read: 'weight'",
        remedy="gets the fields of a message as a tuple, in their order: write a[0].",
    )
