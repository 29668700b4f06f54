"""`icm` is the model as defined, by every loop on every backend, and its check knows others."""

import itertools
from zlib import crc32

import numpy as np
import pytest
from algorithm_cases import REAL_CASES, busiest_vertex, real_graph
from backends_available import BACKENDS
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graphs

from emv import Graph
from emv.algorithms import WrongResultError, bfs, check_icm, icm
from emv.algorithms._chances import trivalency
from emv.errors import ArgumentError, TypeMismatchError
from emv.lang.draws import uniform

over_backends = pytest.mark.parametrize("backend", BACKENDS)
LOOPS = ("auto", "C", "T", "E")
COIN = crc32(b"emv.random")


def told_by_coins(graph, seeds, p, seed, single_chance=True, trial=0):
    """The model step by step, with the coins that the page promises: by seed, trial and edge."""
    told_at = np.full(graph.num_vertices, -1)
    told_at[list(seeds)] = 0
    edge_of_arc = graph.layouts.out_rows.edge
    edges = np.arange(graph.num_arcs) if edge_of_arc is None else edge_of_arc
    arcs = list(zip(*(ends.tolist() for ends in (*graph.arcs(), edges)), strict=True))
    step = 0
    while (told_at == step).any():
        before, turn, step = told_at.copy(), 0 if single_chance else step, step + 1
        for u, v, edge in arcs:
            tries = before[u] == step - 1 if single_chance else before[u] != -1
            if tries and before[v] == -1:
                coin = uniform(seed, turn, trial * graph.num_edges + edge, COIN)
                told_at[v] = step if coin < p else told_at[v]
    return told_at.tolist()


@pytest.mark.paper("S113", "S115", "S116", "S117", "S118", "S120", "S122")
@over_backends
@given(data=st.data(), graph=graphs(min_vertices=1))
@settings(max_examples=30)
def test_all_loops_follow_the_coins(backend, data, graph):
    seeds = data.draw(st.lists(st.integers(0, graph.num_vertices - 1), min_size=1, max_size=3))
    p, seed = data.draw(st.sampled_from([0.1, 0.5, 0.9])), data.draw(st.integers(0, 2**40))
    trial = data.draw(st.integers(0, 3))
    for once in (True, False):
        wanted = told_by_coins(graph, seeds, p, seed, once, trial)
        for loop in LOOPS:
            found = icm(graph, seeds, p, once, loop, trial, rng=seed, backend=backend)
            assert found.dtype == np.int32
            assert found.tolist() == wanted
        check_icm(graph, found, seeds, p, once)


@pytest.mark.parametrize(("backend", "name"), REAL_CASES)
def test_cascade_in_real_graphs(backend, name):
    graph = real_graph(name)
    seeds = [busiest_vertex(graph)]
    found = icm(graph, seeds, 0.3, rng=5, backend=backend)
    assert found.tolist() == told_by_coins(graph, seeds, 0.3, 5)
    assert np.count_nonzero(found >= 0) > 1
    check_icm(graph, found, seeds, 0.3)


@over_backends
@given(data=st.data(), graph=graphs(min_vertices=1))
def test_sure_edges_tell_like_bfs_and_impossible_ones_nobody(backend, data, graph):
    seeds = data.draw(st.lists(st.integers(0, graph.num_vertices - 1), min_size=1, max_size=3))
    everybody = icm(graph, seeds, p=1.0, backend=backend)
    assert everybody.tolist() == bfs(graph, seeds, backend=backend).tolist()
    check_icm(graph, everybody, seeds, 1.0)
    nobody = icm(graph, seeds, p=0, backend=backend)
    assert set(np.flatnonzero(nobody >= 0)) == set(seeds)
    check_icm(graph, nobody, seeds, 0)


def reached(num_vertices, src, dst):
    """Whether vertex 0 reaches each vertex."""
    found = np.arange(num_vertices) == 0
    for _ in range(num_vertices):
        found[dst[found[src]]] = True
    return found


TWELVE = np.array([[0, 1], [0, 2], [1, 2], [1, 3], [2, 3], [2, 4], [3, 5], [4, 5], [5, 6], [4, 6]])
TWELVE = np.concatenate([TWELVE, [[6, 1], [0, 6]]]).T


@over_backends
@pytest.mark.parametrize("directed", [True, False])
def test_means_of_a_batch_are_those_of_all_outcomes(backend, directed):
    """The mean of 2**12 outcomes of 12 coins, each by its chance, against runs by trial."""
    src, dst = TWELVE if directed else np.concatenate([TWELVE, TWELVE[::-1]], axis=1)
    p, runs = np.linspace(0.1, 0.65, 12), 60 if backend == "python" else 4096
    wanted = np.zeros(7)
    for coins in itertools.product((False, True), repeat=12):
        open_ = np.array(coins)
        wanted += np.prod(np.where(open_, p, 1 - p)) * reached(
            7, *(ends[np.resize(open_, len(src))] for ends in (src, dst))
        )
    graph = Graph.from_edges(*TWELVE, directed=directed)
    told = icm.batch(graph, range(runs), [0], p, along="trial", rng=4, backend=backend) >= 0
    error = np.sqrt(wanted * (1 - wanted) / runs) + 1e-12
    assert (np.abs(told.mean(axis=0) - wanted) <= 4 * error).all()
    sizes = told.sum(axis=1)
    assert abs(sizes.mean() - wanted.sum()) <= 3 * sizes.std() / np.sqrt(runs)


@over_backends
def test_chances_that_repeat_reach_more(backend):
    star = Graph.from_edges(np.zeros(2000, int), np.arange(2000) + 1)
    once = icm(star, 0, rng=11, backend=backend)
    again = icm(star, 0, rng=11, single_chance=False, backend=backend)
    assert abs(np.count_nonzero(once == 1) - 200) < 4 * np.sqrt(200 * 0.9)
    assert again.max() > 10
    assert (again[once >= 0] == once[once >= 0]).all()


@over_backends
def test_seed_of_the_run_and_trial_decide(backend):
    graph = real_graph("karate")
    runs = [icm(graph, [0], 0.3, rng=seed, backend=backend).tolist() for seed in (1, 1, 2, 3)]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2] != runs[3]
    assert icm(graph, [0], 0.3, trial=1, rng=1, backend=backend).tolist() != runs[0]


@over_backends
def test_chance_is_a_column_or_an_array(backend):
    graph = Graph.from_edges([0, 0], [1, 2], chance=[1.0, 0.0])
    assert icm(graph, [0], p="chance", backend=backend).tolist() == [0, 1, -1]
    assert icm(graph, [0], p=np.array([0, 1]), backend=backend).tolist() == [0, -1, 1]


@over_backends
@pytest.mark.parametrize("directed", [True, False])
def test_chances_by_word(backend, directed):
    """Shares are those of the vertex that is told, whichever end of an edge that is."""
    graph = Graph.from_edges([0, 1, 2, 3, 4, 4], [5, 5, 5, 5, 5, 0], directed=directed)
    degree = graph.in_degrees()
    chances = {"trivalency": trivalency(graph)}
    if directed:
        chances["1/in-degree"] = 1 / degree[graph.edges.endpoints()[1]]
    for word, p in chances.items():
        wanted = icm(graph, [0, 4], p, rng=8, backend="python").tolist()
        for loop in LOOPS:
            assert icm(graph, [0, 4], word, loop=loop, rng=8, backend=backend).tolist() == wanted
    told = [icm(graph, 5, "1/in-degree", rng=k, backend=backend) for k in range(30)]
    alone = [v for v in range(1, 4) if degree[v] == 1]
    assert all((each[alone] == 1).all() for each in told)
    check_icm(graph, told[0], 5, "1/in-degree")


@over_backends
def test_chances_keep_their_digits(backend):
    """Single precision would take a chance of 1 - 1e-9 for a sure one."""
    pair = Graph.from_edges([0], [1])
    coin = uniform(3, 0, 0, COIN)
    for p, told in ((coin, -1), (np.nextafter(coin, 1), 1)):
        assert icm(pair, [0], p=p, rng=3, backend=backend).tolist() == [0, told]


@over_backends
@pytest.mark.parametrize(
    ("named", "kind", "said"),
    [
        ({"seeds": [0, 9]}, ArgumentError, "there is no vertex 9"),
        ({"loop": "D"}, ArgumentError, "loop='D'\nGive 'auto', 'C', 'T', 'E'"),
        ({"trial": -1}, ArgumentError, "trial=-1"),
        ({"single_chance": 2}, TypeMismatchError, "single_chance=2\nGive True or False"),
    ],
)
def test_arguments_that_mean_nothing_are_refused(backend, named, kind, said):
    with pytest.raises(kind, match=said):
        icm(Graph.from_edges([0], [1]), **({"seeds": 0} | named), backend=backend)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([1, 1, -1, -1], "vertex 0 was told at 1"),
        ([0, 1, -5, -1], "vertex 2 was told at -5"),
        ([0, -1, -1, -1], "0, told at 0, surely tells 1"),
        ([0, 2, -1, -1], "0, told at 0, surely tells 1"),
        ([0, 1, -1, 2], "nobody can have told vertex 3 at 2"),
        ([0, 1, 3, -1], "nobody can have told vertex 2 at 3"),
        ([0, 1, 2], "shape"),
    ],
)
def test_check_finds_impossible_cascades(wrong, message):
    graph = Graph.from_edges([0, 1, 1], [1, 2, 3], p=[1.0, 0.5, 0.0])
    for possible in ([0, 1, 2, -1], [0, 1, -1, -1]):
        check_icm(graph, np.array(possible, np.int32), 0, "p")
    check_icm(graph, np.array([0, 1, 3, -1], np.int32), 0, "p", single_chance=False)
    with pytest.raises(WrongResultError, match=message):
        check_icm(graph, np.array(wrong, np.int32), 0, "p")
