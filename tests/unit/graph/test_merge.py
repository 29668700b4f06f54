"""Index arrays of later versions: merged by compiled kernels, never sorted anew, in any width."""

from __future__ import annotations

import numpy as np
import pytest
from random_changes import Script, same_layouts

from emv import Graph
from emv.config import config
from emv.graph import build, ends, index_arrays, layouts, pairs, splice, widths
from emv_kernels.cpu import row_merge

ARRAYS = ("src_of_arc", "in_other", "arc_of_slot", "slot_of_arc", "edge_of_slot")


def ask_for_all(graph, columns=True):
    """Build every index array that is merged, and columns in every order."""
    made = graph.layouts
    for name in ARRAYS if made.arcs_are_edges else (*ARRAYS, "edge_of_arc"):
        made.array(name)
    for order in ("edge", "arc", "slot") if columns else ():
        made.edge_column("weight", np.dtype("f4"), order)


@pytest.fixture
def compiled(monkeypatch):
    """Let the compiled kernels do the work of graphs of any size."""
    for module in (build, splice, pairs):
        monkeypatch.setattr(module, "FIRST_COMPILED", 0)
    monkeypatch.setattr("emv_kernels.cpu.build.FIRST_SHARED", 0)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("directed", [True, False])
def test_compiled_kernels_merge_as_numpy_does(compiled, monkeypatch, directed, threads):
    monkeypatch.setattr(config, "num_threads", threads)
    script = Script(threads, directed)
    for _ in range(40):
        ask_for_all(script.graph)
        script.step()
        script.compare()


def made_anew(graph):
    return Graph.from_edges(
        graph.edges.src,
        graph.edges.dst,
        num_vertices=graph.num_vertices,
        directed=graph.directed,
        weight=graph.edges.weight,
    )


def graph_of(num_vertices, num_edges, directed, ascending=False):
    draw = np.random.default_rng(num_edges)
    src, dst = draw.integers(0, num_vertices, (2, num_edges))
    src = np.sort(src) if ascending else src
    weight = draw.random(num_edges)
    return Graph.from_edges(src, dst, num_vertices=num_vertices, directed=directed, weight=weight)


def refuse(*_):
    raise AssertionError("an array was built anew")


@pytest.mark.parametrize("ascending", [True, False])
@pytest.mark.parametrize("directed", [True, False])
def test_no_array_is_sorted_anew(monkeypatch, directed, ascending):
    graph = graph_of(50, 400, directed, ascending)
    ask_for_all(graph)
    graph.layouts.num_forward  # noqa: B018 - counted once, before the first change of a graph
    for module in (index_arrays, layouts):
        for name in ("grouped", "first_positions", "ranked", "spread"):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, refuse)
    for name in ("_grouped", "_build_out_first", "_build_in_other", "_build_slot_of_arc"):
        monkeypatch.setattr(layouts.Layouts, name, refuse)
    later = graph.add_edges([3, 4, 3], [4, 3, 3], weight=[1.0, 2.0, 3.0])
    later = later.remove_edges(np.arange(5, 80)).remove_vertices([7, 8]).add_vertices(2)
    later = later.add_edges([50, 51, 3], [3, 50, 51], weight=0.5)
    for name in (*ARRAYS, "edge_of_arc", "out_other", "out_first", "in_first"):
        assert later.layouts.has(name)
    assert len(list(later.layouts.kept_columns())) == 3
    monkeypatch.undo()
    same_layouts(later.layouts, made_anew(later).layouts)


def test_what_was_not_built_is_not_made():
    graph = graph_of(20, 60, True)
    graph.layouts.array("out_first")
    later = graph.add_edges([1], [2], weight=1.0).remove_edges([0])
    assert set(later.layouts._arrays) == {"out_first"}
    assert not graph_of(20, 60, True).add_edges([1], [2], weight=1.0).layouts._arrays


def test_edges_that_come_in_order_still_are_arcs():
    graph = Graph.from_edges([0, 0, 1], [1, 2, 2], weight=[1.0, 2.0, 3.0])
    ask_for_all(graph, columns=False)
    later = graph.add_edges([2, 2], [0, 1], weight=0.0)
    assert later.layouts.arcs_are_edges
    assert later.layouts.out_rows.edge is None
    same_layouts(later.layouts, made_anew(later).layouts)
    sorted_again = later.add_edges([0], [0], weight=0.0).remove_edges([5])
    ask_for_all(sorted_again)
    same_layouts(sorted_again.layouts, made_anew(sorted_again).layouts)


@pytest.mark.parametrize("limit", ["FIRST_WIDE_UNSIGNED", "FIRST_WIDE_SIGNED"])
def test_a_version_that_needs_wider_ids_is_built_anew(monkeypatch, limit):
    monkeypatch.setattr(widths, limit, 12)
    graph = graph_of(9, 10, True)
    ask_for_all(graph)
    for later in (graph.add_edges([1] * 5, [2] * 5, weight=1.0), graph.add_vertices(6)):
        ask_for_all(later)
        same_layouts(later.layouts, made_anew(later).layouts)
        back = later.remove_edges(later.edges.id >= 10)
        same_layouts(back.layouts, made_anew(back).layouts)


def test_a_column_whose_new_values_do_not_fit_is_left_to_the_program():
    graph = graph_of(9, 20, True)
    graph.edges.count = np.arange(20.0)
    graph.layouts.edge_column("count", np.dtype("i4"), "slot")
    later = graph.add_edges([0], [1], weight=0.0, count=0.5)
    assert [key for key, *_ in later.layouts.kept_columns()] == []
    fine = graph.add_edges([0], [1], weight=0.0, count=5)
    assert [key for key, *_ in fine.layouts.kept_columns()] == [("count", "int32", "slot")]


def test_a_replaced_column_is_not_merged():
    graph = graph_of(9, 20, False)
    graph.layouts.edge_column("weight", np.dtype("f4"), "arc")
    graph.edges.weight = 2.0
    later = graph.add_edges([0], [1], weight=0.0)
    assert list(later.layouts.kept_columns()) == []


def test_the_arcs_of_a_version_are_counted_by_its_changes():
    graph = Graph.from_edges([0, 1, 2], [0, 2, 2], directed=False)
    assert graph.num_arcs == 4
    later = graph.add_edges([0, 1, 1], [1, 1, 1]).remove_edges([0, 1])
    assert vars(later.layouts)["num_arcs"] == later.num_arcs == 5


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("directed", [True, False])
def test_rows_are_merged_where_nothing_names_slots(compiled, monkeypatch, directed, threads):
    monkeypatch.setattr(config, "num_threads", threads)
    merged, calls = row_merge.merged, []
    monkeypatch.setattr(row_merge, "merged", lambda *args: (calls.append(1), merged(*args))[1])
    script = Script(10 + threads, directed)
    for verb in ("add_edges", "add_vertices", "many", "remove_pairs") * 8:
        for name in ("out_other", "in_other", "src_of_arc"):
            if name != "src_of_arc" or not script.graph.layouts.arcs_are_edges:
                script.graph.layouts.array(name)
        script.graph.layouts.edge_column("weight", np.dtype("f4"), "arc")
        getattr(script, f"_{verb}")(6)
        assert not script.graph.layouts.has("arc_of_slot")
        script.compare()
    assert len(calls) > 8


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("num_edges", [40, 4000])
def test_edges_in_order_are_their_own_places_until_others_follow(
    compiled, monkeypatch, num_edges, threads
):
    monkeypatch.setattr(config, "num_threads", threads)
    graph = graph_of(200, num_edges, True, ascending=True)
    for name in ("out_first", "out_other", "in_other"):
        graph.layouts.array(name)
    assert graph.layouts.arcs_are_edges
    src, dst = np.random.default_rng(threads).integers(0, 200, (2, 300))
    later = graph.add_edges(src, dst, weight=1.0)
    monkeypatch.setattr(index_arrays, "grouped", refuse)
    found = {name: later.layouts.array(name) for name in ("out_other", "edge_of_arc", "in_other")}
    monkeypatch.undo()
    wanted = made_anew(later).layouts
    for name, values in found.items():
        np.testing.assert_array_equal(values, wanted.array(name))


def test_what_comes_in_no_order_is_known_without_a_look_at_all_edges(monkeypatch):
    graph = graph_of(9, 30, True, ascending=True)
    ask_for_all(graph)
    last = int(graph.edges.src[-1])
    assert graph.add_edges([last, last], [0, 1], weight=1.0).layouts.arcs_are_edges
    monkeypatch.setattr(ends.Ends, "is_sorted", property(only_new_ones))
    for src in ([last, last - 1], [last - 1, last]):
        assert not graph.add_edges(src, [0, 1], weight=1.0).layouts.arcs_are_edges


def only_new_ones(asked):
    """Tell whether two edges are in order, and of no more."""
    assert asked.num_edges == 2
    return bool(asked.src[0] <= asked.src[1])
