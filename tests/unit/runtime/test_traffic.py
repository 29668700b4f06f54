"""The model of bytes: numbers that can be counted by hand."""

from __future__ import annotations

import pytest
from scheduled import compiled

from emv import Edge, Graph, Vertex, edge, f32, f64, i32, program, vertex
from emv.algorithms import bfs, components, pagerank, sssp
from emv.ir import schedule as s
from emv.runtime.profile.traffic import Seen, Traffic, Work

RING = Graph.from_edges([*range(100), *range(100)], [*range(1, 100), 0] * 2, num_vertices=100)


def launches_of(program_: object, *args: object) -> list[tuple[s.Launch, Traffic]]:
    schedule = compiled(program_, *args).schedule
    traffic = Traffic(schedule, RING, {})
    return [(launch, traffic) for launch in s.launches_in(schedule.body)]


def test_push_counts_queue_offsets_and_both_ends_of_arcs():
    launch, traffic = launches_of(sssp, 0)[-1]
    work = traffic.of(launch, Seen(active=10, arcs=20))
    # a row: its id, two offsets, the distance; an arc: its end, its weight, the distance there
    assert work == Work(10, 20, 10 * (4 + 8 + 4) + 20 * (4 + 4 + 4), "push")


def test_claim_pushes_and_pulls():
    launch, traffic = launches_of(bfs, 0)[-1]
    push = traffic.of(launch, Seen(active=10, arcs=20))
    pull = traffic.of(launch, Seen(active=10, arcs=20, pulling=True))
    assert (push.arcs, push.how) == (20, "push")
    assert (pull.arcs, pull.how) == (200, "pull")
    assert push.nbytes < pull.nbytes


def test_staged_pull_gathers_one_message_per_arc():
    launch, traffic = next(each for each in launches_of(pagerank) if each[0].staged)
    work = traffic.of(launch, Seen())
    assert (work.rows, work.arcs, work.how) == (100, 200, "pull")
    per_vertex = 8 + (4 + 4) + (4 + 4 + 4)  # offsets; rank to message; message, rank, new rank
    assert work.nbytes == 100 * per_vertex + 200 * (4 + 4)


class Cell(Vertex):
    small: i32 = 0
    large: f64 = 0.0


class Wire(Edge[Cell]):
    used: i32 = 0
    load: f32 = 0.0


@vertex
def fill_large(v: Cell):
    v.large = v.small


@edge
def use(e: Wire):
    e.used = 1 if e.load > 0 else 0


@program
def both(g):
    fill_large(g)
    use(g.edges)
    return g.vertices.large


def test_own_columns_count_once_per_element():
    (first, traffic), (second, _) = launches_of(both)
    assert traffic.of(first, Seen()) == Work(100, 0, 100 * (4 + 8))
    work = traffic.of(second, Seen())
    assert work == Work(200, 200, 200 * (4 + 4))  # a load read, a use written


def test_edges_that_join_their_ends_need_both_ids():
    ((launch, traffic),) = launches_of(components)
    assert traffic.of(launch, Seen()) == Work(200, 200, 200 * (4 + 4 + 4))


def test_work_of_two_launches_adds_up():
    total = Work(5, 10, 100, "push") + Work(7, 3, 50)
    assert total == Work(7, 13, 150, "push")


@pytest.mark.parametrize("kind", ["fill", "none"])
def test_other_steps(kind):
    schedule = compiled(pagerank).schedule
    traffic = Traffic(schedule, RING, {})
    fill = next(step for step in schedule.body if isinstance(step, s.FillColumn))
    if kind == "fill":
        assert traffic.of(fill, Seen()) == Work(100, 0, 400)
    else:
        assert traffic.of(None, Seen()) == Work()
