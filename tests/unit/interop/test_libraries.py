"""Graphs go to other libraries and come back; by stand-ins where a library is not installed."""

from __future__ import annotations

import logging
from typing import Any

import library_stand_ins as stand_ins
import numpy as np
import pytest

from emv import interop
from emv.errors import ArgumentError, GraphError
from emv.graph import Graph

WAYS = {
    "igraph": (interop.to_igraph, interop.from_igraph),
    "networkit": (interop.to_networkit, interop.from_networkit),
    "graph_tool": (interop.to_graph_tool, interop.from_graph_tool),
    "dgl": (interop.to_dgl, interop.from_dgl),
    "torch_geometric": (interop.to_pyg, interop.from_pyg),
}
HOLDS_LABELS = {"igraph", "graph_tool"}
IS_OF_ARCS = {"dgl", "torch_geometric"}


def graph(directed: bool, **more: Any) -> Graph:
    """With a loop, parallel edges and a vertex without edges."""
    ends = [2, 0, 0, 1, 1], [1, 1, 1, 2, 1]
    weight = [0.1, 0.2, 1e300, 3.0, 4.0]
    return Graph.from_edges(*ends, num_vertices=4, directed=directed, weight=weight, **more)


def rows_of(g: Graph, names: tuple[str, ...] = ("weight",)) -> list[tuple[Any, ...]]:
    columns = [g.edges.src, g.edges.dst, *(g.edges[name] for name in names)]
    rows = zip(*(each.tolist() for each in columns), strict=True)
    return sorted(row if g.directed else (*sorted(row[:2]), *row[2:]) for row in rows)


@pytest.fixture(params=["stand-in", "library"])
def given(request, monkeypatch) -> Any:
    """Put a library in place: a stand-in, or the library itself if it is installed."""

    def put(name: str) -> None:
        if request.param == "library":
            pytest.importorskip(name)
        else:
            stand_ins.put_in(monkeypatch, name, "torch")

    return put


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("library", WAYS)
def test_graphs_come_back(given, library: str, directed: bool) -> None:
    given(library)
    there, back = WAYS[library]
    g = graph(directed)
    found = back(there(g))
    if library in IS_OF_ARCS:
        assert found.directed
        g = Graph.from_edges(
            *g.arcs(), num_vertices=4, weight=g.layouts.edge_column("weight", np.dtype("f8"), "arc")
        )
    assert (found.num_vertices, found.directed) == (4, g.directed)
    assert rows_of(found) == rows_of(g)
    assert found.edges.weight.dtype == np.float64
    assert found.labels is None


@pytest.mark.parametrize("library", WAYS)
def test_graphs_without_anything(given, library: str) -> None:
    given(library)
    there, back = WAYS[library]
    for g in (Graph(), Graph.from_edges([], [], num_vertices=3)):
        found = back(there(g))
        assert (found.num_vertices, found.num_edges) == (g.num_vertices, 0)


@pytest.mark.parametrize("library", WAYS)
def test_labels_and_columns_are_kept_or_named(given, library: str, caplog) -> None:
    given(library)
    there, back = WAYS[library]
    g = graph(True, labels=["ann", "bob", "cy", "dan"])
    g.vertices.age = [31, 27, 5, 6]
    g.edges.year = np.arange(5)
    with caplog.at_level(logging.WARNING, "emv"):
        found = back(there(g))
    said = "".join(caplog.messages)
    assert ("labels" in said) == (library not in HOLDS_LABELS)
    if library in HOLDS_LABELS:
        assert found.labels.tolist() == ["ann", "bob", "cy", "dan"]
    if library == "networkit":
        assert "left out of the graph of networkit: labels, age, year" in said
    else:
        assert found.vertices.age.tolist() == [31, 27, 5, 6]
        assert rows_of(found, ("weight", "year")) == rows_of(g, ("weight", "year"))


@pytest.mark.parametrize("library", [*WAYS])
def test_a_library_that_is_not_there_is_named(monkeypatch, library: str) -> None:
    monkeypatch.setitem(__import__("sys").modules, library, None)
    if library == "torch_geometric":
        stand_ins.put_in(monkeypatch, "torch")
    with pytest.raises(ArgumentError, match=f"{library}.* is not installed\n"):
        WAYS[library][0](Graph())


def test_names_of_igraph_that_two_vertices_have(caplog) -> None:
    G = stand_ins.IGraph(2, [(0, 1)])
    G.vs["name"] = ["ann", "ann"]
    G.es["road"] = ["A7"]
    with caplog.at_level(logging.WARNING, "emv"):
        assert interop.from_igraph(G).labels is None
    assert caplog.messages == [
        "left out: names of vertices, as two have the same",
        "left out: the attribute 'road' of edges is no column of numbers",
    ]


def test_removed_nodes_of_networkit_leave_labels() -> None:
    G = stand_ins.NetworKit(5, [(1, 4, 0.5)], weighted=True, directed=True)
    G.removed = {0, 2}
    g = interop.from_networkit(G)
    assert (g.labels.tolist(), rows_of(g)) == ([1, 3, 4], [(0, 2, 0.5)])


def test_filtered_graphs_of_graph_tool() -> None:
    G = stand_ins.GraphTool()
    G.vertices, G.edges = np.array([1, 3, 4]), np.array([[4, 1], [3, 4]])
    G.vp["size"] = stand_ins.PropertyMap("double", [0, 0.1, 0, 0.3, 0.4])
    g = interop.from_graph_tool(G)
    assert g.labels.tolist() == [1, 3, 4]
    assert (g.edges.src.tolist(), g.edges.dst.tolist()) == ([2, 1], [0, 2])
    assert g.vertices.size.tolist() == [0.1, 0.3, 0.4]


def test_several_kinds_of_dgl_are_refused() -> None:
    G = stand_ins.DGLGraph(([], []), 0)
    G.is_homogeneous = False
    with pytest.raises(GraphError, match="several kinds of nodes"):
        interop.from_dgl(G)


def test_data_of_pyg(caplog) -> None:
    ends = stand_ins.Tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    data = stand_ins.Data(
        3,
        edge_index=ends,
        edge_attr=stand_ins.Tensor([[0.5], [0.5], [2.0], [2.0]]),
        x=stand_ins.Tensor(np.ones((3, 7))),
        y=stand_ins.Tensor([4, 5, 6]),
    )
    with caplog.at_level(logging.WARNING, "emv"):
        g = interop.from_pyg(data, directed=False)
    assert (rows_of(g), g.vertices.y.tolist()) == ([(0, 1, 0.5), (1, 2, 2.0)], [4, 5, 6])
    assert caplog.messages == [
        "left out: the attribute 'x' of vertices has the shape (3, 7), and there are 3"
    ]
    arcs = interop.edge_index(g)
    assert arcs.dtype == np.int64
    assert sorted(zip(*arcs.tolist(), strict=True)) == [(0, 1), (1, 0), (1, 2), (2, 1)]


@pytest.mark.parametrize(
    ("index", "more", "why"),
    [
        ([0, 1], {}, "has two rows"),
        ([[0], [1]], {"directed": False}, "needs a symmetric matrix"),
        ([[0], [5]], {"num_vertices": 3}, "edge 0 points to vertex 5"),
    ],
)
def test_mistakes_of_edge_index(index: Any, more: dict[str, Any], why: str) -> None:
    with pytest.raises(GraphError, match=why):
        interop.from_edge_index(index, **more)


def test_what_hands_on_its_memory_only(tmp_path) -> None:
    src, dst = stand_ins.Tensor([0, 1]), stand_ins.Tensor([1, 2])
    g = Graph.from_edges(src, dst, weight=stand_ins.Tensor([0.1, 0.2]))
    g.vertices.x = stand_ins.Tensor(np.arange(3))
    assert (rows_of(g), g.vertices.x.tolist()) == ([(0, 1, 0.1), (1, 2, 0.2)], [0, 1, 2])
    g = Graph.from_edges(stand_ins.Tensor([70, 5]), stand_ins.Tensor([5, 9]), renumber=True)
    assert g.labels.tolist() == [5, 9, 70]
    assert Graph.from_dense(stand_ins.Tensor([[0, 2], [0, 0]])).edges.weight.tolist() == [2]


def test_dense_matrices_are_networkxs() -> None:
    import networkx as nx

    A = np.array([[1.5, 0, 2], [0, 0, 3], [2, 3, 0]])
    for directed in (True, False):
        kind = nx.DiGraph if directed else nx.Graph
        expected = nx.from_numpy_array(A, create_using=kind).edges(data="weight")
        assert rows_of(Graph.from_dense(A, directed)) == sorted(expected)
    for bad in ([[1, 2]], [1], np.ones((2, 3))):
        with pytest.raises(GraphError, match="is square"):
            Graph.from_dense(bad)
    with pytest.raises(GraphError, match="needs a symmetric"):
        Graph.from_dense([[0, 1], [0, 0]], directed=False)


def test_polars_both_ways() -> None:
    polars = pytest.importorskip("polars")
    g = graph(True, labels=["ann", "bob", "cy", "dan"])
    frame = g.to_polars()
    assert frame.columns == ["src", "dst", "weight"]
    assert isinstance(frame, polars.DataFrame)
    back = Graph.from_arrow(frame, vertices=g.to_polars(vertices=True))
    assert (rows_of(back), back.labels.tolist()) == (rows_of(g), g.labels.tolist())
