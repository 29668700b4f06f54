"""`pagerank` gives networkx's ranks on every backend, and its check knows wrong ones."""

import networkx as nx
import numpy as np
import pytest
from algorithm_cases import REAL_CASES, by_vertex, networkx_of, real_graph
from backends_available import BACKENDS
from hypothesis import given, settings
from scipy.sparse import coo_array, eye_array
from scipy.sparse.linalg import spsolve
from strategies import graphs

from emv import Graph
from emv.algorithms import WrongResultError, check_pagerank, pagerank
from emv.errors import ArgumentError, ConvergenceWarning, NotFiniteWarning, TypeMismatchError

over_backends = pytest.mark.parametrize("backend", BACKENDS)


def networkx_ranks(graph, column=None, alpha=0.85, **named):
    """networkx's ranks, iterated until they are right to 1e-9 in all."""
    named = {"weight": None if column is None else "weight", "max_iter": 10_000, **named}
    tol = 1e-10 / max(graph.num_vertices, 1)
    ranks = nx.pagerank(networkx_of(graph, column), alpha=alpha, tol=tol, **named)
    return by_vertex(ranks, graph.num_vertices, 0)


def demand_near(found, wanted, alpha=0.85, tol=1e-6):
    """What a superstep changes by `tol` is at most this far away; f32 rounds a little."""
    assert np.abs(found - wanted).sum() <= tol * alpha / (1 - alpha) + 1e-6


def papers_ranks(graph, num_supersteps):
    """0.15 + 0.85 * sum(rank / out_degree), from 1 on."""
    rank, (src, dst) = np.ones(graph.num_vertices), graph.arcs()
    out_degree = np.bincount(src, minlength=graph.num_vertices)
    for _ in range(num_supersteps):
        received = np.bincount(dst, rank[src] / out_degree[src], graph.num_vertices)
        rank = 0.15 + 0.85 * received
    return rank


@over_backends
@given(graph=graphs())
def test_ranks_are_networkxs(backend, graph):
    found = pagerank(graph, backend=backend)
    assert found.dtype == np.float32
    demand_near(found, networkx_ranks(graph))
    check_pagerank(graph, found)


@over_backends
@given(graph=graphs(min_vertices=1))
def test_ranks_of_a_fixed_number_of_supersteps(backend, graph):
    found = pagerank(graph, alpha=0.3, tol=0.0, max_iter=25, backend=backend)
    np.testing.assert_allclose(found, networkx_ranks(graph, alpha=0.3), rtol=1e-6)


@pytest.mark.parametrize(("backend", "name"), REAL_CASES)
def test_ranks_of_real_graphs(backend, name):
    graph = real_graph(name)
    found = pagerank(graph, backend=backend)
    demand_near(found, networkx_ranks(graph))
    check_pagerank(graph, found)
    dropped = pagerank(graph, dangling="drop", backend=backend)
    check_pagerank(graph, dropped, dangling="drop")


@over_backends
@given(graph=graphs())
def test_drop_is_the_form_of_the_papers(backend, graph):
    found = pagerank(graph, tol=0.0, max_iter=5, dangling="drop", backend=backend)
    np.testing.assert_allclose(found, papers_ranks(graph, 5), rtol=1e-6)


@over_backends
def test_forms_differ_by_a_factor_where_nothing_dangles(backend):
    graph = real_graph("karate")
    spread, dropped = (
        pagerank(graph, tol=0.0, max_iter=40, dangling=dangling, backend=backend)
        for dangling in ("spread", "drop")
    )
    np.testing.assert_allclose(dropped, graph.num_vertices * spread, rtol=1e-5)


@over_backends
def test_parallel_edges_count_each_time(backend):
    graph = Graph.from_edges([0, 0, 0, 1, 2], [1, 1, 2, 0, 0])
    found = pagerank(graph, tol=0.0, max_iter=1, backend=backend)
    np.testing.assert_allclose(
        found, [0.05 + 0.85 * share for share in (2 / 3, 2 / 9, 1 / 9)], 1e-6
    )


@over_backends
@pytest.mark.parametrize("dangling", ["spread", "drop"])
@pytest.mark.parametrize("max_iter", [1, 7])
def test_without_tolerance_it_runs_every_superstep(backend, dangling, max_iter):
    ring = Graph.from_edges([0, 1, 2], [1, 2, 0])  # its ranks never change
    run = pagerank.run(ring, tol=0.0, max_iter=max_iter, dangling=dangling, backend=backend)
    assert (run.supersteps, run.stopped) == (max_iter, "limit")
    start = 1 / 3 if dangling == "spread" else 1.0
    np.testing.assert_allclose(run.result, start, rtol=1e-6)


@over_backends
def test_run_says_whether_the_tolerance_was_met(backend):
    graph = real_graph("karate")
    assert pagerank.run(graph, backend=backend).stopped == "until"
    said = r"pagerank\(\) has not settled: in the last of 3 supersteps the result changed by 0\.\d+"
    with pytest.warns(ConvergenceWarning, match=said) as told:
        run = pagerank.run(graph, max_iter=3, backend=backend)
    assert told[0].filename == __file__
    assert (run.supersteps, run.stopped) == (3, "limit")
    before = pagerank(graph, max_iter=2, tol=0, backend=backend)
    assert run.reached == pytest.approx(np.abs(run.result - before).sum(), rel=1e-4)
    with pytest.raises(WrongResultError, match="one more step changes the ranks"):
        check_pagerank(graph, run.result)


def long_road(length):
    """Two rows of crossings, a road between any two beside each other."""
    rows = np.arange(2 * length).reshape(2, length)
    src = np.concatenate([rows[:, :-1].ravel(), rows[0]])
    dst = np.concatenate([rows[:, 1:].ravel(), rows[1]])
    return Graph.from_edges(src, dst, directed=False)


def test_the_default_settles_on_large_graphs_of_small_degrees():
    """By networkx's rule one superstep would do: no rank is as large as the change allowed."""
    graph = long_road(60_000)
    run = pagerank.run(graph)
    assert run.stopped == "until"
    assert run.reached < 1e-6
    check_pagerank(graph, run.result)
    src, dst = graph.arcs()
    arcs = coo_array((1 / graph.out_degrees()[src], (dst, src))).tocsr()
    system = eye_array(graph.num_vertices, format="csc") - 0.85 * arcs.tocsc()
    demand_near(run.result, spsolve(system, np.full(graph.num_vertices, 0.15 / 120_000)))
    with pytest.raises(WrongResultError, match="one more step changes"):
        check_pagerank(graph, np.full(graph.num_vertices, 1 / 120_000, np.float32))


@over_backends
@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"personalization": [0, 0, 0]}, "personalization sums to 0"),
        ({"nstart": [0.0, 0.0, 0.0]}, "nstart sums to 0"),
        ({"nstart": [1.0, 0.0, np.nan]}, "nstart sums to nan"),
        ({"dangling_weights": "none"}, "dangling_weights sums to 0"),
        ({"alpha": 1.0000001}, r"alpha=1\.0000001\nIt is a chance, from 0 to 1"),
        ({"alpha": -0.1}, r"alpha=-0\.1"),
        ({"alpha": None}, "alpha=None"),
        ({"tol": None}, "tol=None\nGive a number"),
        ({"tol": -1e-9}, "tol=-1e-09\nGive a number from 0 on"),
        ({"max_iter": None}, "max_iter=None"),
        ({"weight": [1e-50, 1.0, 1.0]}, "weight has 1e-50, which single precision"),
        ({"weight": [1.0, 1e39, 1.0]}, "precision='double'"),
    ],
)
def test_what_is_no_surfer_is_refused(named, said, backend):
    ring = Graph.from_edges([0, 1, 2], [1, 2, 0])
    ring.vertices.none = np.zeros(3)
    with pytest.raises((ArgumentError, TypeMismatchError), match=said):
        pagerank(ring, **named, backend=backend)


def test_weights_beyond_single_precision_have_room_in_double():
    ring = Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 0], weight=[1e-50, 3e-50, 1e60, 1e-200])
    found = pagerank(ring, weight="weight", precision="double")
    again = pagerank(ring, weight=[1, 3, 1, 1], precision="double")
    np.testing.assert_allclose(found, again, rtol=1e-6)


@over_backends
def test_ranks_that_are_no_numbers_are_told(backend):
    ring = Graph.from_edges([0, 1, 2], [1, 2, 0], weight=[1.0, np.inf, 1.0])
    with pytest.warns(NotFiniteWarning, match=r"pagerank\(\): numbers have grown beyond"):
        assert np.isnan(pagerank(ring, weight="weight", backend=backend)).any()


@over_backends
def test_other_words_for_dangling_are_refused(backend):
    with pytest.raises(ArgumentError, match="dangling='keep'") as caught:
        pagerank(Graph.from_edges([0], [1]), dangling="keep", backend=backend)
    assert "'spread'" in str(caught.value)
    assert "'drop'" in str(caught.value)


@pytest.mark.parametrize(
    ("wrong", "dangling", "message"),
    [
        ([0.01, 0.5, 0.49], "spread", "vertex 0 has rank 0.01"),
        ([1 / 3, 1 / 3, 1 / 3], "spread", "one more step changes the ranks by"),
        ([1.0, 1.0, 1.0], "drop", "one more step changes the ranks by"),
        ([0.5, 0.5], "spread", "shape"),
    ],
)
def test_check_finds_wrong_ranks(wrong, dangling, message):
    graph = Graph.from_edges([0, 1], [1, 2])
    check_pagerank(graph, pagerank(graph, dangling=dangling, backend="python"), dangling=dangling)
    with pytest.raises(WrongResultError, match=message):
        check_pagerank(graph, np.array(wrong, np.float32), dangling=dangling)


def wishes(graph, seed):
    """Numbers per vertex, some of them 0."""
    draw = np.random.default_rng(seed)
    return draw.integers(0, 4, graph.num_vertices) + np.eye(1, graph.num_vertices)[0]


def with_options(graph):
    """What is asked of `pagerank`, and the same for networkx."""
    goal, start, refuge = (wishes(graph, seed) for seed in (1, 2, 3))
    asked = {"personalization": goal, "nstart": start, "dangling_weights": refuge}
    dicts = [dict(enumerate(each.tolist())) for each in (goal, start, refuge)]
    theirs = dict(zip(("personalization", "nstart", "dangling"), dicts, strict=True))
    return asked, theirs


@over_backends
@given(graph=graphs(min_vertices=1, weighted=True))
@settings(max_examples=15)
def test_ranks_with_options_are_networkxs(backend, graph):
    asked, theirs = with_options(graph)
    found = pagerank(graph, alpha=0.6, weight="weight", **asked, backend=backend)
    demand_near(found, networkx_ranks(graph, "weight", alpha=0.6, **theirs), alpha=0.6)
    del asked["nstart"]
    check_pagerank(graph, found, alpha=0.6, weight="weight", **asked)


@over_backends
def test_ranks_of_a_real_graph_with_options(backend):
    graph = real_graph("gap-4 (loops, repeats)" if backend == "python" else "wiki-Vote")
    asked, theirs = with_options(graph)
    found = pagerank(graph, weight="cost", **asked, backend=backend)
    demand_near(found, networkx_ranks(graph, "cost", **theirs))


def test_dropped_ranks_with_options_are_as_large_as_vertices_are_many():
    ring = Graph.from_edges([0, 0, 1, 2, 2], [1, 2, 2, 0, 1], weight=[2.0, 1.0, 3.0, 1.0, 1.0])
    asked = {"personalization": [1.0, 0.0, 2.0], "weight": "weight", "tol": 1e-7}
    spread = pagerank(ring, **asked, backend="python")  # nothing dangles
    dropped = pagerank(ring, dangling="drop", **asked, backend="python")
    np.testing.assert_allclose(dropped, 3 * spread, rtol=1e-5)
    check_pagerank(ring, dropped, dangling="drop", **asked)
    with pytest.raises(WrongResultError, match="one more step changes"):
        check_pagerank(ring, spread, dangling="drop", **asked)


def test_loops_and_repeats_weigh_what_they_say():
    graph = Graph.from_edges([0, 0, 0, 1], [0, 1, 1, 0], weight=[2.0, 1.0, 1.0, 5.0])
    found = pagerank(graph, tol=0.0, max_iter=1, weight="weight", backend="python")
    np.testing.assert_allclose(found, [0.075 + 0.85 * 0.75, 0.075 + 0.85 * 0.25], rtol=1e-6)


@over_backends
def test_weights_for_what_is_dropped_are_refused(backend):
    with pytest.raises(ArgumentError, match="spreads nothing by dangling_weights"):
        pagerank(
            Graph.from_edges([0], [1]), dangling="drop", dangling_weights=[1, 2], backend=backend
        )


def test_weights_are_read_only_when_asked_for():
    graph = Graph.from_edges([0, 0, 1], [1, 2, 2], weight=[1.0, 2.0, 3.0])
    assert "weight" not in pagerank.source(graph)
    assert "weight" in pagerank.source(graph, weight="weight")
