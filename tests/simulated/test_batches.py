"""Batches on simulated GPUs, and on parts of a graph, on shapes whose hubs are cut into pieces."""

from __future__ import annotations

import numpy as np
import pytest
from backends.test_batches import letters, spread
from fake_cuda import fresh
from simulated.test_algorithms import ONE_BLOCK, SHAPES, TWO_BLOCKS, gpu, shaped
from simulated.test_grids import changed
from simulated.test_open_pulls import depths, drawn, several

import emv
from emv import Edge, Graph, edge, i32, program, vertex
from emv.algorithms import bfs, sssp
from emv.algorithms.bfs import Spot, look_ahead, settle
from emv.backends.simulated.races import RaceError
from emv.codegen.cuda import claim_bits
from emv.runtime.drive import driver as driving

CASES = (
    (bfs, 3, "star in"),
    (bfs, 3, "path"),
    (bfs, 20, "sparse"),
    (bfs, 40, "star in"),
    (bfs, 40, "dense"),
    (bfs, 130, "dense"),
    (sssp, 5, "dense"),
    (sssp, 2, "star out"),
    (spread, 3, "star in"),
    (letters, 3, "loops"),
)


def check(made, count, graph):
    values = [(7 * k) % graph.num_vertices for k in range(count)]
    found = made.batch(graph, values, backend="cuda")
    runs = alone(made, graph, values)
    if isinstance(found, tuple):
        found, runs = found[0], [run[0] for run in runs]
    np.testing.assert_array_equal(np.asarray(found), np.stack(runs))


def alone(made, graph, values):
    """Return what plain Python finds for each value, of which some come again."""
    found = {value: made(graph, value, backend="python") for value in set(values)}
    return [found[value] for value in values]


@pytest.mark.parametrize(("made", "count", "shape"), CASES)
def test_results(made, count, shape, small_hubs):
    number = SHAPES.index(shape)
    small_hubs.setattr(claim_bits, "PULL_SHARE", 0 if number % 2 else 1000)
    gpu(small_hubs, *((ONE_BLOCK, 1) if (number + count) % 2 else (TWO_BLOCKS, 64)))
    check(made, count, shaped(shape, number))


@pytest.mark.parametrize(("made", "count"), [(sssp, 2), (bfs, 33)])
def test_rows_that_are_cut(made, count, monkeypatch):
    gpu(monkeypatch, TWO_BLOCKS, 64)
    monkeypatch.setattr(claim_bits, "PULL_SHARE", 0)
    leaves = np.arange(1, 1030)
    check(made, count, Graph.from_edges(np.zeros(1029, np.int64), leaves))


@pytest.mark.parametrize("count", [20, 70])
@pytest.mark.parametrize("place", ["cuda", "cuda:0,1/hash/peer"])
def test_long_rows_of_the_open_are_walked_where_the_settled_are_passed_over(
    place, count, monkeypatch
):
    several(monkeypatch, count)
    monkeypatch.setattr(claim_bits, "PULL_SHARE", 10**9)
    monkeypatch.setattr(claim_bits, "OPEN", 0)  # however many are open
    ring, hub = np.arange(50), np.zeros(45, np.int64)  # which hears of the others one by one
    src, dst = np.concatenate([ring, ring[:45]]), np.concatenate([(ring + 1) % 50, hub])
    graph = Graph.from_edges(src, dst)
    sources = [(7 * k) % 50 for k in range(count)]
    search = fresh(bfs)
    assert "heard_words(wave" in search.source(graph.on(place), emv.batch(sources))
    wanted = np.stack([depths(graph, source) for source in sources])
    np.testing.assert_array_equal(search.batch(graph.on(place), sources), wanted)


@edge
def above(e: Edge[Spot]):
    e.send(e.src.depth + e.dst.depth)


@vertex
def keep(v: Spot, total: i32):
    v.depth = total


@program
def summed(g, source):
    """Search, and then let each vertex add up what stands beside it."""
    settle(g.only(source), 0)
    for _ in g.supersteps():
        depths = look_ahead(g.active)
        settle(depths.receivers, emv.min(depths))
    keep(g.vertices, emv.sum(above(g.vertices)))
    return g.vertices.depth


PARTS = ("cuda:0,1/ranges/peer", "cuda:0,0/hash/peer", "cuda:0,1,2/hash", "cuda:0,1,2,0,1")
SHARES = {"pushes": 0, "pulls": 10**9, "either": 8}


@pytest.mark.parametrize(
    ("share", "place"),
    [
        *(("pushes", PARTS[0]), ("pushes", PARTS[2])),
        *(("pulls", PARTS[1]), ("pulls", PARTS[3])),
        *(("either", PARTS[2]), ("either", PARTS[3])),
    ],
)
def test_searches_of_parts(share, place, small_hubs):
    """Each part finds words of its own vertices, and hands them on; hubs are cut into pieces."""
    count = {"either": 20, "pushes": 40, "pulls": 70}[share]  # words of 32 bits, 64, and two words
    several(small_hubs, count, place)
    small_hubs.setattr(claim_bits, "PULL_SHARE", SHARES[share])
    for kind in ("skewed", "layers"):
        search, graph = fresh(bfs), drawn(kind, 70, directed=kind == "layers")
        sources = [(7 * k) % 70 for k in range(count)]
        said = search.explain(graph.on(place), emv.batch(sources))
        assert "a bit for each copy" in said
        assert "words stand in the order of receivers" in said
        found = search.run(graph.on(place), emv.batch(sources))
        assert found.backend == place
        wanted = np.stack([depths(graph, source) for source in sources])
        np.testing.assert_array_equal(np.asarray(found.result), wanted)


@pytest.fixture
def bits_of_a_loop(small_hubs):
    """Return a graph, the sources of searches, and what they find; kernels are left and entered."""
    several(small_hubs, 3)
    small_hubs.setattr(driving, "FIRST_BUDGET", 2)
    small_hubs.setattr(driving, "next_budget", lambda now, superstep_s: now)
    graph, sources = drawn("skewed", 70, directed=False), [5 * k % 70 for k in range(40)]
    return graph, sources, np.stack(alone(summed, graph, sources))


@pytest.mark.parametrize("place", PARTS[1:3])
def test_what_was_found_by_bits_is_there_for_others_behind_the_loop(place, bits_of_a_loop):
    graph, sources, wanted = bits_of_a_loop
    assert "a bit for each copy" in summed.explain(graph.on(place), emv.batch(sources))
    found = summed.batch(graph.on(place), sources)
    np.testing.assert_array_equal(np.asarray(found), wanted)


def test_what_was_found_by_bits_is_missed_where_others_are_not_told(bits_of_a_loop):
    graph, sources, wanted = bits_of_a_loop
    with changed("peer1_v_depth[v] = told_0", "pass"):
        missed = summed.batch(graph.on("cuda", gpus=2), sources)
    assert (np.asarray(missed) != wanted).any()


@vertex
def lead(v: Spot):
    if v.out_degree > 0:
        v.depth = 100 * v.depth + v.out_dst(0)


@program
def leading(g, source):
    """Search, and then look where an arc leads: so every part holds all arcs."""
    settle(g.only(source), 0)
    for _ in g.supersteps():
        depths = look_ahead(g.active)
        settle(depths.receivers, emv.min(depths))
    lead(g.vertices)
    return g.vertices.depth


@pytest.mark.parametrize("place", PARTS[:2])
@pytest.mark.parametrize("share", ["pulls", "pushes"])
def test_words_stand_by_vertices_where_parts_hold_all_arcs(share, place, small_hubs):
    several(small_hubs, 5)
    small_hubs.setattr(claim_bits, "PULL_SHARE", SHARES[share])
    search, graph = fresh(leading), drawn("skewed", 70, directed=False)
    sources = [5 * k % 70 for k in range(40)]
    said = search.explain(graph.on(place), emv.batch(sources))
    assert "a bit for each copy" in said
    assert "words stand in the order of" not in said
    wanted = np.stack(alone(leading, graph, sources))
    np.testing.assert_array_equal(search.batch(graph.on(place), sources), wanted)


@pytest.mark.parametrize("share", ["pulls", "pushes"])
def test_words_that_are_not_handed_on_are_missed(share, small_hubs):
    several(small_hubs, 2)
    small_hubs.setattr(claim_bits, "PULL_SHARE", SHARES[share])
    search, graph = fresh(bfs), drawn("layers", 70, directed=True)
    stored = "peer1_next_wave[stands] = told"
    sources, place = [3 * k % 70 for k in range(40)], graph.on("cuda", gpus=2)
    wanted = bfs.batch(graph, sources, backend="cuda")
    with changed(stored, "pass"):
        assert (np.asarray(search.batch(place, sources)) != np.asarray(wanted)).any()
    np.testing.assert_array_equal(search.batch(place, sources), wanted)


def test_words_of_parts_take_one_meeting_a_superstep_without_which_they_race(small_hubs):
    several(small_hubs, 2)
    search, graph = fresh(bfs), drawn("layers", 70, directed=True)
    sources, place = [3 * k % 70 for k in range(40)], graph.on("cuda", gpus=2)
    text = search.source(place, emv.batch(sources))
    loop = text[text.index("    while True:\n        if state[RUNNING_2] != 1") :]
    assert (loop.count("_meet("), loop.count("_tell")) == (1, 0)
    meets = next(each for each in loop.splitlines() if "_meet(" in each)
    alone = "if lane == 0: state[NEXT_WORDS_3] += state[RECEIVERS_3]"  # goes on with the own words
    alone = meets[: len(meets) - len(meets.lstrip())] + alone
    with changed(meets, alone), pytest.raises(RaceError, match="wave"):
        search.batch(place, sources)
