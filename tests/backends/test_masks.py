"""Masks: named sets of vertices that functions change, programs count, and loops end by."""

from __future__ import annotations

import numpy as np
import pytest
from backends.plain_graphs import arcs_of, busy, path
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import graphs

import emv
from emv import (
    Edge,
    EdgeList,
    Graph,
    Mask,
    MessageList,
    Vertex,
    edge,
    elist,
    i32,
    mlist,
    program,
    vertex,
)


class Spot(Vertex):
    depth: i32 = -1
    front: Mask
    everywhere: Mask = True
    times: i32 = 0


@vertex
def begin(v: Spot):
    v.depth = 0
    v.front.set()


@elist
def spread(v: Spot, links: EdgeList[Edge[Spot]]):
    v.front.unset()
    for link in links:
        if link.dst.depth < 0:
            link.dst.front.set()
            link.send(v.depth + 1)


@vertex
def settle(v: Spot, depth: i32):
    if v.depth < 0:
        v.depth = depth


@program
def reach(g, source):
    begin(g.only(source))
    for _ in g.supersteps(g.num_vertices, until=lambda: emv.count(g.vertices.front) == 0):
        depths = spread(g.vertices.front)
        settle(depths.receivers, emv.min(depths))
    return g.vertices.depth, g.vertices.front


def depths_of(g: Graph, source: int) -> np.ndarray:
    """Return the depths of a breadth-first search, in plain Python."""
    depth, front = np.full(g.num_vertices, -1), {source}
    links: dict[int, list[int]] = {}
    for src, dst in arcs_of(g):
        links.setdefault(src, []).append(dst)
    for level in range(g.num_vertices):
        depth[list(front)] = level
        front = {dst for src in front for dst in links.get(src, []) if depth[dst] < 0}
        if not front:
            break
    return depth


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(graph=graphs(min_vertices=1), data=st.data())
@pytest.mark.paper("S40", "S41", "S29")
def test_a_traversal_by_mask(backend, graph, data):
    source = data.draw(st.integers(0, graph.num_vertices - 1))
    run = reach.run(graph, source, backend=backend)
    depth, front = run.result
    np.testing.assert_array_equal(depth, depths_of(graph, source))
    assert not np.asarray(front).any()
    assert run.stopped == "until"


@edge
def count_edges(e: Edge[Spot]):
    e.src.times += 1


@edge
def show(e: Edge[Spot]):
    e.send(e.src.id)


@mlist
def remember(v: Spot, heard: MessageList[i32]):
    for each in heard:
        v.times = v.times * 10 + each + 1


@vertex
def choose(v: Spot):
    if v.id % 2 == 0:
        v.front.set()
    else:
        v.everywhere.unset()


@program
def as_domains(g):
    choose(g)
    count_edges(g.vertices.front)
    sums = emv.sum(show(g.vertices.everywhere))
    heard = show(g.vertices.front)
    before = emv.total(g.vertices.times)
    remember(heard.receivers, heard)
    return g.vertices.times, sums, before


@pytest.mark.paper("S40")
def test_edges_lists_and_vertices_over_a_mask(backend):
    g = busy()
    times, sums, before = as_domains(g, backend=backend)
    even = [(src, dst) for src, dst in arcs_of(g) if src % 2 == 0]
    degrees = np.bincount([src for src, _ in even], minlength=5)
    assert before == degrees.sum()
    wanted = degrees.tolist()
    for src, dst in sorted(even, key=lambda arc: arc[1]):
        wanted[dst] = wanted[dst] * 10 + src + 1
    np.testing.assert_array_equal(times, wanted)
    wanted_sums = [sum(src for src, dst in even if dst == v) for v in range(5)]
    np.testing.assert_array_equal(sums, wanted_sums)


@vertex
def pass_on(v: Spot):
    if v.front:
        v.times += 1
    v.front.unset()
    if v.front:  # still: a mask is read as it was before the call
        Spot.at((v.id + 1) % 4).front.set()
    if v.id == 2 and v.everywhere:
        Spot.at(2).front.set()


@program
def relay(g, steps):
    begin(g.only(0))
    for _ in g.supersteps(steps):
        pass_on(g)
    return g.vertices.front, g.vertices.times


@pytest.mark.parametrize("steps", [1, 2, 5])
@pytest.mark.paper("S40")
def test_who_sets_wins_and_all_read_what_was_before(backend, steps):
    front, times = relay(path(4), steps, backend=backend)
    mask, counts = np.array([True, False, False, False]), np.zeros(4, int)
    for _ in range(steps):
        counts += mask
        mask = np.roll(mask, 1)
        mask[2] = True
    np.testing.assert_array_equal(front, mask)
    np.testing.assert_array_equal(times, counts)


@program
def questions(g, bound):
    choose(g.only(bound))
    return (
        emv.any(g.vertices.front),
        emv.all(g.vertices.everywhere),
        emv.count(g.vertices.everywhere),
    )


@pytest.mark.parametrize(("chosen", "wanted"), [(0, (1, 1, 3)), (1, (0, 0, 2))])
def test_any_all_and_count(backend, chosen, wanted):
    assert tuple(map(int, questions(path(3), chosen, backend=backend))) == wanted


@program
def counted_edges(g):
    g.vertices.front[:] = True
    count_edges(g.vertices.front)
    begin(g)
    return emv.any(g.vertices.front), emv.count(g.vertices.front)


def test_no_vertices(backend):
    assert tuple(map(int, counted_edges(Graph.from_edges([], []), backend=backend))) == (0, 0)


@vertex
def crowd(v: Spot):
    Spot.at(v.id % 3).front.set()
    Spot.at(v.id % 5).front.unset()


@program
def contested(g):
    crowd(g)
    return g.vertices.front


@pytest.mark.paper("S40")
def test_many_write_one_entry_at_once(compiled):
    front = np.asarray(contested(path(20_000), backend=compiled))
    assert front[:3].all()
    assert not front[3:].any()


@program(host_loop=True)
def hosted(g, source):
    begin(g.only(source))
    rounds = 0
    while emv.any(g.vertices.front):
        depths = spread(g.vertices.front)
        settle(depths.receivers, emv.min(depths))
        rounds += 1
    return g.vertices.depth, rounds


def test_the_host_asks_for_masks(backend):
    depth, rounds = hosted(path(6), 1, backend=backend)
    np.testing.assert_array_equal(depth, [-1, 0, 1, 2, 3, 4])
    assert rounds == 5
