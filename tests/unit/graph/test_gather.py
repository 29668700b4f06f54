"""In-arcs in the order in which warps fold them, and senders by out-degree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emv import Graph
from emv.graph import build
from emv.graph.gather import FEW, Gather, gather_positions, ordered_first
from emv.graph.pull import pull_order

UINT32 = np.dtype("uint32")
HUB = 9  # in-arcs, more than one lane folds
graphs = st.integers(1, 30).flatmap(
    lambda num_vertices: st.tuples(
        st.just(num_vertices),
        st.lists(st.tuples(*[st.integers(0, num_vertices - 1)] * 2), max_size=120),
        st.booleans(),
    )
)


def first_of(lengths):
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint32)


def layouts_of(num_vertices, edges, directed):
    src, dst = np.array(edges, int).reshape(-1, 2).T
    return Graph.from_edges(src, dst, num_vertices=num_vertices, directed=directed).layouts


def rows_of(layouts, order):
    """Return the senders to each vertex of an order."""
    first, senders = layouts.in_rows.first.astype(int), layouts.in_rows.other
    return [senders[first[v] : first[v + 1]] for v in order.tolist()]


@given(st.lists(st.sampled_from([0, 1, 2, 65_534, 65_535, 65_536, 70_000]), max_size=30))
def test_positions_are_a_stable_sort_by_out_degree(lengths):
    found = gather_positions(first_of(lengths), UINT32)
    order = sorted(range(len(lengths)), key=lambda v: (-lengths[v], v))
    assert found.dtype == UINT32
    assert [int(found[v]) for v in order] == list(range(len(lengths)))


def test_vertices_of_a_mesh_stay_where_they_are():
    lengths = np.tile([4, 3, 2, 3], FEW)
    positions = gather_positions(first_of(lengths), UINT32)
    np.testing.assert_array_equal(positions, np.arange(4 * FEW))
    lengths[17] = 1000
    assert gather_positions(first_of(lengths), UINT32)[17] == 0


@given(graphs)
def test_slots_name_the_positions_of_their_senders(graph):
    layouts = layouts_of(*graph)
    gather = layouts.gather
    rows = rows_of(layouts, layouts.pull.order)
    np.testing.assert_array_equal(np.diff(gather.first), [len(row) for row in rows])
    np.testing.assert_array_equal(gather.slot, gather.position[np.concatenate(rows)])
    assert gather.slot.dtype == gather.position.dtype == layouts.in_rows.other.dtype


@given(graphs)
def test_nobody_reads_whom_no_arc_leads_from(graph):
    layouts = layouts_of(*graph)
    gather = layouts.gather
    senders = np.flatnonzero(np.diff(layouts.out_rows.first.astype(int)))
    assert sorted(gather.position[senders].tolist()) == list(range(gather.num_senders))


@given(graphs, st.integers(1, 4))
def test_pieces_lie_where_the_rows_of_their_hubs_do(graph, piece_arcs):
    layouts = layouts_of(*graph)
    first, senders = layouts.in_rows.first, layouts.in_rows.other
    pull = pull_order(first, UINT32, hub_arcs=HUB, piece_arcs=piece_arcs)
    gather = Gather(layouts.out_rows.first, first, senders, pull)
    pieces = zip(
        pull.piece_begin, pull.piece_end, gather.piece_begin, gather.piece_end, strict=True
    )
    for begin, end, moved_begin, moved_end in pieces:
        found = gather.slot[moved_begin:moved_end]
        np.testing.assert_array_equal(found, gather.position[senders[begin:end]])
    covered = gather.piece_end.astype(int) - gather.piece_begin.astype(int)
    assert covered.sum() == sum(degree for degree in np.diff(first).tolist() if degree >= HUB)


@given(graphs)
def test_the_compiled_twin_moves_the_rows_alike(graph):
    layouts = layouts_of(*graph)
    gather, rows = layouts.gather, layouts.in_rows
    arguments = rows.first, layouts.pull.order, gather.first, rows.other, gather.position
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "FIRST_COMPILED", 0)
        found = build.rows_in_order(*arguments)
    np.testing.assert_array_equal(found, gather.slot)
    assert found.dtype == gather.slot.dtype


def test_first_positions_follow_the_order():
    order = np.array([2, 0, 1], np.uint32)
    assert ordered_first(first_of([2, 1, 4]), order).tolist() == [0, 4, 6, 7]


@pytest.mark.parametrize("directed", [True, False])
def test_arrays_are_built_once(directed):
    rng = np.random.default_rng(5)
    layouts = layouts_of(31, rng.integers(0, 30, (200, 2)), directed)
    assert layouts.gather is layouts.gather
    assert layouts.gather.slot is layouts.gather.slot
    assert layouts.pull is layouts.pull
