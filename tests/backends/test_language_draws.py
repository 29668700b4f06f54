"""Random numbers are functions of seed, superstep, element and place: the same on every backend."""

from __future__ import annotations

from zlib import crc32

import numpy as np
from backends.plain_graphs import busy

import emv
from emv import Edge, EdgeList, Vertex, edge, elist, f32, f64, i32, program, vertex
from emv.lang.draws import below, call_code, uniform


class Spot(Vertex):
    u: f64 = 0.0
    die: i32 = 0
    flip: bool = False
    links: f64 = 0.0
    after: f64 = 0.0


class Line(Edge[Spot]):
    u: f64 = 0.0
    sure: f32 = 1.0


@vertex
def draw(v: Spot):
    v.u = emv.random()
    v.die = emv.randint(6) + 1
    v.flip = emv.random() < 0.5


@edge
def draw_on_edges(e: Line):
    e.u = emv.random()


@edge
def draw_on_arcs(e: Line):
    e.send(emv.random())
    if emv.random() >= e.sure:
        e.send(100.0)  # a chance of 1 never fails


@elist
def draw_in_list(v: Spot, lines: EdgeList[Line]):
    total = 0.0
    for line in lines:
        total += emv.random()
        if line.dst.id == v.id + 2:
            break
    v.links = total
    v.after = emv.random()


@vertex
def keep(v: Spot, total: f64):
    v.u += total


@program
def drawing(g, rounds):
    draw_on_edges(g.edges)
    for _ in g.supersteps(rounds):
        draw(g)
    keep(g, emv.sum(draw_on_arcs(g)))
    draw_in_list(g)


def test_draws_are_named_by_seed_superstep_element_and_place(backend):
    g = busy()
    run = drawing.run(g, 3, rng=11, backend=backend)
    src, dst = g.arcs()
    functions = ("draw", "draw_in_list")
    codes = {name: [call_code(name, call) for call in range(3)] for name in functions}
    on_arcs = np.zeros(5)
    for arc in range(7):
        on_arcs[dst[arc]] += uniform(11, 3, arc, call_code("draw_on_arcs", 0))
    for v in range(5):
        first, second, third = codes["draw"]
        assert abs(run.vertices.u[v] - uniform(11, 3, v, first) - on_arcs[v]) < 1e-12
        assert run.vertices.die[v] == below(6, 11, 3, v, second) + 1
        assert run.vertices.flip[v] == (uniform(11, 3, v, third) < 0.5)
        arcs = [arc for arc in range(7) if src[arc] == v]
        last = next((k for k, arc in enumerate(arcs) if dst[arc] == v + 2), len(arcs))
        drawn = [uniform(11, 3, arc, codes["draw_in_list"][0]) for arc in arcs[: last + 1]]
        assert abs(run.vertices.links[v] - sum(drawn)) < 1e-12
        assert run.vertices.after[v] == uniform(11, 3, v, codes["draw_in_list"][1])
    expected = [uniform(11, 0, each, call_code("draw_on_edges", 0)) for each in range(7)]
    assert run.edges.u.tolist() == expected


def test_runs_repeat_by_seed(backend):
    g = busy()
    runs = [drawing.run(g, 2, rng=seed, backend=backend) for seed in (5, 5, 6)]
    first, again, other = ([*run.vertices.u, *run.edges.u] for run in runs)
    assert first == again
    assert all(a != b for a, b in zip(first, other, strict=True))
    assert all(0 <= u < 1 for u in runs[0].edges.u)


class Roll(Vertex):
    counts: i32 = 0


@vertex
def roll(v: Roll, sides: int):
    face = emv.randint(sides)
    Roll.at(face).counts += 1


@program
def rolling(g, sides):
    roll(g, sides)
    return g.vertices.counts


def test_randint_stays_in_its_range_and_reaches_all_of_it(backend):
    g = emv.Graph.from_edges([], [], num_vertices=600)
    counts = rolling.run(g, 6, rng=1, backend=backend).result
    assert counts[6:].sum() == 0
    assert all(60 < each < 140 for each in counts[:6])


@vertex
def draw_by_name(v: Spot, trial: int):
    v.u = emv.random(v.id)
    for k in range(3):
        v.links += emv.random(v.id + trial * 2**33, k)


@edge
def draw_edge_by_name(e: Line):
    e.send(emv.random(e.id) + emv.random(e.id, e.src.id))


@program
def drawing_by_name(g, trial):
    for _ in g.supersteps(2):
        draw_by_name(g, trial)
    keep(g, emv.sum(draw_edge_by_name(g)))


def test_named_draws_depend_on_the_seed_and_their_name_alone(backend):
    g, code = busy(), crc32(b"emv.random")
    run = drawing_by_name.run(g, 3, rng=11, backend=backend)
    on_arcs, edge_of_arc = np.zeros(5), g.layouts.out_rows.edge
    edge_of_arc = np.arange(7) if edge_of_arc is None else edge_of_arc
    arcs = (each.tolist() for each in (*g.arcs(), edge_of_arc))
    for src, dst, each in zip(*arcs, strict=True):
        on_arcs[dst] += uniform(11, 0, each, code) + uniform(11, src, each, code)
    for v in range(5):
        assert abs(run.vertices.u[v] - uniform(11, 0, v, code) - on_arcs[v]) < 1e-12
        drawn = 2 * sum(uniform(11, k, v + 3 * 2**33, code) for k in range(3))
        assert abs(run.vertices.links[v] - drawn) < 1e-12


def test_copies_of_a_batch_draw_by_names_of_their_own(backend):
    found = drawing_by_name.run(busy(), emv.batch([0, 3, 5]), rng=2, backend=backend)
    alone = [drawing_by_name.run(busy(), k, rng=2, backend=backend) for k in (0, 3, 5)]
    np.testing.assert_allclose(
        found.vertices.links, np.stack([each.vertices.links for each in alone]), rtol=1e-12
    )
    assert len(set(found.vertices.links[:, 0])) == 3
