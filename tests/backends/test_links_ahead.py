"""What a thread loads of several links at once is what it would have read one after the other."""

from __future__ import annotations

import pytest
from backends_available import BACKENDS
from hypothesis import given, settings
from hypothesis import strategies as st

import emv
from emv import Edge, EdgeList, Graph, Vertex, elist, i32, program


class Spot(Vertex):
    is_open: bool = False
    mark: i32 = 0
    touched: i32 = -1


@elist
def touch(v: Spot, links: EdgeList[Edge[Spot]]):
    if v.is_open and v.touched < 0:
        found = 0
        for link in links:
            if link.dst.mark == 0:
                link.dst.mark = 7
                found += 1
            elif link.dst.mark > 7:
                break
        v.touched = found
        emv.keep_going()


@program(bind={"is_open": Spot.is_open, "mark": Spot.mark})
def touch_all(g, is_open, mark):
    for _ in g.sweeps():
        touch(g)
    return g.vertices.touched, g.vertices.mark


def first_touched(ends, mark):
    """Go along the edges one by one."""
    mark, found = list(mark), 0
    for end in ends:
        if mark[end] == 0:
            mark[end] = 7
            found += 1
        elif mark[end] > 7:
            break
    return found, mark


@pytest.mark.parametrize("backend", BACKENDS)
@settings(max_examples=20, deadline=None)
@given(
    ends=st.lists(st.integers(0, 4), max_size=13),
    mark=st.lists(st.sampled_from([0, 7, 9]), min_size=5, max_size=5),
)
def test_parallel_edges_see_what_was_written_before(backend, ends, mark):
    graph = Graph.from_edges([0] * len(ends), ends, num_vertices=5)
    touched, after = touch_all(graph, [True, False, False, False, False], mark, backend=backend)
    found, right = first_touched(ends, mark)
    assert touched.tolist() == [found, -1, -1, -1, -1]
    assert after.tolist() == right
