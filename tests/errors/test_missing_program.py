"""A program without its decorator, and Python's loop where a function is applied."""

import pytest
from errors.expect import path, refuses

from emv import Edge, Graph, Vertex, edge, f32, program, vertex
from emv.errors import FieldError, LanguageError


class Page(Vertex):
    rank: f32 = 0.0


@vertex
def start(v: Page):
    v.rank = 1.0


@edge
def tell(e: Edge[Page]):
    e.send(e.src.rank)


def undecorated(g, source):
    start(g.only(source))
    return g.vertices.rank


def test_a_program_without_its_decorator():
    refuses(
        lambda: undecorated(path(), 0),
        FieldError,
        at="start(g.only(source))",
        under="g.only",
        function="undecorated",
        says="a Graph has no 'only', which is a word of programs",
        remedy="Write @program above undecorated().",
    )


def test_other_names_of_a_graph_are_as_python_has_them():
    with pytest.raises(AttributeError, match="'Graph' object has no attribute 'vertexes'") as error:
        _ = Graph().vertexes
    assert error.value.name == "vertexes"
    assert not hasattr(Graph(), "vertexes")


def test_a_column_is_not_set_on_the_graph():
    g = Graph.from_edges([0], [1])
    with pytest.raises(AttributeError, match=r"set as g\.vertices\.rank = values, one of edges"):
        g.rank = [1.0, 2.0]
    with pytest.raises(AttributeError, match="num_vertices"):
        g.num_vertices = 3
    assert g.vertices.names() == []


def test_a_users_own_kind_of_graph_holds_what_it_likes():
    class Roads(Graph):
        pass

    made = Roads.from_edges([0], [1])
    made.country = "CH"
    assert made.country == "CH"


def test_a_loop_over_vertices():
    @program
    def mistaken(g):
        start(g.only(list(g.vertices)))

    refuses(
        mistaken,
        LanguageError,
        at="start(g.only(list(g.vertices)))",
        under="list(g.vertices)",
        function="mistaken",
        says="a program does not loop over vertices or edges",
        remedy="apply it to all: f(g)",
    )


def test_misspelled_receivers():
    @program
    def mistaken(g):
        messages = tell(g)
        start(messages.recievers)

    refuses(
        mistaken,
        FieldError,
        at="start(messages.recievers)",
        under="messages.recievers",
        function="mistaken",
        says="messages and values per vertex have no 'recievers'",
        remedy="Did you mean 'receivers'?",
    )
