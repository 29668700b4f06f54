"""Vertices by the lanes that fold their in-arcs, and hubs in pieces."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from emv import Graph
from emv.graph.pull import by_degree, pull_order

UINT32 = np.dtype("uint32")
degrees = st.lists(st.integers(0, 260), max_size=40)


def first_of(lengths):
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint32)


def lanes_of(degree, hub_arcs):
    if degree >= hub_arcs:
        return 0
    for limit, lanes in ((128, 32), (64, 16), (32, 8), (16, 4), (8, 2)):
        if degree > limit:
            return lanes
    return 1


@given(degrees, st.integers(200, 260))
def test_every_vertex_stands_in_the_bin_of_its_degree(lengths, hub_arcs):
    found = pull_order(first_of(lengths), UINT32, hub_arcs, 32)
    rows = found.bins.reshape(8, 3).tolist()
    assert [lanes for _, lanes, _ in rows] == [0, 32, 16, 8, 4, 2, 1, 0]
    assert rows[0] == [0, 0, 0]
    assert rows[7][0] == len(lengths)
    few = max(lengths, default=0) <= 8
    wanted = sorted(range(len(lengths)), key=lambda v: (0 if few else -lengths[v], v))
    assert found.order.tolist() == wanted
    assert found.order.dtype == UINT32
    for (begin, lanes, task), (end, _, next_task) in itertools.pairwise(rows):
        members = found.order[begin:end].tolist()
        wanted = [v for v, degree in enumerate(lengths) if lanes_of(degree, hub_arcs) == lanes]
        assert sorted(members) == wanted
        assert next_task - task == (-(-len(members) // (32 // lanes)) if lanes else 0)


@given(degrees, st.integers(1, 50))
def test_pieces_cover_the_slots_of_the_hubs(lengths, piece_arcs):
    first = first_of(lengths)
    found = pull_order(first, UINT32, 100, piece_arcs)
    hubs = found.order[: sum(degree >= 100 for degree in lengths)]
    assert found.hub_piece[0] == 0
    assert len(found.hub_piece) == len(hubs) + 1
    assert found.hub_piece[-1] == len(found.piece_vertex)
    for hub, low, high in zip(hubs, found.hub_piece[:-1], found.hub_piece[1:], strict=True):
        assert (found.piece_vertex[low:high] == hub).all()
        begins, ends = found.piece_begin[low:high], found.piece_end[low:high]
        assert begins[0] == first[hub]
        assert ends[-1] == first[hub + 1]
        assert (begins[1:] == ends[:-1]).all()
        assert (ends[:-1] - begins[:-1] == piece_arcs).all()
        assert 0 < ends[-1] - begins[-1] <= piece_arcs


@given(st.lists(st.sampled_from([0, 1, 2, 65_534, 65_535, 65_536, 70_000]), max_size=30))
def test_the_order_is_a_stable_sort_by_degree(lengths):
    found = by_degree(np.array(lengths, np.uint32))
    assert found.tolist() == sorted(range(len(lengths)), key=lambda v: (-lengths[v], v))


def test_a_hub_of_the_usual_size():
    star = Graph.from_edges(np.arange(1, 9001), np.zeros(9000, int), num_vertices=9001)
    pull = star.layouts.pull
    assert pull.order[0] == 0
    assert np.diff(pull.hub_piece).tolist() == [9]
    assert (pull.piece_end - pull.piece_begin).tolist() == [1024] * 8 + [9000 - 8192]


def test_a_graph_without_vertices():
    pull = Graph().layouts.pull
    assert pull.bins.reshape(8, 3)[:, 0].tolist() == [0] * 8
    assert (len(pull.order), len(pull.piece_vertex), pull.hub_piece.tolist()) == (0, 0, [0])
