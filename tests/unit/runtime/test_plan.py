"""Sizes of buffers, blocks of arcs, and where columns come from."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emv import Edge, Graph, Vertex, f32, program, vertex
from emv.algorithms import bfs, sssp
from emv.graph.hubs import arc_blocks
from emv.runtime.arguments import Call, sort_arguments
from emv.runtime.arrays.table import Size
from emv.runtime.drive.early import plan_of as planned_for
from emv.runtime.targets.cores import Cores


class Spot(Vertex):
    rank: f32
    old: f32 = 2.0


class Way(Edge[Spot]):
    length: f32 = 1.0


@vertex
def step(v: Spot):
    v.rank = v.old


@program
def filled(g):
    g.vertices.rank[:] = 0.5
    step(g)


@program
def stepping(g):
    step(g)


@program(bind={"old": Spot.old})
def given_old(g, old):
    step(g)


def plan_of(which, graph, **named):
    arguments = sort_arguments(which.python, which.bind, (), named)
    compiled = which._compiled_half().compiled(graph, arguments)
    return planned_for(compiled, Call(graph, arguments, Cores(2)))


def graph(rank_dtype=np.float32) -> Graph:
    made = Graph.from_edges([0, 1, 2], [1, 2, 2], num_vertices=5, directed=False)
    made.vertices.rank = np.arange(5).astype(rank_dtype)
    return made


@pytest.mark.parametrize(
    ("text", "size"),
    [("V", 5), ("E", 3), ("A", 5), ("V+1", 6), ("A/4+2", 4), ("2*V", 10), ("7", 7)],
)
def test_sizes_in_counts_of_the_graph(text, size):
    assert Size.of(text).entries(plan_of(stepping, graph()).counts) == size


def supply(which, name, made, **named):
    plan = plan_of(which, made, **named)
    return plan.columns.supply(("vertex", name)).how


def test_what_a_column_holds_at_first():
    assert supply(filled, "rank", graph()) == "empty"
    assert supply(stepping, "rank", graph()) == "copied"  # written, and the graph's
    assert supply(stepping, "old", graph()) == "filled"
    lent = np.ones(5, np.float32)
    assert supply(given_old, "old", graph(), old=lent) == "lent"
    assert supply(given_old, "old", graph(), old="rank") == "lent"
    assert supply(given_old, "old", graph(np.float64), old="rank") == "copied"  # another type
    assert supply(given_old, "old", graph(), old=np.ones(10, np.float32)[::2]) == "copied"
    lent.flags.writeable = False  # kernels would be compiled anew for it
    assert supply(given_old, "old", graph(), old=lent) == "copied"


def working_space(plan) -> dict[str, np.ndarray]:
    return {each.name: plan.arrays[each.name] for each in plan.table.working()}


def test_working_space_is_taken_over_where_it_fits():
    made = Graph.from_edges([0, 1, 2], [1, 2, 2], num_vertices=5)
    plan = plan_of(bfs, made, source=0)
    plan.bind()
    first = working_space(plan)
    begins = {each.name: each.initial for each in plan.table.working()}
    for array in first.values():
        array.fill(77)
    plan.release()
    again, beside = plan_of(bfs, made.on("cpu"), source=1), plan_of(bfs, made, source=1)
    again.bind()
    beside.bind()  # a second run at the same time makes its own
    for name, array in working_space(again).items():
        assert array is first[name]
        assert begins[name] is None or (array == begins[name]).all()
        assert working_space(beside)[name] is not array
    for each in (again, beside):
        each.release()
    assert len(plan.idle()) == 1  # enough for the next run
    other = planned_for(plan.compiled, replace(plan.call, target=Cores(3)))
    other.bind()  # with a row for each of three threads
    assert len(other.arrays["pending_rows"]) == 3
    made.add_vertex()
    assert plan_of(bfs, made, source=0).idle() == []


def test_what_a_run_is_given_does_not_stay_with_the_graph():
    made = Graph.from_edges([0, 1, 2], [1, 2, 2], weight=[1.0, 2.0, 3.0])
    for weight in (2.0, np.ones(3, np.float32), np.ones(3), "weight"):
        plan = plan_of(sssp, made, source=0, weight=weight)
        plan.bind()
        plan.release()
    assert len(made.layouts._summaries) == 1  # of the graph's own column


@given(st.lists(st.integers(0, 40), max_size=60), st.integers(1, 30))
def test_blocks_of_arcs_cover_all_rows_evenly(degrees, size):
    first = np.concatenate([[0], np.cumsum(degrees)]).astype(np.uint32)
    bounds = arc_blocks(first, size)
    assert bounds[0] == 0
    assert bounds[-1] == len(degrees)
    assert (np.diff(bounds) > 0).all()
    for low, high in itertools.pairwise(bounds):
        block = degrees[low:high]
        assert len(block) <= 4 * size
        assert sum(block) - max(block) <= size  # one row alone may be too much
