"""What random programs have found: corners of the language in which a backend disagreed.

The kernels of the CPU run as plain Python here, which sees every index and compiles nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from interpreted_cpu import interpreted

import emv
from emv import (
    Edge,
    EdgeList,
    Graph,
    Message,
    MessageList,
    Vertex,
    edge,
    elist,
    i32,
    i64,
    message,
    mlist,
    program,
    vertex,
)


@pytest.fixture(autouse=True)
def as_python() -> Iterator[None]:
    with interpreted():
        yield


class Spot(Vertex):
    x: i32 = 0
    y: i32 = 0


class Line(Edge[Spot]):
    w: i32 = 0


def triangle(directed=True):
    """Return three vertices, a loop and two parallel edges; vertex 2 has no out-edge."""
    return Graph.from_edges([0, 0, 1, 0], [1, 0, 2, 1], num_vertices=3, directed=directed)


@vertex
def add_one(v: Spot):
    v.x += 1


@program
def until_a_step(g):
    for step in g.supersteps(9, until=lambda: step == 3):  # noqa: B007, B020 - asked after it
        add_one(g)
    return g.vertices.x


def test_until_sees_the_number_of_its_superstep(backend):
    assert until_a_step(triangle(), backend=backend).tolist() == [4, 4, 4]


@vertex
def stay_active(v: Spot):
    v.x += 1
    v.activate()
    v.activate()


@program
def activating_again(g):
    for _ in g.supersteps(4):
        stay_active(g)
    return g.vertices.x


def test_activating_what_is_pending_is_a_vote(backend):
    assert activating_again(triangle(), backend=backend).tolist() == [4, 4, 4]


@elist
def add_to_links(v: Spot, links: EdgeList[Line]):
    for link in links:
        v.x += link.w
        link.w += 1 + v.id


@program
def adding_to_links(g):
    add_to_links(g)
    add_to_links(g)
    return g.vertices.x, g.edges.w


def test_listed_edges_are_written_while_they_are_read(backend):
    found, added = adding_to_links(triangle(), backend=backend)
    assert found.tolist() == [3, 2, 0]
    assert added.tolist() == [2, 2, 4, 2]
    empty = Graph.from_edges([], [], num_vertices=2)
    assert adding_to_links(empty, backend=backend)[0].tolist() == [0, 0]


@elist
def double_links(v: Spot, links: EdgeList[Line]):
    for link in links:
        link.w = v.id + 1
        link.w = 2 * link.w
        v.x += link.w


@program
def doubling_links(g):
    double_links(g)
    return g.vertices.x, g.edges.w


def test_a_list_sees_what_it_has_written_to_its_edges(backend):
    found, written = doubling_links(triangle(), backend=backend)
    assert found.tolist() == [6, 4, 0]
    assert written.tolist() == [2, 2, 4, 2]


@elist
def send_how_many(v: Spot, links: EdgeList[Line]):
    for link in links:
        link.send(len(links))


@program
def hearing_how_many(g):
    return emv.sum(send_how_many(g))


def test_the_length_of_a_list_whose_edges_go_their_own_ways(backend):
    assert hearing_how_many(triangle(), backend=backend).tolist() == [3, 6, 1]


@edge
def send_id(e: Line):
    e.send(e.id + 1)


@mlist
def spell(v: Spot, heard: MessageList[i64]):
    for m in heard:
        v.x = 10 * v.x + m


@program
def listing_of_edges(g):
    sent = send_id(g.edges)
    spell(g, sent)
    return g.vertices.x, emv.max(sent)


def test_messages_over_edges_are_listed_in_their_order(backend):
    found, largest = listing_of_edges(triangle(directed=False), backend=backend)
    assert found.tolist() == [2, 14, 3]
    assert largest.tolist() == [2, 4, 3]


class News(Message):
    a: i32
    b: i32


@edge
def tell(e: Line):
    if e.src.id < e.dst.id:
        e.send(News(e.id, 1))


mixture = emv.combiner(lambda a, b: a ^ b, 0)


@program
def folding_fields(g):
    heard = emv.combine(tell(g), a=mixture, b=emv.sum)
    return heard


def test_fields_with_operators_of_the_users(backend):
    mixed, count = folding_fields(triangle(), backend=backend)
    assert mixed.tolist() == [0, 0 ^ 3, 2]
    assert count.tolist() == [0, 2, 1]


@message
def double(m: News):
    m.a = 2 * m.a


@program
def mapping(g):
    told = tell(g)
    doubled = double(told)
    double(told)  # nobody wants what this leaves
    return emv.combine(doubled, a=emv.max, b=emv.sum)


def test_maps_of_messages_where_not_all_arcs_have_one(backend):
    largest, count = mapping(triangle(), backend=backend)
    assert largest.tolist()[1:] == [6, 4]
    assert count.tolist() == [0, 2, 1]


@vertex
def hundred(v: Spot):
    return 100 + v.id


@vertex
def take(v: Spot, given: i32):
    v.y = given


@program
def returning_for_some(g, ids):
    some = hundred(g.only(ids))
    take(g, some)
    return some, g.vertices.y


def test_who_is_not_asked_returns_zero(backend):
    g = triangle()
    for ids, expected in (([1], [0, 101, 0]), ([0, 2], [100, 0, 102])):
        some, taken = returning_for_some(g, ids, backend=backend)
        assert some.tolist() == taken.tolist() == expected


@edge
def name_ends(e: Line):
    return e.src.id + 10 * e.dst.id


@program
def naming_arcs(g):
    return name_ends(g), name_ends(g.edges), name_ends(g.only([1]))


def test_values_of_arcs_and_of_edges(backend):
    arcs, edges, some = naming_arcs(triangle(directed=False), backend=backend)
    assert arcs.tolist() == [10, 0, 10, 21, 1, 1, 12]
    assert edges.tolist() == [10, 0, 21, 10]
    assert some.tolist() == [0, 0, 0, 21, 1, 1, 0]


@vertex
def send_draw(v: Spot):
    v.send(emv.randint(1000))


@program
def drawing_once(g):
    sent = send_draw(g)
    return emv.min(sent), emv.max(sent)


def test_a_vertex_draws_once_for_all_its_arcs(backend):
    g = Graph.from_edges([0, 0, 0, 0], [1, 1, 1, 1], num_vertices=2)
    least, most = drawing_once(g, backend=backend)
    assert least[1] == most[1]


@edge
def send_pair(e: Line):
    e.send((e.id, e.src.id))


@program
def pairs_of_ids(g):
    return emv.max(send_pair(g), initial=-1)


def test_pairs_of_ids_are_given_back(backend):
    first, second = pairs_of_ids(triangle(), backend=backend)
    np.testing.assert_array_equal(first, [1, 3, 2])
    np.testing.assert_array_equal(second, [0, 0, 1])


@vertex
def send_to_first(v: Spot):
    if v.x >= 0:
        v.send_to(v.x, (v.id, 7, 5))


@vertex
def take_first(v: Spot, best: tuple[i64, i64, i64]):
    v.y = min(max(best[0], -9), 9)
    v.x += 1
    if v.x > 2:
        v.x = -1


@program
def sending_triples(g):
    for _ in g.supersteps(2):
        take_first(g, emv.max(send_to_first(g)))
    return g.vertices.y


def test_who_hears_no_triple_has_the_start_of_the_fold(backend):
    assert sending_triples(triangle(), backend=backend).tolist() == [-9, 2, -9]


@vertex
def wake(v: Spot):
    v.activate()


@edge
def wake_line(e: Line):
    e.activate()


@edge
def mark_line(e: Line):
    e.w += 1


def turning_sets(g, ids):
    wake_line(g.only(ids))
    add_one(g.active)
    wake(g.only(ids))
    for _ in g.supersteps(2):
        mark_line(g.active_edges)
        add_one(g.active)
        wake_line(g.only(ids))
    add_one(g.active)
    wake(g.only(ids))
    mark_line(g.active_edges)
    return g.vertices.x, g.edges.w


@pytest.mark.parametrize("host_loop", [False, True])
def test_who_can_activate_edges_turns_the_set_of_vertices_too(backend, host_loop):
    made = program(host_loop=host_loop)(turning_sets)
    found, marked = made(triangle(), [0], backend=backend)
    assert found.tolist() == [1, 0, 0]
    assert marked.tolist() == [3, 3, 0, 3]
