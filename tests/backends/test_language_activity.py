"""SetActive: what ``g.active`` and ``g.active_edges`` are, and when they change."""

from __future__ import annotations

import numpy as np
import pytest
from backends.plain_graphs import busy, path

import emv
from emv import Edge, EdgeList, Vertex, edge, elist, i32, program, vertex
from emv.errors import LanguageError


class Spot(Vertex):
    x: i32 = 0
    visits: i32 = 0


class Line(Edge[Spot]):
    uses: i32 = 0


@vertex
def wake_even(v: Spot):
    if v.id % 2 == 0:
        v.activate()
        v.activate()


@vertex
def wake_next(v: Spot):
    if v.id + 1 < 5:
        Spot.at(v.id + 1).activate()


@edge
def wake_ends(e: Line):
    if e.src.id == 3:
        e.src.activate()
        e.dst.activate()


@vertex
def visit(v: Spot, by: int):
    v.visits += by


@program
def waking(g):
    visit(g.active, 1)  # nobody is active at the start
    wake_even(g)
    visit(g.active, 10)
    visit(g.active, 100)  # still the same: nobody who can activate ran since
    wake_next(g.active)
    visit(g.active, 1000)
    wake_ends(g)
    wake_even(g.only([2]))
    visit(g.active, 10000)  # both calls added to one set
    wake_even(g.only([1]))
    visit(g.active, 100000)  # somebody could have, nobody did
    return g.vertices.visits


@pytest.mark.paper("S7", "S34", "S36")
def test_the_active_set(backend):
    even, after, ends = {0, 2, 4}, {1, 3}, {3, 2, 0}
    expected = [110 * (v in even) + 1000 * (v in after) + 10000 * (v in ends) for v in range(5)]
    assert waking(busy(), backend=backend).tolist() == expected


@edge
def use(line: Line):
    line.uses += 1


@edge
def wake_edge(line: Line):
    if line.src.id != line.dst.id and line.id % 2 == 0:
        line.activate()


@elist
def wake_links(v: Spot, lines: EdgeList[Line]):
    for line in lines:
        if line.dst.id == 2:
            line.activate()


@program
def waking_edges(g):
    use(g.active_edges)
    wake_edge(g)
    use(g.active_edges)
    wake_links(g.only([1, 3]))
    use(g.active_edges)
    return g.edges.uses


@pytest.mark.paper("S34", "S39")
def test_active_edges(backend):
    g = busy()
    src, dst = g.edges.endpoints()
    first = (src != dst) & (np.arange(7) % 2 == 0)
    second = (dst == 2) & np.isin(src, [1, 3])
    assert waking_edges(g, backend=backend).tolist() == (first.astype(int) + second).tolist()


class Node(Vertex):
    depth: i32 = -1


@edge
def look(e: Edge[Node]):
    e.send(e.src.depth + 1)


@vertex
def settle(v: Node, depth: i32):
    if v.depth < 0:
        v.depth = depth
        v.activate()


@program
def levels(g, source):
    settle(g.only(source), 0)
    for _ in g.supersteps():
        depths = look(g.active)
        settle(depths.receivers, emv.min(depths))
    return g.vertices.depth


@pytest.mark.paper("S23")
def test_a_frontier_moves_on_and_dies_out(backend):
    run = levels.run(path(40), 0, backend=backend)
    assert run.result.tolist() == list(range(40))
    assert (run.supersteps, run.stopped) == (40, "converged")
    assert levels(path(5), [1, 3], backend=backend).tolist() == [-1, 0, 1, 0, 1]
    assert levels(path(5, directed=False), 2, backend=backend).tolist() == [2, 1, 0, 1, 2]
    nobody = levels.run(path(3), [], backend=backend)
    assert (nobody.result.tolist(), nobody.supersteps) == ([-1, -1, -1], 1)


@program
def keeping(g):
    wake_even(g)
    awake = g.active
    visit(awake, 1)
    visit(awake, 10)  # the same set
    return g.vertices.visits


@program
def asked_before(g):
    wake_even(g)
    awake = g.active
    wake_next(awake)
    visit(awake, 1)
    return g.vertices.visits


@program
def asked_before_the_loop(g):
    wake_even(g)
    awake = g.active
    for _ in g.supersteps(3):
        wake_next(awake)
    return g.vertices.visits


@program
def edges_asked_before(g):
    wake_edge(g.edges)
    awake = g.active_edges
    wake_edge(g.edges)
    use(awake)
    return g.edges.uses


@program
def asked_again(g):
    wake_even(g)
    awake = g.active
    for _ in g.supersteps(3):
        wake_next(awake)
        awake = g.active
    visit(awake, 1)
    return g.vertices.visits


def test_a_variable_holds_one_active_set(backend):
    assert keeping(path(5), backend=backend).tolist() == [11, 0, 11, 0, 11]
    assert asked_again(path(5), backend=backend).tolist() == [0, 0, 0, 1, 0]
    for made in (asked_before, asked_before_the_loop, edges_asked_before):
        with pytest.raises(LanguageError, match="and is another set now"):
            made(path(5), backend=backend)
