"""emv as a backend of networkx: conversion, the cache, and everything that is not a number."""

from __future__ import annotations

import copy
import logging
import pickle
import re
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import emv
from emv.networkx import backend, info
from emv.networkx.calls import FUNCTIONS, can_run

pytestmark = pytest.mark.filterwarnings("ignore:Note. conversions:UserWarning")


def towns() -> nx.Graph:
    G = nx.Graph(name="towns")
    G.add_edge("Ulm", ("Bonn", 1), weight=3, road="B9")
    G.add_edge(("Bonn", 1), 7, weight=1.5, road="A3")
    G.add_edge("Ulm", 7, weight=9, road="A8")
    G.add_node("alone", size=1)
    return G


def test_networkx_knows_the_backend_and_its_device():
    assert nx.utils.backends.backends["emv"].load() is backend
    assert nx.config.backends.emv.device is None
    G = towns()
    with nx.config.backends.emv(device="python"):
        assert nx.single_source_shortest_path_length(G, "Ulm", backend="emv")[7] == 1
    with (
        nx.config.backends.emv(device="cuda:99"),
        pytest.raises(emv.EmvError),
    ):
        nx.single_source_shortest_path_length(G, "Ulm", backend="emv")


def test_results_are_by_nodes_and_of_python():
    far = nx.single_source_dijkstra_path_length(towns(), "Ulm", backend="emv")
    assert far == {"Ulm": 0, ("Bonn", 1): 3, 7: 4.5}
    assert list(far) == ["Ulm", ("Bonn", 1), 7]  # the nearest first
    assert {type(each) for each in far.values()} == {float}
    depth = nx.single_source_shortest_path_length(towns(), "Ulm", backend="emv")
    assert {type(each) for each in depth.values()} == {int}
    parts = list(nx.connected_components(towns(), backend="emv"))
    assert parts == [{"Ulm", ("Bonn", 1), 7}, {"alone"}]


def test_whole_lengths_give_whole_distances():
    G = nx.path_graph(4)
    nx.set_edge_attributes(G, 3, "weight")
    assert nx.dijkstra_path_length(G, 0, 3, backend="emv") == 9
    assert type(nx.dijkstra_path_length(G, 0, 3, backend="emv")) is int


def test_trees_keep_attributes_of_graph_nodes_and_edges():
    tree = nx.minimum_spanning_tree(towns(), backend="emv")
    assert tree.graph == {"name": "towns"}
    assert tree.nodes["alone"] == {"size": 1}
    assert tree.edges["Ulm", ("Bonn", 1)] == {"weight": 3, "road": "B9"}
    assert not tree.has_edge("Ulm", 7)
    dearest = nx.maximum_spanning_edges(towns(), data=False, backend="emv")
    assert list(dearest) == [("Ulm", 7), ("Ulm", ("Bonn", 1))]


def test_ties_fall_as_in_networkx():
    G = nx.complete_graph(7)
    for name in ("minimum_spanning_edges", "maximum_spanning_edges"):
        function = getattr(nx, name)
        assert list(function(G, backend="emv")) == list(function(G))


def test_keys_of_parallel_edges():
    G = nx.MultiGraph()
    G.add_edge(0, 1, key="long", weight=5)
    G.add_edge(1, 0, key="short", weight=2)
    G.add_edge(1, 1, key="loop", weight=1)
    G.add_edge(2, 1, key="x", weight=1)
    for keys in (True, False):
        found = nx.minimum_spanning_edges(G, keys=keys, backend="emv")
        assert list(found) == list(nx.minimum_spanning_edges(G, keys=keys))
    assert nx.dijkstra_path_length(G, 0, 2, backend="emv") == 3


def test_what_changes_a_graph_is_seen():
    G = nx.path_graph(5)
    assert nx.dijkstra_path_length(G, 0, 4, backend="emv") == 4
    G.add_edge(0, 4, weight=7)
    assert nx.dijkstra_path_length(G, 0, 4, backend="emv") == 4
    G.add_edge(0, 4, weight=2)
    assert nx.dijkstra_path_length(G, 0, 4, backend="emv") == 2
    G.remove_node(2)
    assert nx.number_connected_components(G, backend="emv") == 1
    G.remove_edge(0, 4)
    assert nx.number_connected_components(G, backend="emv") == 2
    nx.set_edge_attributes(G, 5, "weight")
    G[0][1]["weight"] = 6  # networkx cannot see this, and says so in its warning
    G.__networkx_cache__.clear()
    assert nx.dijkstra_path_length(G, 0, 1, backend="emv") == 6


def test_a_conversion_is_used_again(monkeypatch):
    made = []
    convert = backend.convert_from_nx
    monkeypatch.setattr(
        backend, "convert_from_nx", lambda *a, **k: made.append(1) or convert(*a, **k)
    )
    G = nx.path_graph(5)
    for _ in range(3):
        nx.is_connected(G, backend="emv")
        nx.has_path(G, 0, 1, backend="emv")
    assert len(made) == 1
    nx.dijkstra_path_length(G, 0, 1, backend="emv")  # needs lengths
    nx.dijkstra_path_length(G, 0, 2, backend="emv")
    assert len(made) == 2


def test_graphs_with_conversions_are_copied_and_pickled():
    G = nx.karate_club_graph()
    nx.dijkstra_path_length(G, 0, 5, backend="emv")
    for twin in (pickle.loads(pickle.dumps(G)), copy.deepcopy(G)):
        twin.add_edge(0, 5, weight=0.5)
        assert nx.dijkstra_path_length(twin, 0, 5, backend="emv") == 0.5
    assert nx.dijkstra_path_length(G, 0, 5, backend="emv") == 3


def test_a_graph_of_emv_is_a_graph_of_networkx():
    g = emv.Graph.from_edges(["a", "b", "b"], ["b", "c", "d"], renumber=True, weight=[1, 2, 4])
    assert nx.single_source_dijkstra_path_length(g, "a") == {"a": 0, "b": 1, "c": 3, "d": 5}
    assert nx.ancestors(g, "d") == {"a", "b"}
    assert nx.shortest_path_length(g, target="c") == {"c": 0, "b": 1, "a": 2}
    assert nx.shortest_path_length(g, target="c", weight="weight") == {"c": 0, "b": 2, "a": 3}
    assert nx.shortest_path(g, "a", "d") == ["a", "b", "d"]
    with pytest.raises(nx.NetworkXNotImplemented):
        nx.is_connected(g)
    ring = emv.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 0], directed=False)
    assert ring.is_multigraph()
    assert nx.number_connected_components(ring) == 1
    tree = nx.minimum_spanning_tree(ring)
    assert sorted(tree.edges()) == [(0, 1), (1, 2)]


def test_views_of_networkx():
    G = nx.DiGraph([(0, 1), (1, 2), (2, 3), (3, 0)])
    for view in (
        G.reverse(copy=False),
        G.subgraph([0, 1, 2]),
        nx.subgraph_view(G, filter_edge=lambda u, v: u != 1),
        nx.MultiDiGraph(G).edge_subgraph([(0, 1, 0), (1, 2, 0)]),
    ):
        assert nx.single_source_shortest_path_length(view, 0, backend="emv") == (
            nx.single_source_shortest_path_length(view, 0)
        )


class Complement(nx.Graph):
    """Joins what it does not store."""

    def adjacency(self):
        for node in self:
            yield node, {other: {} for other in set(self) - set(self._adj[node]) - {node}}


def test_classes_with_neighbours_of_their_own_are_refused():
    with pytest.raises(NotImplementedError):
        nx.core_number(Complement([(0, 1)]), backend="emv")

    class Named(nx.Graph):
        name = "mine"

    assert nx.core_number(Named([(0, 1)]), backend="emv") == {0: 1, 1: 1}


def test_there_and_back():
    for G in (nx.karate_club_graph(), nx.MultiDiGraph([(0, 1), (0, 1), (2, 0)]), towns()):
        everything = backend.convert_from_nx(
            G, preserve_edge_attrs=True, preserve_node_attrs=True, preserve_graph_attrs=True
        )
        assert backend.convert_to_nx(everything) is G
        ends = backend.convert_to_nx(backend.convert_from_nx(G))
        assert type(ends) is type(G)
        assert list(ends) == list(G)
        assert list(ends.edges()) == list(G.edges())
    weights = backend.convert_from_nx(towns(), edge_attrs={"weight": 1})
    assert backend.convert_to_nx(weights).edges["Ulm", 7] == {"weight": 9.0}


REFUSED = {
    "a function": ("dijkstra_path_length", {"weight": lambda u, v, data: 1}, "is a function"),
    "prim": ("minimum_spanning_tree", {"algorithm": "prim"}, "come in another order"),
    "directed": ("transitivity", {"G": nx.DiGraph([(0, 1)])}, "G is directed"),
    "multigraph": ("triangles", {"G": nx.MultiGraph([(0, 1)])}, "G is a multigraph"),
    "drawn": ("rich_club_coefficient", {"normalized": True}, "draws another graph"),
    "unknown": ("min_cost_flow", {}, r"emv has no min_cost_flow\(\)"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_calls_that_cannot_run_say_why(what):
    name, arguments, reason = REFUSED[what]
    given = {"G": nx.path_graph(3), **arguments}
    if name == "dijkstra_path_length":
        given |= {"source": 0, "target": 2}
    said = can_run(name, (), given)
    assert isinstance(said, str)
    assert re.search(reason, said)


def test_calls_that_cannot_run_are_errors_or_fall_back(caplog):
    G = nx.path_graph(3)
    with pytest.raises(NotImplementedError):
        nx.minimum_spanning_tree(G, algorithm="prim", backend="emv")
    with nx.config(backend_priority=["emv"]), caplog.at_level(logging.DEBUG):
        assert nx.minimum_spanning_tree(G, algorithm="prim").size() == 2
    assert "come in another order" in caplog.text


@pytest.mark.parametrize(
    "weight", ["long", None, 1 + 2j, float("nan"), float("inf"), -1, 2**60, [1]]
)
def test_lengths_that_are_none(weight):
    G = nx.path_graph(3)
    G.add_edge(0, 1, weight=weight)
    with pytest.raises(NotImplementedError):
        nx.dijkstra_path_length(G, 0, 2, backend="emv")


def test_strong_components_come_behind_those_that_they_lead_to():
    G = nx.gnp_random_graph(40, 0.04, seed=2, directed=True)
    parts = list(nx.strongly_connected_components(G, backend="emv"))
    place = {node: number for number, part in enumerate(parts) for node in part}
    assert len(parts) > 10
    assert all(place[u] >= place[v] for u, v in G.edges())


def test_exceptions_are_networkxs():
    G = nx.DiGraph([(0, 1), (1, 2), (2, 1)])
    G.add_edge(1, 2, weight=-3)
    with pytest.raises(nx.NodeNotFound):
        nx.single_source_shortest_path_length(G, 9, backend="emv")
    with pytest.raises(nx.NetworkXNoPath):
        nx.shortest_path_length(G, 2, 0, backend="emv")
    with pytest.raises(nx.NetworkXUnbounded):
        nx.single_source_bellman_ford_path_length(G, 0, backend="emv")
    with pytest.raises(nx.NetworkXPointlessConcept):
        nx.is_connected(nx.Graph(), backend="emv")
    with pytest.raises(nx.NetworkXNotImplemented):
        nx.is_weakly_connected(nx.Graph([(0, 1)]), backend="emv")
    with pytest.raises(nx.NetworkXError, match="not strongly connected"):
        nx.diameter(G, backend="emv")
    G = nx.Graph([(0, 1)])
    G.add_edge(0, 1, weight=np.nan)
    with pytest.raises(ValueError, match="NaN found"):
        list(nx.minimum_spanning_edges(G, backend="emv"))
    assert list(nx.minimum_spanning_edges(G, ignore_nan=True, backend="emv")) == []


def test_page_of_functions_is_current():
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, root / "docs" / "build_networkx.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root)
    assert done.returncode == 0, done.stderr


def test_info_lists_the_functions_and_is_light():
    assert sorted(FUNCTIONS) == info.FUNCTIONS
    assert all(hasattr(backend, name) for name in FUNCTIONS)
    assert set(FUNCTIONS) <= set(dir(backend))
    code = (
        "import sys, networkx; print([name for name in ('numba', 'scipy') "
        "if name in sys.modules], networkx.config.backends.emv.device)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[] None\n"
