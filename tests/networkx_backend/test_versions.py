"""What differs between versions of networkx."""

from __future__ import annotations

import networkx as nx
import pytest

from emv.networkx import versions
from emv.networkx.backend import hits
from emv.networkx.calls import can_run
from emv.networkx.graphs import convert_from_nx

OF_ALL_NODES = [nx.diameter, nx.radius, nx.periphery]


@pytest.mark.parametrize("function", OF_ALL_NODES)
@pytest.mark.parametrize("weight", [None, "weight"])
def test_nothing_has_no_eccentricity_from_3_7_on(function, weight, monkeypatch):
    monkeypatch.setattr(nx, "__version__", "3.6.1")
    with pytest.raises(ValueError, match="empty"):
        function(nx.Graph(), weight=weight, backend="emv")
    monkeypatch.setattr(nx, "__version__", "3.7")
    with pytest.raises(nx.NetworkXPointlessConcept):
        function(nx.Graph(), weight=weight, backend="emv")


def test_eccentricity_of_nothing(monkeypatch):
    monkeypatch.setattr(nx, "__version__", "3.6.1")
    assert nx.eccentricity(nx.Graph(), backend="emv") == {}
    monkeypatch.setattr(nx, "__version__", "3.10.0")
    with pytest.raises(nx.NetworkXPointlessConcept):
        nx.eccentricity(nx.Graph(), backend="emv")


def test_the_installed_version_is_networkxs_own():
    for function in (*OF_ALL_NODES, nx.eccentricity):
        found, expected = [], []
        for results, backend in ((found, "emv"), (expected, "networkx")):
            try:
                results.append(function(nx.Graph(), backend=backend))
            except (ValueError, nx.NetworkXException) as error:
                results.append((type(error), str(error)))
        assert found == expected


def test_versions_are_read():
    assert versions.version_of("3.6.1") == (3, 6)
    assert versions.version_of("3.10") == (3, 10)
    assert versions.version_of("3.7rc0.dev0") == (3, 7)


@pytest.mark.parametrize("arc", [(2, 3, -3), (2, 2, -1)])
def test_cycles_of_negative_length_are_refused_from_3_7_on(arc, monkeypatch):
    G = nx.cycle_graph(4, create_using=nx.DiGraph)
    G.add_weighted_edges_from([arc])
    G.add_edge(3, 0, weight=0.5)
    with pytest.raises(NotImplementedError):
        nx.floyd_warshall(G, backend="emv")
    monkeypatch.setattr(nx, "__version__", "3.6.1")
    assert nx.floyd_warshall_numpy(G, backend="emv").shape == (4, 4)
    monkeypatch.setattr(nx, "__version__", "3.7")
    with pytest.raises(nx.NetworkXUnbounded):
        nx.floyd_warshall_numpy(G, backend="emv")


def test_another_measure_of_communities_is_networkxs():
    G = nx.ring_of_cliques(3, 4)
    assert len(nx.community.leiden_communities(G, metric="modularity", backend="emv")) == 3
    for given in ({"metric": "cpm"}, {"theta": 0.1}):
        assert can_run("leiden_communities", (G,), {"metric": "modularity", **given}) is not True


@pytest.mark.parametrize("method", ["power_iteration", "svd"])
def test_hits_by_either_method(method):
    G = nx.gnp_random_graph(30, 0.2, seed=2, directed=True)
    scores = hits(convert_from_nx(G), method=method)
    for found, expected in zip(scores, nx.hits(G, tol=1e-12, max_iter=1000), strict=True):
        assert found == pytest.approx(expected, abs=1e-6)


def test_hits_by_power_begin_with_hubs_as_networkx_has_it():
    G = nx.DiGraph([(0, 1), (2, 3), (4, 3)])  # the start decides what shares a part gets
    hubs, authorities = hits(
        convert_from_nx(G), nstart={0: 3, 1: 0, 2: 0, 3: 0, 4: 0}, method="power_iteration"
    )
    assert hubs == {0: 1, 1: 0, 2: 0, 3: 0, 4: 0}
    assert authorities == {0: 0, 1: 1, 2: 0, 3: 0, 4: 0}


def test_hits_knows_no_other_method():
    with pytest.raises(ValueError, match="method not supported: spam"):
        hits(convert_from_nx(nx.path_graph(3)), method="spam")


def test_common_neighbors_of_loops_alone():
    with pytest.raises(nx.NetworkXAlgorithmError, match="Self loops"):
        list(nx.common_neighbor_centrality(nx.complete_graph(4), [(0, 0)], backend="emv"))
