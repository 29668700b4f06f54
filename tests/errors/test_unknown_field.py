"""A field that the record does not declare, misspelled."""

import pytest
from errors.expect import refuses

from emv import Edge, Vertex, edge, f32, program, vertex
from emv.errors import FieldError


class Page(Vertex):
    rank: f32 = 0.0


@vertex
def update(v: Page):
    v.rank = (v.rnak + 1) / 2


@program
def mistaken(g):
    update(g)


@pytest.mark.paper("S12")
def test_unknown_field_names_the_nearest_one():
    refuses(
        mistaken,
        FieldError,
        at="v.rank = (v.rnak + 1) / 2",
        under="rnak",
        function="update",
        says="Page has no field 'rnak'",
        remedy="Page declares: rank (f32) at ",
    )


def test_unknown_field_suggests_the_nearest_one():
    refuses(
        mistaken,
        FieldError,
        at="v.rank = (v.rnak + 1) / 2",
        under="rnak",
        function="update",
        says="Page has no field 'rnak'",
        remedy="Did you mean 'rank'?",
    )


@vertex
def look_around(v: Page):
    for other in v.neighbours:
        v.rank += other.rank


@program
def walked_by_a_vertex(g):
    look_around(g)


def test_neighbours_are_heard_of_by_messages():
    refuses(
        walked_by_a_vertex,
        FieldError,
        at="for other in v.neighbours:",
        under="neighbours",
        function="look_around",
        says="Page has no field 'neighbours'",
        remedy="an @edge function sends them",
    )


@edge
def degree_of_an_edge(e: Edge[Page]):
    e.send(e.in_degree)


def test_a_word_of_vertices_is_no_field_of_edges():
    @program
    def mistaken(g):
        degree_of_an_edge(g)

    refuses(
        mistaken,
        FieldError,
        at="e.send(e.in_degree)",
        under="in_degree",
        function="degree_of_an_edge",
        says="has no field 'in_degree'",
        remedy="Vertices have an in_degree: e.src.in_degree",
    )


def undecorated(v: Page):
    v.rank = 7.0


def test_a_function_without_its_decorator():
    @program
    def mistaken(g):
        undecorated(g)
        update(g)

    refuses(
        mistaken,
        FieldError,
        at="v.rank = 7.0",
        under="v.rank",
        function="undecorated",
        says="the g of a program has no 'rank' to set",
        remedy="it lacks its decorator: @vertex, @edge",
    )


@vertex
def assign(v: Page):
    v.ranks = 1.0


def test_assigning_an_unknown_field():
    @program
    def mistaken(g):
        assign(g)

    refuses(
        mistaken,
        FieldError,
        at="v.ranks = 1.0",
        under="ranks",
        function="assign",
        says="Page has no field 'ranks'",
        remedy="Did you mean 'rank'?",
    )


def reading(v: Page):
    return v.rank


def test_a_function_that_reads_without_its_decorator():
    @program
    def mistaken(g):
        reading(g)
        update(g)

    refuses(
        mistaken,
        FieldError,
        at="return v.rank",
        under="v.rank",
        function="reading",
        says="the g of a program has no 'rank'",
        remedy="it lacks its decorator: @vertex, @edge",
    )
