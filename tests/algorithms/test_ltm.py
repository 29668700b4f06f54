"""`ltm` is the model as defined, by every loop on every backend, and its check knows others."""

from fractions import Fraction
from zlib import crc32

import numpy as np
import pytest
from algorithm_cases import busiest_vertex, real_graph
from backends_available import BACKENDS
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graphs

from emv import Graph
from emv.algorithms import WrongResultError, check_ltm, ltm
from emv.errors import ArgumentError
from emv.lang.draws import uniform

over_backends = pytest.mark.parametrize("backend", BACKENDS)
LOOPS = ("auto", "C", "T", "E")


def drawn(graph, seed, trial=0):
    """The thresholds that the page promises: by seed, trial and vertex."""
    n, code = graph.num_vertices, crc32(b"emv.random")
    return [uniform(seed, 0, trial * n + v, code) for v in range(n)]


def joined_by_sums(graph, seeds, thresholds, b=None):
    """The model step by step, with fractions; influences are cut as the page says."""
    joins_at = np.full(graph.num_vertices, -1)
    joins_at[list(seeds)] = 0
    edge_of_arc = graph.layouts.out_rows.edge
    edges = np.arange(graph.num_arcs) if edge_of_arc is None else edge_of_arc
    src, dst = (ends.tolist() for ends in graph.arcs())
    degree = np.bincount(dst, minlength=graph.num_vertices)
    step = 0
    while (joins_at == step).any():
        before, step = joins_at.copy(), step + 1
        felt = [Fraction(0)] * graph.num_vertices
        for u, v, edge in zip(src, dst, edges.tolist(), strict=True):
            if before[u] != -1:
                share = 1 / int(degree[v]) if b is None else float(b[edge])
                felt[v] += Fraction(int(share * 2**40), 2**40)
        for v in range(graph.num_vertices):
            if before[v] == -1 and felt[v] > Fraction(float(thresholds[v])):
                joins_at[v] = step
    return joins_at.tolist()


@pytest.mark.paper("S114")
@over_backends
@given(data=st.data(), graph=graphs(min_vertices=1))
@settings(max_examples=25)
def test_all_loops_follow_the_sums(backend, data, graph):
    seeds = data.draw(st.lists(st.integers(0, graph.num_vertices - 1), min_size=1, max_size=3))
    seed, trial = data.draw(st.integers(0, 2**40)), data.draw(st.integers(0, 3))
    eighths = st.integers(0, 8).map(lambda k: k / 8)  # ties of sums and thresholds
    b = np.array(data.draw(st.lists(eighths, min_size=graph.num_edges, max_size=graph.num_edges)))
    given_ = np.array(
        data.draw(st.lists(eighths, min_size=graph.num_vertices, max_size=graph.num_vertices))
    )
    even = joined_by_sums(graph, seeds, drawn(graph, seed, trial))
    own = joined_by_sums(graph, seeds, given_, b)
    for loop in LOOPS:
        named = {"loop": loop, "rng": seed, "backend": backend}
        run = ltm.run(graph, seeds, trial=trial, **named)
        assert run.result.dtype == np.int32
        assert run.result.tolist() == even
        check_ltm(graph, run.result, seeds, run.vertices.threshold)
        found = ltm(graph, seeds, b, given_, **named)
        assert found.tolist() == own
        check_ltm(graph, found, seeds, given_, b)


@over_backends
def test_even_shares_in_a_real_graph(backend):
    graph = real_graph("karate" if backend == "python" else "email-Eu-core")
    seeds = [busiest_vertex(graph), 0]
    found = ltm(graph, seeds, rng=6, backend=backend)
    assert np.count_nonzero(found > 0) > 1
    assert found.tolist() == joined_by_sums(graph, seeds, drawn(graph, 6))


@over_backends
def test_copies_of_a_batch_have_thresholds_of_their_own(backend):
    """With an influence of a half, who draws a threshold below it joins."""
    runs = 40 if backend == "python" else 2000
    fan = Graph.from_edges([0] * 5, range(1, 6))
    joined = ltm.batch(fan, range(runs), [0], 0.5, along="trial", rng=2, backend=backend) >= 0
    assert abs(joined[:, 1:].mean() - 0.5) < 4 * 0.5 / np.sqrt(5 * runs)
    alone = ltm(fan, [0], 0.5, trial=7, rng=2, backend=backend) >= 0
    assert joined[7].tolist() == alone.tolist()


@over_backends
@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"seeds": [0, 9]}, "there is no vertex 9"),
        ({"loop": "D"}, "loop='D'\nGive 'auto', 'C', 'T', 'E'"),
        ({"b": -0.5}, "b is below 0 or NaN on an edge"),
        ({"b": [np.nan]}, "b is below 0 or NaN on an edge"),
        ({"b": 1e9}, r"b is 1e\+09 on an edge, and such may sum to more"),
    ],
)
def test_arguments_that_mean_nothing_are_refused(backend, named, said):
    with pytest.raises(ArgumentError, match=said):
        ltm(Graph.from_edges([0], [1]), **({"seeds": 0} | named), backend=backend)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([1, 1, 2, -1], "vertex 0 joins at 1"),
        ([0, 2, 3, -1], "vertex 1 joins at 2, and had reason to before"),
        ([0, -1, -1, -1], "vertex 1 joins at -1, and had reason to before"),
        ([0, 1, 1, -1], "vertex 2 joins at 1 without enough influence"),
        ([0, 1, 2, 3], "vertex 3 joins at 3 without enough influence"),
        ([0, 1, 2], "shape"),
    ],
)
def test_check_finds_impossible_steps(wrong, message):
    graph = Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3], b=[1.0, 0.5, 0.5, 0.5])
    check_ltm(graph, ltm(graph, 0, "b", 0.5, backend="python"), 0, 0.5, "b")
    with pytest.raises(WrongResultError, match=message):
        check_ltm(graph, np.array(wrong, np.int32), 0, 0.5, "b")
