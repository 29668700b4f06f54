"""Versions of graphs whose edges lie on a simulated GPU: made there, and equal to a rebuild."""

from __future__ import annotations

import numpy as np
import pytest
from backends.cuda_cases import Foreign
from fake_cuda import at
from simulated.held_edges import SIZE, built, ends_of

from emv import Graph
from emv.algorithms import bfs, check_pagerank, components, pagerank, sssp
from emv.backends.cuda import merge, sorting, splice
from emv.backends.cuda.array import DeviceArray, from_host
from emv.backends.cuda.late import Late
from emv.backends.cuda.marks import rows_gone
from emv.errors import GraphError
from emv_kernels.cuda import sort_few

NAMES = (
    "out_first",
    "out_other",
    "src_of_arc",
    "edge_of_arc",
    "in_first",
    "in_other",
    "arc_of_slot",
    "edge_of_slot",
    "slot_of_arc",
)
FEW = ("out_other", "edge_of_arc", "in_other")


def edges_of(draw, count: int) -> list[np.ndarray]:
    """Return ends, and weights."""
    return [*ends_of(draw, count), draw.integers(1, 99, count).astype(np.float32)]


def same(gpu, graph, anew, names) -> None:
    """Compare a version with a graph built anew."""
    merged = graph.layouts.placed["cuda:0"]
    assert set(names) - {"in_first"} <= set(merged.made) | {"src_of_arc"}
    wanted = anew.layouts
    assert (merged.num_arcs, merged.arcs_are_edges) == (wanted.num_arcs, wanted.arcs_are_edges)
    for name in names:
        if name != "edge_of_arc" or not wanted.arcs_are_edges:
            expected = wanted.edge_of_slot if name == "edge_of_slot" else wanted.array(name)
            np.testing.assert_array_equal(merged.array(name), expected, err_msg=name)


@pytest.mark.paper("S147")
@pytest.mark.parametrize("names", [NAMES, FEW], ids=["all", "few"])
@pytest.mark.parametrize("directed", [True, False])
def test_versions_are_made_where_the_edges_lie(gpu, monkeypatch, directed, names):
    if names is FEW:  # as if few were gone
        monkeypatch.setattr(merge, "FEW_OF", 0)
    draw = np.random.default_rng(5)
    edges = edges_of(draw, 60)
    keys = np.arange(60)
    graph = Graph.from_edges(
        *(from_host(gpu, each) for each in edges[:2]),
        num_vertices=SIZE,
        directed=directed,
        weight=from_host(gpu, edges[2]),
    )
    built(gpu, graph, names)
    for step in range(4):
        before = [each.copy() for each in edges]
        with graph.changes() as c:
            if step != 1:
                new = edges_of(draw, 20)
                weight = from_host(gpu, new[2]) if step else new[2]
                given = c.add_edges(*(from_host(gpu, each) for each in new[:2]), weight=weight)
                edges = [np.concatenate(each) for each in zip(edges, new, strict=True)]
                keys = np.append(keys, given)
            if step:
                gone = draw.choice(len(before[0]), 9, replace=False)
                named = keys[np.append(gone, gone[:2])]
                if step == 2:
                    named = np.isin(np.arange(len(before[0])), gone)
                c.remove_edges(from_host(gpu, named))
                edges = [np.delete(each, gone) for each in edges]
                keys = np.delete(keys, gone)
            if step == 3:
                c.add_vertices(2)
        graph = c.graph
        assert isinstance(graph.edges.weight, DeviceArray)
        assert graph.edges.ends().on_device is not None
        anew = Graph.from_edges(*edges[:2], num_vertices=graph.num_vertices, directed=directed)
        same(gpu, graph, anew, ("out_first", "in_first", *names))
        for found, wanted in zip(graph.edges.ends().on(device_of(graph)), edges, strict=False):
            np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(graph.edges.weight, edges[2])
        assert graph.edge_keys.tolist() == keys.tolist()


@pytest.mark.parametrize("how", ["few_digits", "digits", "ranks"])
@pytest.mark.parametrize("directed", [True, False])
def test_a_batch_is_sorted_and_placed_by_several_blocks(gpu, monkeypatch, request, directed, how):
    monkeypatch.setattr(sorting, "LEAST_CHUNK", 32)
    monkeypatch.setattr(sort_few, "FEW_CHUNKS", 16 if how == "few_digits" else 1)
    if how == "ranks":
        request.getfixturevalue("small_ranks")
    draw = np.random.default_rng(len(how))
    edges, new = (draw.integers(0, 300, (2, count)).astype(np.int32) for count in (80, 70))
    for each in (*edges, *new):
        each[:30] = 290
    graph = Graph.from_edges(
        *(from_host(gpu, each) for each in edges), num_vertices=300, directed=directed
    )
    names = (*FEW, "src_of_arc")
    built(gpu, graph, names)
    graph.layouts.placed["cuda:0"].keep_only({"out_first", "in_first", *names})
    later = graph.add_edges(*(from_host(gpu, each) for each in new))
    assert "batch.place_batch" in {name for name, _ in gpu.by_hand}
    whole = [np.concatenate(each) for each in zip(edges, new, strict=True)]
    anew = Graph.from_edges(*whole, num_vertices=300, directed=directed)
    same(gpu, later, anew, ("out_first", "in_first", *names))


@pytest.mark.parametrize("names", [(), NAMES, FEW], ids=["none", "all", "few"])
@pytest.mark.parametrize("wrong", [-1, SIZE, 2**31 - 1])
def test_ends_that_are_no_vertices_are_named_and_change_nothing(gpu, names, wrong):
    draw = np.random.default_rng(3)
    edges = edges_of(draw, 40)[:2]
    graph = Graph.from_edges(*(from_host(gpu, each) for each in edges), num_vertices=SIZE)
    built(gpu, graph, names)
    if names is FEW:
        graph.layouts.placed["cuda:0"].keep_only({"out_first", "in_first", *FEW})
    src, dst = edges_of(draw, 9)[:2]
    dst[7] = wrong
    for given in ((src, dst), (dst, src)):
        with pytest.raises(GraphError, match="edge 47 ") as raised:
            graph.add_edges(*(from_host(gpu, each) for each in given))
        assert str(wrong) in str(raised.value)
        with graph.changes() as c, pytest.raises(GraphError, match="edge 47 "):
            c.add_edges(*(from_host(gpu, each) for each in given))
    dst[7] = 5
    later = graph.add_edges(*(from_host(gpu, each) for each in (src, dst)))
    whole = [np.concatenate(each) for each in zip(edges, (src, dst), strict=True)]
    if names:
        same(gpu, later, Graph.from_edges(*whole, num_vertices=SIZE), names)
    for found, wanted in zip(later.edges.endpoints(), whole, strict=True):
        np.testing.assert_array_equal(found, wanted)
    assert later.layouts.ends.num_loops == np.count_nonzero(whole[0] == whole[1])


@pytest.mark.parametrize("directed", [True, False])
def test_what_walks_do_not_read_is_made_when_somebody_asks(gpu, directed):
    draw = np.random.default_rng(9)
    src, dst = edges_of(draw, 50)[:2]
    given = [from_host(gpu, each) for each in (src, dst)]
    weight = from_host(gpu, np.arange(50, dtype=np.float32))
    graph = Graph.from_edges(*given, num_vertices=SIZE, directed=directed, weight=weight)
    built(gpu, graph, FEW)
    gone = np.array([2, 30])
    later = graph.remove_edges(from_host(gpu, gone))
    merged = later.layouts.placed["cuda:0"]
    ends = later.edges.ends().on_device
    late = {
        "edge_of_arc": merged.made["edge_of_arc"],
        "src": ends[0],
        "dst": ends[1],
        "weight": later.edges.weight,
        "keys": later._store.keys.there(device_of(later), 48),
    }
    assert all(isinstance(each, Late) and not each.is_made for each in late.values())
    assert not any(isinstance(merged.made[name], Late) for name in ("out_other", "in_other"))
    others = later.add_edges(from_host(gpu, src[:3]), from_host(gpu, dst[:3]), weight=1.0)
    assert late["src"].is_made == late["weight"].is_made == late["keys"].is_made is True
    left = np.delete(np.arange(50), gone)
    rows = Graph.from_edges(src[left], dst[left], num_vertices=SIZE, directed=directed)
    wanted = [rows.layouts.array("edge_of_arc"), src[left], dst[left], left, left]
    for (name, each), expected in zip(late.items(), wanted, strict=True):
        np.testing.assert_array_equal(each, expected, err_msg=name)
    del graph, later, merged
    whole = [np.append(each[left], each[:3]) for each in (src, dst)]
    same(gpu, others, Graph.from_edges(*whole, num_vertices=SIZE, directed=directed), FEW)


def test_arrays_of_many_spans(gpu):
    draw = np.random.default_rng(2)
    old = np.arange(2700, dtype=np.uint32)
    at = np.sort(np.append(draw.integers(0, 600, 130), [2300, 2300, 2700])).astype(np.uint32)
    gone = np.sort(draw.choice(2700, 300, replace=False))
    with gpu.current():
        whole = from_host(gpu, old)
        marks = rows_gone(gpu, 2700, [from_host(gpu, np.append(gone, gone[:9]))])
        np.testing.assert_array_equal(marks.numpy(), gone)
        places = from_host(gpu, at + np.arange(len(at), dtype=np.uint32))
        added = np.arange(5000, 5000 + len(at), dtype=np.uint32)
        found = splice.Splice(gpu, 2700, places, None).of(whole, from_host(gpu, added))
        np.testing.assert_array_equal(found, np.insert(old, at.astype(int), added))
        np.testing.assert_array_equal(marks.left_of(whole)[0], np.delete(old, gone))
        np.testing.assert_array_equal(marks.numbers_left(old.dtype), np.delete(old, gone))


def device_of(graph):
    from emv.graph.there import device_under

    return device_under(graph._store)


def test_relaxations_go_on_where_the_edges_lie(gpu):
    edges = edges_of(np.random.default_rng(7), 30)
    edges[0], edges[1] = edges[0] % (SIZE - 2), edges[1] % (SIZE - 2)
    lent = [from_host(gpu, each) for each in edges]
    graph = Graph.from_edges(*lent[:2], num_vertices=SIZE, weight=lent[2])
    run, levels = (each.run(graph.on("cuda"), 3, backend="cuda") for each in (sssp, bfs))
    more = [np.array(each, np.int32) for each in ([3, SIZE - 1], [SIZE - 1, SIZE - 2])]
    added = [from_host(gpu, each) for each in (*more, np.float32([2, 0.5]))]
    later = graph.add_edges(*added[:2], weight=added[2]).on("cuda")
    found = sssp.update(run, later)
    assert found.updated == "dist went on from the ends of 2 new edges"
    assert np.array_equal(found.result, sssp(later, 3, backend="python"))
    assert run.result[SIZE - 1] == np.inf
    lower = bfs.update(levels, later)
    assert lower.updated == "depth went on from the ends of 2 new edges"
    assert np.array_equal(lower.result, bfs(later, 3, backend="python"))
    assert np.asarray(lower.result).dtype == np.int32
    below = graph.add_edges(*added[:2], weight=from_host(gpu, np.float32([-1, 0]))).on("cuda")
    assert "negative" in sssp.update(run, below).updated


@pytest.mark.parametrize("directed", [True, False])
def test_columns_by_arc_follow_those_of_the_version_before(gpu, directed):
    src, dst, weight = edges_of(np.random.default_rng(3), 30)
    weight = weight.astype(np.int32)
    lent = [from_host(gpu, each) for each in (src, dst, weight)]
    graph = Graph.from_edges(*lent[:2], num_vertices=SIZE, directed=directed, weight=lent[2])
    sssp(graph.on("cuda"), 3, backend="cuda")
    for seed in (4, 5):
        new = [each.astype(np.int32) for each in edges_of(np.random.default_rng(seed), 8)]
        more = [from_host(gpu, each) for each in new]
        graph = graph.add_edges(*more[:2], weight=more[2])
        weight = np.append(weight, new[2])
        ((_, found),) = graph.layouts.placed["cuda:0"].by_arc.values()
        np.testing.assert_array_equal(found, weight[graph.layouts.edge_of_arc])
        assert found.dtype == np.int64
        lengths = sssp(graph.on("cuda"), 3, backend="cuda")
        ((_, used),) = graph.layouts.placed["cuda:0"].by_arc.values()
        assert used is found
        assert np.array_equal(lengths, sssp(graph, 3, backend="python"))
    assert not graph.remove_edges(from_host(gpu, np.arange(2))).layouts.placed["cuda:0"].by_arc


@pytest.mark.parametrize("directed", [True, False])
def test_sets_are_joined_where_the_edges_lie(gpu, directed):
    src, dst = edges_of(np.random.default_rng(3), 20)[:2]
    lent = [from_host(gpu, each) for each in (src, dst)]
    graph = Graph.from_edges(*lent, num_vertices=SIZE, directed=directed)
    run = components.run(graph.on("cuda"), backend="cuda")
    more = np.random.default_rng(4).integers(0, SIZE + 3, (2, 5)).astype(np.int32)
    later = graph.add_vertices(3).add_edges(*(from_host(gpu, each) for each in more)).on("cuda")
    found = components.update(run, later)
    assert found.updated == "sets were joined along 5 new edges"
    assert np.array_equal(found.result, components(later, backend="python"))
    numbered = components.run(graph.on("cuda"), numbered=True, backend="cuda")
    count, number = components.update(numbered, later).result
    expected = components(later, numbered=True, backend="python")
    assert count == expected[0]
    assert np.array_equal(number, expected[1])


def test_ranks_go_on_where_the_edges_lie(gpu):
    edges = edges_of(np.random.default_rng(7), 60)
    graph = Graph.from_edges(*(from_host(gpu, each) for each in edges[:2]), num_vertices=SIZE)
    run = pagerank.run(graph.on("cuda"), backend="cuda")
    more = [np.array(each, np.int32) for each in ([3, SIZE - 1], [SIZE - 1, SIZE - 2])]
    later = graph.add_edges(*(from_host(gpu, each) for each in more)).on("cuda")
    found, anew = pagerank.update(run, later), pagerank.run(later, backend="cuda")
    assert found.updated == "rank went on from what it was, with 2 new edges"
    assert np.abs(np.asarray(found.result) - np.asarray(anew.result)).sum() < 2e-5
    check_pagerank(later, np.asarray(found.result))


@pytest.mark.paper("S177")
@pytest.mark.parametrize("directed", [True, False])
def test_results_are_brought_along_where_the_edges_lie(gpu, directed):
    draw, updated = np.random.default_rng(9), []
    src, dst, weight = edges_of(draw, 24)
    weight = weight.astype(np.int32)
    lent = [from_host(gpu, each) for each in (src, dst, weight)]
    graph = Graph.from_edges(*lent[:2], num_vertices=SIZE, directed=directed, weight=lent[2])
    programs = {sssp: (3,), bfs: (3,), components: ()}
    runs = {
        each: each.run(graph.on("cuda"), *args, backend="cuda") for each, args in programs.items()
    }
    for step in range(4):
        new = edges_of(draw, 4 * step)
        more = [from_host(gpu, each.astype(np.int32)) for each in new]
        graph = graph.add_edges(*more[:2], weight=more[2])
        if step == 2:
            graph = graph.remove_edges(from_host(gpu, np.array([1, 7])))
        later = graph.on("cuda")
        for each, args in programs.items():
            runs[each] = each.update(runs[each], later)
            expected = each(later, *args, backend="python")
            assert np.array_equal(runs[each].result, expected), runs[each].updated
            updated.append(runs[each].updated.startswith("anew"))
    assert updated == [False] * 6 + [True] * 3 + [False] * 3


def test_results_of_edges_that_a_gpu_lost_are_made_anew(gpu):
    src, dst = (from_host(gpu, each) for each in edges_of(np.random.default_rng(3), 20)[:2])
    graph = Graph.from_edges(src, dst, num_vertices=SIZE)
    later = graph.remove_edges(from_host(gpu, np.arange(3)))
    found = components.update(components.run(graph, backend="cuda"), later)
    assert found.updated.startswith("anew: vertices are new or edges removed")
    assert np.array_equal(found.result, components(later, backend="python"))


@pytest.mark.parametrize("directed", [True, False])
def test_versions_that_are_pulled_from_are_merged_into_the_next(gpu, directed):
    """A graph that is no version drops what only led to the order of a pull."""
    draw = np.random.default_rng(6)
    lent = [from_host(gpu, each) for each in edges_of(draw, 60)[:2]]
    graph, merged = Graph.from_edges(*lent, num_vertices=SIZE, directed=directed), []
    for _ in range(3):
        later = graph.on("cuda")
        found, expected = (pagerank(later, 0.5, 1e-2, backend=b) for b in ("cuda", "python"))
        np.testing.assert_allclose(np.asarray(found), expected, atol=2e-6)
        more = [from_host(gpu, each) for each in edges_of(draw, 8)[:2]]
        graph = graph.add_edges(*more)
        merged.append("in_other" in graph.layouts.placed["cuda:0"].made)
        names = ("in_first", "in_other") if merged[-1] else ()
        ends = graph.edges.endpoints()
        anew = Graph.from_edges(*ends, num_vertices=SIZE, directed=directed)
        same(gpu, graph, anew, names)
    assert merged == [False, True, True]


def test_what_another_library_made_is_taken_as_it_was_when_edges_went(gpu):
    src, dst, weight = edges_of(np.random.default_rng(4), 30)
    lent = Foreign(gpu.driver, weight)
    graph = Graph.from_edges(from_host(gpu, src), from_host(gpu, dst), weight=lent)
    later = graph.remove_edges([2, 5])
    at(lent.address, len(weight), weight.dtype)[:] = -1
    np.testing.assert_array_equal(later.edges.weight, np.delete(weight, [2, 5]))
