"""Changes of the graph that cannot be, and additions that lack something."""

from __future__ import annotations

from errors.expect import path, refuses

import emv
from emv import Edge, Message, Vertex, edge, f32, i32, message, program, vertex
from emv.errors import ArgumentError, FieldError, LanguageError, TypeMismatchError


class Town(Vertex):
    size: f32 = 0.0


class Way(Edge[Town]):
    length: i32


@edge
def measure(e: Way):
    e.src.size += e.length


def program_of(function):
    @program
    def mistaken(g):
        g.edges.length[:] = 1
        measure(g)
        function(g)

    return mistaken


def test_a_column_that_is_not_given():
    @vertex
    def link(v: Town):
        v.add_edge(0)

    refuses(
        program_of(link),
        FieldError,
        run="eager",
        at="v.add_edge(0)",
        under="v.add_edge(0)",
        function="link",
        says="add_edge() gives no 'length', which every edge has",
        remedy="Write add_edge(..., length=...), or give Way.length a default.",
    )


def test_a_column_that_nobody_declares():
    @vertex
    def link(v: Town):
        v.add_edge(0, lenght=1, length=2)

    refuses(
        program_of(link),
        FieldError,
        run="eager",
        at="v.add_edge(0, lenght=1, length=2)",
        under="v.add_edge(0, lenght=1, length=2)",
        function="link",
        says="add_edge() gives 'lenght', which no edge record of this program declares",
        remedy="length",
    )


def test_a_float_for_a_whole_number():
    @vertex
    def link(v: Town):
        v.add_edge(0, length=v.size)

    refuses(
        program_of(link),
        TypeMismatchError,
        run="eager",
        at="v.add_edge(0, length=v.size)",
        under="v.add_edge(0, length=v.size)",
        function="link",
        says="Way.length is i32, the value is f32",
        remedy="Convert it: i32(...)",
    )


def test_a_new_vertex_inside_an_expression():
    @vertex
    def grow(v: Town):
        v.add_edge(emv.add_vertex(), length=1)

    refuses(
        program_of(grow),
        LanguageError,
        at="v.add_edge(emv.add_vertex(), length=1)",
        under="emv.add_vertex()",
        function="grow",
        says="emv.add_vertex() stands inside another expression",
        remedy="Name the new vertex first: new = emv.add_vertex(...).",
    )


def test_the_ids_of_new_vertices_decide():
    @vertex
    def grow(v: Town):
        new = emv.add_vertex()
        if new % 2:
            v.size = 1.0

    refuses(
        lambda: program_of(grow)(path(), backend="cpu"),
        LanguageError,
        at="if new % 2:",
        under="if new % 2:",
        function="grow",
        says="grow() decides by the id of a new vertex",
        remedy="let another function do it in the next superstep",
    )


def test_in_a_sweep():
    @edge
    def cut(e: Way):
        e.delete()

    @program
    def mistaken(g):
        g.edges.length[:] = 1
        for _ in g.sweeps():
            cut(g)

    refuses(
        mistaken,
        LanguageError,
        run="eager",
        at="cut(g)",
        under="cut(g)",
        function="mistaken",
        says="cut() changes the graph in a sweep",
        remedy="Loop over g.supersteps().",
    )


def test_in_a_message_function():
    @message
    def split(m: Message[f32]):
        emv.add_vertex()

    @edge
    def tell(e: Way):
        e.send(1.5)

    @program
    def mistaken(g):
        split(tell(g))

    refuses(
        mistaken,
        LanguageError,
        at="emv.add_vertex()",
        under="emv.add_vertex()",
        function="split",
        says="@message function split() changes the graph",
        remedy="It changes its message alone",
    )


def test_vertices_along_arcs():
    @edge
    def halve(e: Way):
        new = emv.add_vertex()
        e.src.add_edge(new, length=1)

    refuses(
        program_of(halve),
        LanguageError,
        run="eager",
        at="function(g)",
        under="function(g)",
        function="mistaken",
        says="halve() adds vertices, but over all an undirected edge is visited once in each",
        remedy="Apply it to each edge once: halve(g.edges).",
    )


def test_who_is_not_there_yet():
    @vertex
    def grow(v: Town):
        new = emv.add_vertex()
        v.size = Town.at(new).size

    refuses(
        program_of(grow),
        ArgumentError,
        run="eager",
        at="v.size = Town.at(new).size",
        under="Town.at(new).size",
        function="grow",
        says="vertex 3 is there from the next superstep on",
        remedy="its columns are given to emv.add_vertex()",
    )


def test_a_function_that_the_program_does_not_name():
    @edge
    def cut(e: Way):
        e.src.clear_edges()

    held = [cut]

    @program
    def mistaken(g):
        for _ in g.supersteps(2):
            held[0](g)

    refuses(
        mistaken,
        LanguageError,
        at="e.src.clear_edges()",
        under="e.src.clear_edges()",
        function="cut",
        says="cut() changes the graph between supersteps, which the host does, and the program",
        remedy="Write @program(host_loop=True).",
    )


def test_an_edge_that_is_another_by_now():
    @edge
    def uproot(e: Way):
        e.dst.clear_edges()

    @vertex
    def look(v: Town):
        v.size += Way.at(0).length

    @program
    def mistaken(g):
        g.edges.length[:] = 1
        for _ in g.supersteps(2):
            look(g)
            uproot(g)

    refuses(
        mistaken,
        LanguageError,
        run="eager",
        at="v.size += Way.at(0).length",
        under="Way.at(0).length",
        function="look",
        says="look() reaches an edge by its id, and uproot() removes edges",
        remedy="Keep what you need of an edge in a column of a vertex, or send it.",
    )
