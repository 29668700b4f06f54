"""Sweeps: calls see what has just been written, and end the same in whatever order they run."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from backends.plain_graphs import path
from backends_available import BACKENDS
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graphs

import emv
from emv import (
    DisjointSet,
    Edge,
    EdgeList,
    Graph,
    Vertex,
    edge,
    elist,
    i32,
    i64,
    program,
    u8,
    vertex,
)
from emv.errors import EmvError, EndlessLoopError

over_backends = pytest.mark.parametrize("backend", BACKENDS)


class Task(Vertex):
    done_in: i32 = -1  # one more than the latest of those that it waits for


@elist
def finish(v: Task, needs: EdgeList[Edge[Task]]):
    latest, waits = -1, v.done_in >= 0
    for need in needs:
        if need.dst.id < v.id:  # an order of all, so that nobody waits in a circle
            if need.dst.done_in < 0:
                waits = True
                break
            latest = max(latest, need.dst.done_in)
    if not waits:
        v.done_in = latest + 1
    elif v.done_in < 0:
        emv.keep_going()


@program
def by_vote(g):
    for _ in g.sweeps():
        finish(g)
    return g.vertices.done_in


@vertex
def enter(v: Task):
    v.activate()


@elist
def finish_queued(v: Task, needs: EdgeList[Edge[Task]]):
    latest, waits = -1, False
    for need in needs:
        if need.dst.id < v.id:
            if need.dst.done_in < 0:
                waits = True
                break
            latest = max(latest, need.dst.done_in)
    if waits:
        v.activate()
    else:
        v.done_in = latest + 1


@program
def by_activity(g):
    enter(g)
    for _ in g.sweeps():
        finish_queued(g.active)
    return g.vertices.done_in


def longest_chains(graph):
    """Return the longest chain of falling ids that begins at each vertex, by networkx."""
    src, dst = graph.arcs()
    falling = nx.DiGraph()
    falling.add_nodes_from(range(graph.num_vertices))
    falling.add_edges_from((int(d), int(s)) for s, d in zip(src, dst, strict=True) if d < s)
    generation = {
        v: k for k, layer in enumerate(nx.topological_generations(falling)) for v in layer
    }
    return [generation[v] for v in range(graph.num_vertices)]


@over_backends
@pytest.mark.parametrize("made", [by_vote, by_activity])
@settings(max_examples=15)
@given(graph=graphs(), seed=st.integers(0, 3))
def test_all_wait_for_those_that_go_before(backend, made, graph, seed):
    run = made.run(graph, backend=backend, rng=seed)
    assert np.asarray(run.result).tolist() == longest_chains(graph)
    assert run.stopped == "converged"


@over_backends
@pytest.mark.parametrize("schedule", [None, emv.all_active(), emv.layout("caa")])
def test_long_chain_ends_under_every_schedule(backend, schedule):
    chain = path(100)
    backwards = Graph.from_edges(chain.arcs()[1], chain.arcs()[0], num_vertices=100)
    schedule = None if backend == "python" else schedule
    found = by_activity(backwards, backend=backend, schedule=schedule)
    assert np.asarray(found).tolist() == list(range(100))


class Person(Vertex):
    limit: i32 = 0
    heard: i64 = 0


@edge
def tell(e: Edge[Person]):
    e.send(e.src.heard + 1)


@vertex
def hear(v: Person, loudest: i64):
    if loudest > v.heard and loudest <= v.limit:
        v.heard = loudest
        emv.keep_going()


LIMIT = 40


@vertex
def listen(v: Person):
    v.limit = LIMIT


@program
def spread(g):
    listen(g)
    for _ in g.sweeps():
        heard = tell(g)
        hear(heard.receivers, emv.max(heard))
    return g.vertices.heard


@over_backends
@settings(max_examples=10)
@given(graph=graphs())
def test_messages_may_be_of_what_was_just_written(backend, graph):
    """The greatest fixed point below a limit, which all orders of raising reach."""
    found = np.asarray(spread(graph, backend=backend))
    assert found.tolist() == np.asarray(spread(graph, backend="python")).tolist()
    src, dst = graph.arcs()
    reached = found[src] + 1 <= LIMIT
    assert (found[dst][reached] >= (found[src] + 1)[reached]).all()


@program
def gathered(g):
    enter(g)
    for _ in g.sweeps():
        finish_queued(g.active)
    return emv.largest(g.vertices.done_in)


@over_backends
def test_what_follows_sees_the_end(backend):
    found = gathered(Graph.from_edges([4, 3, 2, 1], [3, 2, 1, 0]), backend=backend)
    assert found == 4


class Town(Vertex):
    group: DisjointSet
    rounds: i32 = 0


@edge
def join(e: Edge[Town]):
    if emv.find(e.src.group) != emv.find(e.dst.group):
        emv.union(e.src.group, e.dst.group)
        emv.keep_going()


@program
def joined(g):
    for _ in g.sweeps():
        join(g)
    return g.vertices.group


@over_backends
def test_joins_are_changes(backend):
    graph = Graph.from_edges([0, 1, 2, 5], [1, 2, 3, 4])
    assert np.asarray(joined(graph, backend=backend)).tolist() == [0, 0, 0, 0, 4, 4]


@vertex
def count_up(v: Town):
    if v.rounds < 3:
        v.rounds += 1
        emv.keep_going()


@vertex
def only_look(v: Town, most: int):
    if v.rounds > most:
        emv.halt()


@program
def with_inner_loop(g):
    for _ in g.sweeps():
        count_up(g)
        for _ in g.supersteps(2):
            only_look(g, 9)
    return g.vertices.rounds


@over_backends
def test_loop_in_a_sweep_hides_no_change(backend):
    found = with_inner_loop(path(3), backend=backend)
    assert np.asarray(found).tolist() == [3, 3, 3]


class Track(Edge[Town]):
    turn: i32 = 0


@edge
def hand_on(e: Track):
    if e.id + 1 < 3:
        Track.at(e.id + 1).activate()


@edge
def begin_at_first(e: Track):
    if e.id == 0:
        e.activate()


@program
def relay(g):
    begin_at_first(g.edges)
    for _ in g.sweeps():
        hand_on(g.active_edges)
    return g.edges.turn


@over_backends
def test_edges_that_take_turns_change_nothing_and_end(backend):
    assert np.asarray(relay(path(4), backend=backend)).tolist() == [0, 0, 0]


class Rival(Vertex):
    state: u8 = 0


@elist
def yield_to_others(v: Rival, links: EdgeList[Edge[Rival]]):
    waits = False
    for link in links:
        if link.dst.state == 0 and link.dst.id != v.id:
            waits = True
            break
    if waits:
        emv.keep_going()
    else:
        v.state = 1


@program
def too_polite(g):
    for _ in g.sweeps():
        yield_to_others(g)
    return g.vertices.state


def test_waiting_in_a_circle_is_an_error_where_it_shows():
    with pytest.raises(EndlessLoopError, match="the last changed nothing") as raised:
        too_polite(Graph.from_edges([0, 1], [1, 0]), backend="python")
    assert isinstance(raised.value, EmvError)
    assert "for _ in g.sweeps():" in str(raised.value)


@over_backends
def test_waiting_in_a_circle_can_be_called_off(backend):
    if backend == "python":
        pytest.skip("plain Python refuses it")
    run = too_polite.run(
        Graph.from_edges([0, 1], [1, 0]), backend=backend, callback=lambda steps, info: steps > 2
    )
    assert run.stopped == "callback"
    assert np.asarray(run.result).tolist() == [0, 0]


def test_orders_differ_from_seed_to_seed():
    """So that a program whose result depends on the order shows it."""

    def order(seed):
        return np.asarray(first_come.run(path(8), backend="python", rng=seed).result).tolist()

    assert len({tuple(order(seed)) for seed in range(6)}) > 1


class Guest(Vertex):
    seat: i32 = -1
    taken: i32 = 0


@elist
def sit(v: Guest, links: EdgeList[Edge[Guest]]):
    if v.seat < 0:
        v.seat = 0
        for link in links:
            if link.dst.seat == 0:
                v.seat = 1
        emv.keep_going()


@program
def first_come(g):
    for _ in g.sweeps():
        sit(g)
    return g.vertices.seat
