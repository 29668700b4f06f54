"""Tallies on a simulated GPU: warps and blocks add up long lists in tables, class by class."""

from __future__ import annotations

import numpy as np
import pytest
from simulated_gpu import SimulatedDriver, install, shorten_lists

import emv
from emv import Edge, Graph, MessageList, Vertex, edge, f32, f64, i32, i64, mlist, program

SIZE, LARGEST, WIDEST = 90, 2**31 - 1, 2**63 - 1
NAN = np.array(0x7FFFFFFF, np.uint32).view(np.float32)  # whose key says that nothing was sent


@pytest.fixture(autouse=True, params=[(32, 256), (32, 8), (96, 8)], ids=str)
def few_are_long(request, monkeypatch):
    """Leave lists of ten messages to warps, of 34 to blocks; kinds of small tables have classes."""
    block, places = request.param
    shorten_lists(monkeypatch, 10, 34, places)
    install(SimulatedDriver(block=block, stops=0.001), monkeypatch)


class Spot(Vertex):
    kind: i32
    far: i64
    hears: bool = True
    best: i64 = -1
    most: f64 = 0.0
    counts: i64 = 0

    farthest: i64 = 0
    least: i64 = 0
    is_last: bool = False


class Road(Edge[Spot]):
    weight: f32 = 1.0
    count: i32 = 1


@edge
def tell(e: Road):
    if e.dst.hears and e.src.kind != 3:
        e.send((e.src.kind, e.weight))


@edge
def tell_kind(e: Road):
    if e.dst.hears:
        e.send(e.src.kind)


@mlist
def heaviest(v: Spot, heard: MessageList[tuple[i32, f32]]):
    best, most, kinds, own = -1, -emv.inf, 0, 0.5
    for kind, weight in emv.tally(heard):
        kinds += 1
        if kind == v.kind:
            own = weight
        elif weight > most or (weight == most and kind < best):
            best, most = kind, weight
    v.best, v.most = best, most + own
    v.counts += kinds


@mlist
def rarest(v: Spot, heard: MessageList[i32]):
    best, least, smallest, is_large = 0, 10**6, 0, False
    for kind, count in emv.tally(heard):
        smallest = min(smallest, kind)
        if kind == 2147483647:
            is_large = True
        if count < least or (count == least and kind > best):
            best, least = kind, count
    v.counts += best * 8 + least + is_large + smallest


@mlist
def follow(v: Spot, heard: MessageList[i32]):
    total = v.counts  # of itself and of others, as they were before
    for kind, count in emv.tally(heard):
        total += Spot.at(abs(kind) % 7).counts * count
    v.counts = total


@edge
def tell_far(e: Road):
    if e.src.kind != 3:
        e.send(e.src.far)


@edge
def tell_count(e: Road):
    if e.src.id % 4 != 1:
        e.send((e.src.kind, e.count))


@mlist
def lightest(v: Spot, heard: MessageList[tuple[i32, i32]]):
    least, is_last, total = 99, False, v.counts
    for kind, count in emv.tally(heard):
        least = min(least, count)
        total += count * (kind % 5)
        if kind == 2147483647:
            is_last = True
    if len(heard) > 3:
        v.least, v.is_last, v.counts = least, is_last, total


@mlist
def farthest(v: Spot, heard: MessageList[i64]):
    most, best, count_of_last = 0, 0, 0
    for kind, count in emv.tally(heard):
        if kind == 9223372036854775807:
            count_of_last = count
        if count > most or (count == most and kind < best):
            most, best = count, kind
    v.farthest, v.counts = best, v.counts + count_of_last


@program
def tallied_more(g):
    lightest(g, tell_count(g))
    farthest(g, tell_far(g))
    return g.vertices.least, g.vertices.is_last, g.vertices.counts, g.vertices.farthest


@program
def tallied(g):
    heaviest(g, tell(g))
    rarest(g, tell_kind(g))
    follow(g, tell_kind(g))
    return g.vertices.best, g.vertices.most, g.vertices.counts


def graph(kinds):
    """Return a graph of which two vertices hear much, and some hear nothing."""
    draw = np.random.default_rng(len(kinds))
    src, dst = draw.integers(0, SIZE, (2, 330))
    dst[:70], dst[70:140], dst[140:155] = 0, 1, 2
    made = Graph.from_edges(src, dst, num_vertices=SIZE)
    made.vertices.kind = draw.choice(kinds, SIZE).astype(np.int32)
    made.vertices.hears = draw.random(SIZE) < 0.8
    made.vertices.hears[:3] = True
    made.edges.weight = draw.choice([0.5, 1.0, -1.0, 2.0], 330).astype(np.float32)
    made.edges.count = draw.integers(-3, 9, 330).astype(np.int32)
    made.vertices.far = draw.choice([WIDEST, WIDEST - 1, -WIDEST, *range(len(kinds))], SIZE)
    return made


@pytest.mark.parametrize("kinds", [[0, 1, 3], [*range(SIZE)], [LARGEST, LARGEST - 1, 3, -LARGEST]])
def test_as_in_python(kinds):
    made = graph(kinds)
    found, expected = (tallied(made, backend=each) for each in ("cuda", "python"))
    assert [each.tolist() for each in found] == [each.tolist() for each in expected]


@pytest.mark.parametrize("kinds", [[0, 1, 3], [*range(SIZE)], [LARGEST, LARGEST - 1, 3, -LARGEST]])
def test_whole_numbers_and_kinds_of_64_bits(kinds):
    made = graph(kinds)
    found, expected = (tallied_more(made, backend=each) for each in ("cuda", "python"))
    assert [each.tolist() for each in found] == [each.tolist() for each in expected]


@pytest.mark.filterwarnings("ignore")
def test_a_nan_whose_key_is_the_largest_was_sent():
    made = graph([LARGEST, 3])
    made.edges.weight = np.full(made.num_edges, NAN)
    found, expected = (tallied(made, backend=each) for each in ("cuda", "python"))
    np.testing.assert_array_equal(found, expected)
