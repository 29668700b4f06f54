"""Versions of undirected graphs on a simulated GPU: slots are merged, arcs wait until asked for."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from simulated.held_edges import SIZE, built, ends_of

from emv import Graph, algorithms
from emv.backends.cuda.array import from_host
from emv.backends.cuda.batch import FEW_KEYS
from emv.backends.cuda.late import Late
from emv.errors import GraphError
from emv.runtime.targets import gpu_graph

BOTH = ("out_first", "out_other", "edge_of_arc", "in_other")
STARTS = {
    "both": BOTH,
    "slots": ("out_first", "in_other"),
    "arcs": ("out_first", "out_other"),
    "edges": ("out_first", "edge_of_arc", "in_other"),
}


def made_graph(gpu, ends, names) -> Graph:
    """Return an undirected graph that has some index arrays on the GPU, and no others."""
    graph = Graph.from_edges(*(from_host(gpu, e) for e in ends), num_vertices=SIZE, directed=False)
    built(gpu, graph, names, is_new=True)
    return graph


def changed(gpu, graph, draw, ends, what):
    """Return a later version, and the ends that it has."""
    new, gone = ends_of(draw, 9), draw.choice(len(ends[0]), 7, replace=False)
    left = [np.delete(each, gone) for each in ends]
    given = [from_host(gpu, each) for each in new]
    if what == "add":
        later, left = graph.add_edges(*given), ends
    elif what == "remove":
        return graph.remove_edges(from_host(gpu, graph.edge_keys[gone])), left
    else:
        with graph.changes() as c:
            c.remove_edges(from_host(gpu, graph.edge_keys[gone]))
            c.add_edges(*given)
        later = c.graph
    for each in given:  # which are the caller's own
        gpu.driver.fill(each.address, b"\0", each.nbytes, gpu.stream)
    return later, [np.append(*pair) for pair in zip(left, new, strict=True)]


@pytest.mark.parametrize("how", ["ranks", "few", "digits"])
def test_few_edges_are_placed_by_one_sort(gpu, monkeypatch, request, how):
    """Whether they are loops is seen meanwhile."""
    if how != "digits":
        request.getfixturevalue("small_ranks")
    draw = np.random.default_rng(7)
    src, dst = draw.integers(0, 300, (2, 240)).astype(np.int32)
    dst[src == dst] = (dst[src == dst] + 1) % 300
    src[5], dst[5] = 7, 7
    if how == "few":
        src, dst = src[:150], dst[:150]
    graph = Graph.from_edges(
        *(from_host(gpu, each[:130]) for each in (src, dst)), num_vertices=300, directed=False
    )
    with gpu.current():
        rows = gpu_graph.gpu_graph(graph.layouts, gpu).build.arrays
        rows.array("in_other")
        rows.keep_only({"out_first", "in_other"})
    later = graph.add_edges(*(from_host(gpu, each[130:]) for each in (src, dst)))
    anew = Graph.from_edges(src, dst, num_vertices=300, directed=False).layouts
    assert same_rows(later, anew)
    assert ("few_slots.place" in {name for name, _ in gpu.by_hand}) == (how != "digits")
    src[140], dst[140] = 11, 11
    later = graph.add_edges(*(from_host(gpu, each[130:]) for each in (src, dst)))
    assert same_rows(later, Graph.from_edges(src, dst, num_vertices=300, directed=False).layouts)
    assert later.layouts.ends.num_loops == 2
    for wrong in (-1, 300, 2**31 - 1):
        dst[145] = wrong
        with pytest.raises(GraphError, match="edge 145 ") as raised:
            graph.add_edges(*(from_host(gpu, each[130:]) for each in (src, dst)))
        assert str(wrong) in str(raised.value)
    assert same_rows(
        graph, Graph.from_edges(src[:130], dst[:130], num_vertices=300, directed=False).layouts
    )


def same_rows(graph, anew) -> bool:
    """Return whether a version has the rows of a graph built anew."""
    rows = graph.layouts.placed["cuda:0"]
    pairs = [(rows.array(name), anew.array(name)) for name in STARTS["slots"]]
    return rows.num_arcs == anew.num_arcs and all(np.array_equal(*each) for each in pairs)


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("few_keys", [FEW_KEYS, 0], ids=["batch", "digits"])
def test_slots_are_merged_and_arcs_are_those_of_a_rebuild_when_asked(
    gpu, monkeypatch, start, few_keys
):
    monkeypatch.setattr("emv.backends.cuda.batch.FEW_KEYS", few_keys)
    draw = np.random.default_rng(4)
    ends = ends_of(draw, 60)
    graph = made_graph(gpu, ends, STARTS[start])
    versions = []
    for what in ("add", "remove", "both", "add"):
        graph, ends = changed(gpu, graph, draw, ends, what)
        versions.append((graph, ends))
    for graph, ends in versions:
        rows = graph.layouts.placed["cuda:0"]
        assert rows.has("in_other")
        assert not any(isinstance(rows.made[name], Late) for name in ("out_first", "in_other"))
        anew = Graph.from_edges(*ends, num_vertices=SIZE, directed=False).layouts
        assert rows.num_arcs == anew.num_arcs
        for name in (*STARTS["slots"], *BOTH):
            np.testing.assert_array_equal(rows.array(name), anew.array(name), err_msg=name)


def test_what_serves_no_order_goes_along_the_array_that_is_there(gpu):
    ends = ends_of(np.random.default_rng(4), 60)
    graph = made_graph(gpu, ends, STARTS["both"])
    rows = graph.layouts.placed["cuda:0"]
    assert [rows.in_any_order(e) for e in ("out_other", "in_other")] == ["out_other", "in_other"]
    later, _ = changed(gpu, graph, np.random.default_rng(5), ends, "add")
    rows = later.layouts.placed["cuda:0"]
    assert {name for name, each in rows.made.items() if isinstance(each, Late)} == {*BOTH[1:3]}
    assert [rows.in_any_order(e) for e in ("out_other", "in_other")] == ["in_other", "in_other"]
    rows.array("out_other")
    assert rows.in_any_order("out_other") == "out_other"
    rows.keep_only({"out_first", "out_other"})
    assert [rows.in_any_order(e) for e in ("out_other", "in_other")] == ["out_other", "out_other"]


def test_arcs_that_nobody_asks_for_hold_no_version_in_a_circle(gpu):
    ends = ends_of(np.random.default_rng(4), 60)
    graph = made_graph(gpu, ends, STARTS["both"])
    later, _ = changed(gpu, graph, np.random.default_rng(5), ends, "both")
    held = [weakref.ref(each.layouts.placed["cuda:0"]) for each in (graph, later)]
    gc.disable()
    try:
        del graph, later
        assert [each() for each in held] == [None, None]
    finally:
        gc.enable()


RUNS = {
    "bfs": lambda g: algorithms.bfs(g, 3),
    "core_number": algorithms.core_number,
    "components": algorithms.components,
    "greedy_color": algorithms.greedy_color,
}


@pytest.mark.parametrize("name", RUNS)
def test_walks_without_an_order_have_one_array_and_know_a_later_version_by_the_other(gpu, name):
    draw = np.random.default_rng(4)
    ends = ends_of(draw, 60)
    graph = made_graph(gpu, ends, ())
    for step, only in (("", "out_other"), ("both", "in_other"), ("add", "in_other")):
        if step:
            graph, ends = changed(gpu, graph, draw, ends, step)
        found = RUNS[name](graph)
        rows = graph.layouts.placed["cuda:0"].made
        assert {"out_other", "in_other", "edge_of_arc"} & set(rows) == {only}, step
        anew = Graph.from_edges(*ends, num_vertices=SIZE, directed=False).on("python")
        np.testing.assert_array_equal(np.asarray(found), np.asarray(RUNS[name](anew)))


def test_walks_with_an_order_have_their_own_array_whatever_else_is_there(gpu):
    ends = ends_of(np.random.default_rng(4), 60)
    weight = np.random.default_rng(6).integers(1, 9, 60).astype(np.float32)
    for first in (algorithms.bfs, algorithms.sssp):
        graph = made_graph(gpu, ends, ("in_other",))
        graph.edges.weight = from_host(gpu, weight)
        first(graph, 3)
        anew = Graph.from_edges(*ends, num_vertices=SIZE, directed=False, weight=weight)
        wanted = algorithms.sssp(anew.on("python"), 3)
        np.testing.assert_array_equal(algorithms.sssp(graph, 3), wanted)
        assert {"out_other", "in_other"} <= set(graph.layouts.placed["cuda:0"].made)
