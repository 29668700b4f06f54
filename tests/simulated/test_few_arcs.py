"""Few edges that come into directed graphs on a simulated GPU: both directions begun at once."""

from __future__ import annotations

import numpy as np
import pytest
from simulated.held_edges import built

from emv import Graph
from emv.backends.cuda.array import from_host
from emv.errors import GraphError

SIZE, EDGES = 60, 150
ROWS = ("out_first", "in_first", "out_other", "in_other")


def drawn(draw, count: int) -> list[np.ndarray]:
    """Return ends with repeats, loops, hubs on either side, and rows that are empty."""
    src, dst = draw.integers(0, SIZE - 9, (2, count)).astype(np.int32)
    src[: count // 4], dst[count // 5 : count // 3] = 3, 5
    dst[: count // 8] = src[: count // 8]
    src[-2:], dst[-2:] = (SIZE - 1, 0), (0, SIZE - 1)
    return [src, dst]


def made_graph(gpu, ends, names):
    graph = Graph.from_edges(*(from_host(gpu, each) for each in ends), num_vertices=SIZE)
    built(gpu, graph, names, is_new=True)
    return graph


def check(later, ends, names) -> None:
    """Compare a version with a graph built anew."""
    anew = Graph.from_edges(*ends, num_vertices=SIZE).layouts
    rows = later.layouts.placed["cuda:0"]
    assert set(rows.made) >= set(names)
    for name in (*names, "edge_of_arc"):
        np.testing.assert_array_equal(rows.array(name), anew.array(name), err_msg=name)
    for found, wanted in zip(later.edges.endpoints(), ends, strict=True):
        np.testing.assert_array_equal(found, wanted)


def times_begun(gpu) -> int:
    return sum("splice.put_in and few_slots.rows" in name for name, _ in gpu.by_hand)


@pytest.mark.parametrize("names", [ROWS, (*ROWS, "edge_of_arc")], ids=["rows", "edges"])
@pytest.mark.parametrize("count", [1, 40, 130])
def test_versions_of_versions_are_those_of_a_rebuild(gpu, small_ranks, names, count):
    """Batches of one chunk and several; whoever made a batch may write there again."""
    draw = np.random.default_rng(count)
    ends = drawn(draw, EDGES)
    graph, first = made_graph(gpu, ends, names), ends
    for _ in range(2):
        new = drawn(draw, max(count, 4))[:2]
        new = [each[:count] for each in new]
        given = [from_host(gpu, each) for each in new]
        graph_before, graph = graph, graph.add_edges(*given)
        for each in given:
            gpu.driver.fill(each.address, b"\0", each.nbytes, gpu.stream)
        ends = [np.append(*pair) for pair in zip(ends, new, strict=True)]
        check(graph, ends, names)
        assert graph_before.num_edges + count == graph.num_edges
    assert times_begun(gpu) == 1
    check(graph_before, [each[:-count] for each in ends], names)
    assert len(first[0]) == EDGES


@pytest.mark.parametrize("wrong", [-1, SIZE, 2**31 - 1])
def test_what_is_no_vertex_is_named_and_the_next_call_counts_anew(gpu, small_ranks, wrong):
    draw = np.random.default_rng(5)
    ends, new = drawn(draw, EDGES), drawn(draw, 90)
    graph = made_graph(gpu, ends, ROWS)
    for end in (0, 1):
        given = [each.copy() for each in new]
        given[end][7:80] = wrong
        with pytest.raises(GraphError, match=f"edge {EDGES + 7} .*{wrong}"):
            graph.add_edges(*(from_host(gpu, each) for each in given))
    check(graph, ends, ROWS)
    later = graph.add_edges(*(from_host(gpu, each) for each in new))
    check(later, [np.append(*pair) for pair in zip(ends, new, strict=True)], ROWS)
    assert times_begun(gpu) == 1


def test_more_than_a_launch_places_go_the_long_way(gpu, small_ranks, monkeypatch):
    draw = np.random.default_rng(6)
    ends = drawn(draw, 1400)
    graph, new = made_graph(gpu, ends, ROWS), drawn(draw, 1100)
    later = graph.add_edges(*(from_host(gpu, each) for each in new))
    check(later, [np.append(*pair) for pair in zip(ends, new, strict=True)], ROWS)
    assert not times_begun(gpu)
