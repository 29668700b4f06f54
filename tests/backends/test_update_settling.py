"""Fixed points that go on from the old values: which do, why others do not, and all are right."""

from __future__ import annotations

import numpy as np
import pytest
from backends_available import BACKENDS

import emv
from emv import Edge, Graph, Vertex, edge, f64, inf, program, vertex
from emv.algorithms import check_pagerank, hits, katz_centrality, pagerank
from emv.runtime.near_rounds import ROUNDS


def a_graph(count=400, size=80, seed=2):
    draw = np.random.default_rng(seed)
    return Graph.from_edges(*draw.integers(0, size, (2, count)), num_vertices=size)


@pytest.mark.paper("S177")
@pytest.mark.parametrize("backend", BACKENDS)
def test_ranks_go_on_from_what_they_were(backend):
    g = a_graph()
    run = pagerank.run(g, backend=backend)
    later = g.remove_edges([5]).add_edges([3], [70]).add_vertices(1)
    found, anew = pagerank.update(run, later), pagerank.run(later, backend=backend)
    assert found.updated == "rank went on from what it was, with 1 new edge and 1 removed edge"
    near = 0 if backend == "python" else ROUNDS  # which are none over the whole graph
    assert found.supersteps - near < anew.supersteps
    assert (found.reached < 1e-6, found.stopped, found.backend) == (True, "until", backend)
    check_pagerank(later, np.asarray(found.result))
    assert np.abs(np.asarray(found.result) - np.asarray(anew.result)).sum() < 2e-5
    again = pagerank.update(found, later.remove_vertices([0]))
    assert again.updated.startswith("rank went on")
    check_pagerank(later.remove_vertices([0]), np.asarray(again.result))


@pytest.mark.parametrize(
    ("program", "named", "why"),
    [
        (pagerank, {"dangling": "drop"}, "rank went on from what it was, with 1 new edge"),
        (pagerank, {"alpha": 1.0}, "anew: a superstep is not known to add something to every rank"),
        (pagerank, {"tol": 0.0, "max_iter": 9}, "anew: the run ended by limit"),
        (katz_centrality, {"alpha": 0.01, "normalized": False}, "score went on from what it was"),
        (katz_centrality, {"alpha": 0.01}, "anew: katz_centrality is not known to"),
        (
            katz_centrality,
            {"alpha": -0.01, "normalized": False},
            "anew: a superstep is not known to make score of multiples of it that are not negative",
        ),
        (
            katz_centrality,
            {"alpha": 0.01, "normalized": False, "beta": np.r_[0.0, np.ones(79)]},
            "anew: a superstep is not known to add something to every score",
        ),
        (hits, {}, "anew: hits is not known to join sets, to relax, or to come to one fixed point"),
    ],
)
@pytest.mark.filterwarnings("ignore::emv.errors.ConvergenceWarning")
def test_only_one_fixed_point_is_gone_on_to(program, named, why):
    g = a_graph()
    run = program.run(g, backend="python", **named)
    later = g.add_edges([3], [70])
    found = program.update(run, later)
    expected = program.run(later, backend="python", **named)
    assert found.updated.startswith(why)
    for one, other in zip(np.atleast_2d(found.result), np.atleast_2d(expected.result), strict=True):
        assert one == pytest.approx(other, rel=1e-3, abs=1e-6)


def test_old_zeros_do_not_keep_a_power_iteration_from_what_is_new():
    """Where `hits` went on from its old values, the larger half of this graph would stay at 0."""
    g = Graph.from_edges([0, 0, 1], [1, 2, 2], num_vertices=12)
    run = hits.run(g, backend="python")
    later = g.add_edges(np.repeat(np.arange(3, 7), 5), np.tile(np.arange(7, 12), 4))
    assert np.asarray(hits.update(run, later).result[1]).argmax() >= 7


class Cell(Vertex):
    heat: f64 = 0.0
    old: f64 = 0.0


@edge
def give(e: Edge[Cell]):
    e.send(e.src.heat / e.src.out_degree)


@vertex
def take(v: Cell, given: f64, share: f64):
    before = v.heat
    v.heat = 1.0 + share * given
    return abs(v.heat - before)


@vertex
def take_with_old(v: Cell, given: f64, share: f64):
    before = v.heat
    v.heat = 1.0 + share * given + 0.1 * v.old
    v.old = before
    return abs(v.heat - before)


@vertex
def take_larger(v: Cell, given: f64, share: f64):
    before = v.heat
    v.heat = max(1.0, share * given)
    return abs(v.heat - before)


@vertex
def take_less(v: Cell, given: f64, share: f64):
    before = v.heat
    v.heat = 3.0 - share * given
    return abs(v.heat - before)


@vertex
def tell_other(v: Cell, given: f64, share: f64):
    before = v.heat
    v.heat = 1.0 + share * given
    return abs(v.heat - 2 * before)


def made(taking, name, asks_step=False):
    def text(g, share=0.5):
        change = inf
        for step in g.supersteps(60, until=lambda: change < 1e-9):
            change = emv.total(
                taking(g, emv.sum(give(g)), share + 0 * step if asks_step else share)
            )
        return g.vertices.heat

    text.__name__ = name
    return program(text)


@pytest.mark.parametrize(
    ("heats", "goes_on"),
    [
        (made(take, "heats"), True),
        (made(take_with_old, "heats_with_old"), False),
        (made(take_larger, "heats_larger"), False),
        (made(take_less, "heats_less"), False),
        (made(tell_other, "tells_other"), False),
        (made(take, "heats_by_step", asks_step=True), False),
    ],
    ids=lambda each: getattr(each, "name", None),
)
def test_a_superstep_must_be_a_sum_that_hands_on_one_column(heats, goes_on):
    g = a_graph(60, 20)
    run = heats.run(g, backend="python")
    later = g.add_edges([1], [2])
    found = heats.update(run, later)
    assert found.updated.startswith("heat went on" if goes_on else "anew: ")
    assert found.result.tolist() == pytest.approx(heats(later, backend="python").tolist(), rel=1e-6)


def test_explain_says_that_it_depends_on_numbers():
    assert "update rank goes on from what it was, if every superstep adds" in pagerank.explain(
        a_graph().on("cpu")
    )
