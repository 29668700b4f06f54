"""Folding what is neither messages nor values."""

from errors.expect import refuses

import emv
from emv import Edge, Vertex, edge, f32, program, vertex
from emv.errors import ArgumentError, FieldError, LanguageError, TypeMismatchError


class Page(Vertex):
    rank: f32 = 0.0


@vertex
def silent(v: Page):
    v.rank = 1.0


@edge
def tell(e: Edge[Page]):
    e.send(e.src.rank)


def test_sum_of_a_number():
    @program
    def mistaken(g):
        emv.sum(3)

    refuses(
        mistaken,
        TypeMismatchError,
        at="emv.sum(3)",
        under="emv.sum(3)",
        function="mistaken",
        says="emv.sum folds messages or an edge column, not 3",
        remedy="emv.sum(offers)",
    )


def test_sum_of_a_silent_function():
    @program
    def mistaken(g):
        emv.sum(silent(g))

    refuses(
        mistaken,
        LanguageError,
        at="emv.sum(silent(g))",
        under="emv.sum(silent(g))",
        function="mistaken",
        says="silent() sends no messages",
        remedy="Call e.send(x), v.send(x) or v.send_to(id, x) in it.",
    )


@vertex
def measure(v: Page):
    return v.rank


def test_sum_of_what_a_function_returns():
    @program
    def mistaken(g):
        emv.sum(measure(g))

    refuses(
        mistaken,
        LanguageError,
        at="emv.sum(measure(g))",
        under="emv.sum(measure(g))",
        function="mistaken",
        says="measure() sends no messages",
        remedy="What it returns is folded by emv.total",
    )


def test_receivers_of_a_silent_function():
    @program
    def mistaken(g):
        silent(silent(g).receivers)

    refuses(
        mistaken,
        LanguageError,
        at="silent(silent(g).receivers)",
        under="silent(g).receivers",
        function="mistaken",
        says="silent() sends no messages",
        remedy="Call e.send(x)",
    )


def test_total_of_a_function_without_values():
    @program
    def mistaken(g):
        emv.total(tell(g))

    refuses(
        mistaken,
        LanguageError,
        at="emv.total(tell(g))",
        under="emv.total(tell(g))",
        function="mistaken",
        says="tell() returns no value",
        remedy="End it with a return statement.",
    )


def test_total_of_a_domain():
    @program
    def mistaken(g):
        silent(g)
        emv.total(g.active)

    refuses(
        mistaken,
        TypeMismatchError,
        at="emv.total(g.active)",
        under="emv.total(g.active)",
        function="mistaken",
        says="emv.total takes the values that a function returned",
        remedy="Return a value from a @vertex or @edge function",
    )


def test_sum_of_a_vertex_column():
    @program
    def mistaken(g):
        silent(g)
        emv.sum(g.vertices.rank, by="src")

    refuses(
        mistaken,
        ArgumentError,
        at='emv.sum(g.vertices.rank, by="src")',
        under='emv.sum(g.vertices.rank, by="src")',
        function="mistaken",
        says="needs an edge column",
        remedy="emv.total(g.vertices.rank)",
    )


def test_messages_by_source():
    @program
    def mistaken(g):
        emv.sum(tell(g), by="src")

    refuses(
        mistaken,
        TypeMismatchError,
        at='emv.sum(tell(g), by="src")',
        under='emv.sum(tell(g), by="src")',
        function="mistaken",
        says="by= is for edge columns",
        remedy="Leave by= out: emv.sum(messages).",
    )


def test_fields_of_plain_messages():
    @program
    def mistaken(g):
        emv.combine(tell(g), cost=emv.min)

    refuses(
        mistaken,
        FieldError,
        at="emv.combine(tell(g), cost=emv.min)",
        under="emv.combine(tell(g), cost=emv.min)",
        function="mistaken",
        says="emv.combine needs one operator for each of: no fields",
        remedy="Send message records and name every field",
    )
