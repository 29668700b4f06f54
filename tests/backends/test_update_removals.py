"""Results where edges were removed: only what may have hung on them begins anew."""

from __future__ import annotations

import numpy as np
import pytest
from backends_available import BACKENDS

import emv
from emv import Edge, Graph, Vertex, edge, f32, inf, program, vertex
from emv.algorithms import components, sssp


class Stop(Vertex):
    cost: f32 = inf


class Way(Edge[Stop]):
    weight: f32


@edge
def by_length(w: Way):
    w.send(w.src.cost + w.weight)


@vertex
def keep_less(v: Stop, cost: f32):
    if cost < v.cost:
        v.cost = cost
        v.activate()


@program
def cheapest(g, source):
    keep_less(g.only(source), 0.0)
    for _ in g.supersteps():
        costs = by_length(g.active)
        keep_less(costs.receivers, emv.min(costs))
    return g.vertices.cost


@edge
def by_widest(w: Way):
    if w.weight < 9:
        w.send(max(w.src.cost, w.weight))


@program
def bottleneck(g, source):
    keep_less(g.only(source), 0.0)
    for _ in g.supersteps():
        costs = by_widest(g.active)
        keep_less(costs.receivers, emv.min(costs))
    return g.vertices.cost


@pytest.mark.parametrize("program", [cheapest, bottleneck])
def test_other_relaxations_lose_what_hung_on_removed_edges(program):
    draw = np.random.default_rng(4)
    g = Graph.from_edges(*draw.integers(0, 40, (2, 90)), num_vertices=40)
    g.edges.weight = draw.integers(0, 10, 90)
    run, went_on = program.run(g, 0, backend="python"), 0
    for _ in range(12):
        gone = draw.choice(g.edge_keys, 2, replace=False)
        g = g.remove_edges(gone).add_edges(draw.integers(0, 40, 1), [3], weight=[1])
        run = program.update(run, g)
        assert run.result.tolist() == program(g, 0, backend="python").tolist()
        went_on += "anew that may have rested" in run.updated
    assert went_on > 5


def test_only_sets_that_lost_an_edge_are_made_anew():
    src = np.array([0, 1, 2, 0, 5, 6, 7, 9])
    g = Graph.from_edges(src, [1, 2, 3, 3, 6, 7, 8, 9], num_vertices=11)
    run = components.run(g, backend="python")
    later = components.update(run, g.remove_edges([0, 4]).add_edges([10], [4]))
    assert later.result.tolist() == [0, 0, 0, 0, 4, 5, 6, 6, 6, 9, 4]
    assert later.updated.startswith("anew: most edges")
    one = components.update(run, g.remove_edges([4]).add_edges([10], [4]))
    assert one.result.tolist() == [0, 0, 0, 0, 4, 5, 6, 6, 6, 9, 4]
    assert one.updated.endswith("along 1 new edge, 1 of them made anew of 2 old edges")
    fewer = components.update(run, g.remove_vertices([0]))
    assert fewer.result.tolist() == components(g.remove_vertices([0]), backend="python").tolist()


@pytest.mark.parametrize("directed", [True, False])
def test_values_that_hold_each_other_up_are_not_kept(directed):
    """Arcs of length 0 form a circle that is cut off from the source."""
    g = Graph.from_edges(
        [0, 1, 2, 3, 0, 5, 6, 7, 8],
        [1, 2, 3, 1, 5, 6, 7, 8, 9],
        directed=directed,
        num_vertices=10,
        weight=[2.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    )
    run = sssp.run(g, 0, backend="python")
    found = sssp.update(run, g.remove_edges([0]))
    assert found.updated.endswith("3 values anew that may have rested on 1 removed edge")
    assert found.result.tolist() == [0, *[np.inf] * 4, 1, 2, 3, 4, 5]
    assert found.supersteps <= 3


@pytest.mark.parametrize("backend", BACKENDS)
def test_whole_lengths_of_who_was_not_reached_are_not_added_to(backend):
    g = Graph.from_edges([0, 1, 5], [1, 2, 6], directed=False, weight=[1, 2, 3])
    later = g.add_edges([2, 6], [3, 4], weight=[2, 5])
    found = sssp.update(sssp.run(g, 0, backend=backend), later)
    assert found.updated.startswith("dist went on")
    assert found.result[:4].tolist() == [0, 1, 3, 5]
    assert set(found.result[4:].tolist()) == {2**63 - 1}
