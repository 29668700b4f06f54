"""`epidemic` goes as its draws say, and its check knows others."""

from zlib import crc32

import numpy as np
import pytest
from algorithm_cases import busiest_vertex, real_graph
from backends_available import BACKENDS
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graphs

from emv import Graph
from emv.algorithms import WrongResultError, bfs, check_epidemic, epidemic
from emv.errors import ArgumentError
from emv.lang.draws import uniform

over_backends = pytest.mark.parametrize("backend", BACKENDS)
MODELS = ("sir", "sis", "seir")


def gone_by_draws(graph, seeds, given, seed):
    """The model step by step, with letters and dictionaries and the draws that are promised."""
    p, recovery, model, incubation, steps, trial = given
    m, n = graph.num_edges, graph.num_vertices
    edge_of_arc = graph.layouts.out_rows.edge
    edges = range(graph.num_arcs) if edge_of_arc is None else edge_of_arc.tolist()
    arcs = list(zip(*(ends.tolist() for ends in graph.arcs()), edges, strict=True))

    def draw(place, step):
        return uniform(seed, step, trial * (m + n) + place, crc32(b"emv.random"))

    state, caught, since = dict.fromkeys(range(n), "S"), {}, {}
    for v in seeds:
        state[v], caught[v] = "I", 0
    step = 0
    while step < steps and (step == 0 or set(state.values()) & {"E", "I"}):
        before, step = dict(state), step + 1
        for v in range(n):
            if before[v] == "I" and draw(m + v, step) < recovery:
                state[v], since[v] = "S" if model == "sis" else "R", step
            if before[v] == "E" and draw(m + v, step) < incubation:
                state[v], since[v] = "I", step
        for u, v, e in arcs:
            if before[u] == "I" and before[v] == "S" and draw(e, step - 1) < p:
                state[v], caught[v], since[v] = "E" if model == "seir" else "I", step, step
    return (
        ["SEIR".index(state[v]) for v in range(n)],
        [caught.get(v, -1) for v in range(n)],
        [since.get(v, 0) for v in range(n)],
    )


@over_backends
@given(data=st.data(), graph=graphs(min_vertices=1))
@settings(max_examples=20)
def test_it_goes_as_the_draws_say(backend, data, graph):
    seeds = data.draw(st.lists(st.integers(0, graph.num_vertices - 1), min_size=1, max_size=3))
    chances = st.sampled_from([0.0, 0.2, 0.6, 1.0])
    p, recovery, incubation = (data.draw(chances) for _ in range(3))
    steps, trial = data.draw(st.integers(0, 12)), data.draw(st.integers(0, 2))
    for model in MODELS:
        given_ = (p, recovery, model, incubation, steps, trial)
        found = epidemic(graph, seeds, *given_, rng=5, backend=backend)
        assert [each.dtype for each in found] == [np.int8, np.int32, np.int32]
        wanted = gone_by_draws(graph, seeds, given_, 5)
        assert tuple(each.tolist() for each in found) == wanted
        check_epidemic(graph, found, seeds, p, model)


@over_backends
def test_sure_contacts_spread_like_bfs_and_shares_are_those_of_the_infected(backend):
    graph = real_graph("karate")
    _, caught, since = epidemic(graph, 0, p=1.0, recovery=1.0, backend=backend)
    depth = bfs(graph, 0, backend=backend)
    assert caught.tolist() == depth.tolist()
    assert since.tolist() == (depth + 1).tolist()
    star = Graph.from_edges([0] * 5, range(1, 6), directed=False)
    for word, least in (("1/in-degree", 5), ("trivalency", 0)):
        state, caught, _ = epidemic(star, 0, p=word, recovery=0, steps=1, backend=backend)
        assert np.count_nonzero(caught == 1) >= least
        assert (state[caught >= 0] == 2).all()


def test_half_recover_and_half_of_the_rest_fall_ill_again():
    """Long after the start of an SIS on a complete graph its share of ill is where both balance."""
    size = 400
    src, dst = np.triu_indices(size, 1)
    graph = Graph.from_edges(src, dst, directed=False)
    p, recovery, share = 0.005, 0.5, 0.5
    for _ in range(200):  # the mean-field map
        share = share * (1 - recovery) + (1 - share) * (1 - (1 - p) ** (size * share))
    found = [
        epidemic(graph, range(200), p, recovery, "sis", steps=60, trial=k, backend="cpu")[0]
        for k in range(8)
    ]
    assert np.mean([np.mean(state == 2) for state in found]) == pytest.approx(share, abs=0.03)


def test_a_real_graph_is_checked():
    graph = real_graph("email-Eu-core")
    seeds = [busiest_vertex(graph)]
    for model in MODELS:
        found = epidemic(graph, seeds, 0.05, 0.3, model, steps=40, rng=2, backend="cpu")
        assert np.count_nonzero(found[1] > 0) > 10
        check_epidemic(graph, found, seeds, 0.05, model)


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"model": "si"}, "model='si'"),
        ({"recovery": 1.5}, "recovery=1.5\nIt is a chance"),
        ({"incubation": -1}, "incubation=-1\nIt is a chance"),
        ({"steps": -1}, "steps=-1"),
        ({"seeds": 9}, "there is no vertex 9"),
    ],
)
def test_what_means_nothing_is_refused(named, said):
    with pytest.raises(ArgumentError, match=said):
        epidemic(Graph.from_edges([0], [1]), **({"seeds": 0} | named), backend="python")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (([4, 0, 0], [0, -1, -1], [0, 0, 0]), "vertex 0 is in state 4"),
        (([2, 2, 0], [0, 0, -1], [0, 0, 0]), "vertex 1 was infected at 0"),
        (([2, 2, 0], [0, -1, -1], [0, 0, 0]), "vertex 1 is in state 2"),
        (([3, 2, 2], [0, 1, 3], [1, 1, 2]), "vertex 2 changed before"),
        (([3, 2, 2], [0, 2, 3], [1, 2, 3]), "nobody can have infected vertex 1 at 2"),
        (([2, 0, 2], [0, -1, 1], [0, 0, 1]), "nobody can have infected vertex 2 at 1"),
    ],
)
def test_check_finds_impossible_epidemics(wrong, message):
    path = Graph.from_edges([0, 1], [1, 2])
    right = (np.array(each) for each in ([3, 3, 2], [0, 1, 2], [1, 2, 2]))
    check_epidemic(path, tuple(right), 0)
    with pytest.raises(WrongResultError, match=message):
        check_epidemic(path, tuple(np.array(each) for each in wrong), 0)
