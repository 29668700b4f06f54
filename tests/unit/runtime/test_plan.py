"""Sizes of buffers, blocks of arcs, and where columns come from."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emv import Edge, Graph, Vertex, f32, program, vertex
from emv.graph.hubs import arc_blocks
from emv.ir.kernel import Buffer
from emv.runtime.arguments import sort_arguments
from emv.runtime.execute import make_plan
from emv.runtime.targets import CpuTarget


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
    return make_plan(
        which._compiled_half().compiled(graph, arguments), graph, arguments, CpuTarget(2)
    )


def graph(rank_dtype=np.float32) -> Graph:
    made = Graph.from_edges([0, 1, 2], [1, 2, 2], num_vertices=5, directed=False)
    made.vertices.rank = np.arange(5).astype(rank_dtype)
    return made


@pytest.mark.parametrize(
    ("text", "size"),
    [("V", 5), ("E", 3), ("A", 5), ("V+1", 6), ("A/4+2", 4), ("2*V", 10), ("7", 7)],
)
def test_sizes_in_counts_of_the_graph(text, size):
    assert plan_of(stepping, graph()).size(text) == size


def supply(which, name, made, **named):
    plan = plan_of(which, made, **named)
    return plan.supply(plan.schedule.program.fields["vertex", name]).how


def test_what_a_column_holds_at_first():
    assert supply(filled, "rank", graph()) == "empty"
    assert supply(stepping, "rank", graph()) == "copied"  # written, and the graph's
    assert supply(stepping, "old", graph()) == "filled"
    lent = np.ones(5, np.float32)
    assert supply(given_old, "old", graph(), old=lent) == "shared"
    assert supply(given_old, "old", graph(), old="rank") == "shared"
    assert supply(given_old, "old", graph(np.float64), old="rank") == "copied"  # another type
    assert supply(given_old, "old", graph(), old=np.ones(10, np.float32)[::2]) == "copied"
    lent.flags.writeable = False  # kernels would be compiled anew for it
    assert supply(given_old, "old", graph(), old=lent) == "copied"


def test_working_space_is_taken_over_where_it_fits():
    made = graph()
    buffer = Buffer("scratchpad", "scratch", "int64", "V", initial=7)
    plan = plan_of(stepping, made)
    array = plan.scratch(buffer, 5)
    assert array.tolist() == [7] * 5
    plan.pool["scratchpad"] = array
    array[:] = 3
    again = plan_of(stepping, made.on("cpu"))
    assert again.kept(buffer, 5)
    assert not again.kept(buffer, 6)
    taken = again.scratch(buffer, 5)
    assert taken is array
    assert taken.tolist() == [7] * 5
    assert not again.kept(buffer, 5)  # a second run at the same time makes its own
    made.add_vertex(rank=0.0)
    assert plan_of(stepping, made).pool == {}


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
