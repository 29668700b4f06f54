"""Reading and writing fields: rules (1) and (2), fills, defaults, and the graph's own columns."""

from __future__ import annotations

import numpy as np
import pytest
from backends.plain_graphs import arcs_of, busy, path

import emv
from emv import Edge, EdgeList, Graph, Vertex, edge, elist, f32, f64, i8, i32, program, u8, vertex
from emv.errors import ColumnError


class Spot(Vertex):
    x: i32
    y: i32 = 0
    z: i32 = 0


@vertex
def shift(v: Spot, num_spots: int):
    v.x = Spot.at((v.id + 1) % num_spots).x


@vertex
def write_twice(v: Spot):
    v.y = v.x + 1  # sees its own write below, nobody else does
    v.y *= 2
    v.y -= v.id
    v.z = v.y
    v.z += Spot.at(v.id).y  # itself, as before the call


@edge
def look_back(e: Edge[Spot]):
    e.send(e.src.y + e.dst.y)


@vertex
def swap(v: Spot, heard: int):
    v.x, v.z = v.z, v.x
    v.y = heard


@program
def moving(g, rounds):
    for _ in g.supersteps(rounds):
        shift(g, g.num_vertices)
    write_twice(g)
    swap(g, emv.sum(look_back(g)))
    return g.vertices.x, g.vertices.y, g.vertices.z


@pytest.mark.paper("S1", "S4", "S24", "S32")
def test_a_call_reads_columns_as_they_were_before_it(backend):
    g, x = busy(), np.array([10, 11, 12, 13, 14])
    g.vertices.x = x
    new_x, new_y, new_z = moving(g, 3, backend=backend)
    shifted = np.roll(x, -3)
    y = (shifted + 1) * 2 - np.arange(5)
    sums = np.zeros(5, int)
    for src, dst in arcs_of(g):
        sums[dst] += y[src] + y[dst]  # the loop 2 -> 2 reads itself twice
    assert new_z.tolist() == shifted.tolist()
    assert new_x.tolist() == y.tolist()  # y before the call was 0 everywhere
    assert new_y.tolist() == sums.tolist()
    assert g.vertices.x.tolist() == x.tolist()  # a run leaves the graph's columns alone


class Shared(Vertex):
    count: i32 = 100
    debt: f64 = 1.0
    scale: i32 = 1
    least: f32 = 50.0
    most: i32 = -50
    flags: i32 = 7
    bits: i32 = 0
    odd: i32 = 0
    marked: bool = False
    touched: bool = False


class Wire(Edge[Shared]):
    load: f32 = 0.0
    used: bool = False


@edge
def write_ends(e: Wire):
    e.dst.count += e.src.id
    e.dst.debt -= 0.5
    e.dst.scale *= 3
    e.src.least = emv.min(e.src.least, e.dst.id)
    e.src.most = emv.max(e.src.most, e.dst.id)
    e.dst.marked = True


@vertex
def write_far(v: Shared):
    hub = Shared.at(4)
    hub.count += v.id
    hub.flags &= 6 - v.id % 2
    hub.bits |= 1 << v.id
    hub.odd ^= v.id
    Shared.at(v.id // 2).touched = True


@elist
def write_links(v: Shared, wires: EdgeList[Wire]):
    for wire in wires:
        wire.load += v.id + 1
        wire.dst.count += 1


@elist
def mark_links(v: Shared, wires: EdgeList[Wire]):
    for wire in wires:
        if wire.dst.id != v.id:
            wire.used = v.id < 3


@program
def sharing(g):
    write_ends(g)
    write_far(g)
    write_links(g)


@program
def marking(g):
    mark_links(g)
    return g.edges.used


@pytest.mark.paper("S12", "S16")
def test_writes_to_other_elements(backend):
    g = busy()
    run = sharing.run(g, backend=backend)
    count, debt, scale = np.full(5, 100), np.ones(5), np.ones(5, int)
    least, most = np.full(5, 50.0), np.full(5, -50)
    for src, dst in arcs_of(g):
        count[dst] += src + 1  # write_ends and write_links
        debt[dst] -= 0.5
        scale[dst] *= 3
        least[src], most[src] = min(least[src], dst), max(most[src], dst)
    count[4] += 0 + 1 + 2 + 3 + 4
    src, dst = g.edges.endpoints()
    assert run.vertices.count.tolist() == count.tolist()
    assert run.vertices.debt.tolist() == debt.tolist()
    assert run.vertices.scale.tolist() == scale.tolist()
    assert run.vertices.least.tolist() == least.tolist()
    assert run.vertices.most.tolist() == most.tolist()
    assert run.vertices.flags.tolist() == [7, 7, 7, 7, 7 & 6 & 5]
    assert run.vertices.bits.tolist() == [0, 0, 0, 0, 31]
    assert run.vertices.odd.tolist() == [0, 0, 0, 0, 0 ^ 1 ^ 2 ^ 3 ^ 4]
    assert run.vertices.marked.tolist() == [v in set(dst.tolist()) for v in range(5)]
    assert run.vertices.touched.tolist() == [True, True, True, False, False]
    assert run.edges.load.tolist() == (src + 1).tolist()
    assert marking(g, backend=backend).tolist() == ((src < 3) & (src != dst)).tolist()


def test_listed_edges_of_an_undirected_graph_add_up_from_both_ends(backend):
    run = sharing.run(path(5, directed=False), backend=backend)
    assert run.edges.load.tolist() == [1 + 2, 2 + 3, 3 + 4, 4 + 5]
    assert run.vertices.debt.tolist() == [0.5, 0.0, 0.0, 0.0, 0.5]


class Page(Vertex):
    rank: f32
    tiny: i8 = -3
    kept: f64
    number: i32 = 0
    back: f32 = 0.0


class Link(Edge[Page]):
    weight: f32
    order: i32 = 0
    other: f32 = 2.5


@edge
def tell_weight(link: Link):
    link.send(link.weight * link.other)


@edge
def touch(link: Link):
    link.order += link.id


@vertex
def touch_page(v: Page):
    v.back = v.rank * v.number + v.tiny
    return v.kept


@program
def filling(g, size):
    g.vertices.rank[:] = size / 2  # before any function declares it
    kept = touch_page(g)
    g.vertices.number[:] = g.vertices.out_degree
    g.edges.order[:] = g.edges.id
    touch(g.edges)
    touch_page(g)
    g.vertices.rank[:] = emv.sum(tell_weight(g))
    g.vertices.tiny[:] = g.vertices.id
    g.vertices.kept[:] = kept
    return g.vertices.rank, g.vertices.tiny, g.vertices.kept, g.edges.order, g.vertices.back


def test_fills_defaults_and_columns_of_the_graph(backend):
    g = busy()
    g.vertices.kept, g.edges.weight = np.arange(5) / 4, np.arange(7)
    g.vertices.tiny = np.full(5, 99)  # a field with a default starts at its default
    rank, tiny, kept, order, back = filling(g, 3, backend=backend)
    edge_of_arc, expected = [0, 1, 5, 2, 3, 4, 6], np.zeros(5)
    for edge_id, (_, dst) in zip(edge_of_arc, arcs_of(g), strict=True):
        expected[dst] += 2.5 * edge_id
    assert rank.tolist() == expected.tolist()
    assert tiny.tolist() == [0, 1, 2, 3, 4]
    assert kept.tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert order.tolist() == [2 * each for each in range(7)]
    assert back.tolist() == (1.5 * g.out_degrees() - 3).tolist()
    assert (rank.dtype, tiny.dtype, kept.dtype, order.dtype) == (f32, i8, f64, i32)
    assert g.vertices.tiny.tolist() == [99] * 5


class Base(Vertex):
    common: i32 = 4


class Derived(Base):
    extra: i32 = 5


@vertex
def use_both(v: Derived):
    v.extra += v.common
    v.common = v.id


@program(bind={"start": Derived.extra})
def inheriting(g, start=3):
    use_both(g)
    return g.vertices.extra, g.vertices.common


def test_inherited_fields_and_bound_parameters(backend):
    g = path(3)
    assert inheriting(g, backend=backend)[0].tolist() == [7, 7, 7]
    assert inheriting(g, [1, 2, 3], backend=backend)[0].tolist() == [5, 6, 7]
    g.vertices.mine = np.array([0, 10, 20])
    extra, common = inheriting(g, start="mine", backend=backend)
    assert (extra.tolist(), common.tolist()) == ([4, 14, 24], [0, 1, 2])


class Small(Vertex):
    size: u8


class Narrow(Edge[Small]):
    width: i32


@edge
def tell_width(e: Narrow):
    e.send(e.width)


@vertex
def grow(v: Small, width: i32):
    v.size += 1


@program
def narrowed(g):
    widths = tell_width(g)
    grow(widths.receivers, emv.sum(widths))
    return g.vertices.size


@pytest.mark.parametrize(
    ("sizes", "widths", "told"),
    [
        ([300, 1, 2], [1, 2], "300 in row 0 does not fit"),
        ([1, -1, 2], [1, 2], "-1 in row 1 does not fit"),
        ([0.5, 1, 2], [1, 2], "0.5 in row 0 does not fit"),
        ([0, 1, 2], [1, 2**40], f"{2**40} in row 1 does not fit"),
        ([0, 1, 2], [1.5, 2], "1.5 in row 0 does not fit"),
    ],
)
def test_a_value_that_its_field_cannot_hold_is_refused(backend, sizes, widths, told):
    g = Graph.from_edges([0, 1], [1, 2], width=widths)
    g.vertices.size = sizes
    with pytest.raises(ColumnError, match=told):
        narrowed(g, backend=backend)


def test_whole_floats_are_integers_of_a_field(backend):
    g = Graph.from_edges([0, 1], [1, 2], width=[1.0, 2.0])
    g.vertices.size = [3.0, 4.0, 5.0]
    assert narrowed(g, backend=backend).tolist() == [3, 5, 6]
