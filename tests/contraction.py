"""One round of Boruvka's method, for rounds that each run on a graph that is built anew.

That is what contraction by mutation (`emv.algorithms.boruvka_by_contraction`) is measured against:
as in a system whose graph is fixed, every round has a graph, and buffers for messages, of its own.
"""

from __future__ import annotations

import numpy as np

import emv
from emv import Edge, Vertex, edge, f32, i32, program, vertex


class City(Vertex):
    above: i32  # what it joined, itself while it is a supervertex
    root: i32 = -1  # the supervertex that it is in
    line: i32 = -1  # the edge along which it joined


class Line(Edge[City]):
    cost: f32
    origin: i32  # its number in the graph that there was at first


@edge
def tell(e: Line):
    e.send((e.cost, e.origin, e.src.id))


@vertex
def take(v: City, cheapest: tuple[f32, i32, i32]):
    v.line = cheapest[1]
    v.above = cheapest[2]


@vertex
def stay(v: City):
    other = City.at(v.above)
    if other.line == v.line and v.id < other.id:  # both chose it: the smaller stays
        v.above = v.id
        v.line = -1


@vertex
def settle(v: City):
    root = v.above
    while City.at(root).above != root:
        root = City.at(root).above
    v.root = root


@program
def one_round(g):
    g.vertices.above[:] = g.vertices.id
    offers = tell(g)
    take(offers.receivers, emv.min(offers))
    stay(offers.receivers)
    settle(g)
    return g.vertices.line, g.vertices.root


def forest_of(graph, line):
    """Return which edges of a graph are in the forest."""
    in_tree = np.zeros(graph.num_edges, bool)
    in_tree[line[line >= 0]] = True
    return in_tree
