"""Graphs are changed as networkx changes them, those of emv and its own."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sparse

import emv
from emv.networkx import backend
from emv.networkx.worth import should_run


def towns(directed=True, labels=("ulm", "bonn", "trier", "emden")):
    g = emv.Graph.from_edges(
        [0, 2, 1, 3], [1, 0, 1, 2], directed=directed, labels=labels, km=[3, 4, 5, 6]
    )
    g.vertices["size"] = [7, 8, 9, 10]
    return g


def parts(G):
    G = backend.convert_to_nx(G)
    rows = {node: list(G.adj[node].items()) for node in G}
    return type(G), list(G.nodes(data=True)), rows, sorted(map(str, G.edges(data=True)))


CALLS = {
    "reverse": {},
    "relabel_nodes": {"mapping": {"ulm": "x", "bonn": 5}},
    "convert_node_labels_to_integers": {"first_label": 2},
    "complement": {},
}


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("name", CALLS)
def test_changed(name, directed):
    g = towns(directed)
    function, named = getattr(nx, name), CALLS[name]
    if name == "reverse" and not directed:
        with pytest.raises(nx.NetworkXError, match="undirected"):
            function(g)
        return
    assert parts(function(g, **named)) == parts(function(g.to_networkx(), **named))


def test_names_by_a_function_and_by_places():
    g = towns()
    assert list(nx.relabel_nodes(g, str.upper).labels) == ["ULM", "BONN", "TRIER", "EMDEN"]
    assert nx.convert_node_labels_to_integers(g).labels is None


def named(directed=False):
    """Return a graph of networkx with attributes of every kind."""
    kind = nx.MultiDiGraph if directed else nx.Graph
    G = kind([("b", "a", {"km": [1]}), ("a", "c"), ("c", "c", {"km": 2})], place="here")
    G.add_node("d", colour="red")
    return G


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("reverse", {}),
        ("relabel_nodes", {"mapping": {"a": "x", "b": 5}}),
        ("relabel_nodes", {"mapping": str.upper}),
        ("convert_node_labels_to_integers", {"first_label": 2, "label_attribute": "old"}),
        ("convert_node_labels_to_integers", {"ordering": "sorted"}),
        ("convert_node_labels_to_integers", {"ordering": "increasing degree"}),
        ("convert_node_labels_to_integers", {"ordering": "decreasing degree"}),
        ("complement", {}),
        ("power", {"k": 2}),
    ],
)
def test_graphs_of_networkx_are_changed_where_it_is_asked_for(name, given, directed):
    G, function = named(directed), getattr(nx, name)
    assert should_run(name, (G,), given) is not True
    if (directed and name in ("complement", "power")) or (name == "reverse" and not directed):
        with pytest.raises((nx.NetworkXException, NotImplementedError)):
            function(G, **given, backend="emv")
        return
    found, expected = (parts(function(G, **given, backend=x)) for x in ("emv", "networkx"))
    if name in ("complement", "power"):  # whose neighbours come in another order
        found, expected = ((*each[:2], *each[3:]) for each in (found, expected))
    assert found[:2] == expected[:2]
    assert found[-1] == expected[-1]


@pytest.mark.parametrize("directed", [True, False])
def test_what_is_changed_in_place(directed):
    """On a graph of the backend, and beside it on the same one of networkx."""
    G = named(directed)
    kept = backend.convert_from_nx(G, preserve_edge_attrs=True, preserve_node_attrs=True)
    edge = ("a", "c", 0) if directed else ("a", "c")
    for H in (kept, G):
        nx.set_node_attributes(H, {"a": "blue", "none": 1}, "colour")
        nx.set_node_attributes(H, 7, "size")
        nx.set_edge_attributes(H, {edge: {"km": 3, "road": "A8"}})
        assert nx.relabel_nodes(H, {"b": "z"}, copy=False) is H
        assert nx.contracted_nodes(H, "a", "c", copy=False) is H
    found, expected = parts(kept), parts(G)
    assert sorted(found[1]) == sorted(expected[1])
    assert found[3] == expected[3]
    for name in ("km", "road"):
        said = [nx.get_edge_attributes(H, name) for H in (kept, G)]
        assert sorted(map(str, said[0].values())) == sorted(map(str, said[1].values()))


def test_columns_of_a_graph_of_emv_are_written():
    g = towns()
    nx.set_node_attributes(g, {"ulm": 70, "bonn": 80}, "size")
    nx.set_edge_attributes(g, 2.5, "cost")
    assert g.vertices["size"].tolist() == [70, 80, 9, 10]
    assert g.edges["cost"].tolist() == [2.5] * 4
    assert nx.get_node_attributes(g, "size")["bonn"] == 80
    for values, name in (({"ulm": 1}, "new"), ("text", "size"), ({"ulm": {"size": 1}}, None)):
        with pytest.raises(NotImplementedError):
            nx.set_node_attributes(g, values, name)
    with pytest.raises(NotImplementedError):
        nx.relabel_nodes(g, {"ulm": "x"}, copy=False)


def test_two_nodes_of_one_name_are_refused():
    for G in (named(), towns()):
        with pytest.raises(NotImplementedError):
            nx.relabel_nodes(G, lambda name: "one", backend="emv")


MATRICES = {
    "symmetric": sparse.csr_array([[0, 3, 0], [3, 1, 2], [0, 2, 0]]),
    "floats": sparse.coo_array([[0, 0.5], [0.5, 0]]),
    "nothing": sparse.csc_array((3, 3)),
}


@pytest.mark.parametrize("kind", [None, nx.Graph, nx.DiGraph])
@pytest.mark.parametrize("name", MATRICES)
def test_of_a_matrix(name, kind):
    found, expected = (
        nx.from_scipy_sparse_array(MATRICES[name], create_using=kind, backend=each)
        for each in ("emv", "networkx")
    )
    assert parts(found)[:2] == parts(expected)[:2]
    assert parts(found)[3] == parts(expected)[3]


def test_matrices_that_are_refused():
    one_way = sparse.csr_array([[0, 1], [0, 0]])
    twice = sparse.coo_array((np.ones(2), ([0, 0], [1, 1])), shape=(2, 2))
    with pytest.raises(nx.NetworkXError, match="not square"):
        nx.from_scipy_sparse_array(sparse.csr_array((2, 3)), backend="emv")
    for A in (one_way, twice, sparse.lil_array((2, 2))):
        with pytest.raises(NotImplementedError):
            nx.from_scipy_sparse_array(A, backend="emv")
    with pytest.raises(NotImplementedError):
        nx.from_scipy_sparse_array(one_way, create_using=nx.MultiGraph, backend="emv")


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
def test_contraction_goes_through_edges_in_their_row_order(kind):
    G = kind()
    G.add_nodes_from("da")  # so that the loop is the last edge, though the first in its row
    G.add_edges_from([("a", "a"), ("d", "a")])
    found = nx.contracted_nodes(G, "d", "a", backend="emv")
    assert backend.convert_to_nx(found).adj == nx.contracted_nodes(G, "d", "a").adj
