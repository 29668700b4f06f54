"""Graphs whose edges are drawn and not held: the same parts, results and errors, in less memory."""

from __future__ import annotations

import weakref

import numpy as np
import pytest
from simulated_gpu import SimulatedDriver, install

from bench.large import large
from bench.study import Row
from emv import Edge, EdgeList, Graph, Vertex, elist, generators, i32, program
from emv.algorithms import bfs, bfs_parents, components, pagerank, triangles
from emv.backends.cuda import pieces
from emv.backends.cuda.device import DEVICES
from emv.backends.cuda.pool import Memory, Pool, rounded
from emv.errors import CapacityError, GraphError
from emv.graph import drawn, widths
from emv.graph.slices import slice_of
from emv.runtime.targets.gpu_graph import gpu_graph
from tests.oracles.drawn import rank_fault, tree_faults

NUMBER = 2
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


class Place(Vertex):
    most: i32 = -1


@elist
def highest(v: Place, links: EdgeList[Edge[Place]]):
    for link in links:
        v.most = max(v.most, link.dst.id)


@program
def most_of(g):
    highest(g.vertices)
    return g.vertices.most


@pytest.fixture(autouse=True)
def most_used(monkeypatch: pytest.MonkeyPatch, small_digits: None) -> dict[Pool, int]:
    """Install some GPUs; return the most bytes that somebody held of each pool."""
    found = dict[Pool, int]()
    taken = Pool.taken

    def watched(pool: Pool, nbytes: int, place: int) -> Memory:
        memory = taken(pool, nbytes, place)
        found[pool] = max(pool.used_bytes, found.get(pool, 0))
        return memory

    monkeypatch.setattr(Pool, "taken", watched)
    for k in range(NUMBER):
        install(SimulatedDriver(ordinal=k, stops=0.0), monkeypatch)
    monkeypatch.setattr(drawn, "DRAWN_TOGETHER", 80)  # so that there are some blocks, and pieces
    monkeypatch.setattr(pieces, "PIECE_ARCS", 40)  # of which rows may be longer
    monkeypatch.setattr(pieces, "CHUNK", 16)
    return found


def both(directed: bool, m: int = 100) -> list[Graph]:
    """Return a graph whose edges are drawn, and the same held: with loops and repeats."""
    how = {"rng": 3, "loops": True, "directed": directed}
    return [generators.rmat(40, m, held=held, **how) for held in (False, True)]


@pytest.mark.usefixtures("small_ranks")
@pytest.mark.parametrize(("directed", "is_wide"), [(True, True), (False, False), (False, True)])
def test_parts_are_those_of_the_same_graph_held(directed, is_wide, monkeypatch):
    if is_wide:  # of arcs, as with 2**32 of them
        for name in ("FIRST_WIDE_SIGNED", "FIRST_WIDE_UNSIGNED"):
            monkeypatch.setattr(widths, name, 41)
    g, held = both(directed)
    assert np.array_equal(g.out_degrees(), held.out_degrees())
    assert np.array_equal(g.in_degrees(), held.in_degrees())
    assert g.num_arcs == held.num_arcs
    names = ("first_out", "dst_of_arc", "first_in", "src_of_slot", "src_of_arc", "gather_slot")
    names += ("gather_first", "gather_position", "gather_close_place", "gather_close_slot")
    names += ("pull_order", "pull_place", "pull_head", "pull_arcs", "whole_first_out")
    for part, way in enumerate(("ranges", "hash")):
        of_both = []
        for graph in (g, held):
            own = slice_of(graph, NUMBER, way, part)
            with DEVICES[part].current():
                store = gpu_graph(own.layouts, DEVICES[part])
                of_both.append([np.asarray(store.index(own, name)) for name in names])
        for name, mine, wanted in zip(names, *of_both, strict=True):
            assert np.array_equal(mine, wanted), (part, way, name)
            assert mine.dtype == wanted.dtype
        assert mine.itemsize == (8 if is_wide else 4)


@pytest.mark.usefixtures("small_ranks")
def test_programs_give_what_they_give_on_edges_that_are_held(most_used):
    gpus = ["cuda:0", "cuda:1", "cuda:0"]
    g, held = both(directed=False)
    mine, wanted = g.on("cuda", gpus=gpus), held.on("cuda", gpus=gpus)
    planned = pagerank.memory_plan(mine, max_iter=5, tol=0).by_device
    most_used.clear()
    ranks = pagerank(mine, max_iter=5, tol=0)
    for name, most in planned.items():  # parts on one GPU are built one after the other
        assert most_used[DEVICES[int(name[-1])].pool] <= most
    assert np.array_equal(ranks, pagerank(wanted, max_iter=5, tol=0))
    assert np.array_equal(bfs(mine, 0), bfs(held.on("python"), 0))
    assert np.array_equal(bfs_parents(mine, 0), bfs_parents(held.on("python"), 0))
    assert f"{len(gpus)} parts" in str(bfs.explain(mine, 0))


def test_one_gpu_alone_holds_all_edges_and_so_does_each_where_a_program_needs_all_arcs():
    g, held = both(directed=False)
    assert np.array_equal(bfs(g.on("cuda"), 0), bfs(held.on("python"), 0))
    assert "each GPU holds all arcs" in str(most_of.explain(g.on("cuda", gpus=2)))
    assert np.array_equal(most_of(g.on("cuda", gpus=2)), most_of(held.on("python")))


def test_what_needs_all_edges_on_the_host_says_so():
    g, _ = both(directed=True)
    said = "100 edges of this graph are drawn where they are needed"
    for needs in (
        lambda: g.arcs(),
        lambda: g.edges.src,
        lambda: g.add_edge(0, 1),
        lambda: g.add_edges([0], [1]),
        lambda: g.remove_edges([0]),
        lambda: g.prepared(loops=False),
        lambda: g.to_scipy(),
        lambda: bfs(g.on("cpu"), 0),
        lambda: triangles(g.on("cuda", gpus=2)),
        lambda: bfs(g.on("cpu", parts=2), 0),
        lambda: g.parts(2, "metis"),
        lambda: components(g.on("cuda", gpus=2)),
    ):
        with pytest.raises(GraphError, match=said):
            needs()
    assert g.num_edges == 100  # nothing was added in vain
    assert g.add_vertices(2).out_degrees().tolist() == [*g.out_degrees().tolist(), 0, 0]


def test_a_build_takes_what_was_planned_and_a_gpu_too_small_for_it_is_named(most_used):
    g, _ = both(directed=False)
    place = g.on("cuda", gpus=NUMBER)
    planned = bfs.memory_plan(place, 0)
    assert planned.building_bytes
    together = bfs.memory_plan(g.on("cuda", gpus=["cuda:0", "cuda:0"]), 0)
    assert together.by_device == {"cuda:0": together.peak_bytes}
    assert together.building_bytes < planned.building_bytes  # of one after the other
    most_used.clear()
    bfs(place, 0)
    for part, most in enumerate(planned.by_device.values()):
        assert most_used[DEVICES[part].pool] <= most
    DEVICES[1].driver.total, again = 10_000, both(directed=False)[0]
    with pytest.raises(CapacityError, match="cuda:1"):
        bfs(again.on("cuda", gpus=NUMBER), 0)


def test_senders_that_are_gathered_need_no_other_rows_beside_them(most_used, monkeypatch):
    monkeypatch.setattr(drawn, "DRAWN_TOGETHER", 200)
    monkeypatch.setattr(pieces, "PIECE_ARCS", 200)
    g, _ = both(directed=False, m=1000)
    place, long = g.on("cuda", gpus=NUMBER), weakref.WeakSet[Memory]()
    sizes = {rounded(4 * slice_of(g, NUMBER, "ranges", k).num_arcs) for k in range(NUMBER)}
    taken, together = Pool.taken, [0]

    def watched(pool: Pool, nbytes: int, place: int) -> Memory:
        memory = taken(pool, nbytes, place)
        if nbytes in sizes:  # as long as the arcs of a part
            long.add(memory)
            together.append(sum(each.pool is pool for each in long))
        return memory

    monkeypatch.setattr(Pool, "taken", watched)
    planned = pagerank.memory_plan(place, max_iter=1, tol=0)
    most_used.clear()
    pagerank(place, max_iter=1, tol=0)
    assert max(together) == 1
    for part, most in enumerate(planned.by_device.values()):
        assert most_used[DEVICES[part].pool] <= most


def test_the_study_builds_searches_ranks_and_compares():
    rows: list[Row] = list(large(4, 4, sources=1, iterations=3, held=True))
    assert not any(row.get("fault") for row in rows)
    assert [row["what"] for row in rows] == [
        *("degrees", "built bfs", "built bfs", "searched", "tree", "valid", "bfs"),
        *("built pagerank", "built pagerank", "pagerank", "valid"),
    ]


def tree(parent: list[int], depth: list[int]) -> str:
    """Return what is wrong with a tree of the path 0-1-2-3 with the edge 0-2, and 4 alone."""
    blocks = [(np.array([0, 1]), np.array([1, 2])), (np.array([2, 0]), np.array([3, 2]))]
    return tree_faults(np, blocks, np.array(parent), np.array(depth), 0)[0]


def test_validation_finds_what_is_no_tree_of_a_search():
    assert not tree([-1, 0, 0, 2, -1], [0, 1, 1, 2, -1])
    assert "no root" in tree([1, 0, 0, 2, -1], [0, 1, 1, 2, -1])
    assert "not one nearer" in tree([-1, 0, 3, 2, -1], [0, 1, 1, 2, -1])
    assert "without a parent" in tree([-1, 0, 0, 2, -1], [0, 1, 1, 2, 1])
    assert "skip a level" in tree([-1, 0, 1, 2, -1], [0, 1, 2, 3, -1])
    assert "leave what is reached" in tree([-1, 0, 0, -1, -1], [0, 1, 1, -1, -1])
    assert "no edge leads" in tree([-1, 0, 0, 1, -1], [0, 1, 1, 2, -1])


def test_validation_finds_ranks_that_are_no_fixed_point():
    src, dst = np.array([0, 1, 2, 2]), np.array([1, 2, 0, 2])
    degrees, rank = np.array([2, 2, 3]), np.ones(3) / 3
    first = np.array([0, 2, 4, 7])
    for _ in range(200):
        share = rank / degrees
        other = src != dst
        got = np.bincount(dst, share[src], 3) + np.bincount(src[other], share[dst[other]], 3)
        rank = 0.15 / 3 + 0.85 * got
    assert not rank_fault(np, [(src, dst)], rank, first, 0.0)
    assert "one more step" in rank_fault(np, [(src, dst)], rank[::-1].copy(), first, 0.0)
    assert "sum to" in rank_fault(np, [(src, dst)], 2 * rank, first, 0.0)
