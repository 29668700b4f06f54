"""The index arrays against what a reader of the definitions would write in plain Python."""

from __future__ import annotations

from dataclasses import dataclass
from unittest import mock

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import graphs

from emv.errors import ColumnError
from emv.graph import Graph, build, shared_rows, widths


@dataclass(frozen=True)
class Arc:
    src: int
    dst: int
    edge: int


def plain_arcs(graph: Graph) -> list[Arc]:
    """The definition of arc ids, word for word."""
    edges = list(zip(graph.edges.src.tolist(), graph.edges.dst.tolist(), strict=True))
    arcs = [Arc(src, dst, edge) for edge, (src, dst) in enumerate(edges)]
    if not graph.directed:
        arcs += [Arc(dst, src, edge) for edge, (src, dst) in enumerate(edges) if src != dst]
    return sorted(arcs, key=lambda arc: arc.src)


def plain_slots(graph: Graph) -> list[int]:
    """The arc of each message slot, by the definition."""
    arcs = plain_arcs(graph)
    return sorted(range(len(arcs)), key=lambda arc: arcs[arc].dst)


def starts(owners: list[int], num_vertices: int) -> list[int]:
    return [sum(owner < vertex for owner in owners) for vertex in range(num_vertices + 1)]


def edges_of(edge: np.ndarray | None, graph: Graph) -> list[int]:
    return list(range(graph.num_arcs)) if edge is None else edge.tolist()


def assert_layouts_are_as_defined(graph: Graph) -> None:
    layouts, arcs, slots = graph.layouts, plain_arcs(graph), plain_slots(graph)
    assert graph.num_arcs == len(arcs)
    assert layouts.out_rows.first.tolist() == starts([arc.src for arc in arcs], graph.num_vertices)
    assert layouts.out_rows.other.tolist() == [arc.dst for arc in arcs]
    assert edges_of(layouts.out_rows.edge, graph) == [arc.edge for arc in arcs]
    assert layouts.src_of_arc.tolist() == [arc.src for arc in arcs]
    assert layouts.in_rows.first.tolist() == starts([arc.dst for arc in arcs], graph.num_vertices)
    assert layouts.in_rows.other.tolist() == [arcs[arc].src for arc in slots]
    assert edges_of(layouts.in_rows.edge, graph) == [arcs[arc].edge for arc in slots]
    assert layouts.arc_of_slot.tolist() == slots
    assert layouts.dst_of_slot.tolist() == [arcs[arc].dst for arc in slots]
    assert [layouts.slot_of_arc[arc] for arc in slots] == list(range(len(arcs)))


@pytest.mark.paper("S17", "S46", "S49")
@given(graphs())
def test_layouts_are_as_defined(graph):
    assert_layouts_are_as_defined(graph)


@given(graphs(), st.integers(1, 4))
def test_compiled_kernels_agree_on_any_number_of_threads(graph, num_threads):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "FIRST_COMPILED", 0)
        patch.setattr("emv_kernels.cpu.build.FIRST_SHARED", 0)
        patch.setattr(build.config, "num_threads", num_threads)
        assert_layouts_are_as_defined(graph)


@given(graphs(), st.sampled_from(["f4", "f8", "i1", "i2", "?"]), st.sampled_from([0, 2**18]))
def test_edge_columns_follow_their_edges(graph, dtype, first_compiled):
    dtype = np.dtype(dtype)
    graph.edges.load = np.arange(graph.num_edges) % 2
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "FIRST_COMPILED", first_compiled)
        by_arc = graph.layouts.edge_column("load", dtype, "arc")
        by_slot = graph.layouts.edge_column("load", dtype, "slot")
    arcs = plain_arcs(graph)
    assert by_arc.tolist() == [arc.edge % 2 for arc in arcs]
    assert by_slot.tolist() == [arcs[arc].edge % 2 for arc in plain_slots(graph)]
    assert graph.layouts.edge_column("load", dtype, "edge").tolist() == graph.edges.load.tolist()
    assert {by_arc.dtype, by_slot.dtype} == {dtype}


@given(graphs())
def test_degrees_count_arcs_as_networkx_does_but_for_undirected_loops(graph):
    G = graph.to_networkx()
    loops = dict.fromkeys(G, 0)
    for vertex, _ in nx.selfloop_edges(G):
        loops[vertex] += not graph.directed
    out = G.out_degree() if graph.directed else G.degree()
    into = G.in_degree() if graph.directed else G.degree()
    assert graph.out_degrees().tolist() == [out[v] - loops[v] for v in range(graph.num_vertices)]
    assert graph.in_degrees().tolist() == [into[v] - loops[v] for v in range(graph.num_vertices)]


@pytest.mark.paper("S46", "S49")
def test_slots_of_a_receiver_are_adjacent_and_in_arc_order():
    layouts = Graph.from_edges([0, 0, 1], [1, 0, 1], num_vertices=2).layouts
    assert layouts.slot_of_arc.tolist() == [1, 0, 2]
    assert layouts.in_rows.first.tolist() == [0, 1, 3]


def test_undirected_loop_has_one_arc_and_parallel_edges_two_each():
    graph = Graph.from_edges([0, 1, 0], [0, 0, 1], directed=False)
    src, dst = graph.arcs()
    assert list(zip(src.tolist(), dst.tolist(), strict=True)) == [
        (0, 0),
        (0, 1),
        (0, 1),
        (1, 0),
        (1, 0),
    ]
    assert graph.layouts.out_rows.edge.tolist() == [0, 2, 1, 1, 2]


def test_edges_sorted_by_src_share_their_storage_with_the_arcs():
    graph = Graph.from_edges([0, 0, 2], [1, 2, 0])
    rows = graph.layouts.out_rows
    assert rows.edge is None
    assert np.shares_memory(rows.other, graph.edges.dst)
    assert np.shares_memory(graph.layouts.src_of_arc, graph.edges.src)


def test_arcs_cannot_be_written_and_layouts_are_kept():
    graph = Graph.from_edges([1, 0], [0, 1])
    with pytest.raises(ValueError, match="read-only"):
        graph.arcs()[0][0] = 5
    assert graph.layouts.in_rows.other is graph.layouts.in_rows.other


def test_growth_makes_new_layouts_and_leaves_the_old_as_they_were():
    graph = Graph.from_edges([1, 0], [0, 1], weight=[1.0, 2.0])
    before = graph.layouts
    graph.add_edge(0, 0, weight=3.0)
    assert graph.layouts.out_rows.other.tolist() == [1, 0, 0]
    assert before.out_rows.other.tolist() == [1, 0]
    assert before.edge_column("weight", np.dtype("f8"), "arc").tolist() == [2.0, 1.0]


def test_replaced_column_is_permuted_anew_and_its_old_copy_given_up():
    graph = Graph.from_edges([1, 0], [0, 1], weight=[1.0, 2.0])
    layouts = graph.layouts
    assert layouts.edge_column("weight", np.dtype("f8"), "arc").tolist() == [2.0, 1.0]
    held = layouts.nbytes()
    graph.edges.weight = [5.0, 6.0]
    assert layouts.nbytes() == held - 16
    assert layouts.edge_column("weight", np.dtype("f8"), "arc").tolist() == [6.0, 5.0]


def test_missing_column_is_named():
    graph = Graph.from_edges([0], [0], weight=1.0)
    with pytest.raises(ColumnError, match=r"no column 'wieght'.*Did you mean 'weight'"):
        graph.layouts.edge_column("wieght", np.dtype("f8"), "arc")


@pytest.mark.parametrize("first_compiled", [0, 2**18])
def test_widths_follow_the_number_of_vertices_and_arcs(monkeypatch, first_compiled):
    monkeypatch.setattr(build, "FIRST_COMPILED", first_compiled)
    monkeypatch.setattr(widths, "FIRST_WIDE_SIGNED", 4)
    monkeypatch.setattr(widths, "FIRST_WIDE_UNSIGNED", 6)
    small = Graph.from_edges([0] * 6, [0] * 6, num_vertices=3)
    assert small.arcs()[0].dtype == np.int32
    assert small.layouts.out_rows.first.dtype == np.uint64
    assert small.layouts.in_rows.other.dtype == np.uint32
    between = Graph.from_edges([4, 0], [0, 3])
    assert between.arcs()[0].dtype == np.int64
    assert between.layouts.in_rows.other.dtype == np.uint32
    wide = Graph.from_edges([5, 0], [0, 5])
    assert wide.layouts.in_rows.other.dtype == np.uint64
    assert wide.layouts.slot_of_arc.dtype == np.uint32
    for graph in (small, between, wide):
        assert_layouts_are_as_defined(graph)


def test_ends_are_widened_when_the_graph_outgrows_32_bits(monkeypatch):
    monkeypatch.setattr(widths, "FIRST_WIDE_SIGNED", 4)
    graph = Graph.from_edges([1, 0], [0, 1])
    assert graph.edges.src.dtype == np.int32
    graph = graph.add_vertices(3)
    graph.add_edge(4, 0)
    assert graph.edges.src.dtype == np.int64
    assert graph.edges.src.tolist() == [1, 0, 4]


@given(graphs())
def test_sorted_rows(graph):
    layouts, arcs = graph.layouts, plain_arcs(graph)
    order = sorted(range(len(arcs)), key=lambda arc: (arcs[arc].src, arcs[arc].dst))
    assert layouts.arc_of_sorted.tolist() == order
    assert layouts.sorted_dst.tolist() == [arcs[arc].dst for arc in order]
    assert layouts.rows_are_sorted == (order == list(range(len(arcs))))


@pytest.mark.parametrize("long", [0, 3, shared_rows.LONG_ROW])
@given(graph=graphs())
def test_edges_by_row(long, graph):
    src, dst = (each.tolist() for each in graph.edges.endpoints())
    length = graph.layouts.degrees("out").tolist()
    ends = [v if length[v] >= max(length[u], long) else u for u, v in zip(src, dst, strict=True)]
    order = sorted(range(graph.num_edges), key=ends.__getitem__)
    with mock.patch.object(shared_rows, "LONG_ROW", long):
        assert graph.layouts.edges_by_row.tolist() == order


@given(graphs())
def test_row_bits(graph):
    wanted = [0] * graph.num_vertices
    for u, v in zip(*graph.arcs(), strict=True):
        wanted[u] |= 1 << (int(v) % 32)
    assert graph.layouts.row_bits.tolist() == wanted


@given(graphs())
def test_oriented_form(graph):
    form = graph.oriented()
    src, dst = form.arcs()
    ways = {}
    for u, v in zip(*graph.arcs(), strict=True):
        if u != v:
            ways.setdefault(frozenset((int(u), int(v))), set()).add((int(u), int(v)))
    found = dict(
        zip(zip(src.tolist(), dst.tolist(), strict=True), form.edges.directions, strict=True)
    )
    assert {frozenset(pair): len(way) for pair, way in ways.items()} == {
        frozenset(pair): count for pair, count in found.items()
    }
    assert len(found) == form.num_edges
    assert nx.is_directed_acyclic_graph(form.to_networkx())
    assert form.layouts.rows_are_sorted
    assert graph.oriented() is form
