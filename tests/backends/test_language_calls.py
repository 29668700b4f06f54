"""What calls take: values of senders, scalars of guards, ids known late, helpers of any name."""

from __future__ import annotations

import numpy as np
import pytest
from backends.plain_graphs import arcs_of, busy, path

import emv
from emv import Edge, EdgeList, Vertex, edge, elist, f32, f64, i32, inf, program, vertex
from emv.errors import ArgumentError


class Spot(Vertex):
    depth: i32 = -1
    height: f32 = inf
    value: f64 = 0.0
    count: i32 = 0


class Road(Edge[Spot]):
    length: f32 = 2.0
    marks: i32 = 0


@vertex
def degree(v: Spot) -> f64:
    return v.out_degree


@vertex
def send_product(v: Spot, factor: f64):
    v.send((v.id + 1) * factor)


@elist
def send_lengths(v: Spot, links: EdgeList[Road], factor: f64):
    for link in links:
        link.send(link.length * factor)


@vertex
def take(v: Spot, heard: f64):
    v.value = heard


@vertex
def take_and_add(v: Spot, heard: f64, more: f64):
    v.value = heard + more


@vertex
def wake(v: Spot):
    v.activate()


@vertex
def wake_three_times(v: Spot):
    for _ in range(3):
        v.activate()


@vertex
def count(v: Spot):
    v.count += 1


@edge
def mark(e: Road):
    e.marks += 1


@edge
def tell_one(e: Road):
    e.send(1)


def sums(g, said):
    wanted = np.zeros(g.num_vertices)
    for src, dst in arcs_of(g):
        wanted[dst] += said[src]
    return wanted


@program
def by_all(g):
    take(g, emv.sum(send_product(g, degree(g))))
    return g.vertices.value


@program
def by_active(g):
    factors = degree(g)
    wake(g)
    take(g, emv.sum(send_product(g.active, factors)))
    return g.vertices.value


@program
def by_lists(g):
    take(g, emv.sum(send_lengths(g, degree(g))))
    return g.vertices.value


@pytest.mark.parametrize("made", [by_all, by_active], ids=lambda made: made.name)
def test_senders_take_a_value_per_vertex(made, backend):
    g = busy()
    said = (np.arange(5) + 1) * g.out_degrees()
    np.testing.assert_array_equal(made(g, backend=backend), sums(g, said))


def test_senders_over_lists_take_a_value_per_vertex(backend):
    g = busy()
    np.testing.assert_array_equal(by_lists(g, backend=backend), sums(g, 2.0 * g.out_degrees()))


@program
def with_late_aggregate(g):
    kept = emv.sum(tell_one(g))
    heard = tell_one(g)
    total = emv.total(kept)
    take_and_add(g, emv.sum(heard), total)
    return g.vertices.value


def test_receiver_takes_an_aggregate_made_after_the_send(backend):
    g = busy()
    wanted = g.in_degrees() + g.num_arcs
    np.testing.assert_array_equal(with_late_aggregate(g, backend=backend), wanted)


@edge
def ahead(e: Road):
    e.send(e.src.depth + 1)


@vertex
def settle(v: Spot, depth: i32, empty: int):
    if v.depth == empty:
        v.depth = depth
        v.activate()


@program
def depths(g, source, empty):
    settle(g.only(source), 0, empty)
    for _ in g.supersteps():
        heard = ahead(g.active)
        settle(heard.receivers, emv.min(heard), empty)
    return g.vertices.depth


@pytest.mark.parametrize(("empty", "wanted"), [(-1, [0, 1, 2, 3]), (-2, [-1, -1, -1, -1])])
def test_guard_compares_with_a_scalar(empty, wanted, backend):
    assert depths(path(4), 0, empty, backend=backend).tolist() == wanted


@vertex
def open_and_send(v: Spot):
    v.depth = 0
    v.send(1)


@vertex
def count_if_open(v: Spot, heard: int):
    if v.depth == 0:
        v.count = heard


@program
def opened_receivers(g):
    heard = open_and_send(g)
    count_if_open(heard.receivers, emv.sum(heard))
    return g.vertices.count


@program
def opened_vertices(g):
    count_if_open(g, emv.sum(open_and_send(g)))
    return g.vertices.count


@pytest.mark.parametrize("made", [opened_receivers, opened_vertices])
def test_guard_sees_what_was_written_while_sending(made, backend):
    g = busy()
    np.testing.assert_array_equal(made(g, backend=backend), g.in_degrees())


@edge
def half_way(e: Road):
    e.send(e.src.height + 0.5)


@vertex
def rise(v: Spot, height: f32):
    if v.height == inf:
        v.height = height
        v.activate()


@program
def heights(g, source):
    rise(g.only(source), 0.25)
    for _ in g.supersteps():
        heard = half_way(g.active)
        rise(heard.receivers, emv.min(heard))
    return g.vertices.height


def test_floats_that_are_equal_for_all_keep_their_fraction(backend):
    assert heights(path(4), 1, backend=backend).tolist() == [inf, 0.25, 0.75, 1.25]


@program
def woken_three_times(g):
    wake_three_times(g)
    count(g.active)
    return g.vertices.count


@program
def woken_around_edges(g):
    wake(g)
    mark(g.active_edges)
    wake(g)
    count(g.active)
    return g.vertices.count


@program(host_loop=True)
def woken_on_the_host(g):
    wake(g)
    if emv.total(degree(g)) > 0:
        wake(g)
    count(g.active)
    return g.vertices.count


@pytest.mark.paper("S38")
@pytest.mark.parametrize(
    "made",
    [woken_three_times, woken_around_edges, woken_on_the_host],
    ids=lambda made: made.name,
)
def test_what_is_activated_again_is_active_once(made, backend):
    assert made(busy(), backend=backend).tolist() == [1] * 5


@program
def next_one(g, source):
    count(g.only(source + 1))
    return g.vertices.count


@program
def one_after_another(g):
    for step in g.supersteps(3):
        count(g.only(step + 1))
    return g.vertices.count


@program
def counted_ids(g, less):
    count(g.only(emv.count(degree(g)) - less))
    return g.vertices.count


def test_ids_may_be_computed(backend):
    assert next_one(busy(), 1, backend=backend).tolist() == [0, 0, 1, 0, 0]
    assert one_after_another(busy(), backend=backend).tolist() == [0, 1, 1, 1, 0]
    assert counted_ids(busy(), 2, backend=backend).tolist() == [0, 0, 1, 0, 0]


def test_computed_id_that_is_no_vertex_is_refused(backend):
    with pytest.raises(ArgumentError, match="7"):
        next_one(busy(), 6, backend=backend)
    with pytest.raises(ArgumentError, match=r"does not exist|no vertex"):
        counted_ids(busy(), 9, backend=backend)


def measure(a: int, b: int) -> int:
    return append(a) * 10 + b


def append(a: int) -> int:
    return a + 1


@vertex
def number(v: Spot):
    v.count = measure(v.id, 3)


@program
def numbered(g):
    number(g)
    wake(g)
    heard = tell_one(g.active)
    take(heard.receivers, emv.sum(heard))
    return g.vertices.count


def test_helpers_may_be_called_as_the_kernels_own(backend):
    assert numbered(busy(), backend=backend).tolist() == [13, 23, 33, 43, 53]


@edge
def tell_pair(e: Road):
    e.send((e.src.id, e.length))


@vertex
def take_pair(v: Spot, heard: tuple[i32, f32]):
    v.count = heard[0]
    v.height = heard[1]


@program
def pairs(g, start):
    take_pair(g, emv.sum(tell_pair(g), initial=start))
    return g.vertices.count, g.vertices.height


def test_start_of_a_pair_counts_in_the_type_of_each_part(backend):
    g = path(3)
    count_, height = pairs(g, 1.5, backend=backend)
    assert count_.tolist() == [1, 1, 2]
    assert height.tolist() == [1.5, 3.5, 3.5]


@edge
def call_ends(e: Road):
    if e.src.count < 2:  # who has been called twice is left in peace, and so are its neighbours
        e.send_to(e.src.id, f32(e.dst.id))
        e.send_to(e.dst.id, f32(e.src.id))


@vertex
def answer(v: Spot, lowest: f32):
    if lowest > 0.0:  # a guard, but all who were called are in the list
        v.height = lowest


@vertex
def tally(v: Spot):
    v.count += 1 + v.id // 2


@program
def called_and_listed(g):
    for _ in g.supersteps(3):
        calls = call_ends(g.edges)
        answer(calls.receivers, emv.min(calls))
        tally(calls.receivers)
    return g.vertices.height, g.vertices.count


def test_receivers_of_a_fused_call_can_be_gone_over_again(backend):
    heights, counts = called_and_listed(path(5), backend=backend)
    eager = called_and_listed(path(5), backend="python")
    assert heights.tolist() == eager[0].tolist() == [1.0, inf, 1.0, 2.0, 3.0]
    assert counts.tolist() == eager[1].tolist() == [2, 2, 4, 2, 3]
