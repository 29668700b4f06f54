"""Graphs divided among devices, beside sets in plain Python, networkx and METIS's own promises."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emv.errors import ArgumentError, GraphError, GraphFormatError
from emv.graph import Graph
from emv.graph.partition import WAYS


@st.composite
def divided(draw):
    """A graph with loops and repeats, owners of its vertices, and how many parts there are."""
    n = draw(st.integers(0, 9))
    vertex = st.integers(0, max(0, n - 1))
    edges = draw(st.lists(st.tuples(vertex, vertex), max_size=25 if n else 0))
    num_parts = draw(st.sampled_from([1, 2, 3, 64, 65, 130]))
    owner = draw(st.lists(st.integers(0, num_parts - 1), min_size=n, max_size=n))
    src, dst = [u for u, _ in edges], [v for _, v in edges]
    graph = Graph.from_edges(src, dst, num_vertices=n, directed=draw(st.booleans()))
    return graph, owner, num_parts


@pytest.mark.paper("S93")
@given(divided(), st.integers(1, 4))
def test_replicas_hop_by_hop(case, hops):
    """Level by level from the owned vertices, against the arcs, as the papers have it."""
    graph, owner, num_parts = case
    parts = graph.parts(num_parts, owner, hops=hops)
    arcs = list(zip(*(ends.tolist() for ends in graph.arcs()), strict=True))
    assert parts.vertices.tolist() == [owner.count(part) for part in range(num_parts)]
    for part in range(num_parts):
        held = {v for v in range(graph.num_vertices) if owner[v] == part}
        for hop in range(hops):
            into = [(u, v) for u, v in arcs if v in held]
            new = {u for u, _ in into} - held
            assert parts.arcs[hop, part] == len(into)
            assert parts.replicas[hop, part] == len(new)
            held |= new


@pytest.mark.paper("S92", "S94")
@given(divided())
def test_every_arc_lies_in_one_part_and_the_cut_is_that_of_networkx(case):
    graph, owner, num_parts = case
    parts = graph.parts(num_parts, owner)
    assert parts.arcs[0].sum() == graph.num_arcs
    G = nx.DiGraph()
    G.add_nodes_from(range(graph.num_vertices))
    for arc in zip(*(ends.tolist() for ends in graph.arcs()), strict=True):
        G.add_edge(*arc, weight=G.get_edge_data(*arc, {"weight": 0})["weight"] + 1)
    groups = [{v for v in G if owner[v] == part} for part in set(owner)]
    assert 2 * parts.cut == sum(nx.cut_size(G, group, set(G) - group, "weight") for group in groups)
    assert parts.num_parts == num_parts


def grid(side):
    G = nx.grid_2d_graph(side, side)
    return Graph.from_networkx(nx.convert_node_labels_to_integers(G))


def test_ranges_are_stretches_with_equal_arcs():
    rng = np.random.default_rng(3)
    graph = Graph.from_edges(rng.integers(0, 500, 9000), rng.integers(0, 500, 9000) ** 2 // 500)
    parts = graph.parts(7)
    assert (np.diff(parts.owner) >= 0).all()
    largest = graph.in_degrees().max()
    assert np.abs(parts.arcs[0] - graph.num_arcs / 7).max() <= largest


def test_ranges_of_a_graph_without_arcs_share_the_vertices():
    assert Graph.from_edges([], [], num_vertices=9).parts(3).vertices.tolist() == [3, 3, 3]


def test_more_parts_than_vertices_leave_some_empty():
    parts = Graph.from_edges([0], [1]).parts(5)
    assert parts.vertices.sum() == 2
    assert parts.balance == {"vertices": 2.5, "arcs": 5.0}


@pytest.mark.parametrize("way", WAYS)
def test_the_null_graph_divides(way):
    if way == "metis":
        pytest.importorskip("pymetis")
    parts = Graph.from_edges([], [], num_vertices=0).parts(2, way)
    assert (parts.vertices.tolist(), parts.cut, parts.cut_share) == ([0, 0], 0, 0)


@pytest.mark.paper("S91")
def test_metis_has_parts_of_one_size_and_cuts_little():
    pytest.importorskip("pymetis")
    graph = grid(40)
    metis, hashed = graph.parts(8, "metis"), graph.parts(8, "hash")
    assert metis.balance["vertices"] <= 1.05
    assert metis.cut < hashed.cut / 5
    assert metis.replicas.sum() < hashed.replicas.sum() / 5
    assert graph.parts(1, "metis").cut == 0


def test_metis_takes_directed_graphs_with_loops_and_repeats():
    pytest.importorskip("pymetis")
    rng = np.random.default_rng(5)
    graph = Graph.from_edges(rng.integers(0, 200, 3000), rng.integers(0, 200, 3000))
    parts = graph.parts(3, "metis")
    assert parts.arcs[0].sum() == graph.num_arcs
    assert parts.balance["vertices"] <= 1.05


def test_a_hash_shares_vertices_evenly():
    parts = Graph.from_edges([], [], num_vertices=100_000).parts(6, "hash")
    assert parts.balance["vertices"] < 1.02


def test_a_file_as_metis_writes_it(tmp_path):
    path = tmp_path / "graph.part.2"
    path.write_text("1\n0\n1\n")
    graph = Graph.from_edges([0, 1], [1, 2])
    for given_as in (path, str(path)):
        assert graph.parts(2, given_as).owner.tolist() == [1, 0, 1]


@pytest.mark.paper("S106")
def test_a_function_is_given_the_arcs():
    graph = Graph.from_edges([0, 1], [1, 2], directed=False)
    seen = {}

    def odd_and_even(src, dst, num_vertices, num_parts):
        seen.update(arcs=sorted(zip(src.tolist(), dst.tolist(), strict=True)), parts=num_parts)
        return np.arange(num_vertices) % 2

    assert graph.parts(2, odd_and_even).owner.tolist() == [0, 1, 0]
    assert seen == {"arcs": [(0, 1), (1, 0), (1, 2), (2, 1)], "parts": 2}


@pytest.mark.parametrize(
    ("num_parts", "by", "hops", "what"),
    [
        (0, "ranges", 1, "num_parts=0 is not from 1"),
        (True, "ranges", 1, "num_parts=True is no whole number"),
        (2.0, "ranges", 1, "num_parts=2.0 is no whole number"),
        (2, "ranges", 0, "hops=0 is not from 1"),
        (2, "mets", 1, "no way of dividing a graph.*Did you mean 'metis'"),
        (2, [0, 1], 1, "2 parts for 3 vertices"),
        (2, [0, 1, 2], 1, "part 2 for vertex 2.*from 0 to 1"),
        (2, [0, -1, 1], 1, "part -1 for vertex 1"),
        (2, [0, 0.5, 1], 1, "0.5"),
        (2, lambda *_: [0], 1, "what <lambda> returned has 1 parts"),
    ],
)
def test_what_is_refused(num_parts, by, hops, what):
    with pytest.raises((ArgumentError, GraphError), match=f"(?s){what}"):
        Graph.from_edges([0, 1], [1, 2]).parts(num_parts, by, hops=hops)


def test_a_file_with_a_line_that_is_no_part(tmp_path):
    path = tmp_path / "parts"
    path.write_text("0\n1\nx\n")
    with pytest.raises(GraphFormatError, match="'x' is no part") as caught:
        Graph.from_edges([0, 1], [1, 2]).parts(2, path)
    assert ":3" in str(caught.value)
