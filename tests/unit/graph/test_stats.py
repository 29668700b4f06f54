"""The figures of a graph, beside numpy and networkx."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emv.graph import Graph, stats
from emv.graph.stats import DegreeStats


@st.composite
def multigraphs(draw):
    n = draw(st.integers(1, 8))
    vertex = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(vertex, vertex), max_size=25))
    src, dst = [u for u, _ in edges], [v for _, v in edges]
    return Graph.from_edges(src, dst, num_vertices=n, directed=draw(st.booleans()))


def networkx_of(graph):
    G = nx.MultiDiGraph() if graph.directed else nx.MultiGraph()
    G.add_nodes_from(range(graph.num_vertices))
    G.add_edges_from(zip(graph.edges.src.tolist(), graph.edges.dst.tolist(), strict=True))
    return G


@pytest.mark.parametrize("compiled", [False, True])
@given(multigraphs())
def test_same_as_networkx(compiled, graph):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stats, "FIRST_COMPILED", 0 if compiled else 2**18)
        found = graph.stats(diameter=True, parts=True)
    G, simple = networkx_of(graph), nx.DiGraph() if graph.directed else nx.Graph()
    simple.add_edges_from(G.edges())
    assert (found.num_vertices, found.num_edges) == (len(G), G.number_of_edges())
    assert found.loops == nx.number_of_selfloops(G)
    assert found.num_arcs == G.number_of_edges() * (2 - graph.directed) - found.loops * (
        not graph.directed
    )
    assert found.repeats == G.number_of_edges() - simple.number_of_edges()
    assert found.isolated == nx.number_of_isolates(G)
    parts = sorted(nx.connected_components(nx.Graph(G.to_undirected())), key=len)
    assert (found.parts, found.largest_part) == (len(parts), len(parts[-1]))
    widest = [
        nx.diameter(nx.Graph(G.subgraph(part).to_undirected()))
        for part in parts
        if len(part) == len(parts[-1])
    ]
    assert -(-min(widest) // 2) <= found.diameter <= max(widest)


@given(multigraphs())
def test_degrees_are_those_of_numpy(graph):
    found = graph.stats()
    ways = {"out": graph.out_degrees(), "in": graph.in_degrees()}
    for way, degrees in ways.items():
        spread = getattr(found, f"{way}_degree")
        assert (spread.min, spread.max) == (degrees.min(), degrees.max())
        assert spread.mean == pytest.approx(np.mean(degrees))
        assert spread.deviation == pytest.approx(np.std(degrees))
    assert (found.diameter, found.parts, found.largest_part) == (None, None, None)


@pytest.mark.parametrize("length", [1, 2, 3, 50, 1000])
def test_diameter_of_a_path_is_its_length(length):
    ids = np.random.default_rng(3).permutation(length)
    for directed in (True, False):
        graph = Graph.from_edges(ids[:-1], ids[1:], num_vertices=length, directed=directed)
        assert graph.stats(diameter=True).diameter == length - 1


def test_diameter_is_that_of_the_largest_component():
    graph = Graph.from_edges([0, 1, 2, 4, 4, 4, 4, 4], [1, 2, 3, 5, 6, 7, 8, 9], directed=False)
    assert graph.stats(diameter=True).diameter == 2


def test_repeats_are_counted_on_several_threads():
    from emv_kernels.cpu import survey

    rng = np.random.default_rng(1)
    src, dst = rng.integers(0, 100, (2, 5000))
    rows = Graph.from_edges(src, dst, num_vertices=100).layouts.out_rows
    expected = 5000 - len(np.unique(100 * src + dst))
    assert [survey.repeats(rows.first, rows.other, False, each) for each in (1, 2, 5)] == [
        expected
    ] * 3


def test_empty_graph():
    found = Graph().stats(diameter=True, parts=True)
    assert found.out_degree == DegreeStats(0, 0, 0.0, 0.0)
    assert (found.parts, found.largest_part, found.diameter) == (0, 0, 0)


def test_text_is_a_table():
    graph = Graph.from_edges([0, 1, 1], [1, 2, 1], directed=False, num_vertices=1002)
    assert str(graph.stats(parts=True)).splitlines() == [
        "vertices    1,002",
        "edges       3, undirected",
        "arcs        5",
        "degree      0 to 3, 0.00499 +- 0.1047",
        "isolated    999",
        "loops       1",
        "repeats     0",
        "parts       1,000, the largest of 3 vertices",
    ]
