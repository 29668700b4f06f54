"""A value written to a field of another element."""

import pytest
from errors.expect import refuses

import emv
from emv import Edge, Vertex, edge, f32, i64, program, vertex
from emv.errors import OwnershipError


class Spot(Vertex):
    depth: f32 = 0.0


@edge
def push(e: Edge[Spot]):
    e.dst.depth = e.src.depth + 1


@vertex
def reach(v: Spot):
    far = Spot.at(0)
    far.depth = v.depth


@vertex
def lower_two(v: Spot, n: i64):
    Spot.at(emv.randint(n)).depth = emv.min(Spot.at(emv.randint(n)).depth, v.depth)


@pytest.mark.paper("S16")
def test_writing_to_the_destination():
    @program
    def mistaken(g):
        push(g)

    refuses(
        mistaken,
        OwnershipError,
        at="e.dst.depth = e.src.depth + 1",
        under="e.dst.depth",
        function="push",
        says="e.dst.depth belongs to another element",
        remedy="e.dst.depth = emv.min(e.dst.depth, x). Otherwise send a message.",
    )


def test_writing_to_a_far_element():
    @program
    def mistaken(g):
        reach(g)

    refuses(
        mistaken,
        OwnershipError,
        at="far.depth = v.depth",
        under="far.depth",
        function="reach",
        says="far.depth belongs to another element",
        remedy="Rule (2): a function writes its own fields.",
    )


def test_folding_into_one_element_what_is_read_of_another():
    @program
    def mistaken(g):
        lower_two(g, g.num_vertices)

    refuses(
        mistaken,
        OwnershipError,
        at="Spot.at(emv.randint(n)).depth = emv.min(Spot.at(emv.randint(n)).depth, v.depth)",
        under="Spot.at(emv.randint(n)).depth",
        function="lower_two",
        says="Spot.at(emv.randint(n)) is another element each time, since its index is drawn",
        remedy="name it before: w = Spot.at(emv.randint(n)), then w.depth = emv.min(w.depth, x).",
    )
