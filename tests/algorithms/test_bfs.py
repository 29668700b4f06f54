"""`bfs` gives networkx's depths on every backend, and its check knows wrong ones."""

import networkx as nx
import numpy as np
import pytest
from algorithm_cases import REAL_CASES, busiest_vertex, by_vertex, networkx_of, real_graph
from backends_available import BACKENDS
from hypothesis import given
from hypothesis import strategies as st
from strategies import graphs

from emv import Graph
from emv.algorithms import WrongResultError, bfs, check_bfs
from emv.errors import ArgumentError

over_backends = pytest.mark.parametrize("backend", BACKENDS)


def depths(graph, source):
    lengths = nx.single_source_shortest_path_length(networkx_of(graph), source)
    return by_vertex(lengths, graph.num_vertices, -1)


@over_backends
@given(data=st.data(), graph=graphs(min_vertices=1))
def test_depths_are_networkxs(backend, data, graph):
    source = data.draw(st.integers(0, graph.num_vertices - 1))
    found = bfs(graph, source, backend=backend)
    assert found.dtype == np.int32
    assert found.tolist() == depths(graph, source).tolist()
    check_bfs(graph, found, source)


@pytest.mark.parametrize(("backend", "name"), REAL_CASES)
def test_depths_of_real_graphs(backend, name):
    graph = real_graph(name)
    source = busiest_vertex(graph)
    found = bfs(graph, source, backend=backend)
    assert found.tolist() == depths(graph, source).tolist()
    check_bfs(graph, found, source)


@over_backends
@given(data=st.data(), graph=graphs(min_vertices=1))
def test_several_sources_give_the_depth_from_the_nearest(backend, data, graph):
    vertices = st.integers(0, graph.num_vertices - 1)
    sources = data.draw(st.lists(vertices, min_size=1, max_size=3))
    found = bfs(graph, sources, backend=backend)
    each = np.array([bfs(graph, source, backend=backend) for source in sources])
    nearest = np.where(each < 0, graph.num_vertices, each).min(axis=0)
    assert found.tolist() == np.where(nearest == graph.num_vertices, -1, nearest).tolist()
    check_bfs(graph, found, sources)


@over_backends
def test_no_sources_reach_nothing(backend):
    assert bfs(Graph.from_edges([0], [1]), [], backend=backend).tolist() == [-1, -1]


@pytest.mark.paper("S27", "S28")
@over_backends
def test_supersteps_are_the_depth_and_one_that_finds_nothing(backend):
    path = Graph.from_edges([0, 1, 2], [1, 2, 3])
    run = bfs.run(path, 0, backend=backend)
    assert (run.supersteps, run.stopped) == (4, "converged")


@over_backends
@pytest.mark.parametrize("source", [-1, 2])
def test_source_that_is_no_vertex_is_refused(backend, source):
    with pytest.raises(
        ArgumentError, match=rf"there is no vertex {source}\nThe graph.s vertex ids are 0..1"
    ):
        bfs(Graph.from_edges([0], [1]), source, backend=backend)


@over_backends
def test_source_in_the_empty_graph_is_refused(backend):
    with pytest.raises(ArgumentError, match="The graph is empty"):
        bfs(Graph(), 0, backend=backend)


PATH_AND_ONE_MORE = Graph.from_edges([0, 1, 2], [1, 2, 3], num_vertices=5)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([1, 1, 2, 3, -1], "vertex 0 has depth 1"),
        ([0, 0, 1, 2, -1], "vertex 1 has depth 0"),
        ([0, 1, 2, 3, -2], "vertex 4 has depth -2"),
        ([0, 1, 3, 4, -1], "arc 1 -> 2 leads from depth 1 to depth 3"),
        ([0, 1, 2, -1, -1], "arc 2 -> 3 leads from depth 2 to depth -1"),
        ([0, 1, 2, 3, 4], "no arc leads to vertex 4, depth 4, from one less"),
        ([0, 1, 1, 2, -1], "no arc leads to vertex 2, depth 1"),
        ([0, 1, 2, 3], "shape"),
    ],
)
def test_check_finds_wrong_depths(wrong, message):
    check_bfs(PATH_AND_ONE_MORE, np.array([0, 1, 2, 3, -1], np.int32), 0)
    with pytest.raises(WrongResultError, match=message):
        check_bfs(PATH_AND_ONE_MORE, np.array(wrong, np.int32), 0)
