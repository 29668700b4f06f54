"""Making graphs: at once, row by row, and refusing what is no graph."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from strategies import graphs

from emv.errors import ColumnError, EmvError, GraphError
from emv.graph import Graph


@given(graphs(weighted=True))
def test_growing_row_by_row_gives_the_same_graph(graph):
    grown = Graph(directed=graph.directed)
    for _ in range(graph.num_vertices):
        grown.add_vertex()
    src, dst, weight = graph.edges.src.tolist(), graph.edges.dst.tolist(), graph.edges.weight
    for edge in range(graph.num_edges):
        assert grown.add_edge(src[edge], dst[edge], weight=weight[edge]) == edge
        assert grown.layouts.num_edges == edge + 1
    assert [ids.tolist() for ids in grown.arcs()] == [ids.tolist() for ids in graph.arcs()]
    if graph.num_edges:
        assert grown.edges.weight.tolist() == weight.tolist()


@given(graphs(weighted=True))
def test_growing_in_bulk_gives_the_same_graph(graph):
    grown, half = Graph(graph.directed), graph.num_edges // 2
    grown = grown.add_vertices(graph.num_vertices)
    for part in (slice(half), slice(half, None)):
        fields = {"weight": graph.edges.weight[part]}
        grown = grown.add_edges(graph.edges.src[part], graph.edges.dst[part], **fields)
    assert [ids.tolist() for ids in grown.arcs()] == [ids.tolist() for ids in graph.arcs()]
    if graph.num_edges:
        assert grown.edges.weight.tolist() == graph.edges.weight.tolist()


@pytest.mark.parametrize(
    ("src", "dst", "num_vertices", "message"),
    [
        ([0, 1], [1, 7], 3, r"^edge 1 points to vertex 7, but the graph has vertices 0\.\.2$"),
        ([0, 5, 4], [9, 1, 0], 3, r"^edge 0 points to vertex 9, but"),
        ([0, 5], [0, 9], 3, r"^edge 1 starts at vertex 5, but"),
        ([0], [0], 0, r"^edge 0 starts at vertex 0, but the graph has no vertices$"),
        ([0, -1], [0, 0], None, r"^edge 1 starts at vertex -1, but vertex ids are 0, 1, 2"),
        ([0, 1], [0, -2], 3, r"^edge 1 points to vertex -2, but"),
        (np.array([2**63], np.uint64), [0], None, r"^edge 0 starts at vertex 9223372036854775808"),
        ([0.0, 1.5], [0, 0], None, r"^src of edge 1 is 1\.5, which is no vertex id$"),
        ([0, 1], [float("nan"), 0], None, r"^dst of edge 0 is nan, which is no vertex id$"),
        ([1e300], [0], None, r"^src of edge 0 is 1e\+300, which is no vertex id$"),
        ([0, 1], [0], None, r"^src has 2 ids and dst has 1; an edge needs one of each$"),
        ([[0, 1]], [[0, 1]], None, r"^src has shape \(1, 2\), but one id per edge"),
        ([[0], [0, 1]], [0, 1], None, r"^src is no array of vertex ids"),
        (
            ["a"],
            ["b"],
            None,
            r"^src has dtype <U1, but vertex ids are whole numbers\npass renumber=True",
        ),
        ([True], [0], None, r"^src has dtype bool"),
        ([0], [0], -1, r"^num_vertices is -1, but it counts vertices"),
        ([0], [0], 2.0, r"^num_vertices is 2\.0, but it counts vertices"),
    ],
)
def test_bad_ends_are_refused(src, dst, num_vertices, message):
    with pytest.raises(GraphError, match=message):
        Graph.from_edges(src, dst, num_vertices=num_vertices)


def test_whole_floats_are_ids_and_the_largest_id_counts_the_vertices():
    graph = Graph.from_edges(np.array([0.0, 4.0]), [1, 2])
    assert graph.num_vertices == 5
    assert graph.edges.src.tolist() == [0, 4]
    assert Graph.from_edges([], []).num_vertices == 0


def test_the_graph_does_not_follow_the_arrays_it_was_made_of():
    src, weight = np.array([0, 1], np.int32), np.array([1.0, 2.0])
    graph = Graph.from_edges(src, [1, 0], weight=weight)
    src[0], weight[0] = 1, 9.0
    assert graph.edges.src.tolist() == [0, 1]
    assert graph.edges.weight.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("ends", [(0, 3), (-1, 0), (0.5, 0), ("a", 0)])
def test_add_edge_refuses_what_is_no_vertex_and_leaves_the_graph_as_it_was(ends):
    graph = Graph.from_edges([0], [1], num_vertices=3, weight=[2.0])
    with pytest.raises(GraphError):
        graph.add_edge(*ends, weight=1.0)
    assert graph.num_edges == len(graph.edges.weight) == len(graph.edges.src) == 1


def test_add_edge_names_the_edge_that_it_would_have_been():
    graph = Graph.from_edges([0], [1])
    with pytest.raises(GraphError, match=r"^edge 1 points to vertex 5, but .* vertices 0\.\.1$"):
        graph.add_edge(0, np.int64(5))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "new edges have no value for column 'weight'\ngive weight=..., or del g.edges.weight"),
        ({"weight": 1, "wait": 2}, r"no column 'wait'. Did you mean 'weight'\?\nset g.edges.wait"),
        ({"weight": "x"}, "column 'weight' of edges cannot hold 'x'"),
        ({"weight": None}, "column 'weight' of edges cannot hold None"),
    ],
)
def test_add_edge_refuses_fields_that_leave_a_gap(fields, message):
    graph = Graph.from_edges([0], [1], weight=[2.0])
    with pytest.raises(ColumnError, match=message):
        graph.add_edge(0, 1, **fields)
    assert graph.num_edges == len(graph.edges.weight) == len(graph.edges.src) == 1


def test_add_edges_refuses_columns_of_the_wrong_length_and_adds_nothing():
    graph = Graph.from_edges([0], [1], weight=[2.0])
    with pytest.raises(ColumnError, match=r"has shape \(3,\), but the graph has 2 new edges"):
        graph.add_edges([0, 0], [1, 1], weight=[1, 2, 3])
    assert graph.num_edges == len(graph.edges.weight) == 1


def test_a_wider_number_widens_its_column_and_a_python_number_does_not():
    graph = Graph.from_edges([0, 0], [0, 0], count=[1, 2], share=np.float32([0.5, 0.5]))
    graph.add_edge(0, 0, count=1.5, share=0.25)
    assert graph.edges.count.tolist() == [1.0, 2.0, 1.5]
    assert graph.edges.share.dtype == np.float32
    graph.edges.small = np.zeros(3, np.uint8)
    with pytest.raises(ColumnError, match="column 'small' of edges cannot hold 300"):
        graph.add_edge(0, 0, count=1.5, share=0.25, small=300)


def test_labels_come_with_vertices_and_find_them():
    graph = Graph()
    assert [graph.add_vertex("ann"), graph.add_vertex(("b", 2)), graph.add_vertex(7)] == [0, 1, 2]
    assert graph.labels.tolist() == ["ann", ("b", 2), 7]
    assert [graph.id_of(label) for label in graph.labels.tolist()] == [0, 1, 2]
    with pytest.raises(GraphError, match="label 'ann' already is that of vertex 0"):
        graph.add_vertex("ann")
    with pytest.raises(GraphError, match="the vertices of this graph have labels"):
        graph.add_vertex()
    with pytest.raises(GraphError, match="no vertex has the label 'eve'"):
        graph.id_of("eve")
    assert graph.num_vertices == len(graph.labels) == 3


@pytest.mark.parametrize("labels", [[10, 20, 30], [30, 10, 20], ["x", "y", "z"], [10, "x", 2.5]])
def test_labels_of_any_kind_lead_back(labels):
    graph = Graph.from_edges([0], [2], labels=labels)
    assert graph.num_vertices == 3
    assert graph.labels.tolist() == labels
    assert [graph.id_of(label) for label in labels] == [0, 1, 2]
    for missing in (11, 99, "no", 10.5):
        with pytest.raises(GraphError, match="no vertex has the label"):
            graph.id_of(missing)


def test_labels_are_kept_when_sparse_numbered_vertices_are_added():
    graph = Graph.from_edges([0], [1], labels=np.array([10, 20]))
    assert graph.add_vertex(15) == 2
    assert graph.labels.tolist() == [10, 20, 15]
    assert graph.id_of(15) == 2
    assert graph.id_of(20) == 1


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([1, 1], "two vertices have the label 1"),
        (["a", "a"], "two vertices have the label 'a'"),
        ([[1], [2]], "labels must be hashable"),
        (["a"], "1 labels given for 2 vertices"),
    ],
)
def test_bad_labels_are_refused(labels, message):
    with pytest.raises(GraphError, match=message):
        Graph.from_edges([0], [1], num_vertices=2, labels=labels)


def test_without_labels_an_id_is_its_own_label():
    graph = Graph.from_edges([0], [1])
    assert graph.labels is None
    assert graph.id_of(np.int32(1)) == 1
    for label in (2, -1, "1", True, 1.0):
        with pytest.raises(GraphError, match="is no vertex"):
            graph.id_of(label)


def test_repr_is_short():
    graph = Graph.from_edges([0], [1], directed=False, weight=[1.0])
    graph.vertices.rank = np.float32(0.5)
    assert repr(graph) == (
        "Graph(2 vertices, 1 edges, undirected, vertices: rank f32, edges: weight f64)"
    )
    assert repr(Graph()) == "Graph(0 vertices, 0 edges, directed)"


def test_importing_the_graph_loads_no_heavy_library():
    code = (
        "import sys, emv.graph; emv.graph.Graph.from_edges([0], [1]).in_degrees();"
        "sys.exit(any(name in sys.modules for name in ('numba', 'scipy', 'networkx')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("labels", [None, [30, 10, 20], ["c", "a", "b"]])
def test_ids_of_many_labels_are_those_of_each(labels):
    graph = Graph.from_edges([0, 1], [1, 2], labels=labels)
    names = list(range(3)) if labels is None else labels
    found = graph.ids_of(reversed(names))
    assert found.dtype == np.int32
    assert found.tolist() == [graph.id_of(name) for name in reversed(names)] == [2, 1, 0]
    assert graph.ids_of([]).tolist() == []
    with pytest.raises(GraphError, match="99"):
        graph.ids_of([names[0], 99])


@pytest.mark.parametrize("directed", [True, False])
def test_columns_come_in_the_order_of_arcs(directed):
    src, dst, km = [2, 0, 2, 1], [1, 2, 0, 1], [5.5, 7.0, 1.0, 2.0]
    g = Graph.from_edges(src, dst, directed=directed, km=km, n=np.arange(4))
    found = zip(*(each.tolist() for each in g.arcs("km", "n")), strict=True)
    rows = list(zip(src, dst, km, range(4), strict=True))
    back = [] if directed else [(v, u, *rest) for u, v, *rest in rows if u != v]
    assert sorted(found) == sorted([*rows, *back])
    with pytest.raises(EmvError, match="no column 'kn'"):
        g.arcs("kn")
