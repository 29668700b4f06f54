"""Graphalytics data sets: any of the three files stands for all, and they are held together."""

from __future__ import annotations

import numpy as np
import pytest
from graph_files import DATA, edges_of

from emv.errors import GraphError, GraphFormatError
from emv.graph import Graph
from emv.graph.io import read
from emv.graph.io import write as write_graph

FOLDER = DATA / "graphalytics"
PROPERTIES = "graph.a.directed = false\ngraph.a.edge-properties.names = cost\n"


def data_set(write, vertices="7\n3\n9\n", edges="3 7 0.5\n9 3 2\n", properties=PROPERTIES):
    """Write a data set; the path of its edges."""
    write(vertices, "a.v")
    if properties is not None:
        write(properties, "a.properties")
    return write(edges, "a.e")


@pytest.mark.parametrize("suffix", [".v", ".e", ".properties"])
@pytest.mark.parametrize(
    ("name", "vertices", "edges", "directed"),
    [("example-directed", 10, 17, True), ("example-undirected", 9, 12, False)],
)
def test_the_examples_are_those_that_their_properties_count(
    name, suffix, vertices, edges, directed
) -> None:
    g = read(FOLDER / f"{name}{suffix}")
    assert (g.num_vertices, g.num_edges, g.directed) == (vertices, edges, directed)
    assert g.labels is not None
    rows = np.loadtxt(FOLDER / f"{name}.e")
    assert g.labels.tolist() == np.loadtxt(FOLDER / f"{name}.v").tolist()
    assert g.labels[edges_of(g)].tolist() == rows[:, :2].astype(int).tolist()
    assert np.array_equal(g.edges.weight, rows[:, 2])


def test_vertices_are_numbered_as_they_stand_in_their_file(write) -> None:
    g = read(data_set(write))
    assert g.labels.tolist() == [7, 3, 9]
    assert edges_of(g).tolist() == [[0, 1], [1, 2]]
    assert (g.directed, g.edges["cost"].tolist()) == (False, [0.5, 2.0])
    both = read(data_set(write), directed=True)
    assert edges_of(both).tolist() == [[1, 0], [2, 1], [0, 1], [1, 2]]


def test_without_properties_edges_are_directed_and_shown_as_they_are(write) -> None:
    g = read(data_set(write, edges="3 7 5\n9 3 2\n", properties=None))
    assert (g.directed, g.edges.weight.dtype) == (True, np.dtype(np.int64))
    assert list(read(data_set(write, "0\n1\n", "1 0\n", properties=None)).edges) == []


def test_plain_ids_are_no_labels_and_edges_may_be_none(write) -> None:
    g = read(data_set(write, "0\n1\n2\n", "", "graph.a.directed = true\n"))
    assert (g.num_vertices, g.num_edges, g.labels) == (3, 0, None)


@pytest.mark.parametrize(
    ("change", "file", "line", "what"),
    [
        ({"edges": "3 7 1\n3 8 1\n"}, "a.e", 2, "vertex 8 is not in "),
        ({"edges": "# x\n\n8 3 1\n"}, "a.e", 3, "vertex 8 is not in "),
        ({"edges": "3 7\n"}, "a.e", 1, "'3 7' has 2 fields, expected 3: source, target, cost"),
        ({"edges": "3 7 nan\n"}, "a.e", 1, "the cost 'nan' is not finite"),
        ({"edges": "3 -7 1\n"}, "a.e", 1, "'-7' is negative"),
        ({"vertices": "7\n3\n9\n3\n"}, "a.v", 4, "the id 3 is there twice"),
        ({"vertices": "7\n-3\n9\n"}, "a.v", 2, "the id -3 is negative"),
        ({"vertices": "7\nx\n"}, "a.v", 2, "'x' is not an integer"),
        ({"vertices": "7 3\n"}, "a.v", 1, "'7 3' has 2 fields, expected 1: id"),
        ({"vertices": ""}, "a.v", None, "is empty"),
        ({"properties": "graph.a.directed = maybe\n"}, "a.properties", 1, "directed is 'maybe'"),
        ({"properties": "graph.a.directed true\n"}, "a.properties", 1, "has no '='"),
        (
            {"properties": PROPERTIES + "graph.a.directed = true\n"},
            "a.properties",
            3,
            "graph.a.directed is given again, line 1 says false",
        ),
        (
            {"properties": PROPERTIES + "graph.a.edge-properties.types = date\n"},
            "a.properties",
            3,
            "the type of cost is 'date', expected int or integer or real",
        ),
        (
            {"properties": "graph.a.edge-properties.names = a, b\n"},
            "a.properties",
            1,
            "emv reads one field of edges",
        ),
        (
            {"properties": "graph.a.edge-properties.names = my cost\n"},
            "a.properties",
            1,
            "the field of edges is called 'my cost', expected a Python identifier",
        ),
        ({"vertices": "# none\n"}, "a.e", 1, "vertex 3 is not in "),
        ({"properties": PROPERTIES + "graph.a.meta.edges = 3\n"}, "a.e", None, "has 2 edges"),
        ({"properties": PROPERTIES + "graph.a.meta.vertices = 9\n"}, "a.v", None, "has 3 vertices"),
        ({"properties": "graph.a.meta.vertices = -1\n"}, "a.properties", 1, "number of vertices"),
    ],
)
def test_a_bad_line_is_named(write, tmp_path, change, file, line, what) -> None:
    path = data_set(write, **change)
    with pytest.raises(GraphFormatError) as caught:
        read(path)
    assert (caught.value.file, caught.value.line) == (str(tmp_path / file), line)
    assert what in str(caught.value)


def test_a_missing_file_is_named(write, tmp_path) -> None:
    for present, missing in (("a.v", "a.e"), ("a.e", "a.v")):
        path = write("1 1\n", present)
        with pytest.raises(GraphFormatError, match=f"there is no {missing} beside it"):
            read(path)
        path.unlink()
    with pytest.raises(GraphFormatError, match="cannot be read"):
        read(tmp_path / "a.v")


@pytest.mark.parametrize("name", ["b.v", "b.e.gz", "b.properties"])
@pytest.mark.parametrize("directed", [True, False])
def test_written_files_are_read_back(tmp_path, name, directed) -> None:
    rng = np.random.default_rng(2)
    labels = np.unique(rng.integers(0, 2**40, 60))[:50][::-1].copy()
    src, dst = rng.integers(0, 40, (2, 100))
    weight = rng.integers(-5, 5, 100)
    g = Graph.from_edges(src, dst, num_vertices=50, directed=directed, labels=labels, weight=weight)
    write_graph(g, tmp_path / name)
    again = read(tmp_path / name)
    assert (again.num_vertices, again.directed) == (50, directed)
    assert np.array_equal(again.labels, labels)
    assert np.array_equal(edges_of(again), edges_of(g))
    assert np.array_equal(again.edges.weight, weight)
    assert again.edges.weight.dtype == weight.dtype


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"labels": ["a", "b"]}, "labels that are no integers"),
        ({"labels": [-1, 1]}, "labels that are no integers"),
        ({"weight": [1], "cost": [1]}, "cannot hold the edge column 'cost'"),
    ],
)
def test_what_it_cannot_hold_is_refused(tmp_path, options, what) -> None:
    with pytest.raises(GraphError, match=what):
        write_graph(Graph.from_edges([0], [1], **options), tmp_path / "a.v")
