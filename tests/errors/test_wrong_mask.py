"""A mask takes set() and unset(); other columns are no domains."""

from __future__ import annotations

from errors.expect import refuses

import emv
from emv import Edge, Mask, Vertex, edge, program, vertex
from emv.errors import TypeMismatchError


class Spot(Vertex):
    front: Mask = False
    is_on: bool = False


@vertex
def enter(v: Spot):
    v.front.set()


def test_assigning_to_a_mask():
    @vertex
    def mistaken(v: Spot):
        v.front = True

    @program
    def run(g):
        mistaken(g)

    refuses(
        run,
        TypeMismatchError,
        at="v.front = True",
        under="v.front",
        function="mistaken",
        says="'front' is a Mask",
        remedy="Write v.front.set() or v.front.unset().",
    )


def test_a_column_that_is_no_mask():
    @program
    def mistaken(g):
        enter(g.vertices.is_on)

    refuses(
        mistaken,
        TypeMismatchError,
        at="enter(g.vertices.is_on)",
        under="enter(g.vertices.is_on)",
        function="mistaken",
        says="Spot.is_on is bool, which is no domain",
        remedy="A set of vertices is a mask: declare it is_on: Mask",
    )


def test_a_mask_of_edges():
    def declare():
        class Wire(Edge[Spot]):
            front: Mask

    refuses(
        declare,
        TypeMismatchError,
        at="front: Mask",
        under="front",
        function="<module>",
        says="record Wire: 'front' cannot be a Mask here",
        remedy="A Mask is a field of a Vertex record; its default is True or False.",
    )


@edge
def use(e: Edge[Spot]):
    e.send(1)


def test_a_mask_has_no_other_words():
    @vertex
    def mistaken(v: Spot):
        v.front.clear()

    @program
    def run(g):
        mistaken(g)
        emv.count(g.vertices.front)

    refuses(
        run,
        emv.EmvError,
        at="v.front.clear()",
        under="v.front.clear",
        function="mistaken",
        says="has no field that compiled code can read: 'clear'",
        remedy="Only vertices, edges",
    )
