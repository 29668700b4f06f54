"""Graphs that the backend makes are networkx', node by node, edge by edge, row by row."""

from __future__ import annotations

import networkx as nx
import pytest

from emv.networkx import backend
from emv.networkx.made import FIXED

KINDS = [None, nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]
OF_A_KIND = {
    "barbell_graph": [(2, 0), (3, 2), (4, 3), (1, 0), (3, -1)],
    "circular_ladder_graph": [(2,), (3,), (5,)],
    "complete_bipartite_graph": [(0, 0), (2, 3), (3, 0), (-1, 2)],
    "complete_graph": [(0,), (1,), (2,), (5,), (-1,)],
    "cycle_graph": [(0,), (1,), (2,), (3,), (6,), (-2,)],
    "empty_graph": [(0,), (4,), (-1,)],
    "ladder_graph": [(0,), (1,), (4,)],
    "lollipop_graph": [(2, 0), (3, 1), (4, 3), (1, 1)],
    "null_graph": [()],
    "path_graph": [(0,), (1,), (2,), (5,)],
    "star_graph": [(0,), (1,), (4,)],
    "tadpole_graph": [(2, 0), (2, 2), (3, 1), (5, 4), (0, 1)],
    "trivial_graph": [()],
    "wheel_graph": [(0,), (1,), (2,), (3,), (4,), (7,)],
}
OF_ONE_KIND = {
    "caveman_graph": [(0, 3), (3, 1), (3, 4)],
    "complete_multipartite_graph": [(), (3,), (1, 2, 3), (0, 2), (2, -1)],
    "turan_graph": [(5, 2), (6, 3), (1, 1), (2, 3)],
}


def outcome(name, args, **named):
    try:
        G = backend.convert_to_nx(getattr(nx, name)(*args, **named))
    except nx.NetworkXError as error:
        return str(error)
    rows = {node: list(G.adj[node]) for node in G}
    return type(G), list(G.nodes(data=True)), rows, sorted(map(str, G.edges(data=True))), G.graph


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", OF_A_KIND)
def test_graphs_of_a_kind(name, kind):
    for args in OF_A_KIND[name]:
        found = outcome(name, args, create_using=kind, backend="emv")
        assert found == outcome(name, args, create_using=kind), (args, kind)


@pytest.mark.parametrize("name", OF_ONE_KIND)
def test_graphs_of_one_kind(name):
    for args in OF_ONE_KIND[name]:
        assert outcome(name, args, backend="emv") == outcome(name, args), args


@pytest.mark.parametrize("name", FIXED)
def test_graphs_of_a_few_nodes(name):
    assert outcome(name, (), backend="emv") == outcome(name, ())


def test_what_is_made_is_a_graph_of_networkx():
    G = nx.path_graph(1000, backend="emv")
    assert nx.shortest_path_length(G, 0, 999) == 999
    assert nx.number_connected_components(G) == 1


def test_what_cannot_be_made_is_refused():
    for call in (
        lambda: nx.path_graph("abc", backend="emv"),
        lambda: nx.path_graph(3, create_using=nx.Graph(), backend="emv"),
        lambda: nx.complete_multipartite_graph("ab", "c", backend="emv"),
        lambda: nx.barbell_graph(3, 1, backend="emv"),
    ):
        with pytest.raises(NotImplementedError):
            call()
