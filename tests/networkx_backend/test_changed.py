"""Graphs of emv are changed as networkx changes the same graphs of its own."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sparse

import emv
from emv.networkx import backend


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


def test_networkxs_own_graphs_are_left_to_it():
    G = nx.path_graph(3, create_using=nx.DiGraph)
    for name, named in CALLS.items():
        with pytest.raises(NotImplementedError):
            getattr(nx, name)(G, **named, backend="emv")
    with pytest.raises(NotImplementedError):
        nx.relabel_nodes(towns(), lambda name: "one")


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
