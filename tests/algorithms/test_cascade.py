"""`cascade` draws as the language says on every backend, and its check knows impossible ones."""

import numpy as np
import pytest
from algorithm_cases import REAL_CASES, busiest_vertex, real_graph
from backends_available import BACKENDS
from hypothesis import given
from hypothesis import strategies as st
from strategies import graphs

from emv import Graph
from emv.algorithms import WrongResultError, bfs, cascade, check_cascade
from emv.errors import ArgumentError
from emv.lang.draws import call_code, uniform

over_backends = pytest.mark.parametrize("backend", BACKENDS)


def told_by_the_draws(graph, seeds, p, seed):
    """Kempe's process with the draws that the language promises: by seed, superstep and arc."""
    told_at = np.full(graph.num_vertices, -1)
    told_at[list(seeds)] = 0
    src, dst = (ends.tolist() for ends in graph.arcs())
    code, step = call_code("try_to_tell", 0), 0
    while (told_at == step).any():
        step += 1
        for arc, (u, v) in enumerate(zip(src, dst, strict=True)):
            draws = told_at[u] == step - 1 and told_at[v] in (-1, step)
            if draws and uniform(seed, step, arc, code) < np.float32(p):
                told_at[v] = step
    return told_at.tolist()


@over_backends
@given(data=st.data(), graph=graphs(min_vertices=1))
def test_cascade_follows_the_draws(backend, data, graph):
    seeds = data.draw(st.lists(st.integers(0, graph.num_vertices - 1), min_size=1, max_size=3))
    p, seed = data.draw(st.sampled_from([0.1, 0.5, 0.9])), data.draw(st.integers(0, 2**40))
    found = cascade(graph, seeds, p, seed=seed, backend=backend)
    assert found.dtype == np.int32
    assert found.tolist() == told_by_the_draws(graph, seeds, p, seed)
    check_cascade(graph, found, seeds, p)


@pytest.mark.parametrize(("backend", "name"), REAL_CASES)
def test_cascade_in_real_graphs(backend, name):
    graph = real_graph(name)
    seeds = [busiest_vertex(graph)]
    found = cascade(graph, seeds, 0.3, seed=5, backend=backend)
    assert found.tolist() == told_by_the_draws(graph, seeds, 0.3, 5)
    assert np.count_nonzero(found >= 0) > 1
    check_cascade(graph, found, seeds, 0.3)


@over_backends
@given(data=st.data(), graph=graphs(min_vertices=1))
def test_sure_edges_tell_like_bfs_and_impossible_ones_nobody(backend, data, graph):
    seeds = data.draw(st.lists(st.integers(0, graph.num_vertices - 1), min_size=1, max_size=3))
    everybody = cascade(graph, seeds, p=1.0, backend=backend)
    assert everybody.tolist() == bfs(graph, seeds, backend=backend).tolist()
    check_cascade(graph, everybody, seeds, 1.0)
    nobody = cascade(graph, seeds, p=0, backend=backend)
    assert set(np.flatnonzero(nobody >= 0)) == set(seeds)
    check_cascade(graph, nobody, seeds, 0)


@over_backends
def test_a_tenth_of_a_star_is_told_by_default(backend):
    num_leaves = 2000
    star = Graph.from_edges(np.zeros(num_leaves, int), np.arange(num_leaves) + 1)
    told = np.count_nonzero(cascade(star, 0, seed=11, backend=backend) == 1)
    assert abs(told - num_leaves / 10) < 4 * np.sqrt(num_leaves * 0.1 * 0.9)


@over_backends
def test_seed_of_the_run_decides(backend):
    graph = real_graph("karate")
    runs = [cascade(graph, [0], 0.3, seed=seed, backend=backend).tolist() for seed in (1, 1, 2, 3)]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2] != runs[3]


@over_backends
def test_chance_is_a_column_or_an_array(backend):
    graph = Graph.from_edges([0, 0], [1, 2], chance=[1.0, 0.0])
    assert cascade(graph, [0], p="chance", backend=backend).tolist() == [0, 1, -1]
    assert cascade(graph, [0], p=np.array([0, 1]), backend=backend).tolist() == [0, -1, 1]


@over_backends
def test_seed_that_is_no_vertex_is_refused(backend):
    with pytest.raises(ArgumentError, match="there is no vertex 9"):
        cascade(Graph.from_edges([0], [1]), [0, 9], backend=backend)


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
        check_cascade(graph, np.array(possible, np.int32), 0, "p")
    with pytest.raises(WrongResultError, match=message):
        check_cascade(graph, np.array(wrong, np.int32), 0, "p")
