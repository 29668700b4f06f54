"""Words of user functions, said elsewhere."""

from errors.expect import refuses

import emv
from emv import Vertex, f32, program
from emv.errors import LanguageError


class Page(Vertex):
    rank: f32 = 0.0


def vote():
    emv.keep_going()


def test_a_vote_outside_a_run():
    refuses(
        vote,
        LanguageError,
        at="emv.keep_going()",
        under="emv.keep_going()",
        function="vote",
        says="emv.keep_going() was called outside a user function",
        remedy="It belongs inside a function decorated with @vertex",
    )


def test_a_draw_in_the_program_function():
    @program
    def mistaken(g):
        return emv.random() * 2

    refuses(
        mistaken,
        LanguageError,
        at="return emv.random() * 2",
        under="emv.random()",
        function="mistaken",
        says="emv.random() was called outside a user function",
        remedy="that a program applies",
    )


def test_far_access_in_the_program_function():
    @program
    def mistaken(g):
        return Page.at(0).rank

    refuses(
        mistaken,
        LanguageError,
        at="return Page.at(0).rank",
        under="Page.at(0)",
        function="mistaken",
        says="Page.at() was called outside a user function",
        remedy="that a program applies",
    )
