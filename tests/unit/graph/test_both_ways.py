"""`Graph.both_ways`: the same edges and columns, without a direction."""

import numpy as np
import pytest

import emv
from emv import Edge, Graph, Vertex, edge, i64, program, vertex
from emv.errors import ArgumentError


def test_undirected_graph_is_itself():
    graph = Graph.from_edges([0], [1], directed=False)
    assert graph.both_ways() is graph


def test_columns_are_shared_and_arcs_lead_both_ways():
    graph = Graph.from_edges([0, 1, 2], [1, 0, 2], weight=[1.0, 2.0, 3.0])
    twin = graph.both_ways()
    assert twin is graph.both_ways()
    assert not twin.directed
    assert graph.directed
    src, dst = twin.arcs()
    assert sorted(zip(src, dst, strict=True)) == [(0, 1), (0, 1), (1, 0), (1, 0), (2, 2)]
    graph.edges.toll = np.array([7, 8, 9])
    assert twin.edges.toll.tolist() == [7, 8, 9]


def test_grown_graph_has_another():
    graph = Graph.from_edges([0, 1], [1, 2])
    before = graph.both_ways()
    graph.add_edge(2, 0)
    assert graph.both_ways() is not before
    assert graph.both_ways().num_arcs == 6


def test_device_goes_along():
    assert Graph.from_edges([0], [1]).on("python").both_ways().device == "python"


def test_program_sees_both_ways():
    class Spot(Vertex):
        met: i64 = 0

    @edge
    def meet(e: Edge[Spot]):
        e.send(1)

    @vertex
    def count(v: Spot, met: i64):
        v.met = met

    @program(graph="both ways")
    def meetings(g):
        count(g, emv.sum(meet(g)))
        return g.vertices.met

    found = meetings(Graph.from_edges([0, 1, 0], [1, 0, 2]), backend="python")
    assert found.tolist() == [3, 2, 1]


def test_other_form_is_refused():
    with pytest.raises(ArgumentError, match="graph='sideways'"):

        @program(graph="sideways")
        def some(g):
            return g.num_edges
