"""Messages relaxed in any order, and unions by arcs, end where the eager backend ends."""

from __future__ import annotations

import numpy as np
import pytest
from backends.agreement import both, same_course, sources_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import edge_pairs, graphs

import emv
from emv import DisjointSet, Edge, Graph, Vertex, edge, f32, i32, inf, program, vertex

CASES = settings(max_examples=25)


class Place(Vertex):
    dist: f32 = inf


class Road(Edge[Place]):
    length: f32


@edge
def longer(road: Road):
    road.send(road.src.dist + road.length)


@vertex
def keep_shorter(v: Place, dist: f32):
    if dist < v.dist:
        v.dist = dist
        v.activate()


@program(bind={"length": Road.length})
def distances(g, sources, length):
    keep_shorter(g.only(sources), 0.0)
    for _ in g.supersteps():
        paths = longer(g.active)
        keep_shorter(paths.receivers, emv.min(paths))
    return g.vertices.dist


@program(bind={"length": Road.length})
def distances_by_vertices(g, source, length):
    keep_shorter(g.only(source), 0.0)
    for _ in g.supersteps(limit=g.num_vertices):
        paths = longer(g.active)
        keep_shorter(paths.receivers, emv.min(paths))
    return g.vertices.dist


@program(bind={"length": Road.length})
def distances_in(g, sources, length, limit):
    keep_shorter(g.only(sources), 0.0)
    for _ in g.supersteps(limit):
        paths = longer(g.active)
        keep_shorter(paths.receivers, emv.min(paths))
    return g.vertices.dist


@st.composite
def weighted(draw, *values):
    """Draw a graph and a length for each of its edges, out of some."""
    graph = draw(graphs(min_vertices=1))
    count = graph.num_edges
    lengths = draw(st.lists(st.sampled_from(values), min_size=count, max_size=count))
    return graph, np.array(lengths, np.float32)


LENGTHS = {
    "ties": (1.0, 2.0, 0.5),
    "zeros": (0.0,),
    "zeros and more": (0.0, 1.0),
    "far apart": (1e-6, 1.0, 1e6),
    "infinite": (1.0, np.inf),
    "all infinite": (np.inf,),
    "not there": (1.0, np.nan),
}


@pytest.mark.parametrize("kind", LENGTHS)
@CASES
@given(data=st.data())
def test_relaxing_ends_in_the_same_distances(kind, data):
    graph, lengths = data.draw(weighted(*LENGTHS[kind]))
    both(distances, graph, sources_of(data.draw, graph), lengths)
    both(distances_by_vertices, graph, 0, lengths)


@CASES
@given(data=st.data())
def test_negative_lengths_take_the_same_supersteps(data):
    graph, lengths = data.draw(weighted(-1.0, 1.0, 2.0))
    assume((lengths < 0).any())  # else a thread goes on with what it found, in the same superstep
    same_course(distances_by_vertices, graph, 0, lengths)


@CASES
@given(data=st.data(), limit=st.integers(0, 4))
def test_too_few_supersteps_are_not_relaxed(data, limit):
    graph, lengths = data.draw(weighted(1.0, 2.0, 5.0))
    same_course(distances_in, graph, sources_of(data.draw, graph), lengths, limit)


class Count(Vertex):
    number: i32


class Step(Edge[Count]):
    width: i32


@edge
def one_more(e: Step):
    e.send(e.src.number + 1)


@edge
def wider(e: Step):
    e.send(e.src.number + e.width)


@edge
def the_same(e: Step):
    e.send(e.src.number)


@vertex
def keep_smaller(v: Count, number: i32):
    if number < v.number:
        v.number = number
        v.activate()


@vertex
def wake(v: Count):
    v.activate()


@program
def counted(g, sources):
    g.vertices.number[:] = 1000
    keep_smaller(g.only(sources), -3)
    for _ in g.supersteps():
        numbers = one_more(g.active)
        keep_smaller(numbers.receivers, emv.min(numbers))
    return g.vertices.number


@program(bind={"width": Step.width})
def widths(g, sources, width):
    g.vertices.number[:] = 1000
    keep_smaller(g.only(sources), -3)
    for _ in g.supersteps():
        numbers = wider(g.active)
        keep_smaller(numbers.receivers, emv.min(numbers))
    return g.vertices.number


@program
def smallest_ids(g):
    g.vertices.number[:] = g.vertices.id
    wake(g)
    for _ in g.supersteps():
        numbers = the_same(g.active)
        keep_smaller(numbers.receivers, emv.min(numbers))
    return g.vertices.number


@CASES
@given(st.data(), graphs(min_vertices=1))
def test_constants_relax_integers(data, graph):
    both(counted, graph, sources_of(data.draw, graph))


@CASES
@given(st.data(), graphs(min_vertices=1))
def test_integer_lengths_relax_integers(data, graph):
    widths_of = st.lists(st.integers(0, 4), min_size=graph.num_edges, max_size=graph.num_edges)
    both(widths, graph, sources_of(data.draw, graph), np.array(data.draw(widths_of), np.int32))


@CASES
@given(graphs())
def test_smallest_ids_spread_by_relaxing(graph):
    both(smallest_ids, graph)


@program(bind={"length": Road.length})
def two_rounds(g, first, second, length):
    keep_shorter(g.only(first), 10.0)
    for _ in g.supersteps():
        paths = longer(g.active)
        keep_shorter(paths.receivers, emv.min(paths))
    keep_shorter(g.only(second), -5.0)
    for _ in g.supersteps():
        paths = longer(g.active)
        keep_shorter(paths.receivers, emv.min(paths))
    return g.vertices.dist


@CASES
@given(data=st.data())
def test_two_relaxing_loops_follow_each_other(data):
    graph, lengths = data.draw(weighted(1.0, 2.0, 0.5))
    vertices = st.integers(0, graph.num_vertices - 1)
    both(two_rounds, graph, data.draw(vertices), data.draw(vertices), lengths)


class Member(Vertex):
    group: DisjointSet


@edge
def join_ends(e: Edge[Member]):
    emv.union(e.src.group, e.dst.group)


@program
def groups(g):
    join_ends(g.edges)
    return g.vertices.group


@CASES
@given(st.data(), st.integers(0, 8), st.booleans())
def test_unions_by_arcs_with_loops_and_repeats(data, num_vertices, directed):
    pairs = data.draw(edge_pairs(num_vertices))
    pairs = pairs + pairs[:2] + [(dst, src) for src, dst in pairs[:2]]
    src, dst = [each[0] for each in pairs], [each[1] for each in pairs]
    both(groups, Graph.from_edges(src, dst, num_vertices=num_vertices, directed=directed))
