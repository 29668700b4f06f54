"""`spread` is the mean of the runs that it stands for, and near to the mean of all outcomes."""

import itertools
import sys
from fractions import Fraction
from zlib import crc32

import networkx as nx
import numpy as np
import pytest
from backends_available import BACKENDS

from emv import Graph
from emv.algorithms import icm, ltm, spread
from emv.errors import ArgumentError, CallError, ColumnError, TypeMismatchError
from emv.lang.draws import bits

MASK = 2**64 - 1
over_backends = pytest.mark.parametrize("backend", BACKENDS)
ENDS = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (1, 4), (4, 5), (5, 6), (3, 6), (6, 7), (2, 7)]
ENDS += [(7, 1)]
GRAPH = Graph.from_edges([u for u, _ in ENDS], [v for _, v in ENDS])
P = np.linspace(0.2, 0.7, len(ENDS))


def expected_size():
    """The mean size over all outcomes of the coins, by networkx."""
    mean = 0.0
    for coins in itertools.product((False, True), repeat=len(ENDS)):
        graph = nx.DiGraph([ends for ends, is_open in zip(ENDS, coins, strict=True) if is_open])
        graph.add_node(0)
        chance = np.prod(np.where(coins, P, 1 - P))
        mean += chance * (1 + len(nx.descendants(graph, 0)))
    return mean


def test_the_mean_is_near_to_that_of_all_outcomes():
    found, wanted = spread(GRAPH, 0, p=P, runs=10_000, rng=3, backend="cpu"), expected_size()
    assert found.runs == 10_000
    assert abs(found.mean - wanted) <= 3 * found.deviation / 100
    assert found.high - found.mean == pytest.approx(1.96 * found.deviation / 100)
    assert found.mean - found.low == pytest.approx(found.high - found.mean)


def stream(x):
    """SplitMix64, as its authors print it."""
    while True:
        x = (x + 0x9E3779B97F4A7C15) & MASK
        yield finish(x)


def finish(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def told_by_digits(graph, seeds, p, seed, runs):
    """The sizes of runs whose coins are compared with p digit by digit, one lane at a time."""
    src, dst = (ends.tolist() for ends in graph.arcs())
    edge_of_arc = graph.layouts.out_rows.edge
    edges = range(len(src)) if edge_of_arc is None else edge_of_arc.tolist()
    sizes = []
    for run in range(runs):
        salt, lane = bits(seed, run // 64, 0, crc32(b"emv.lanes")) >> 1, run % 64
        network = nx.DiGraph()
        network.add_nodes_from(range(graph.num_vertices))
        for u, v, edge in zip(src, dst, edges, strict=True):
            words = stream(finish((salt + edge * 0x9E3779B97F4A7C15) & MASK))
            drawn = Fraction(sum(((next(words) >> lane) & 1) << (63 - k) for k in range(64)), 2**64)
            if drawn < Fraction(float(p[edge])):
                network.add_edge(u, v)
        told = set().union(*({v} | nx.descendants(network, v) for v in seeds))
        sizes.append(len(told))
    return sizes


@over_backends
@pytest.mark.parametrize("directed", [True, False])
def test_cascades_in_lanes_follow_the_digits(backend, directed):
    graph = Graph.from_edges(*np.array(ENDS).T, directed=directed)
    p = [*P[:9].tolist(), 0.0, 1.0, 0.75]
    sizes = told_by_digits(graph, [0, 5], p, 9, 70)
    found = spread(graph, [0, 5], p=np.array(p), runs=70, rng=9, backend=backend)
    assert found.runs == 70
    assert found.mean == pytest.approx(np.mean(sizes), rel=1e-12)
    assert found.deviation == pytest.approx(np.std(sizes, ddof=1), rel=1e-12)
    number = spread(graph, 0, p=0.375, runs=64, rng=2, backend=backend)
    assert number.mean * 64 == sum(told_by_digits(graph, [0], [0.375] * 12, 2, 64))


@over_backends
@pytest.mark.parametrize("directed", [True, False])
def test_arcs_to_a_vertex_share_its_chance_by_word(backend, directed):
    graph = Graph.from_edges(*np.array(ENDS).T, directed=directed)
    runs = 128 if backend == "python" else 6400
    lanes = spread(graph, 0, p="1/in-degree", runs=runs, backend=backend)
    alone = spread(graph, 0, p="1/in-degree", loop="C", runs=runs, backend=backend)
    width = 4 * (lanes.deviation + alone.deviation) / runs**0.5
    assert abs(lanes.mean - alone.mean) < width
    assert spread(graph, 0, p="trivalency", runs=64, backend=backend).mean < lanes.mean


@over_backends
@pytest.mark.parametrize(
    ("model", "given"),
    [(icm, {"p": P, "single_chance": False}), (icm, {"p": P, "loop": "T"}), (ltm, {"b": 0.4})],
)
def test_it_sums_up_runs_by_trial(backend, model, given):
    found = spread(GRAPH, [0, 5], model.name, 70, rng=9, backend=backend, **given)
    named = {**given, "rng": 9, "backend": "python"}
    sizes = [np.count_nonzero(model(GRAPH, [0, 5], trial=k, **named) >= 0) for k in range(70)]
    assert found.mean == pytest.approx(np.mean(sizes), rel=1e-12)
    assert found.deviation == pytest.approx(np.std(sizes, ddof=1), rel=1e-12)


def test_copies_and_runs_in_turn_are_the_same(monkeypatch):
    copies = spread(GRAPH, 0, "ltm", 70, backend="cpu")
    monkeypatch.setattr(sys.modules["emv.algorithms.spread"], "BATCHED", 0)
    assert spread(GRAPH, 0, "ltm", 70, backend="cpu") == copies


def test_it_ends_when_it_is_precise_enough():
    rough, fine = (
        spread(GRAPH, 0, p=P, runs=10**6, precision=part, backend="cpu") for part in (0.1, 0.02)
    )
    assert 64 <= rough.runs < fine.runs < 10**6
    assert fine.high - fine.mean <= 0.02 * fine.mean
    assert rough.runs % 64 == fine.runs % 64 == 0
    assert spread(GRAPH, 0, "ltm", 10**6, precision=0.1, backend="cpu").runs < 10**5
    assert spread(GRAPH, 0, p=P, runs=100, precision=1e-9, backend="cpu").runs == 100


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"model": "sir"}, "model='sir'\nGive 'icm', 'ltm'"),
        ({"runs": 1}, "runs=1\nGive a whole number from 2 on"),
        ({"precision": 0}, "precision=0\nGive a number above 0"),
        ({"precision": float("nan")}, "precision=nan"),
        ({"seeds": 8}, "there is no vertex 8"),
        ({"single_chance": 2}, "single_chance=2"),
        ({"p": "share"}, "share"),
        ({"beta": 2}, "unexpected keyword argument 'beta'"),
    ],
)
def test_what_means_nothing_is_refused(named, said):
    with pytest.raises((ArgumentError, CallError, ColumnError, TypeMismatchError), match=said):
        spread(GRAPH, **({"seeds": 0} | named), backend="cpu")
