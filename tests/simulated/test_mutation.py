"""Programs that change their graph, on the simulated GPU."""

from __future__ import annotations

import numpy as np
import pytest
from random_mutations import compare, drawn
from simulated_gpu import SimulatedDriver, install

from emv import Edge, Graph, Vertex, edge, generators, i32, program
from emv.algorithms import boruvka_by_contraction
from emv.backends.cuda import graph_device
from emv.backends.cuda.array import from_host
from emv.backends.cuda.device import device
from emv.errors import ArgumentError
from emv.graph import evolving, merged
from emv.runtime.drive import asked


@pytest.fixture(params=["merged", "put together"])
def made_there(request, monkeypatch, small_ranks):
    """Return how many edges were added and deleted by each change that the GPU has made."""
    install(SimulatedDriver(), monkeypatch)
    if request.param == "put together":
        monkeypatch.setattr(merged, "FEW_CHANGED", 0)
        monkeypatch.setattr(merged, "MOST_CHANGED", 10**9)
    made, make = [], evolving.Evolving.change_there

    def noted(self, asked, columns):
        made.append((asked.num_added, asked.num_gone))
        make(self, asked, columns)

    monkeypatch.setattr(evolving.Evolving, "change_there", noted)
    return made


@pytest.mark.parametrize("directed", [True, False])
def test_random_scripts(directed, made_there):
    for seed in range(2):
        compare(drawn(seed, supersteps=2), seed, directed, "cuda:0")


@pytest.mark.parametrize("place", ["host", "there"])
def test_contraction_stays_on_the_gpu(place, made_there):
    graph, given = generators.grid(5, 5), generators.grid(5, 5)  # of which one has no rows
    cost = np.random.default_rng(3).permutation(graph.num_edges).astype(np.float32)
    graph.edges.cost = given.edges.cost = cost
    wanted = boruvka_by_contraction.run(graph, weight="cost", backend="python")
    if place == "there":
        ends = (from_host(device(), each) for each in graph.edges.endpoints())
        given = Graph.from_edges(*ends, num_vertices=25, directed=False, cost=cost)
    run = boruvka_by_contraction.run(given, weight="cost", backend="cuda:0")
    np.testing.assert_array_equal(np.asarray(run.result), wanted.result)
    assert len(made_there) == wanted.supersteps - 1  # all but the last, which leaves no edge
    assert (run.graph.num_edges, set(run.graph.edges)) == (0, set(wanted.graph.edges))


@pytest.mark.parametrize("place", ["host", "there"])
def test_the_graph_that_is_left_lies_where_the_one_before_did(place, made_there):
    src, dst = np.random.default_rng(4).integers(0, 6, (2, 20), np.int32)
    given = [src, dst] if place == "host" else [from_host(device(), each) for each in (src, dst)]
    graph = Graph.from_edges(*given, num_vertices=6)
    run = doubled.run(graph, 1, backend="cuda:0")
    ends = run.graph.edges.ends().on_device
    assert (ends is None) == (place == "host")
    assert made_there
    later = run.graph.add_edges([0], [1], **dict.fromkeys(run.graph.edges, 1))
    assert later.edge_keys[-1] == 1 + run.graph.edge_keys[-1]
    np.testing.assert_array_equal(graph.edges.src, src)  # which stays as it was


class Town(Vertex):
    twin: i32 = 0


class Road(Edge[Town]):
    width: i32 = 1
    length: i32 = 7


@edge
def double(e: Road):
    if e.src.id < e.dst.id:
        e.src.add_edge(e.dst.id, width=e.width + 1)
    else:
        e.delete()


@edge
def mirror(e: Road):
    if e.width > 1:
        e.dst.add_edge(e.src.id, width=2 * e.width, length=3)


@edge
def lose(e: Road):
    e.src.add_edge(e.dst.id + 3, width=1)


@program
def doubled(g, rounds):
    for _ in g.supersteps(rounds):
        double(g.edges)
        mirror(g.edges)


@program
def lost(g):
    for _ in g.supersteps(1):
        lose(g.edges)


@pytest.mark.parametrize("directed", [True, False])
def test_edges_of_several_calls_come_in_their_order(directed, made_there):
    draw = np.random.default_rng(5)
    src, dst = draw.integers(0, 6, (2, 14))
    columns = {"width": draw.integers(1, 4, 14).astype(np.int32), "other": np.arange(14.0)}
    left = found = None
    for backend in ("python", "cuda:0"):  # on graphs of which none has rows
        graph = Graph.from_edges(src, dst, num_vertices=6, directed=directed, **columns)
        left, found = found, doubled.run(graph, 3, backend=backend).graph
    assert made_there
    for name in ("src", "dst", "width", "length"):
        np.testing.assert_array_equal(found.edges[name], left.edges[name])
    np.testing.assert_array_equal(found.edge_keys, left.edge_keys)
    assert list(found.edges) == list(left.edges)


def test_an_end_that_is_no_vertex_is_refused(made_there):
    with pytest.raises(ArgumentError, match="of vertex 4"):
        lost.run(generators.path(4), backend="cuda:0")
    assert not made_there


@pytest.mark.parametrize("sizes", [(40,), (9, 0, 70)])
def test_entries_are_put_in_the_order_of_the_host(sizes, monkeypatch):
    install(SimulatedDriver(), monkeypatch)
    draw, on = np.random.default_rng(2), graph_device.device("cuda:0")
    keys = [draw.permutation(2 * size)[:size] for size in sizes]
    for each in keys:
        each[::5] = -1  # of places that were left empty
    rows, others = draw.integers(0, 7, (2, sum(sizes)))
    empty = np.concatenate(keys) < 0
    rows[empty] = 99
    _, wanted = asked.rows_in_order(keys, [2 * size for size in sizes], rows, 7)
    there = [[on.upload(each) for each in keys if len(each)], on.upload(rows), on.upload(others)]
    np.testing.assert_array_equal(on.in_order(*there, 7).numpy(), wanted)
    assert on.in_order(*there, 6) is None  # of which some are none
    assert on.in_order(*there, 2**60) is None  # what is to be sorted is no number of 62 bits
