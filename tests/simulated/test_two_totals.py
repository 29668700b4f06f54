"""Totals of whole numbers and of floats in one program: a block has memory of each type."""

from __future__ import annotations

import emv
from emv import Graph, Vertex, program, vertex


class Spot(Vertex):
    pass


@vertex
def one(v: Spot):
    return 1


@vertex
def half(v: Spot):
    return 0.5


@program
def both(g):
    return emv.count(one(g)), emv.total(half(g)), emv.largest(half(g)), emv.largest(one(g))


def test_a_count_before_a_total_leaves_it_whole(gpu):
    g = Graph.from_edges([0], [1], num_vertices=37)
    assert both(g.on("cuda")) == (37, 18.5, 0.5, 1)
