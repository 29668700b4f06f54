"""The same program on graphs of every shape: none, one, loops, repeats, directed or not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from strategies import graphs

import emv
from emv import Edge, EdgeList, Graph, Vertex, edge, elist, i32, i64, program, vertex


class Spot(Vertex):
    name: i64 = 0
    out_size: i64 = 0
    in_size: i64 = 0
    heard: i64 = 0
    listed: i64 = 0


class Line(Edge[Spot]):
    ends: i64 = 0
    visits: i32 = 0


@vertex
def know_itself(v: Spot):
    v.name = v.id
    v.out_size = v.out_degree
    v.in_size = v.in_degree


@edge
def name_ends(line: Line):
    line.ends = 100 * line.src.id + line.dst.id
    line.visits += 1


@edge
def say_edge(line: Line):
    line.send(1000 * (line.id + 1) + line.src.out_degree)


@elist
def list_ends(v: Spot, lines: EdgeList[Line]):
    code = len(lines)
    for line in lines:
        code = (code * 7 + line.id * 3 + line.dst.id + 2 * line.src.id) % 100003
    v.listed = code


@vertex
def keep(v: Spot, heard: int):
    v.heard = heard


@program
def looking(g):
    know_itself(g)
    name_ends(g.edges)
    keep(g, emv.sum(say_edge(g)))
    list_ends(g)
    return g.num_vertices, g.num_edges, g.num_arcs


def check(g: Graph, backend: str) -> None:
    run = looking.run(g, backend=backend)
    num_vertices, (src, dst) = g.num_vertices, g.edges.endpoints()
    arcs = [(int(a), int(b), k) for k, (a, b) in enumerate(zip(src, dst, strict=True))]
    if not g.directed:
        arcs += [(b, a, k) for a, b, k in arcs if a != b]
    arcs.sort(key=lambda arc: arc[0])
    assert run.result == (num_vertices, len(src), len(arcs))
    out_size = np.bincount([a for a, _, _ in arcs], minlength=num_vertices)
    in_size = np.bincount([b for _, b, _ in arcs], minlength=num_vertices)
    heard = np.zeros(num_vertices, int)
    listed = out_size.copy()
    for a, b, k in arcs:
        heard[b] += 1000 * (k + 1) + out_size[a]
        listed[a] = (listed[a] * 7 + k * 3 + b + 2 * a) % 100003
    assert run.vertices.name.tolist() == list(range(num_vertices))
    assert run.vertices.out_size.tolist() == out_size.tolist()
    assert run.vertices.in_size.tolist() == in_size.tolist()
    assert run.vertices.heard.tolist() == heard.tolist()
    assert run.vertices.listed.tolist() == listed.tolist()
    assert run.edges.ends.tolist() == (100 * src + dst).tolist()
    assert run.edges.visits.tolist() == [1] * len(src)


@pytest.mark.paper("S3", "S7", "S13", "S17")
@given(graphs())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_elements_know(backend, g):
    check(g, backend)


def test_empty_and_single(backend):
    for directed in (True, False):
        check(Graph.from_edges([], [], num_vertices=0, directed=directed), backend)
        check(Graph.from_edges([], [], num_vertices=1, directed=directed), backend)
        check(Graph.from_edges([0, 0], [0, 0], num_vertices=1, directed=directed), backend)


@vertex
def count_out(v: Vertex):
    return v.out_degree


@program
def told_apart(g):
    if g.directed:
        return emv.total(count_out(g))
    return -emv.total(count_out(g))


def test_directedness_is_a_constant_of_the_trace(backend):
    edges = [0, 1], [1, 2]
    assert told_apart(Graph.from_edges(*edges), backend=backend) == 2
    assert told_apart(Graph.from_edges(*edges, directed=False), backend=backend) == -4
