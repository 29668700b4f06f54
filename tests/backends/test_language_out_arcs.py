"""`v.out_dst(k)` and `v.out_edge(k)`: an out-arc of any vertex by its number."""

import numpy as np
import pytest
from backends_available import BACKENDS
from hypothesis import given, settings
from strategies import graphs

from emv import Edge, Graph, Vertex, edge, i64, program, vertex
from emv.errors import ArgumentError, LanguageError, TypeMismatchError


class Spot(Vertex):
    far: i64 = 0
    near: i64 = 0


class Line(Edge[Spot]):
    length: i64


@vertex
def look(v: Spot):
    k = 0
    while k < v.out_degree:
        v.near += (k + 1) * v.out_dst(k) + 100 * Line.at(v.out_edge(k)).length
        k += 1
    other = Spot.at(v.id // 2)
    v.far = other.out_dst(other.out_degree - 1) if other.out_degree > 0 else -1


@edge
def look_back(e: Line):
    e.length = e.dst.out_edge(0) if e.dst.out_degree > 0 else -1


@program(bind={"length": Line.length})
def looked(g, length):
    look(g)
    look_back(g.edges)
    return g.vertices.near, g.vertices.far, g.edges.length


def in_numpy(graph, length):
    """Say with numpy what `looked` computes."""
    src, dst = graph.arcs()
    edge_of_arc = graph.layouts.edge_of_arc
    edges = np.arange(len(src)) if edge_of_arc is None else edge_of_arc
    rows = [np.flatnonzero(src == v) for v in range(graph.num_vertices)]
    near = [
        sum((k + 1) * dst[arc] + 100 * length[edges[arc]] for k, arc in enumerate(row))
        for row in rows
    ]
    far = [dst[rows[v // 2][-1]] if len(rows[v // 2]) else -1 for v in range(graph.num_vertices)]
    ends = graph.edges.endpoints()[1]
    back = [edges[rows[v][0]] if len(rows[v]) else -1 for v in ends]
    return [list(map(int, each)) for each in (near, far, back)]


@pytest.mark.parametrize("backend", BACKENDS)
@settings(max_examples=30)
@given(graph=graphs())
def test_arcs_by_their_number(backend, graph):
    length = np.arange(graph.num_edges) % 7
    found = looked(graph, length, backend=backend)
    assert [each.tolist() for each in found] == in_numpy(graph, length)


@vertex
def overstep(v: Spot):
    v.near = v.out_dst(v.out_degree)


@program
def overstepping(g):
    overstep(g)
    return g.vertices.near


def test_arc_that_is_not_there_is_refused(backend):
    with pytest.raises(ArgumentError, match=r"has 1 out-arcs|does not exist"):
        overstepping(Graph.from_edges([0, 1], [1, 0]), backend=backend)


@vertex
def by_float(v: Spot):
    v.near = v.out_dst(0.5)


@vertex
def by_nothing(v: Spot):
    v.near = v.out_edge()


@pytest.mark.parametrize(
    ("function", "error", "words"),
    [
        (by_float, TypeMismatchError, "takes a whole number, not float"),
        (by_nothing, LanguageError, "takes the number of an out-arc"),
    ],
)
def test_what_is_refused(function, error, words):
    with pytest.raises(error, match=words):
        assert function.body
