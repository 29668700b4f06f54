"""Every storage has one place for each arc, in the order of rows, and the bytes it says."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse
from hypothesis import given
from hypothesis import strategies as st
from strategies import graphs

from emv import Graph
from emv.errors import GraphError
from emv.graph.row_storage import PLACED

TAGS = ("caa", "ell", "hybrid", "hybrid0", "hybrid2", "hybrid9")
PARTS = {
    "caa": ("other", "order", "rank", "levels", "width"),
    "ell": ("other",),
    "hybrid": ("other", "tail", "width"),
    "dia": ("steps", "present", "width"),
}


def place(storage, vertex: int, number: int, size: int) -> int:
    """Return the place of an arc by the address rules of the papers."""
    if storage.name == "caa":
        return int(storage.part("levels")[number]) + int(storage.part("rank")[vertex])
    if storage.name == "ell" or number < storage.width:
        return number * size + vertex
    longer = np.maximum(storage.degrees[:vertex] - storage.width, 0).sum()
    return size * storage.width + int(longer) + number - storage.width


@given(graphs(), st.sampled_from(TAGS), st.sampled_from(["out", "in"]))
def test_places_follow_the_rules(graph, tag, side):
    rows = graph.layouts.out_rows if side == "out" else graph.layouts.in_rows
    storage = graph.layouts.storage(tag, side)
    found = storage.part("other")
    seen = set()
    for vertex in range(graph.num_vertices):
        arcs = rows.other[rows.first[vertex] : rows.first[vertex + 1]]
        for number, other in enumerate(arcs):
            at = place(storage, vertex, number, graph.num_vertices)
            assert found[at] == other
            seen.add(at)
    assert len(seen) == graph.num_arcs <= storage.num_places
    assert tag != "caa" or storage.num_places == graph.num_arcs


@given(graphs(), st.sampled_from(TAGS), st.sampled_from(["out", "in"]))
def test_bytes_are_known_before(graph, tag, side):
    storage = graph.layouts.storage(tag, side)
    for part in PARTS[storage.name]:
        expected = storage.nbytes(part)
        assert not storage.is_built(part) or part in ("rank", "order", "levels", "tail")
        assert storage.part(part).nbytes == expected


@given(graphs(weighted=True), st.sampled_from(TAGS), st.sampled_from(["out", "in"]))
def test_what_is_stored_by_arc_is_at_its_place(graph, tag, side):
    layouts, order = graph.layouts, f"{tag}_{side}"
    weights = layouts.edge_column("weight", np.dtype("f8"), order)
    by_row = layouts.edge_column("weight", np.dtype("f8"), "arc" if side == "out" else "slot")
    places = layouts.storage(tag, side).places
    np.testing.assert_array_equal(weights[places], by_row)
    assert len(weights) == layouts.num_in(order)
    edges = layouts.by_place("edge", tag, side)[places]
    np.testing.assert_array_equal(graph.edges.weight[edges], by_row)
    own, other = ("arc", "slot") if side == "out" else ("slot", "arc")
    np.testing.assert_array_equal(layouts.by_place(own, tag, side)[places], range(graph.num_arcs))
    there = layouts.slot_of_arc if side == "out" else layouts.arc_of_slot
    np.testing.assert_array_equal(layouts.by_place(other, tag, side)[places], there)


@given(st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9))))
def test_diagonals_are_those_of_scipy(pairs):
    src, dst = np.array(sorted(pairs), int).reshape(-1, 2).T
    graph = Graph.from_edges(src, dst, num_vertices=10)
    matrix = sparse.coo_array((np.ones(len(src)), (src, dst)), (10, 10)).todia()
    storage = graph.layouts.storage("dia", "out")
    assert storage.part("steps").tolist() == sorted(matrix.offsets.tolist())
    present = storage.part("present").reshape(-1, 10) if len(pairs) else np.zeros((0, 10))
    for step, row in zip(storage.part("steps"), present, strict=True):
        assert set(np.flatnonzero(row)) == {a for a, b in pairs if b - a == step}


@pytest.mark.parametrize(("src", "dst"), [([0, 0], [1, 1]), ([0, 0], [2, 1])])
def test_diagonals_keep_no_other_order(src, dst):
    graph = Graph.from_edges(src, dst)
    with pytest.raises(GraphError, match=rf"vertex 0 has {dst[0]} before {dst[1]}"):
        graph.layouts.storage("dia", "out").part("steps")


def test_a_third_of_the_vertices_fill_the_width():
    src = np.repeat(np.arange(6), [9, 5, 2, 2, 1, 0])
    graph = Graph.from_edges(src, src, num_vertices=6)
    storage = graph.layouts.storage("hybrid", "out")
    assert storage.width == 5  # two of six have so many, and one has more
    assert storage.num_places == 6 * 5 + 4


def test_wide_ids():
    """Signed and unsigned 64-bit numbers together would become floats."""
    first = np.array([0, 1, 3], np.uint64)
    from emv.graph.row_storage import RowStorage

    for tag in PLACED[:3]:
        storage = RowStorage(tag, "out", first, lambda: np.array([1, 0, 1], np.uint64))
        assert storage.places.dtype == np.int64
        assert storage.part("other").dtype == np.uint64
