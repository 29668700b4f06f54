"""Graphs of arrays on a simulated GPU: their ends stay there until somebody asks."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from simulated_gpu import SimulatedDriver, install

from emv import Graph
from emv.backends.cuda.array import from_host
from emv.backends.cuda.device import device
from emv.errors import ColumnError, GraphError

SRC, DST = [3, 3, 1, 2], [3, 0, 1, 2]


@pytest.fixture
def gpu(monkeypatch):
    install(SimulatedDriver(), monkeypatch)
    return device()


def graph_of(gpu, src=SRC, dst=DST, dtype="int32", **options) -> Graph:
    ends = (from_host(gpu, np.array(each, dtype)) for each in (src, dst))
    return Graph.from_edges(*ends, **options)


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
def test_ends_stay_where_they_are(gpu, dtype):
    graph = graph_of(gpu, dtype=dtype, directed=False, weight=[1, 2, 3, 4])
    src, dst = graph.edges.ends().on_device
    assert src.dtype == dst.dtype == np.int32
    assert (graph.num_vertices, graph.num_edges, graph.num_arcs) == (4, 4, 5)
    copies = gpu.driver.count("copy")
    assert not graph.layouts.arcs_are_edges
    assert gpu.driver.count("copy") == copies
    assert graph.edges.src.tolist() == SRC
    assert graph.edges.dst.tolist() == DST
    assert graph.edges.src.dtype == np.int32
    assert graph.layouts.out_rows.other.tolist() == [3, 1, 2, 3, 0]


def test_narrow_and_mixed_arrays_come_to_the_host(gpu):
    assert graph_of(gpu, dtype="int8").edges.ends().on_device is None
    mixed = Graph.from_edges(from_host(gpu, np.array(SRC)), DST)
    assert mixed.edges.ends().on_device is None
    assert mixed.edges.src.tolist() == SRC


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_a_wrong_id_is_named(gpu, dtype):
    wrong = np.array([3, -1]).astype(dtype)
    with pytest.raises(GraphError, match=f"edge 1 starts at vertex {wrong[1]}, but"):
        graph_of(gpu, wrong, [0, 0], dtype)
    with pytest.raises(GraphError, match="edge 0 points to vertex 9, but the graph has"):
        graph_of(gpu, [0, 1], [9, 2], dtype, num_vertices=4)
    with pytest.raises(GraphError, match="src has 2 ids and dst has 3"):
        graph_of(gpu, [0, 1], [9, 2, 1], dtype)


def test_no_edges(gpu):
    graph = graph_of(gpu, [], [])
    assert (graph.num_vertices, graph.num_arcs) == (0, 0)
    assert graph_of(gpu, [], [], num_vertices=3).layouts.arcs_are_edges


def test_columns_stay_with_the_ends(gpu):
    weight = from_host(gpu, np.array([1.0, 2.0, 3.0, 4.0]))
    graph = graph_of(gpu, weight=weight)
    assert graph.edges.weight is weight
    later = graph.add_edges([0], [1], weight=from_host(gpu, np.array([5.0])))
    assert later.edges.weight.tolist() == [1, 2, 3, 4, 5]
    assert graph.edges.weight is weight
    with pytest.raises(ColumnError, match="has shape"):
        graph_of(gpu, weight=from_host(gpu, np.array([5.0])))


def test_it_grows_on_the_host(gpu):
    graph = graph_of(gpu)
    before = graph.layouts
    graph.add_edge(0, 1)
    later = graph.add_edges(from_host(gpu, np.array([1])), [2])
    assert later.edges.src.tolist() == [*SRC, 0, 1]
    assert (later.num_edges, graph.num_edges) == (6, 5)
    assert graph_of(gpu).remove_edges([0]).edges.src.tolist() == SRC[1:]
    assert graph_of(gpu).add_vertices(1).edges.ends().on_device is not None
    assert (before.num_edges, before.out_rows.other.tolist()) == (4, [1, 2, 3, 0])


def test_a_pickled_graph_is_on_the_host(gpu):
    again = pickle.loads(pickle.dumps(graph_of(gpu)))
    assert again.edges.ends().on_device is None
    assert again.edges.dst.tolist() == DST
