"""emv takes the calls that it has priority for only where it is likely to be the faster."""

from __future__ import annotations

import logging
import time

import networkx as nx
import pytest

from emv.networkx import worth
from emv.networkx.functions import FUNCTIONS
from emv.networkx.worth import should_run


@pytest.fixture(scope="module")
def large():
    return nx.gnm_random_graph(3000, 25_000, seed=1)


def test_functions_are_known():
    assert not worth.KEPT & worth.ASKED
    assert set(FUNCTIONS) >= worth.KEPT | worth.ASKED


def test_few_nodes_are_networkxs():
    G = nx.karate_club_graph()
    assert should_run("pagerank", (G,), {}) == worth.FEW
    assert should_run("pagerank", (), {"G": nx.path_graph(3000)}) == worth.FEW


def test_a_conversion_pays_for_some_functions_only(large):
    large.__networkx_cache__.clear()
    assert should_run("pagerank", (large,), {}) is True
    assert should_run("bfs_edges", (large, 0), {}) == worth.FRESH
    nx.number_of_isolates(large, backend="emv")
    assert should_run("bfs_edges", (large, 0), {}) is True
    large.add_edge(0, 1)
    assert should_run("bfs_edges", (large, 0), {}) == worth.FRESH


def test_paths_between_two_nodes_are_networkxs(large):
    nx.number_of_isolates(large, backend="emv")
    assert should_run("shortest_path", (large, 0), {}) is True
    assert should_run("shortest_path", (large, 0, 5), {}) == worth.PART
    assert should_run("shortest_path_length", (large,), {"source": 0, "target": 5}) == worth.PART


def test_what_is_asked_for_runs_nevertheless(caplog):
    G = nx.path_graph(3)
    with nx.config(backend_priority=["emv"]), caplog.at_level(logging.DEBUG):
        assert list(nx.bfs_edges(G, 0)) == [(0, 1), (1, 2)]
    assert worth.FEW in caplog.text
    assert list(nx.bfs_edges(G, 0, backend="emv")) == [(0, 1), (1, 2)]


def test_the_question_costs_little():
    """A tenth of the shortest call of networkx that does something, on a busy machine, too."""
    G = nx.path_graph(10)
    times = []
    for _ in range(200):
        begin = time.perf_counter()
        should_run("pagerank", (G,), {})
        times.append(time.perf_counter() - begin)
    assert min(times) < 5e-6
