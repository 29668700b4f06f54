"""What options leave of a graph, against networkx, scipy and counting by hand."""

from __future__ import annotations

from collections import Counter

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from emv import Graph
from emv.errors import ArgumentError, GraphError
from emv.graph.io import read

NUM_VERTICES = 8
ROWS = st.lists(
    st.tuples(
        st.integers(0, NUM_VERTICES - 1), st.integers(0, NUM_VERTICES - 1), st.integers(-9, 9)
    ),
    max_size=30,
)
MANY = settings(max_examples=60, deadline=None)


def graph_of(rows, directed: bool = True) -> Graph:
    src, dst, weight = (np.array([row[place] for row in rows], np.int64) for place in range(3))
    return Graph.from_edges(
        src,
        dst,
        num_vertices=NUM_VERTICES,
        directed=directed,
        weight=weight,
        place=np.arange(len(src)),
    )


def rows_of(g: Graph) -> list[tuple[int, int, int]]:
    """Ends by their original ids, and weights, in the order of the edges."""
    labels = np.arange(g.num_vertices) if g.labels is None else g.labels
    ends = labels[g.edges.src], labels[g.edges.dst], g.edges.weight
    rows = zip(*(each.tolist() for each in ends), strict=True)
    return [row if g.directed else (min(row[:2]), max(row[:2]), row[2]) for row in rows]


def vertices_of(g: Graph) -> list[int]:
    return list(range(g.num_vertices)) if g.labels is None else g.labels.tolist()


@MANY
@given(ROWS, st.booleans())
def test_loops_are_left_out(rows, directed) -> None:
    g = graph_of(rows, directed)
    assert rows_of(g.prepared(loops=False)) == [row for row in rows_of(g) if row[0] != row[1]]
    assert rows_of(g.prepared(loops=True)) == rows_of(g)


@MANY
@given(ROWS, st.integers(-9, 9))
def test_light_edges_are_left_out(rows, least) -> None:
    prepared = graph_of(rows).prepared(min_weight=least)
    assert rows_of(prepared) == [row for row in rows if row[2] >= least]
    assert prepared.edges.place.tolist() == [i for i, row in enumerate(rows) if row[2] >= least]


@MANY
@given(ROWS)
def test_summed_repeats_are_scipys_canonical_matrix(rows) -> None:
    g = graph_of(rows)
    A = scipy.sparse.coo_array(
        (g.edges.weight, (g.edges.src, g.edges.dst)), shape=(NUM_VERTICES, NUM_VERTICES)
    ).tocsr()
    A.sum_duplicates()
    src, dst = A.tocoo().coords
    expected = list(zip(src.tolist(), dst.tolist(), A.tocoo().data.tolist(), strict=True))
    assert sorted(rows_of(g.prepared(dedup="sum"))) == sorted(expected)


@MANY
@given(ROWS, st.booleans(), st.sampled_from(["first", "min", "sum"]), st.booleans())
def test_repeats_are_folded(rows, directed, how, symmetrise) -> None:
    g = graph_of(rows, directed)
    both_ways = symmetrise or not directed
    weights: dict[tuple[int, int], list[int]] = {}
    for src, dst, weight in rows:
        ends = (min(src, dst), max(src, dst)) if both_ways else (src, dst)
        weights.setdefault(ends, []).append(weight)
    fold = {"first": lambda each: each[0], "min": min, "sum": sum}[how]
    prepared = g.prepared(dedup=how, symmetrise=symmetrise)
    assert prepared.directed is not both_ways
    assert rows_of(prepared) == [(*ends, fold(each)) for ends, each in sorted(weights.items())]
    assert prepared.num_vertices == NUM_VERTICES


@MANY
@given(ROWS)
def test_symmetrised_graphs_are_networkxs_undirected_ones(rows) -> None:
    G = nx.DiGraph((src, dst) for src, dst, _ in rows).to_undirected()
    prepared = graph_of(rows).prepared(symmetrise=True)
    assert {row[:2] for row in rows_of(prepared)} == {tuple(sorted(ends)) for ends in G.edges}
    assert prepared.num_edges == G.number_of_edges()


@MANY
@given(ROWS, st.booleans(), st.integers(0, NUM_VERTICES - 1), st.integers(0, 4))
def test_neighbourhoods_are_networkxs(rows, directed, root, hops) -> None:
    G = nx.MultiDiGraph() if directed else nx.MultiGraph()
    G.add_nodes_from(range(NUM_VERTICES))
    G.add_edges_from(row[:2] for row in rows)
    inside = nx.single_source_shortest_path_length(G, root, cutoff=hops)
    g = graph_of(rows, directed)
    prepared = g.prepared(ego=(root, hops))
    assert vertices_of(prepared) == sorted(inside)
    assert rows_of(prepared) == [row for row in rows_of(g) if {*row[:2]} <= inside.keys()]


@MANY
@given(ROWS, st.booleans(), st.integers(0, 6))
def test_vertices_with_few_arcs_are_left_out_once(rows, directed, least) -> None:
    arcs = Counter()
    for src, dst, _ in rows:
        arcs.update([src, dst] if directed or src != dst else [src])
    kept = [vertex for vertex in range(NUM_VERTICES) if arcs[vertex] >= least]
    g = graph_of(rows, directed)
    prepared = g.prepared(min_degree=least)
    assert vertices_of(prepared) == kept
    assert rows_of(prepared) == [row for row in rows_of(g) if {*row[:2]} <= {*kept}]


@MANY
@given(ROWS, st.booleans())
def test_new_numbers_keep_the_graph(rows, directed) -> None:
    g = graph_of(rows, directed)
    g.vertices.square = np.arange(NUM_VERTICES) ** 2
    by_degree = g.prepared(relabel="degree")
    assert sorted(vertices_of(by_degree)) == list(range(NUM_VERTICES))
    assert rows_of(by_degree) == rows_of(g)
    degrees = by_degree.out_degrees() + (by_degree.in_degrees() if directed else 0)
    assert np.all(np.diff(degrees) <= 0)
    equal = np.diff(degrees) == 0
    assert np.all(np.diff(vertices_of(by_degree))[equal] > 0)
    dense = g.prepared(relabel="dense")
    assert vertices_of(dense) == sorted({end for row in rows for end in row[:2]})
    assert rows_of(dense) == rows_of(g)
    for each in (by_degree, dense):
        assert each.vertices.square.tolist() == [label**2 for label in vertices_of(each)]


def test_labels_are_handed_on() -> None:
    g = Graph.from_edges([0, 1, 3], [1, 2, 3], labels=["a", "b", "c", "d", "e"])
    ego = g.prepared(ego=("b", 1))
    assert ego.labels.tolist() == ["b", "c"]
    assert g.prepared(relabel="dense").labels.tolist() == ["a", "b", "c", "d"]
    with pytest.raises(GraphError, match="no vertex has the label 'z'"):
        g.prepared(ego=("z", 1))
    with pytest.raises(GraphError, match="9 is no vertex"):
        Graph.from_edges([0], [1]).prepared(ego=(9, 1))


def test_weights_are_demanded_or_left_out() -> None:
    g = Graph.from_edges([0], [1], weight=[2.5], year=[1999])
    assert g.prepared(weighted=False).edges.names() == ["year"]
    assert g.prepared(weighted=True).edges.names() == ["weight", "year"]
    with pytest.raises(AttributeError, match="weighted=False left out"):
        _ = g.prepared(weighted=False).edges.weight
    for option in ({"weighted": True}, {"min_weight": 1}):
        with pytest.raises(GraphError, match="no weights"):
            Graph.from_edges([0], [1]).prepared(**option)


def test_nan_is_lighter_than_all() -> None:
    g = Graph.from_edges([0, 1], [1, 2], weight=[np.nan, -np.inf])
    assert g.prepared(min_weight=-np.inf).edges.weight.tolist() == [-np.inf]


def test_steps_are_taken_in_the_order_of_the_docstring() -> None:
    # the light edge from 0 to 1 is taken out before the sum, and the ego is taken before the degree
    g = Graph.from_edges([0, 0, 1, 2, 3], [1, 1, 2, 3, 0], weight=[1, 5, 5, 5, 5])
    prepared = g.prepared(min_degree=2, ego=(0, 2), dedup="sum", min_weight=2)
    assert rows_of(prepared) == []
    assert vertices_of(prepared) == [1]


def test_many_edges_take_the_compiled_way() -> None:
    src, dst = np.random.default_rng(5).integers(0, 1 << 10, (2, 1 << 19))
    prepared = Graph.from_edges(src, dst, directed=True).prepared(dedup="first", loops=False)
    keys = np.unique((src * 1024 + dst)[src != dst])
    assert np.array_equal(prepared.edges.src.astype(np.int64) * 1024 + prepared.edges.dst, keys)


def test_the_graph_itself_stays_and_so_does_its_device() -> None:
    g = Graph.from_edges([0, 0], [0, 1], weight=[1, 2])
    assert g.on("python").prepared(loops=False).device == "python"
    assert g.num_edges == 2
    empty = Graph().prepared(symmetrise=True, min_degree=1, relabel="degree", loops=False)
    assert (empty.num_vertices, empty.num_edges, empty.directed) == (0, 0, False)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dedupe": "first"}, "there is no option 'dedupe'. Did you mean 'dedup'"),
        ({"dedup": "max"}, "dedup is 'max'\nexpected 'first' or 'min' or 'sum'"),
        ({"dedup": True}, "dedup is True"),
        ({"relabel": "random"}, "expected 'dense' or 'degree'"),
        ({"loops": 0}, "loops is 0\nexpected True or False"),
        ({"symmetrise": None}, "symmetrise is None"),
        ({"weighted": "yes"}, "weighted is 'yes'\nexpected True, False or None"),
        ({"min_degree": -1}, "min_degree is -1\nexpected a whole number"),
        ({"min_degree": 1.5}, "min_degree is 1.5"),
        ({"min_degree": True}, "min_degree is True"),
        ({"min_weight": "3"}, "min_weight is '3'\nexpected a number"),
        ({"min_weight": float("nan")}, "min_weight is nan"),
        ({"ego": 3}, "ego is 3\nexpected (root, k)"),
        ({"ego": (3, -1)}, "expected (root, k)"),
    ],
)
def test_options_that_cannot_be_are_refused(tmp_path, options, message) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("0 1\n")
    with pytest.raises(ArgumentError) as caught:
        Graph.from_edges([0], [1]).prepared(**options)
    assert message in str(caught.value)
    with pytest.raises(ArgumentError) as caught:
        read(path, **options)
    assert message in str(caught.value)


def test_files_are_prepared_as_they_are_read(tmp_path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("7 8 1\n8 7 2\n9 9 3\n")
    g = read(path, loops=False, symmetrise=True, dedup="sum", relabel="dense")
    assert (g.directed, g.labels.tolist(), rows_of(g)) == (False, [7, 8], [(7, 8, 3)])
