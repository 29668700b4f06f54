"""Searches of many copies that go by words of bits, on GPUs; the same programs on cores."""

from __future__ import annotations

import numpy as np
import pytest
from backends.test_batches import RANDOM, Site, agree
from hypothesis import given
from hypothesis import strategies as st
from strategies import graphs

import emv
from emv import Edge, Graph, Vertex, edge, i64, program, vertex
from emv.algorithms import bfs


@pytest.fixture
def by_bits(backend):
    """Backends that go by bits where there are enough copies."""
    if backend == "cpu":
        pytest.skip("cores do not go by bits")
    return backend


@RANDOM
@given(graph=graphs(min_vertices=3), count=st.sampled_from([33, 64]), first=st.integers(0, 9))
def test_more_copies_than_bits_of_a_word(graph, count, first, by_bits):
    sources = [(first + 7 * k) % graph.num_vertices for k in range(count)]
    agree(bfs, by_bits, graph, sources)


@pytest.mark.parametrize("count", [20, 70, 200])
def test_words_of_other_lengths(count, by_bits):
    g = Graph.from_edges([0, 0, 1, 2, 3, 5, 5], [1, 2, 3, 3, 4, 6, 5], num_vertices=9)
    agree(bfs, by_bits, g, [k % 9 for k in range(count)])


@edge
def say_more(e: Edge[Site]):
    e.send(e.src.far + 1)


@vertex
def note(v: Site, far: i64):
    if v.far == -1:
        v.far = far
        v.activate()


@program
def counted_from(g, source, start):
    note(g.only(source), start)
    for _ in g.supersteps():
        far = say_more(g.active)
        note(far.receivers, emv.max(far))
    return g.vertices.far


def test_a_message_that_looks_like_nothing(backend):
    g = Graph.from_edges([0, 1, 2, 3, 4], [1, 2, 3, 4, 5])
    sources = [k % 6 for k in range(4 if backend == "cpu" else 40)]
    for start in (-3, -1, 5):  # -1 is what nobody has yet
        found = counted_from.batch(g, sources, start, backend=backend)
        wanted = np.stack([counted_from(g, each, start, backend="python") for each in sources])
        np.testing.assert_array_equal(np.asarray(found), wanted)


class Known(Vertex):
    level: i64  # of some it is known already


@edge
def tell_level(e: Edge[Known]):
    e.send(e.src.level + 1)


@vertex
def learn(v: Known, level: i64):
    if v.level == 0:
        v.level = level
        v.activate()


@program
def levels(g, source):
    learn(g.only(source), 1)
    for _ in g.supersteps():
        level = tell_level(g.active)
        learn(level.receivers, emv.min(level))
    return g.vertices.level


def test_a_column_that_is_not_empty(by_bits):
    g = Graph.from_edges([0, 1, 2, 3, 4, 6], [1, 2, 3, 4, 5, 5], directed=False)
    g.vertices.level = [0, 0, 0, 7, 0, 0, 0]
    agree(levels, by_bits, g, [k % 7 for k in range(40)])


def test_numbers_to_count_from_that_differ(backend):
    g = Graph.from_edges([0, 1, 2, 3, 4], [1, 2, 3, 4, 5])
    found = counted_from.batch(g, range(5, 9), 2, along="start", backend=backend)
    wanted = np.stack([counted_from(g, 2, each, backend="python") for each in range(5, 9)])
    np.testing.assert_array_equal(np.asarray(found), wanted)
