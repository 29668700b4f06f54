"""Few edges that go, by keys on a simulated GPU: marked, or left out of slots, at once."""

from __future__ import annotations

import numpy as np
import pytest
from simulated.held_edges import built
from simulated_gpu import SimulatedDriver, install

from emv import Graph
from emv.backends.cuda import few_gone
from emv.backends.cuda.array import from_host
from emv.backends.cuda.device import device
from emv.errors import GraphError
from emv.runtime.targets import gpu_graph

SIZE, EDGES = 40, 130
NAMES = ("out_first", "in_first", "out_other", "edge_of_arc", "in_other")


@pytest.fixture
def gpu(monkeypatch, small_ranks):
    monkeypatch.setattr(gpu_graph, "FIRST_ON_DEVICE", 0)
    monkeypatch.setattr(few_gone, "FEW_OF", 1)
    install(SimulatedDriver(stops=0.001), monkeypatch)
    return device()


def made_graph(gpu, directed: bool, loops: int):
    """Return a graph with repeats, a hub and so many loops, its arrays on the GPU, and its ends."""
    draw = np.random.default_rng(8)
    src, dst = draw.integers(0, SIZE, (2, EDGES)).astype(np.int32)
    src[:30] = 3
    src[90:94], dst[90:94] = 5, 6
    dst[src == dst] = (dst[src == dst] + 1) % SIZE
    dst[:loops] = src[:loops]
    ends = [src, dst]
    graph = Graph.from_edges(
        *(from_host(gpu, each) for each in ends), num_vertices=SIZE, directed=directed
    )
    built(gpu, graph, NAMES, is_new=True)
    return graph, ends


def check(later, ends, gone) -> None:
    """Compare a version with a graph built anew."""
    left = [np.delete(each, gone) for each in ends]
    anew = Graph.from_edges(*left, num_vertices=SIZE, directed=later.directed).layouts
    rows = later.layouts.placed["cuda:0"]
    assert (later.num_edges, rows.num_arcs) == (len(left[0]), anew.num_arcs)
    for name in NAMES:
        np.testing.assert_array_equal(rows.array(name), anew.array(name), err_msg=name)
    for found, wanted in zip(later.edges.endpoints(), left, strict=True):
        np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(later.edge_keys, np.delete(np.arange(EDGES), gone))


def times_begun(gpu) -> int:
    once = ("merge.mark_at_once", "few_slots.take")
    return sum(each in name for name, _ in gpu.by_hand for each in once)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("repeats", [0, 3])
def test_edges_are_marked_at_once_and_named_twice_once(gpu, directed, repeats):
    graph, ends = made_graph(gpu, directed, loops=20 * directed)
    gone = np.array([91, 4, 33, 92, 129, 0, 77])
    for _ in range(2):
        later = graph.remove_edges(from_host(gpu, np.append(gone, gone[:repeats])))
        assert times_begun(gpu) == 1
        check(later, ends, gone)
    check(graph, ends, [])
    again = np.array([1, 120])
    check(later.remove_edges(from_host(gpu, again)), ends, np.append(gone, again))


@pytest.mark.parametrize("loops", [0, 1, 80])
@pytest.mark.parametrize("names_loop", [False, True])
def test_loops_that_go_are_counted_where_edges_lead_both_ways(gpu, loops, names_loop):
    graph, ends = made_graph(gpu, False, loops)
    gone = np.array([100, 110, 0] if names_loop else [100, 110])
    later = graph.remove_edges(from_host(gpu, gone))
    assert times_begun(gpu) == 1
    check(later, ends, gone)
    assert later.layouts.ends.num_loops == loops - (names_loop and loops > 0)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("wrong", [-1, EDGES, 2**31 - 1])
def test_keys_of_no_edge_are_named_and_change_nothing(gpu, directed, wrong):
    graph, ends = made_graph(gpu, directed, loops=0)
    with pytest.raises(GraphError, match=str(wrong)):
        graph.remove_edges(from_host(gpu, np.array([5, wrong, 5], np.int64)))
    assert times_begun(gpu) == 1
    check(graph, ends, [])
    check(graph.remove_edges(from_host(gpu, np.array([5, 9]))), ends, [5, 9])


@pytest.mark.parametrize("count", [3, 100])
@pytest.mark.parametrize("repeats", [0, 1])
def test_slots_that_are_alike_go_one_after_another_whichever_chunks_name_them(gpu, count, repeats):
    draw = np.random.default_rng(count)
    ends = list(draw.integers(0, 9, (2, 200)).astype(np.int32))
    graph = Graph.from_edges(*(from_host(gpu, e) for e in ends), num_vertices=9, directed=False)
    with gpu.current():
        rows = gpu_graph.gpu_graph(graph.layouts, gpu).build.arrays
        rows.array("in_other")
        rows.keep_only({"out_first", "in_other"})
    gone = draw.choice(200, count, replace=False)
    later = graph.remove_edges(from_host(gpu, np.append(gone, gone[:repeats]).astype(np.int32)))
    left = [np.delete(each, gone) for each in ends]
    anew = Graph.from_edges(*left, num_vertices=9, directed=False).layouts
    rows = later.layouts.placed["cuda:0"]
    assert times_begun(gpu) == 1
    assert rows.num_arcs == anew.num_arcs
    assert (len(rows.array("in_other")), len(rows.array("out_first"))) == (anew.num_arcs, 10)
    for name in ("out_first", "in_other", "out_other"):
        np.testing.assert_array_equal(rows.array(name), anew.array(name), err_msg=name)
