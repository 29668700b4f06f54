"""Graphs of networkx and matrices of scipy, there and back."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from strategies import graphs

from emv.errors import ColumnError, GraphError
from emv.graph import Graph

FORMATS = ("bsr", "coo", "csc", "csr", "dok", "lil")


def rows(graph: Graph) -> list[tuple[int, int, float]]:
    ends = graph.edges.src.tolist(), graph.edges.dst.tolist()
    return list(zip(*ends, graph.edges.weight.tolist(), strict=True))


def unordered(graph: Graph) -> list[tuple[int, int, float]]:
    """The edges as a multiset; an undirected edge with its smaller end first."""
    turned = [
        (src, dst, weight) if graph.directed or src <= dst else (dst, src, weight)
        for src, dst, weight in rows(graph)
    ]
    return sorted(turned)


@given(graphs(weighted=True))
def test_networkx_and_back_keeps_every_edge(graph):
    G = graph.to_networkx()
    assert G.is_directed() == graph.directed
    assert G.number_of_edges() == graph.num_edges
    back = Graph.from_networkx(G)
    assert (back.num_vertices, back.directed, back.labels) == (
        graph.num_vertices,
        graph.directed,
        None,
    )
    if graph.num_edges:
        assert unordered(back) == unordered(graph)


@given(graphs(weighted=True))
def test_scipy_has_the_arcs_as_entries(graph):
    A = graph.to_scipy()
    assert A.nnz == graph.num_arcs
    expected = np.zeros((graph.num_vertices, graph.num_vertices))
    for src, dst, weight in rows(graph):
        expected[src, dst] += weight
        if not graph.directed and src != dst:
            expected[dst, src] += weight
    assert A.toarray().tolist() == expected.tolist()


@given(graphs(weighted=True))
def test_scipy_and_back_keeps_every_edge(graph):
    back = Graph.from_scipy(graph.to_scipy(), directed=graph.directed)
    assert (back.num_vertices, back.directed) == (graph.num_vertices, graph.directed)
    assert unordered(back) == unordered(graph)


@given(graphs(), st.sampled_from(FORMATS))
def test_every_sparse_format_is_read(graph, layout):
    A = scipy.sparse.coo_array(graph.to_scipy().tocsr().asformat(layout))
    assert (Graph.from_scipy(A).to_scipy().toarray() == graph.to_scipy().toarray()).all()


def test_nodes_become_labels_unless_they_are_their_own_ids():
    assert Graph.from_networkx(nx.path_graph(3)).labels is None
    for nodes in ([1, 0], [0, 2], ["a", "b"], [("t", 1), 2.5], [False, True]):
        G = nx.DiGraph()
        G.add_edge(*nodes)
        graph = Graph.from_networkx(G)
        assert graph.labels.tolist() == nodes
        assert [graph.id_of(node) for node in nodes] == [0, 1]
        assert graph.to_networkx().edges == G.edges


def test_parallel_edges_and_loops_of_a_multigraph_are_kept():
    G = nx.MultiGraph([(0, 1), (0, 1), (1, 1)])
    graph = Graph.from_networkx(G)
    assert (graph.num_edges, graph.num_arcs, graph.directed) == (3, 5, False)
    assert isinstance(graph.to_networkx(), nx.MultiGraph)
    assert not graph.edges.names()


def test_attributes_become_columns_with_their_own_types():
    G = nx.DiGraph([(0, 1, {"weight": 2, "open": True, "cost": 0.5})])
    nx.set_node_attributes(G, {0: 31, 1: 27}, "age")
    graph = Graph.from_networkx(G)
    assert repr(graph) == (
        "Graph(2 vertices, 1 edges, directed, vertices: age i64, "
        "edges: weight i64, open bool, cost f64)"
    )
    back = graph.to_networkx()
    assert nx.utils.graphs_equal(back, G)


def test_a_missing_weight_is_one_and_other_gaps_leave_the_column_out():
    G = nx.Graph([(0, 1, {"weight": 0.5, "cost": 1}), (1, 2, {"colour": "red"})])
    G.nodes[0]["age"] = 31
    graph = Graph.from_networkx(G)
    assert graph.edges.weight.tolist() == [0.5, 1.0]
    assert graph.edges.names() == ["weight"]
    with pytest.raises(ColumnError, match=r"^only 1 of 2 edges have the attribute 'cost'$"):
        _ = graph.edges.cost
    with pytest.raises(ColumnError, match=r"^only 1 of 3 nodes have the attribute 'age'$"):
        _ = graph.vertices.age
    graph.edges.cost = 1.0
    assert graph.edges.cost.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("value", ["red", None, [1], 2**70, 1j])
def test_attributes_that_are_no_numbers_are_left_out_with_a_reason(value):
    graph = Graph.from_networkx(nx.Graph([(0, 1, {"colour": value, "weight": value})]))
    assert graph.edges.names() == []
    with pytest.raises(ColumnError, match="attribute 'colour' cannot be a column of numbers"):
        _ = graph.edges.colour
    with pytest.raises(ColumnError, match="attribute 'weight' cannot be a column of numbers"):
        graph.layouts.edge_column("weight", np.dtype("f8"), "arc")


def test_attributes_named_as_what_the_graph_gives_are_left_out():
    G = nx.Graph([(7, 5, {"src": 1, "dst": 2, "id": 3, "weight": 0.5})])
    G.add_nodes_from([7, 5], id=10, src=1)
    graph = Graph.from_networkx(G)
    assert (graph.vertices.names(), graph.edges.names()) == (["src"], ["weight"])
    assert (graph.vertices.id.tolist(), graph.edges.id.tolist()) == ([0, 1], [0])
    assert graph.edges.absent()["dst"] == "the edge attribute 'dst' cannot be a column of numbers"


def test_vertices_without_edges_are_kept():
    G = nx.Graph()
    G.add_nodes_from([0, 1, 2])
    assert Graph.from_networkx(G).num_vertices == 3
    assert Graph.from_scipy(scipy.sparse.csr_array((3, 3))).num_vertices == 3
    assert Graph.from_edges([], [], num_vertices=3).to_networkx().number_of_nodes() == 3


def test_stored_zeros_and_repeats_are_edges():
    A = scipy.sparse.coo_array(([0.0, 1.0, 2.0], ([0, 1, 1], [1, 0, 0])), shape=(2, 2))
    graph = Graph.from_scipy(A)
    assert rows(graph) == [(0, 1, 0.0), (1, 0, 1.0), (1, 0, 2.0)]


def test_weights_have_the_type_of_the_matrix_and_the_name_asked_for():
    A = scipy.sparse.csr_matrix(np.array([[0, 7], [0, 1]], np.uint16))
    graph = Graph.from_scipy(A, weight="length")
    assert graph.edges.length.dtype == np.uint16
    assert graph.edges.length.tolist() == [7, 1]
    assert graph.to_scipy("length").dtype == np.uint16
    with pytest.raises(ColumnError, match=r"no column 'lenght'.*Did you mean 'length'"):
        graph.to_scipy("lenght")


def test_a_graph_without_weights_is_a_matrix_of_ones():
    graph = Graph.from_edges([0, 0], [1, 1])
    assert graph.to_scipy().toarray().tolist() == [[0, 2], [0, 0]]
    assert graph.to_scipy(weight=None).data.tolist() == [1.0, 1.0]


def test_undirected_takes_each_pair_across_the_diagonal_once():
    A = scipy.sparse.csr_array(np.array([[5, 2, 0], [2, 0, 3], [0, 3, 0]]))
    graph = Graph.from_scipy(A, directed=False)
    assert rows(graph) == [(0, 0, 5), (0, 1, 2), (1, 2, 3)]
    assert (graph.to_scipy().toarray() == A.toarray()).all()


@pytest.mark.parametrize(
    ("matrix", "entry"),
    [
        ([[0, 1], [2, 0]], r"\(0, 1\) and \(1, 0\)"),
        ([[0, 1], [0, 0]], r"\(0, 1\) and \(1, 0\)"),
        ([[0, 0], [1, 0]], r"\(0, 1\) and \(1, 0\)"),
        ([[0, 1, 0], [1, 0, 0], [0, 4, 0]], r"\(1, 2\) and \(2, 1\)"),
        ([[0, 1, 4], [1, 0, 2], [4, 7, 0]], r"\(1, 2\) and \(2, 1\)"),
    ],
)
def test_undirected_refuses_a_matrix_that_is_not_symmetric(matrix, entry):
    with pytest.raises(GraphError, match=f"needs a symmetric matrix, but entries {entry} differ"):
        Graph.from_scipy(scipy.sparse.csr_array(np.array(matrix)), directed=False)


def test_nan_is_symmetric_to_nan():
    A = scipy.sparse.csr_array(np.array([[0, np.nan], [np.nan, 0]]))
    assert Graph.from_scipy(A, directed=False).num_edges == 1


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.eye(2), "takes a sparse matrix or array, not ndarray"),
        (scipy.sparse.csr_array((2, 3)), r"square, but this one has shape \(2, 3\)"),
    ],
)
def test_what_is_no_adjacency_matrix_is_refused(matrix, message):
    with pytest.raises(GraphError, match=message):
        Graph.from_scipy(matrix)


def test_a_matrix_without_a_copy_has_the_graphs_own_arrays():
    graph = Graph.from_edges([0, 0, 2], [2, 1, 1], weight=[3.0, 4.0, 5.0])
    A = graph.to_scipy(copy=False)
    assert np.shares_memory(A.data, graph.edges.stored("weight"))
    assert np.shares_memory(A.indices, graph.layouts.out_rows.other)
    assert np.shares_memory(A.indptr, graph.layouts.out_rows.first)
    assert (A.toarray() == graph.to_scipy().toarray()).all()
    with pytest.raises(ValueError, match="read-only"):
        A.data[0] = 1
    assert graph.edges.weight.tolist() == [3, 4, 5]
    assert (A @ np.ones(3)).tolist() == [7, 0, 5]


def test_such_a_matrix_of_arcs_in_another_order_is_kept():
    graph = Graph.from_edges([2, 0], [1, 2], weight=[3, 4], directed=False)
    A, again = (graph.to_scipy(copy=False) for _ in range(2))
    assert (A.toarray() == graph.to_scipy().toarray()).all()
    assert np.shares_memory(A.data, again.data)
    assert graph.to_scipy(weight=None, copy=False).data.tolist() == [1] * 4
    assert Graph.from_edges([], [], num_vertices=3).to_scipy(copy=False).shape == (3, 3)
