"""What is taken off as it comes leaves what the eager backend leaves, however much at once."""

from __future__ import annotations

import numpy as np
import pytest
from backends_available import BACKENDS
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graphs

import emv
from emv import Edge, Graph, Vertex, edge, i32, i64, program, u8, vertex

LOWEST = -(2**31)


class Store(Vertex):
    left: i32
    weight: u8


@edge
def take(e: Edge[Store]):
    e.send(e.src.weight)


@vertex
def wake(v: Store, floor: i64):
    if v.left <= floor:
        v.activate()


@vertex
def lose(v: Store, floor: i64, lost: i64):
    if v.left > floor:
        v.left = max(v.left - lost, floor)
        if v.left == floor:
            v.activate()


@program(bind={"left": Store.left, "weight": Store.weight})
def spread(g, left, weight, floor):
    wake(g, floor)
    for _ in g.supersteps():
        lost = take(g.active)
        lose(lost.receivers, floor, emv.sum(lost))
    return g.vertices.left


def agree(graph, backend, left, weight, floor):
    told = np.asarray(left, np.int32), np.asarray(weight, np.uint8)
    right, found = (spread(graph, *told, floor, backend=each) for each in ("python", backend))
    assert found.tolist() == right.tolist()


@pytest.mark.parametrize("backend", BACKENDS)
@settings(max_examples=15, deadline=None)
@given(graph=graphs(), data=st.data())
def test_what_is_left_is_the_same(backend, graph, data):
    many = graph.num_vertices
    left = data.draw(st.lists(st.integers(-3, 9), min_size=many, max_size=many))
    weight = data.draw(st.lists(st.integers(0, 255), min_size=many, max_size=many))
    agree(graph, backend, left, weight, data.draw(st.integers(-1, 3)))


@pytest.mark.parametrize("backend", BACKENDS)
def test_many_take_from_one_at_once(backend):
    """Forty leaves take 255 each off a hub that has 3 left, and one behind it is reached."""
    ends = [*range(40), 40], [*[40] * 40, 41]
    graph = Graph.from_edges(*ends)
    agree(graph, backend, [0] * 40 + [3, 200], [255] * 42, 0)
    agree(graph, backend, [0] * 40 + [2**31 - 1, 2**31 - 1], [255] * 42, 0)


@pytest.mark.parametrize("backend", BACKENDS)
def test_floor_may_be_the_lowest_number_there_is(backend):
    graph = Graph.from_edges([0, 1, 2, 3], [4, 4, 4, 5])
    left = [LOWEST] * 4 + [LOWEST + 7, LOWEST + 300]
    agree(graph, backend, left, [200] * 6, LOWEST)


@pytest.mark.parametrize("backend", BACKENDS)
def test_chains_are_followed_to_their_ends(backend):
    """Longer than a warp goes on by itself, and beside a row that is too long for one."""
    chain = np.arange(150)
    src = np.concatenate([chain[:-1], np.full(140, 150), [150]])
    dst = np.concatenate([chain[1:], 151 + np.arange(140), [20]])
    graph = Graph.from_edges(src, dst)
    left = [0] + [1] * 149 + [0] + [1] * 140
    agree(graph, backend, left, [1] * len(left), 0)
