"""Loops over links that read what they add up before their tests: `passes.read_early`."""

from __future__ import annotations

import numpy as np
import pytest

from emv import Edge, EdgeList, Graph, Vertex, elist, f64, i64, program

REASON = "loops over links read what they add up before their tests"


class Spot(Vertex):
    level: i64 = 0
    number: i64 = 0
    share: f64 = 0.0
    total: f64 = -0.0
    left: i64 = 0


@elist
def add_up(v: Spot, links: EdgeList[Edge[Spot]], level: int):
    total = -0.0
    for link in links:
        if link.dst.level == level:
            total += link.dst.share
    left = 2**60
    for link in links:
        if link.dst.level != level:
            left = left - (link.dst.number + 3) * 2
    v.total = total
    v.left = left


@program
def sums(g, level):
    add_up(g, level)
    return g.vertices.total, g.vertices.left


@elist
def divide_up(v: Spot, links: EdgeList[Edge[Spot]]):
    left = 7
    for link in links:
        if link.dst.number != 0:
            left = left // link.dst.number
    v.left = left


@elist
def take_both(v: Spot, links: EdgeList[Edge[Spot]]):
    total = 0.0
    for link in links:
        if link.dst.level == 1:
            total += link.dst.share * link.dst.number
    v.total = total


@program
def divided(g):
    divide_up(g)
    return g.vertices.left


@program
def both(g):
    take_both(g)
    return g.vertices.total


def spots(num_others: int, seed: int = 3) -> Graph:
    """Return a graph in which vertex 0 has so many arcs, beside short rows."""
    draw = np.random.default_rng(seed)
    heads = np.r_[np.zeros(num_others, int), draw.integers(1, 200, 300)]
    tails = np.r_[np.arange(1, num_others + 1), draw.integers(0, 200, 300)]
    graph = Graph.from_edges(heads, tails, num_vertices=200)
    graph.vertices.level = draw.integers(0, 3, 200)
    graph.vertices.number = draw.integers(-(2**58), 2**58, 200)
    special = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-300])
    graph.vertices.share = np.where(draw.random(200) < 0.1, draw.choice(special, 200), 0.1)
    return graph


@pytest.mark.parametrize("longest", [20, 150])
def test_sums_are_those_of_the_loop_with_its_branch(backend, longest):
    graph = spots(longest)
    wanted = sums(graph, 1, backend="python")
    for found, plain in zip(sums(graph, 1, backend=backend), wanted, strict=True):
        assert np.asarray(found).tobytes() == np.asarray(plain).tobytes()


def test_no_number_is_divided_by_before_it_is_tested(backend):
    graph = spots(20)
    graph.vertices.number = np.arange(200) % 2
    found = divided(graph, backend=backend)
    assert found.tolist() == divided(graph, backend="python").tolist()


def test_which_loops_read_early():
    graph = spots(20).on("cpu")
    assert REASON in sums.explain(graph, 1)
    assert REASON not in divided.explain(graph)  # dividing may fail
    assert REASON not in both.explain(graph)  # two reads
    assert sums.source(graph, 1).count("if longest_row[0] <= ") == 2
