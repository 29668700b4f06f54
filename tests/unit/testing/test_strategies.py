"""The strategies draw what they say, by networkx's word, and what fails is printed as code."""

import networkx as nx
import pytest
from hypothesis import HealthCheck, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import InvalidArgument

from emv import Graph
from emv.testing import networkx_of
from emv.testing.strategies import (
    DEGENERATE,
    bipartite_graphs,
    degenerate_graphs,
    graphs,
    meshes,
    power_law_graphs,
    trees,
)

few = settings(max_examples=30)


@few
@given(trees(min_vertices=2))
def test_trees_are_trees(graph):
    assert nx.is_tree(networkx_of(graph, directed=False))


@few
@given(trees(directed=True))
def test_directed_trees_lead_away_from_a_root(graph):
    assert nx.is_arborescence(networkx_of(graph))


@few
@given(bipartite_graphs())
def test_bipartite_graphs_are_bipartite(graph):
    assert nx.is_bipartite(networkx_of(graph))


@few
@given(st.integers(1, 3).flatmap(lambda k: st.tuples(st.just(k), graphs(components=k))))
def test_components_are_as_many_as_asked(drawn):
    components, graph = drawn
    assert nx.number_connected_components(networkx_of(graph, directed=False)) == components


@few
@given(graphs(simple=True))
def test_simple_graphs_have_neither_loops_nor_repeats(graph):
    oracle = networkx_of(graph)
    kind = nx.DiGraph if graph.directed else nx.Graph
    assert kind(oracle).number_of_edges() == graph.num_edges
    assert nx.number_of_selfloops(oracle) == 0


@few
@given(graphs(5, min_vertices=2, directed=False, weighted=True))
def test_sizes_kind_and_weights_are_as_asked(graph):
    assert 2 <= graph.num_vertices <= 5
    assert not graph.directed
    assert set(graph.edges.weight.tolist()) <= {0.5, 1.0, 2.0, 3.0}


@few
@given(power_law_graphs(links=2))
def test_power_law_graphs_are_joined_to_older_vertices(graph):
    src, dst = graph.edges.endpoints()
    assert (dst < src).all()
    assert nx.is_connected(networkx_of(graph, directed=False))


@few
@given(meshes(directed=False))
def test_meshes_have_few_neighbours_and_one_part(graph):
    oracle = networkx_of(graph)
    assert nx.is_connected(oracle)
    assert max(dict(oracle.degree).values()) <= 6


def test_meshes_are_networkxs_lattices():
    grid = find(meshes(3, 4), lambda g: g.num_vertices == 12 and g.num_edges == 17)
    assert nx.is_isomorphic(nx.Graph(networkx_of(grid, directed=False)), nx.grid_2d_graph(3, 4))


def test_every_degenerate_graph_is_drawn():
    drawn = set()

    @settings(max_examples=300, suppress_health_check=list(HealthCheck), database=None)
    @given(degenerate_graphs(directed=True))
    def draw(graph):
        src, dst = (ends.tolist() for ends in graph.edges.endpoints())
        drawn.add((graph.num_vertices, tuple(zip(src, dst, strict=True))))

    draw()
    assert drawn == {(count, tuple(pairs)) for count, pairs in DEGENERATE}


@pytest.mark.parametrize("wanted", ["loop", "repeat", "lone", "parts", "empty"])
def test_graphs_of_every_kind_are_found(wanted):
    is_wanted = {
        "loop": lambda g: nx.number_of_selfloops(networkx_of(g)) > 0,
        "repeat": lambda g: g.stats().repeats > 0,
        "lone": lambda g: g.num_edges > 0 and g.stats().isolated > 0,
        "parts": lambda g: g.num_edges > 1 and g.stats(parts=True).parts > 1,
        "empty": lambda g: g.num_vertices == 0,
    }[wanted]
    find(graphs(), is_wanted)


def test_smallest_graphs_come_first():
    smallest = find(graphs(), lambda g: g.num_edges >= 1)
    assert smallest.num_edges == 1
    assert smallest.num_vertices <= 2  # one with a loop, where shrinking gets there


def test_columns_of_no_rows_have_their_type():
    graph = find(graphs(edge_columns={"km": st.integers(1, 9)}), lambda g: not g.num_edges)
    assert graph.edges.km.dtype == "i8"


def test_what_fails_is_printed_as_code():
    @settings(database=None, derandomize=True)
    @given(g=graphs(weighted=True, vertex_columns={"x": st.integers(0, 3)}, directed=True))
    def no_edges(g):
        assert g.num_edges == 0

    with pytest.raises(AssertionError) as caught:
        no_edges()
    shown = "\n".join(caught.value.__notes__)
    assert "g=with_columns(Graph.from_edges([0], [0], weight=[1.0]), vertices={'x': [0]})" in shown


def test_options_are_checked():
    with pytest.raises(TypeError, match="there is no option 'weihgted'"):
        find(trees(weihgted=True), lambda _: True)
    with pytest.raises(InvalidArgument):
        find(graphs(2, min_vertices=3), lambda _: True)
    assert isinstance(find(graphs(), lambda _: True), Graph)
