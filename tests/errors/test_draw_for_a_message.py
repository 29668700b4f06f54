"""A random draw in a @message function: messages are not numbered alike on all backends."""

from errors.expect import refuses

import emv
from emv import Edge, Message, Vertex, edge, f64, message, program
from emv.errors import LanguageError


@edge
def tell(e: Edge[Vertex]):
    e.send(1.0)


@message
def shaken(m: Message[f64]):
    m.value = m.value + emv.random()


def test_drawing_for_a_message():
    @program
    def mistaken(g):
        return emv.sum(shaken(tell(g)))

    refuses(
        mistaken,
        LanguageError,
        at="m.value = m.value + emv.random()",
        under="emv.random()",
        function="shaken",
        says="@message function shaken() draws",
        remedy="Draw in the function that sends, and send what was drawn.",
    )
