"""Boruvka's minimum spanning forest by contraction, which changes the graph as it goes.

In every superstep each supervertex chooses its cheapest edge and joins the vertex there. Then the
edges inside a component are deleted, and those that lead out are added to the supervertices that
the components have become, until none are left (Mitani, Ino, Hagihara, GPGPU 2014).
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
def offer(e: Line):
    e.send_to(e.src.id, (e.cost, e.origin))
    e.send_to(e.dst.id, (e.cost, e.origin))


@vertex
def choose(v: City, cheapest: tuple[f32, i32]):
    v.line = cheapest[1]


@edge
def join(e: Line):
    left = e.src.id
    right = e.dst.id
    if e.src.line == e.origin and (e.dst.line != e.origin or right < left):
        e.send_to(left, right)
    if e.dst.line == e.origin and (e.src.line != e.origin or left < right):
        e.send_to(right, left)


@vertex
def adopt(v: City, other: i32):
    v.above = other


@vertex
def settle(v: City):
    root = v.above
    while City.at(root).above != root:
        root = City.at(root).above
    v.root = root


@edge
def contract(e: Line):
    left = e.src.root
    right = e.dst.root
    if left != e.src.id or right != e.dst.id:
        if left != right:
            City.at(left).add_edge(right, cost=e.cost, origin=e.origin)
        e.delete()
    elif left == right:
        e.delete()


@program
def contraction(g):
    g.vertices.above[:] = g.vertices.id
    g.edges.origin[:] = g.edges.id
    for _ in g.supersteps(until=lambda: g.num_edges == 0):
        offers = offer(g.edges)
        choose(offers.receivers, emv.min(offers))
        joins = join(g.edges)
        adopt(joins.receivers, emv.min(joins))
        settle(offers.receivers)
        contract(g.edges)
    settle(g)
    return g.vertices.line, g.vertices.root


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
