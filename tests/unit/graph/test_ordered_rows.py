"""Index arrays of undirected edges in order, against those of edges in any order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import emv
from emv.graph import Graph, Layouts, build, widths

NAMES = (
    *("out_first", "out_other", "edge_of_arc", "in_first", "in_other", "edge_of_slot"),
    *("arc_of_slot", "slot_of_arc", "src_of_arc", "dst_of_slot", "sorted_dst", "arc_of_sorted"),
)
EDGES = {
    "one edge": (2, [(0, 1)]),
    "repeated edges": (3, [(0, 1), (0, 1), (0, 2), (1, 2), (1, 2), (1, 2)]),
    "loops beside others": (3, [(0, 0), (0, 2), (1, 1), (1, 1), (1, 2), (2, 2)]),
    "a star by its lowest": (6, [(0, v) for v in range(1, 6)]),
    "a star by its highest": (6, [(v, 5) for v in range(5)]),
    "gaps": (12, [(2, 7), (2, 9), (7, 9)]),
    "a path": (9, [(v, v + 1) for v in range(8)]),
    "all of them": (6, [(v, w) for v in range(6) for w in range(v, 6)]),
}


class Sorting(Layouts):
    """Index arrays as of edges in no order."""

    ordered = None


def in_order(num_vertices: int, pairs: list[tuple[int, int]]) -> Graph:
    """Return an undirected graph of edges, which are sorted first."""
    pairs = sorted((min(pair), max(pair)) for pair in pairs)
    src, dst = np.array(pairs, np.int64).reshape(-1, 2).T
    return Graph.from_edges(
        src, dst, num_vertices=num_vertices, directed=False, load=np.arange(len(pairs)) % 5
    )


def compare(graph: Graph, names: tuple[str, ...] = NAMES) -> None:
    """Compare all index arrays and columns, and that no more are kept than those asked for."""
    made = Layouts(graph.num_vertices, False, graph.edges)
    wanted = Sorting(graph.num_vertices, False, graph.edges)
    assert (made.ordered is not None) != made.arcs_are_edges
    for name in names:
        found, expected = made.array(name), wanted.array(name)
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == expected.dtype
        assert set(made._arrays) <= set(wanted._arrays)
    for order in ("arc", "slot"):
        for dtype in ("i1", "f4", "f8"):
            found, expected = (
                each.edge_column("load", np.dtype(dtype), order) for each in (made, wanted)
            )
            np.testing.assert_array_equal(found, expected)
            assert found.dtype == expected.dtype


@pytest.fixture(params=[(2**18, 1), (1, 1), (1, 2), (1, 5)], ids=["numpy", "one", "two", "five"])
def ways(request, monkeypatch):
    """By numpy, and by compiled kernels on some threads."""
    monkeypatch.setattr(build, "FIRST_COMPILED", request.param[0])
    monkeypatch.setattr("emv_kernels.cpu.build.FIRST_SHARED", 0)
    monkeypatch.setattr(build.config, "num_threads", request.param[1])


@pytest.mark.parametrize("name", EDGES)
def test_arrays_are_those_of_edges_in_any_order(ways, name):
    compare(in_order(*EDGES[name]))


@given(
    st.integers(1, 9).flatmap(
        lambda count: st.tuples(
            st.just(count), st.lists(st.tuples(*[st.integers(0, count - 1)] * 2), max_size=30)
        )
    ),
    st.sampled_from([(2**18, 1), (1, 1), (1, 2), (1, 4)]),
    st.permutations(NAMES),
    st.booleans(),
)
def test_arrays_are_those_of_any_edges_asked_for_in_any_order(edges, way, names, is_wide):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "FIRST_COMPILED", way[0])
        patch.setattr("emv_kernels.cpu.build.FIRST_SHARED", 0)
        patch.setattr(build.config, "num_threads", way[1])
        if is_wide:
            patch.setattr(widths, "FIRST_WIDE_UNSIGNED", 6)
        compare(in_order(*edges), tuple(names))


@pytest.mark.parametrize(
    ("src", "dst"),
    [
        ([0, 0, 1], [2, 1, 2]),  # dst does not rise
        ([1, 0], [2, 1]),  # nor src
        ([0, 1, 2], [1, 2, 0]),  # the last leads down
        ([], []),
        ([0, 1], [0, 1]),  # loops, whose arcs are the edges
    ],
)
def test_other_edges_are_sorted(src, dst):
    layouts = Graph.from_edges(src, dst, num_vertices=3, directed=False).layouts
    assert layouts.ordered is None
    assert Graph.from_edges([0, 0], [1, 2]).layouts.ordered is None  # each has one arc


def test_what_makes_edges_simple_puts_them_in_order():
    graph = Graph.from_edges([2, 1, 1, 0], [0, 2, 2, 0], directed=False)
    assert graph.layouts.ordered is None
    assert graph.prepared(dedup="first").layouts.ordered is not None


def test_a_folder_keeps_the_arrays_it_has(tmp_path):
    graph = in_order(*EDGES["repeated edges"])
    emv.write(graph, tmp_path / "some.emv")
    layouts = emv.read(tmp_path / "some.emv").layouts
    assert layouts.ordered is None  # nobody has looked at them
    for name in NAMES:
        np.testing.assert_array_equal(layouts.array(name), graph.layouts.array(name))
