"""Medusa's two listings, statement by statement, against networkx and powers of a matrix.

PageRank is figure 2 of Zhong and He, TPDS 2014; shortest paths are figure 1 of theirs in SIGMOD
Record 42, 2013: unsigned messages that begin with the largest number, a flag for who was updated,
and the vote to continue. GasCL's are in test_gas.py.
"""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import graphs

import emv
from emv import Edge, EdgeList, Graph, Vertex, edge, elist, f32, program, u32, vertex

UINT_MAX = 2**32 - 1


class Place(Vertex):
    distance: u32 = UINT_MAX
    updated: bool = False


class Road(Edge[Place]):
    length: u32


@edge
def send_distance(e: Road):
    if e.src.updated:
        e.send(u32(e.src.distance + e.length))


@vertex
def update_distance(v: Place, combined: u32):
    if combined < v.distance:
        v.distance = combined
        v.updated = True
        emv.keep_going()
    else:
        v.updated = False


@vertex
def begin(v: Place):
    v.distance = 0
    v.updated = True


@program
def shortest_paths(g, source):
    begin(g.only(source))
    for _ in g.supersteps():
        update_distance(g, emv.min(send_distance(g), initial=UINT_MAX))
    return g.vertices.distance


class Page(Vertex):
    rank: f32 = 1.0


@elist
def send_rank(v: Page, el: EdgeList[Edge[Page]]):
    for link in el:
        link.send(v.rank / len(el))


@vertex
def update_rank(v: Page, combined: f32):
    v.rank = 0.15 + combined * 0.85


@program
def ranks(g):
    for _ in g.supersteps(30):
        update_rank(g, emv.sum(send_rank(g), initial=0.0))
    return g.vertices.rank


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(graph=graphs(min_vertices=1), data=st.data())
@pytest.mark.paper("S4", "S7", "S27", "S42")
def test_shortest_paths(backend, graph, data):
    source = data.draw(st.integers(0, graph.num_vertices - 1))
    lengths = data.draw(
        st.lists(st.integers(0, 9), min_size=graph.num_edges, max_size=graph.num_edges)
    )
    src, dst = graph.edges.endpoints()
    made = Graph.from_edges(
        src,
        dst,
        num_vertices=graph.num_vertices,
        directed=graph.directed,
        length=np.array(lengths, np.uint32),
    )
    roads = nx.MultiDiGraph() if graph.directed else nx.MultiGraph()
    roads.add_nodes_from(range(graph.num_vertices))
    roads.add_weighted_edges_from(zip(src.tolist(), dst.tolist(), lengths, strict=True))
    found = nx.single_source_dijkstra_path_length(roads, source)
    wanted = [found.get(v, UINT_MAX) for v in range(graph.num_vertices)]
    run = shortest_paths.run(made, source, backend=backend)
    np.testing.assert_array_equal(run.result, np.array(wanted, np.uint32))
    assert run.stopped == "converged"


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(graph=graphs(min_vertices=1))
@pytest.mark.paper("S3", "S25", "S42", "S50")
def test_ranks(backend, graph):
    src, dst = graph.arcs()
    degrees = np.bincount(src, minlength=graph.num_vertices)
    wanted = np.ones(graph.num_vertices)
    for _ in range(30):
        shares = wanted[src] / degrees[src]
        wanted = 0.15 + 0.85 * np.bincount(dst, shares, minlength=graph.num_vertices)
    run = ranks.run(graph, backend=backend)
    np.testing.assert_allclose(run.result, wanted, rtol=1e-5)
    assert (run.supersteps, run.stopped) == (30, "limit")
