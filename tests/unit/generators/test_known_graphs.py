"""Graphs in which nothing is drawn, beside networkx; weights; what generators refuse."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from scipy import stats

from emv import generators
from emv.errors import ArgumentError

CASES = {
    "star": (generators.star(7), nx.star_graph(6)),
    "star of one": (generators.star(1), nx.empty_graph(1)),
    "path": (generators.path(6), nx.path_graph(6)),
    "path of none": (generators.path(0), nx.empty_graph(0)),
    "cycle": (generators.cycle(5), nx.cycle_graph(5)),
    "complete": (generators.complete(6), nx.complete_graph(6)),
    "tree": (generators.tree(3, 4), nx.balanced_tree(3, 4)),
    "tree of one branch": (generators.tree(1, 4), nx.path_graph(5)),
    "root": (generators.tree(2, 0), nx.empty_graph(1)),
}


@pytest.mark.parametrize("case", CASES)
def test_same_as_networkx(case):
    ours, theirs = CASES[case]
    G = ours.to_networkx()
    assert set(G) == set(theirs)
    assert set(map(frozenset, G.edges)) == set(map(frozenset, theirs.edges))
    assert ours.num_edges == theirs.number_of_edges()


@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize(
    "shape", [(1,), (5,), (1, 1), (2, 2), (2, 5), (3, 4), (1, 4, 2), (3, 4, 5)]
)
def test_grids_are_those_of_networkx(shape, periodic):
    graph = generators.grid(*shape, periodic=periodic)
    theirs = nx.grid_graph(shape[::-1], periodic=periodic)
    theirs.remove_edges_from(list(nx.selfloop_edges(theirs)))
    place = {node: np.ravel_multi_index(node, shape) if len(shape) > 1 else node for node in theirs}
    wanted = {frozenset((place[u], place[v])) for u, v in theirs.edges}
    src, dst = graph.edges.src.tolist(), graph.edges.dst.tolist()
    assert {frozenset(pair) for pair in zip(src, dst, strict=True)} == wanted
    assert (graph.num_vertices, graph.num_edges) == (len(theirs), len(wanted))


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (4, 1), (2, 3), (5, 6), (6, 5)])
def test_honeycomb_is_a_grid_without_every_second_rung(shape):
    graph, (rows, columns) = generators.honeycomb(*shape), shape
    wanted = {
        (r * columns + c, r * columns + c + 1) for r in range(rows) for c in range(columns - 1)
    }
    wanted |= {
        (r * columns + c, (r + 1) * columns + c)
        for r in range(rows - 1)
        for c in range(columns)
        if (r + c) % 2 == 0
    }
    found = zip(graph.edges.src.tolist(), graph.edges.dst.tolist(), strict=True)
    assert (set(found), graph.num_edges) == (wanted, len(wanted))


def test_honeycomb_is_made_of_hexagons():
    G = generators.honeycomb(8, 8).to_networkx()
    assert all(len(ring) == 6 for ring in nx.minimum_cycle_basis(G))


def test_whole_weights_are_those_of_gtgraph():
    graph = generators.path(100_001, weights=(0, 100))
    weight = graph.edges.weight
    assert weight.dtype == np.int32
    assert stats.chisquare(np.bincount(weight, minlength=100)).pvalue > 1e-3
    assert len(np.bincount(weight)) == 100
    wide = generators.path(1000, weights=(2**40, 2**40 + 2)).edges.weight
    assert set(wide.tolist()) == {2**40, 2**40 + 1}


def test_weights_between_floats():
    weight = generators.path(50_001, weights=(-1.0, 3)).edges.weight
    assert weight.dtype == np.float64
    assert stats.kstest((weight + 1) / 4, "uniform").pvalue > 1e-3


def test_weights_do_not_change_the_edges():
    plain, weighted = (
        generators.random(50, 200, rng=1, **options) for options in ({}, {"weights": (1, 9)})
    )
    assert np.array_equal(plain.edges.src, weighted.edges.src)


def test_direction_can_be_chosen():
    assert generators.star(3, directed=True).out_degrees().tolist() == [2, 0, 0]
    assert not generators.rmat(8, 4, directed=False).directed


SMALLEST = {
    "erdos_renyi": (lambda: generators.erdos_renyi(0, 0.5), (0, 0)),
    "erdos_renyi of none": (lambda: generators.erdos_renyi(9, 0.0), (9, 0)),
    "stochastic_block": (lambda: generators.stochastic_block([], np.zeros((0, 0))), (0, 0)),
    "stochastic_block of an empty one": (
        lambda: generators.stochastic_block([0, 2], np.ones((2, 2))),
        (2, 1),
    ),
    "geometric": (lambda: generators.geometric(0, 1), (0, 0)),
    "geometric of one": (lambda: generators.geometric(1, 1), (1, 0)),
    "complete": (lambda: generators.complete(0), (0, 0)),
    "road": (lambda: generators.road(0), (0, 0)),
    "road of one": (lambda: generators.road(1), (1, 0)),
    "road of five": (lambda: generators.road(5), (5, None)),
    "bipartite": (lambda: generators.bipartite(0, 0, 0), (0, 0)),
    "kronecker": (lambda: generators.kronecker(1, 0), (2, 0)),
    "random of one": (lambda: generators.random(1, 4, loops=True), (1, 4)),
    "rmat": (lambda: generators.rmat(2, 5), (2, 5)),
    "delaunay": (lambda: generators.delaunay(3), (3, 3)),
    "watts_strogatz": (lambda: generators.watts_strogatz(1, 0, 1.0), (1, 0)),
    "barabasi_albert": (lambda: generators.barabasi_albert(2, 1), (2, 1)),
}


@pytest.mark.parametrize("case", SMALLEST)
def test_smallest_graphs(case):
    make, (num_vertices, num_edges) = SMALLEST[case]
    graph = make()
    assert graph.num_vertices == num_vertices
    assert num_edges in (None, graph.num_edges)


REFUSED = {
    "n is 1, but it is a whole number from 2 on": lambda: generators.rmat(1, 5),
    "n is 2.0, but": lambda: generators.random(2.0, 5),
    "n is True, but": lambda: generators.star(True),
    "m is -1, but": lambda: generators.random(10, -1),
    "chances add up to 0.9": lambda: generators.rmat(9, 1, (0.4, 0.2, 0.2, 0.1)),
    "chances is (1, 2), but it is four": lambda: generators.rmat(9, 1, (1, 2)),
    "chances[1] is -0.5, but": lambda: generators.rmat(9, 1, (1, -0.5, 0.5, 0)),
    "nearly every edge would be a loop": lambda: generators.rmat(9, 1, (0.5, 0, 0, 0.5)),
    "noise is 0.5, but": lambda: generators.rmat(9, 1, noise=0.5),
    "rng is -1, but": lambda: generators.path(3, -1),
    "rng is a whole number, a generator of numpy's or None, not 'a'": lambda: generators.path(
        3, "a"
    ),
    "scale is 32, but it is a whole number from 1 to 31": lambda: generators.kronecker(32),
    "n_left is 0, but": lambda: generators.bipartite(0, 5, 3),
    "p is 1.5, but it is a number from 0 to 1": lambda: generators.erdos_renyi(5, 1.5),
    "p is nan, but": lambda: generators.erdos_renyi(5, float("nan")),
    "p has shape (1, 2)": lambda: generators.stochastic_block([2, 2], [[0, 1]]),
    "p is not symmetric": lambda: generators.stochastic_block([2, 2], [[0, 1], [0, 0]]),
    "sizes[1] is -2, but": lambda: generators.stochastic_block([2, -2], [[0, 1], [1, 0]]),
    "n is 3, but it is a whole number from 4 on": lambda: generators.barabasi_albert(3, 3),
    "k is 3, but half": lambda: generators.watts_strogatz(9, 3, 0),
    "n is 7, but it is a whole number from 8 on": lambda: generators.watts_strogatz(7, 4, 0),
    "radius is -1, but": lambda: generators.geometric(4, -1),
    "n is 2, but it is a whole number from 3 on": lambda: generators.delaunay(2),
    "a grid has at least one axis": generators.grid,
    "axis 1 is 0, but": lambda: generators.grid(3, 0),
    "has more than 4294967295 vertices": lambda: generators.grid(2**16, 2**16),
    "a tree of branching 2 and height 40": lambda: generators.tree(2, 40),
    "there is no option 'weight'. Did you mean 'weights'?": lambda: generators.star(3, weight=1),
    "loops is 1, but": lambda: generators.rmat(9, 1, loops=1),
    "periodic is None, but": lambda: generators.grid(3, 3, periodic=None),
    "directed is 1, but": lambda: generators.star(3, directed=1),
    "weights is 5, but it is (low, high)": lambda: generators.star(3, weights=5),
    "weights is (3, 3), but": lambda: generators.star(3, weights=(3, 3)),
    "weights is (0, inf), but": lambda: generators.star(3, weights=(0, float("inf"))),
    "whole weights span less than": lambda: generators.star(3, weights=(0, 2**40)),
    "device is 'gpu', but": lambda: generators.rmat(8, 4, device="gpu"),
    "held=False and weights=": lambda: generators.rmat(8, 4, held=False, weights=(0, 9)),
    "held=False: the edges of this model": lambda: generators.star(3, held=False),
    "held is 0, but": lambda: generators.random(8, 4, held=0),
    "star is made on the CPU, not on cuda": lambda: generators.star(3, device="cuda"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_wrong_parameters_are_refused(what):
    with pytest.raises(ArgumentError) as refused:
        REFUSED[what]()
    assert what in str(refused.value)
