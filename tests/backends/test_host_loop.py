"""Programs driven by the host: ordinary ``if``, ``break`` and ``while`` between compiled calls."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from strategies import graphs

import emv
from emv import Edge, Graph, Vertex, edge, f64, i32, program, vertex
from emv.errors import ArgumentError, EmvError, LanguageError

few = settings(
    max_examples=max(2, settings().max_examples // 4),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


class Spot(Vertex):
    depth: i32 = -1
    heat: f64 = 1.0


@edge
def look_ahead(e: Edge[Spot]):
    e.send(e.src.depth + 1)


@vertex
def settle(v: Spot, depth: i32):
    if v.depth == -1:
        v.depth = depth
        v.activate()


@edge
def warm(e: Edge[Spot]):
    e.send(e.src.heat / 2)


@vertex
def cool(v: Spot, received: f64, rate: f64):
    before = v.heat
    v.heat = received * rate
    return abs(v.heat - before)


@vertex
def is_cold(v: Spot):
    return v.heat < 0.25


@program(host_loop=True)
def breadth_first(g, source, most=1000):
    settle(g.only(source), 0)
    for step in g.supersteps():
        depths = look_ahead(g.active)
        settle(depths.receivers, emv.min(depths))
        if step + 1 >= most:
            break
    return g.vertices.depth


@program
def breadth_first_traced(g, source, most=1000):
    settle(g.only(source), 0)
    for _ in g.supersteps(most):
        depths = look_ahead(g.active)
        settle(depths.receivers, emv.min(depths))
    return g.vertices.depth


@program(host_loop=True)
def cooling(g, tol=1e-3):
    rounds = 0
    while rounds < 100:
        rounds += 1
        change = emv.total(cool(g, emv.sum(warm(g)), 0.9))
        if rounds % 2 and change < tol:
            break
        if emv.count(is_cold(g)) == g.num_vertices:
            cool(g, emv.sum(warm(g)), 0.5)
    return g.vertices.heat, change, rounds


@program(host_loop=True)
def too_late(g):
    depths = look_ahead(g)
    if emv.total(is_cold(g)) < 10:
        settle(depths.receivers, emv.min(depths))
    return g.vertices.depth


@given(graphs(min_vertices=1))
@few
def test_break_ends_the_loop_like_a_limit(backend, g):
    for most in (0, 1, 2, 1000):
        got = breadth_first.run(g, 0, most=max(most, 1), backend=backend)
        want = breadth_first_traced.run(g, 0, most=max(most, 1), backend="python")
        assert got.result.tolist() == want.result.tolist()
        assert got.supersteps == want.supersteps


@pytest.mark.paper("S31")
@given(graphs(min_vertices=1))
@few
def test_if_and_while_see_values(backend, g):
    heat, change, rounds = cooling(g, backend=backend)
    same = cooling(g, backend="python")
    assert rounds == same[2]
    np.testing.assert_allclose(change, same[1], rtol=1e-12)
    np.testing.assert_allclose(heat, same[0], rtol=1e-12)


@pytest.mark.paper("S15", "S31")
def test_supersteps_do_not_compile_again(compiled):
    breadth_first.run(Graph.from_edges([0, 1], [1, 2]), 0, backend=compiled)
    pieces = len(breadth_first._compiled_half().kept)
    run = breadth_first.run(Graph.from_edges(np.arange(30), np.arange(1, 31)), 0, backend=compiled)
    assert run.supersteps == 31
    assert run.stopped == "converged"
    assert len(breadth_first._compiled_half().kept) == pieces


def test_messages_do_not_outlive_the_question(compiled):
    g = Graph.from_edges([0, 1], [1, 2])
    with pytest.raises(LanguageError, match="made before the host asked") as caught:
        too_late(g, backend=compiled)
    assert caught.value.loc is not None
    assert caught.value.loc.function == "too_late"


def test_explain_needs_a_run_first(compiled):
    @program(host_loop=True)
    def fresh(g):
        settle(g.only(0), 0)
        return g.vertices.depth

    g = Graph.from_edges([0], [1])
    with pytest.raises(ArgumentError, match="Run it once"):
        fresh.explain(g)
    fresh(g, backend=compiled)
    assert "settle" in fresh.explain(g)
    assert "settle" in fresh.source(g)


def test_bad_source_is_refused(backend):
    with pytest.raises(EmvError, match="there is no vertex 9"):
        breadth_first(Graph.from_edges([0], [1]), 9, backend=backend)
